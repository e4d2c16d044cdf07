"""Forgetting an evaluator: all or nothing, and not during their session."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from builders import named_study
from paper_station import PaperStation, record_of, rows_of, sit
from sqlalchemy import Engine

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.record import judgements
from hype.store.forgetting import EvaluatorHeld, evaluator_to_forget, remove, wipe_traces
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators, events, removals, sessions
from hype.store.seats import evaluator_seat, hold_seat
from hype.store.sqlite_record import SqliteRecord, reading_record, writing_record


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A study with several sessions; the evaluator to be forgotten has two."""
    study = named_study(tmp_path_factory.mktemp("begun") / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01")
        sit(engine, study, "victim", PaperStation(stops_at=9))
        sit(engine, study, "p02", PaperStation(stops_at=4))
        sit(engine, study, "victim", PaperStation(stops_at=12))
        sit(engine, study, "robot", simulated=True)
    return study.folder


@pytest.fixture
def record(begun, tmp_path):
    return Path(shutil.copytree(begun, tmp_path / "study")) / RECORD_FILE


@pytest.fixture
def engine(record):
    with writing_record(record) as engine:
        yield engine


def forget(engine: Engine, record: Path, code: str, *, simulated: bool = False) -> EvaluatorHeld:
    with evaluator_to_forget(engine, SqliteRecord(record), code, simulated=simulated) as one:
        remove(engine, one)
    wipe_traces(engine)
    return one


def dump(engine: Engine) -> list[list[object]]:
    return [rows_of(engine, t) for t in (evaluators, sessions, judgements, events, removals)]


def test_nobody_is_forgotten_while_they_sit(engine, record):
    before = dump(engine)
    seat = evaluator_seat("victim", simulated=False)
    with (
        hold_seat(record, seat, "a session"),
        pytest.raises(SessionProblem, match="session of 'victim' is already in progress"),
    ):
        forget(engine, record, "victim")
    assert dump(engine) == before

    with hold_seat(record, evaluator_seat("p01", simulated=False), "a session"):
        assert forget(engine, record, "victim").judgements == 12


def test_a_record_that_is_locked_for_good_is_told_of(engine, record):
    before = dump(engine)
    with closing(engine.raw_connection()) as impatient:  # the next user of the pool gets it
        impatient.cursor().execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(record)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SessionProblem, match=r"cannot be written .*locked"):
            forget(engine, record, "victim")
        other.execute("ROLLBACK")

    assert dump(engine) == before


def record_files(record: Path) -> list[Path]:
    return [path for path in record.parent.glob(f"{record.name}*") if path.is_file()]


KILL_AT_EACH_STATEMENT = """
import os, shutil, signal, sys
import hype.protocols.registry
from itertools import count
from pathlib import Path
from sqlalchemy import event
from hype.store.forgetting import evaluator_to_forget, remove
from hype.store.forgetting import wipe_traces
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import SqliteRecord, writing_record

study, copies, each = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def forget(record, last):
    numbers = count(1)
    def trace(statement):
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)
    with writing_record(record) as engine:
        event.listen(engine, "checkout", lambda raw, *_: raw.set_trace_callback(trace))
        with evaluator_to_forget(engine, SqliteRecord(record), "victim", simulated=False) as one:
            remove(engine, one)
        wipe_traces(engine)
    os._exit(0)

for number in count(1, each):
    folder = Path(shutil.copytree(study, copies / f"{number:03d}"))
    child = os.fork()
    if not child:
        forget(folder / RECORD_FILE, number)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        sys.exit(os.WEXITSTATUS(status))
"""


def test_a_forgetting_that_is_killed_at_any_statement_did_all_or_nothing(begun, tmp_path, soak):
    """Running the same command again finishes the job, or finds nobody left to forget."""
    copies = tmp_path / "copies"
    copies.mkdir()
    command = [sys.executable, "-W", "ignore", "-c", KILL_AT_EACH_STATEMENT, begun, copies]
    command.append("1" if soak else "3")
    subprocess.run(command, check=True, timeout=100)
    with reading_record(begun / RECORD_FILE) as engine:
        nothing = dump(engine)
    with reading_record(max(copies.iterdir()) / RECORD_FILE) as engine:
        everything = [*dump(engine)[:-1], len(rows_of(engine, removals))]

    found = []
    for folder in sorted(copies.iterdir()):
        record = folder / RECORD_FILE
        with writing_record(record) as engine:
            now = dump(engine)
            found.append(now != nothing)
            assert now == nothing or [*now[:-1], len(now[-1])] == everything, folder
            if found[-1]:
                with pytest.raises(InputError, match="contains no evaluator 'victim'"):
                    forget(engine, record, "victim")
            else:
                assert forget(engine, record, "victim").judgements == 12
            assert [*dump(engine)[:-1], len(rows_of(engine, removals))] == everything
            assert not [p for p in record_files(record) if b"victim" in p.read_bytes()]
    assert found == sorted(found), "first nothing is removed, then everything"
    assert found.count(False) > 4
    # Killed before the file is rewritten, before its log is rewritten, and at the end.
    assert found.count(True) >= (3 if soak else 2)
