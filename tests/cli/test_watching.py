"""`hype status --watch`: what is seen as a study goes on, whatever happens to its record."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from builders import named_study
from paper_station import record_of
from rated_studies import simulate
from watched_program import PATIENCE_S, Terminal, Watching

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.settings import Study
from hype.protocols.registry import conduct_of
from hype.session.simulate import Simulation
from hype.status.watching import look_at
from hype.store.record import RECORD_FILE
from hype.store.sqlite_files import alone_with

if TYPE_CHECKING:
    from postgres import Database, Server
    from running import Program

CAME = 30


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study that many came to."""
    study = named_study(tmp_path_factory.mktemp("full"), study={"evaluators": 20, "name": "full"})
    simulate(study, CAME)
    return study


def one_by_one(study: Study, number: int) -> None:
    """Let simulated evaluators come, each in a transaction of its own."""
    with record_of(study) as engine:
        simulation = Simulation(engine, conduct_of(study), seed=3)
        for _ in range(number):
            list(simulation.come(1))


def came(told: Any) -> int:
    return len(told.get("evaluators", ()))


def test_a_record_is_watched_from_before_it_is_there(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    with Watching(study.folder, "--simulated", "--json", "--every", 0.2) as watching:
        watching.until_problem("there is no record yet")
        one_by_one(study, 6)
        last = watching.until(lambda told: came(told) == 6)
        status = watching.interrupted()
        numbers = [came(told) for told in watching.told]

    assert last["problem"] is None
    assert last["whole"]["complete"] == sum(e["status"] == "complete" for e in last["evaluators"])
    assert numbers == sorted(numbers)
    assert len(set(watching.lines)) == len(watching.lines)
    assert (status, watching.errors) == (0, "")


def test_nothing_is_held_between_two_looks(full: Study, tmp_path: Path) -> None:
    """Whoever must have a record alone, to migrate it, can."""
    folder = Path(shutil.copytree(full.folder, tmp_path / "study"))
    with Watching(folder, "--simulated", "--json", "--every", 1) as watching:
        watching.until(came)
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with alone_with(folder / RECORD_FILE):
                    break
            except sqlite3.OperationalError:
                assert time.monotonic() < end


def test_a_record_that_another_program_has_for_itself(full: Study, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(full.folder, tmp_path / "study"))
    (folder / "data.sqlite-shm").touch()  # as a program leaves it that was killed
    with ExitStack() as other:
        other.enter_context(alone_with(folder / RECORD_FILE))
        with Watching(folder, "--simulated", "--json", "--every", 0.2) as watching:
            said = watching.until(lambda told: told["problem"])
            other.close()
            watching.until(came)
            status = watching.interrupted()

    assert "another program" in said["problem"]
    assert status == 0


def test_a_record_that_goes_and_comes_back(full: Study, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(full.folder, tmp_path / "study"))
    with Watching(folder, "--simulated", "--json", "--every", 0.2) as watching:
        watching.until(came)
        (folder / "study.toml").rename(tmp_path / "away.toml")
        wrong = watching.until_problem("there is no such study")
        (tmp_path / "away.toml").rename(folder / "study.toml")
        well = watching.until(lambda told: not told["problem"])
        status = watching.interrupted()

    assert wrong["problem_since_unix_s"] >= wrong["looked_unix_s"]
    assert came(wrong) == came(well) == CAME
    assert status == 0


def test_text_is_printed_again_where_something_is_new(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    with Watching(study.folder, "--simulated", "--every", 0.2) as watching:
        watching.said("there is no record yet")
        one_by_one(study, 1)
        watching.said("sim-0001")
        one_by_one(study, 1)
        watching.said("sim-0002")
        status = watching.interrupted()
    said = "".join(watching.lines)

    assert status == 0
    assert "\x1b" not in said
    assert said.count("sim-0001") >= 2
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nsince \d\d:\d\d:\d\d: ", said)


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="told to end", marks=pytest.mark.long),
    ],
)
def test_at_a_terminal_it_is_drawn_in_place(
    how: signal.Signals, full: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    arguments = (full.folder, "--simulated", "--every", 0.2)
    with Terminal(80, 24) as terminal, Watching(*arguments, stdout=terminal.near) as watching:
        small = terminal.until(24, "Ctrl-C ends")
        small = terminal.until(24, "more")
        terminal.resize(100, 60)
        large = terminal.until(60, f"sim-00{CAME}")
        watching.process.send_signal(how)
        status = watching.process.wait(PATIENCE_S)
        end = terminal.read()

    assert status == {signal.SIGINT: 0, signal.SIGTERM: 143}[how]
    assert all(len(line) <= 80 for line in small)
    assert small[1].rstrip() == "full"
    assert not any("more" in line for line in large)
    assert end.count("\x1b[?1049h") == end.count("\x1b[?1049l") == 1
    assert "\x1b[2J" not in end


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--watch", "--pay", "pay.csv"), "--pay --watch: both given"),
        (("--watch", "--every", "0.1"), "--every: 0.1 is not allowed; 0.2 to 86400 seconds"),
        (("--watch", "--every", "nan"), "--every: nan is not allowed"),
        (("--every", "3"), "--every: is given without --watch"),
    ],
    ids=["pay", "too often", "not a number", "not watched"],
)
def test_what_cannot_be_watched(
    options: tuple[str, ...], message: str, full: Study, hype: Program
) -> None:
    assert message in hype("status", full.folder, *options).refused()


def test_a_study_that_is_wrong_from_the_first_ends_it(tmp_path: Path, hype: Program) -> None:
    assert "there is no such study" in hype("status", tmp_path, "--watch").refused()
    (tmp_path / "study.toml").write_text("nonsense", encoding="utf-8")
    assert "is not TOML" in hype("status", tmp_path, "--watch", "--json").refused()


def test_a_record_that_is_none_ends_it(tmp_path: Path, hype: Program) -> None:
    study = named_study(tmp_path)
    (study.folder / RECORD_FILE).write_text("nonsense" * 200, encoding="utf-8")

    assert RECORD_FILE in hype("status", study.folder, "--watch").refused()


def test_the_first_look_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such study"):
        look_at(str(tmp_path), central=False, simulated=False)
    study = named_study(tmp_path / "study")
    with pytest.raises(SessionProblem, match="there is no record yet"):
        look_at(str(study.folder), central=False, simulated=False)


def pushed(study: Study, central: Database) -> None:
    from hype.store.central.push import push
    from hype.store.record import reading_record

    with reading_record(study.folder / RECORD_FILE) as record:
        push(record, central.station_url)


def test_a_central_store_that_is_killed_and_comes_back(
    tmp_path: Path, postgres: Server, central: Database
) -> None:
    study = named_study(tmp_path / "study")
    with Watching(central.analyst_url, "--simulated", "--json", "--every", 0.2) as watching:
        watching.until_problem("holds no study yet")
        one_by_one(study, 3)
        pushed(study, central)
        watching.until(lambda told: came(told) == 3)
        postgres.kill()
        away = watching.until_problem("the central store cannot be reached")
        postgres.restart()
        watching.until(lambda told: not told["problem"])
        one_by_one(study, 3)
        pushed(study, central)
        last = watching.until(lambda told: came(told) == 6)
        status = watching.interrupted()

    assert came(away) == 3
    assert last["study"] == central.analyst_url
    assert (status, watching.errors) == (0, "")


def test_a_wrong_password_ends_it(
    central: Database, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "wrong")
    done = hype("status", central.analyst_url, "--watch", "--json")

    assert "password" in done.refused()
