"""A session's facts about the machine contain no names of people."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import whole_study
from known import hold_session
from paper_station import record_of

from hype.files import cache_folder
from hype.session.facts import machine
from hype.session.stage import Seating
from hype.store.record import RECORD_FILE

USER = "ottilie"
"""The user's name for the system; nothing else here contains this name."""
ORDINARY = {"", "root", "user", "runner"}
"""Names of users that identify nobody and may occur in any text."""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Act as another user, in a home folder of their own."""
    folder = tmp_path / f"home-of-{USER}"
    folder.mkdir()
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, USER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_folder().parent))  # avoids compiling
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(folder)
    machine.cache_clear()
    yield folder
    machine.cache_clear()


def texts(record: Path) -> str:
    """Return all texts in a record."""
    with closing(sqlite3.connect(record)) as connection:
        return "\n".join(connection.iterdump())


def personal(home: Path) -> set[str]:
    """Return words that would reveal the user of this machine or their folder."""
    account = pytest.importorskip("pwd").getpwuid(os.getuid())
    really = {account.pw_name, account.pw_gecos.split(",")[0], account.pw_dir}
    return {USER, str(home)} | {word for word in really if word.strip("/") not in ORDINARY}


@pytest.mark.usefixtures("display")
def test_a_record_names_neither_the_user_nor_their_folders(home, monkeypatch):
    """A session at a window, with a study in the user's home folder."""
    monkeypatch.setattr("hype.session.live.READING_MS", 50.0)
    study = whole_study(
        home / "study",
        study={"consent": False, "breaks": False},
        time={"blocks": 1, "trials": 2, "countdown_ms": 60, "min_ms": 0.0},
        qualification={"enabled": False},
        practice={"trials": 0},
        people={"rt_median_ms": 40},
        display={"fullscreen": False, "size_px": 96, "feedback_ms": 30},
    )
    with record_of(study) as engine:
        held = hold_session(engine, study, "r1", Seating(simulated=True, windowed=True))
    found = texts(study.folder / RECORD_FILE)

    assert held.ended == "complete"
    assert "'simulated-window'" in found
    assert {word for word in personal(home) if word in found} == set()
