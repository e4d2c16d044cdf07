"""Differences between systems: the program works without functions that only POSIX has."""

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from hype.system import folder_for, is_name_everywhere

TESTS = Path(__file__).parent
ON_WINDOWS = """
import windows_like
import contextlib, importlib, io, json, pkgutil, sys, warnings
from pathlib import Path
import hype

for module in pkgutil.walk_packages(hype.__path__, "hype."):
    if not module.name.startswith(("hype.station", "hype.__main__")):
        importlib.import_module(module.name)

from builders import whole_study
from hype.cli.main import main
from hype.files import aside
from hype.protocols.load import load_any
from hype.web.desk import FileDesk
from hype.store.seats import is_taken, hold_seat
from hype.store.record import RECORD_FILE
from hype.web.app import StudyServer
from hype.web.serving import doors_of

home = Path(sys.argv[1])
study = home / "study"
study.mkdir()
whole_study(study)

def hype_says(*arguments):
    sys.argv = ["hype", *map(str, arguments)]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            main()
        except SystemExit as end:
            assert not end.code, (arguments, end.code, said.getvalue())
    return said.getvalue()

hype_says("check", study, "--no-display")
hype_says("simulate", study, "--evaluators", 2, "--seed", 1)
(table,) = [json.loads(hype_says("score", study, "--simulated", "--json"))]
(home / "out").mkdir()
hype_says("export", study, "--format", "csv", "--simulated", "-o", home / "out")
(home / "again").mkdir()
hype_says("export", study, "--format", "bids", "--simulated", "-o", home / "again")
hype_says("score", home / "out" / "judgements.csv", "--json")
hype_says("report", study, "--simulated", "-o", home / "report.html")
hype_says("backup", study)
hype_says("verify", study)
hype_says("status", study, "--simulated", "--json")
desk = FileDesk(home / "key", home / "people.csv")
codes = [desk.code_of(who) for who in "ABA"]
assert codes[0] == codes[2] != codes[1]

record = study / RECORD_FILE
with hold_seat(record, "evaluator-p01", "somebody"):
    assert is_taken(record, "evaluator-p01")
    try:
        with hold_seat(record, "evaluator-p01", "another"):
            raise AssertionError("two sit on one seat")
    except hype.errors.SessionProblem:
        pass
assert not is_taken(record, "evaluator-p01")
with doors_of(load_any(study), "127.0.0.1", 0) as doors:
    StudyServer(load_any(study), doors.engine, doors.key, doors.desk, print).app()
    assert len(doors.key.secret) == 32
left = [path.name for path in home.rglob("*") if path.name.endswith(".held")]
assert not left, left
print("all done")
"""


def alone(code: str, *arguments: object, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS / "made"), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_the_analysts_program_runs_without_what_only_posix_has(tmp_path):
    # It needs its own folder for temporary files: other programs here use theirs as on Linux.
    places = {"XDG_STATE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    assert alone(ON_WINDOWS, tmp_path, **places) == "all done\n"


RECORDS = ("store", "session", "verify", "status", "registration")
TABLES = ("statistics", "tables", "export", "report", "stimuli", "study", "features", "library")
PROTOCOLS = ("protocols", "judges", "leaderboard", "reward", "asking", "answers")
PAGES = ("web", "local_page", "check", "masks")


@pytest.mark.long
@pytest.mark.parametrize("rooms", [RECORDS, TABLES, PROTOCOLS, PAGES, ("cli",)], ids=lambda r: r[0])
def test_so_do_the_tests_of_all_rooms_but_the_station(rooms, tmp_path):
    done = subprocess.run(
        [*(sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "windows_like"), *rooms],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS / "made"), "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.parametrize(
    "name", ["CON", "nul.png", "com1", "LPT9.tar.gz", "a:b", "a?", "a.", "a ", "aux .txt", 'a"b']
)
def test_names_that_windows_does_not_have(name):
    assert not is_name_everywhere(name)


@pytest.mark.parametrize("name", ["console", "auxiliary.png", "com", "a.b", "nul-1", "é"])
def test_names_that_every_system_has(name):
    assert is_name_everywhere(name)
    assert not PureWindowsPath(name).is_absolute()


def test_the_users_folders_are_where_they_always_were_on_linux(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for what, place in (("config", ".config"), ("state", ".local/state"), ("cache", ".cache")):
        monkeypatch.setenv(f"XDG_{what.upper()}_HOME", "relative")
        assert folder_for(what) == tmp_path / place / "hype"
        monkeypatch.setenv(f"XDG_{what.upper()}_HOME", str(tmp_path / "own"))
        assert folder_for(what) == tmp_path / "own" / "hype"
