"""`hype status --watch` shows the progress of a study, even if its record is moved or damaged."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from builders import named_study, pseudo_terminal
from known import look
from paper_station import record_of
from rich.console import Console

from hype.cli.status import status_screen
from hype.protocols.hype.settings import Study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.store.record import RECORD_FILE

pytest.importorskip("fcntl", reason="terminals of this kind need POSIX")
PATIENCE_S = 60.0


def one_more(study: Study) -> None:
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).simulate_some(1))


class Watching:
    """The program at a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self._terminal = terminal
        self._drawn = ""

    def read(self) -> str:
        """Return what the program has drawn so far; a terminal gives a few kilobytes at a time."""
        with suppress(BlockingIOError):
            while True:
                self._drawn += os.read(self._terminal, 1 << 20).decode(errors="ignore")
        time.sleep(0.02)
        return self._drawn

    def until(self, text: str, *, without: str = "\0") -> str:
        """Wait for a screen with one text and without another, and return its words."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            assert self.process.poll() is None, self.read()
            *screens, self._drawn = self.read().split("\x1b[H")  # the last may be incomplete
            for screen in screens:
                words = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).split())
                if text in words and without not in words:
                    return words
        raise AssertionError(self._drawn)


@contextmanager
def watching(folder: Path) -> Iterator[Watching]:
    far, near = pseudo_terminal()
    os.set_blocking(far, False)
    program = Path(sys.executable).parent / "hype"
    process = subprocess.Popen(
        # a process in the background ignores interrupts, and so do its children
        ["env", "--default-signal=INT", program, "status", folder, "--watch", "--simulated"],
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
        stdin=subprocess.DEVNULL,
        stdout=near,
        stderr=near,
    )
    try:
        yield Watching(process, far)
    finally:
        process.kill()
        process.wait()
        os.close(far)
        os.close(near)


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_study_is_watched_from_before_there_is_a_record(how, tmp_path):
    study = named_study(tmp_path / "study")
    with watching(study.folder) as watch:
        watch.until("there is no record yet")
        one_more(study)
        screen = watch.until("sim-0001", without="cannot be read")
        (study.folder / "study.toml").rename(tmp_path / "away.toml")
        wrong = watch.until("there is no such study")
        (tmp_path / "away.toml").rename(study.folder / "study.toml")
        one_more(study)
        watch.until("sim-0002", without="cannot be read")
        watch.process.send_signal(how)
        status = watch.process.wait(PATIENCE_S)
        end = watch.read()

    assert status == 0
    assert "sim-0001" in wrong  # the last status stays on the screen
    assert "every 2 s · Ctrl-C ends" in screen
    assert end.count("\x1b[?1049l") == 1


def test_who_answered_last_comes_first(tmp_path):
    study = named_study(tmp_path)
    for _ in range(3):
        one_more(study)
    status = look(study, simulated=True)
    console = Console(width=100, record=True)
    console.print(status_screen(status, ""))
    listed = re.findall(r"^sim-\d+", console.export_text(), re.MULTILINE)
    people = status.facts["evaluators"]
    last = {who["evaluator"]: who["last_answered_unix_s"] for who in people}

    assert listed == sorted(last, key=lambda name: last[name], reverse=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--watch", "--pay", "pay.csv"), "--watch: other options are given; use only --s"),
        (("--watch", "--json"), "--watch: other options are given; use only --s"),
        (("--watch",), "--watch: needs a terminal"),
    ],
    ids=["pay", "json", "no terminal"],
)
def test_what_cannot_be_watched(options, message, tmp_path, hype):
    assert message in hype("status", named_study(tmp_path).folder, *options).refused()


def test_what_is_wrong_from_the_first_ends_it(tmp_path):
    study = named_study(tmp_path)
    (study.folder / RECORD_FILE).write_text("nonsense" * 200, encoding="utf-8")
    with watching(study.folder) as watch:
        status = watch.process.wait(PATIENCE_S)

        assert status == 2
        assert RECORD_FILE in watch.read()
