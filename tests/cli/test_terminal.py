"""Output to a terminal: control characters from strangers are shown as text."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from builders import named_study, pseudo_terminal
from long import long_but
from paper_station import PaperStation, record_of, sit
from rich.live import Live
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from hype.console import PrintableConsole, PrintableStream, progress, warn

EVIL = "p\x1b[31m\x1b]0;title\x07\x9b5m\u202e\u2066\u2028\x7f\r\x08"
"""Control sequences: colours, window title, writing direction, line breaks, overwriting."""
SHOWN = r"p\x1b[31m\x1b]0;title\x07\x9b5m\u202e\u2066\u2028\x7f\r\x08"
OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
HYPE = Path(sys.executable).parent / "hype"


def at_a_terminal(folder: Path, *arguments: object, term: str = "dumb") -> str:
    """Run the installed program at a terminal without colours; return all bytes that it wrote."""
    far, near = pseudo_terminal()
    got = bytearray()

    def read() -> None:
        while True:
            try:
                got.extend(os.read(far, 1 << 16))
            except OSError:  # the program has closed its end
                return

    reader = threading.Thread(target=read)
    reader.start()
    subprocess.run(
        [HYPE, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"TERM": term, "COLUMNS": "300"},
        stdin=subprocess.DEVNULL,
        stdout=near,
        stderr=near,
        check=False,
        timeout=120,
    )
    os.close(near)
    reader.join()
    os.close(far)
    return got.decode()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record in which every text that a person can choose contains control sequences."""
    made = named_study(tmp_path_factory.mktemp("evil") / "study")
    with record_of(made) as engine:
        sit(engine, made, "p01", PaperStation(stops_at=9))
        sit(engine, made, "s01", simulated=True)
    with closing(sqlite3.connect(made.folder / "data.sqlite")) as record, record:
        (kept,) = record.execute("select resolved from studies").fetchone()
        changed = json.dumps(json.loads(kept) | {"study": {"name": EVIL}})
        for change, value in (
            ("update studies set resolved = ?", changed),
            ("update evaluators set condition = ?", EVIL),
            ("update evaluators set evaluator = ? || id", EVIL),
            ("update sessions set showing = ?", EVIL),
            ("update events set event = ?", EVIL),
            ("update judgements set image = ? || id", EVIL),
            ("update judgements set source = ?", EVIL),
        ):
            record.execute(change, (value,))
    evil = made.folder / EVIL.replace("/", "")
    evil.mkdir()
    (evil / "study.toml").write_text("[study]\nnope = 1\n")
    (made.folder / "judge.csv").write_text(f"image,answer\n{EVIL},real\n")
    (made.folder / "table.csv").write_text(
        f"evaluator,condition,truth,answer\np1,{EVIL},real,real\n", encoding="utf-8"
    )
    return made.folder


@pytest.mark.parametrize(
    "arguments",
    long_but([(EVIL,)], [("status", "."), ("verify", "."), (EVIL,)]),
    ids=lambda arguments: " ".join(arguments).replace(EVIL, "EVIL"),
)
def test_a_terminal_obeys_nothing_that_was_found(arguments, study):
    got = at_a_terminal(study, *arguments)

    assert got
    assert not OBEYED.search(got)


def test_what_rich_tells_a_terminal_gets_there(study):
    """A spinner replaces the output streams with proxies, and restores them at its end."""
    got = at_a_terminal(study, "verify", ".", term="xterm")

    assert "\x1b[?25l" in got
    assert r"\x1b[?25l" not in got


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", ".", "--simulated"),
        ("status", ".", "--json"),
        ("score", "."),
        ("score", ".", "--simulated"),
        ("score", ".", "--simulated", "--judges", "judge.csv"),
        ("score", "table.csv"),
        ("verify", ".", "--json"),
        ("check", ".", "--no-display"),
        ("export", ".", "-o", "out"),
        ("forget", ".", "p01"),
        ("run", ".", "--evaluator", "p01"),
        ("status", EVIL),
    ],
    ids=lambda arguments: " ".join(arguments).replace(EVIL, "EVIL"),
)
def test_no_command_prints_what_a_terminal_would_obey(
    arguments, study, tmp_path, hype, monkeypatch
):
    monkeypatch.chdir(shutil.copytree(study, tmp_path / "study"))
    done = hype(*arguments)

    assert done.out + done.err
    assert not OBEYED.search(done.out + done.err)


def test_what_is_not_obeyed_is_shown(study, hype, monkeypatch):
    monkeypatch.chdir(study)

    assert SHOWN in hype("verify", ".").out
    assert SHOWN in hype("status", EVIL).refused()


def test_json_is_the_same_value_all_the_same(study, hype):
    done = hype("status", study, "--json")

    assert not OBEYED.search(done.out)
    assert EVIL in {person["evaluator"][: len(EVIL)] for person in done.json["evaluators"]}


def drawn(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the text on the screen, without Rich's control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out)


def test_styles_reach_the_terminal_and_names_do_not_make_any(capsys):
    console = PrintableConsole(
        force_terminal=True, color_system="standard", width=100, highlight=False
    )
    console.print(f"[red]{EVIL}[/]")
    console.print(EVIL, markup=False, style="bold")
    table = Table(EVIL)
    table.add_row(Text(EVIL))
    console.print(table)
    out = capsys.readouterr().out

    assert out.startswith(f"\x1b[31m{SHOWN}\x1b[0m\n\x1b[1m{SHOWN}\x1b[0m\n")
    assert not OBEYED.search(re.sub(r"\x1b\[(31|1|0)m", "", out))


def test_bars_and_live_screens_are_guarded_too(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = PrintableConsole(force_terminal=True, color_system=None, width=120)
    with Progress(*progress().columns, console=console) as bar:
        bar.add_task(EVIL, total=1)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        live.update(Text(EVIL), refresh=True)
    said = drawn(capsys)

    assert r"p\x1b[31m" in said.partition("left")[0]
    assert r"\x9b5m\u202e\u2066\u2028\x7f" in said.partition("left")[2]
    assert not OBEYED.search(said.replace("\r", ""))


def test_a_warning_is_whole_above_a_progress_bar(capsys, monkeypatch):
    console = PrintableConsole(stderr=True, force_terminal=True, color_system=None)
    monkeypatch.setattr("hype.console.err", console)
    with progress() as bar:
        bar.add_task("asking", total=1)
        warn("said")
    assert "\nwarning said" in capsys.readouterr().err.replace("\r\x1b[2K", "\n")


def test_tracebacks_and_plain_prints_are_guarded(capsys):
    stream = PrintableStream(sys.stdout)
    print(EVIL, "\tstays\n", file=stream)
    stream.writelines([EVIL, "\n"])

    assert capsys.readouterr().out == f"{SHOWN} \tstays\n\n{SHOWN}\n"


FAULTY = "from hype.console import guard_terminal; guard_terminal(); raise ValueError({!r})"


def test_a_fault_says_what_it_says_without_being_obeyed():
    ran = subprocess.run(
        [sys.executable, "-c", FAULTY.format(EVIL)], capture_output=True, text=True, check=False
    )

    assert f"ValueError: {SHOWN}" in ran.stderr
    assert not OBEYED.search(ran.stderr)
