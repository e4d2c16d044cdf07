"""Files of an open record that are removed, cut, replaced, or shortened by SQLite itself."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from entered import enter, enter_evaluator
from programs import ON_WINDOWS
from sqlalchemy import Connection, Engine

from hype.errors import SessionProblem
from hype.store import people
from hype.store.record import require_durable, transaction
from hype.store.sqlite_record import reading_record, writing_record

OTHER = """
import sys
from pathlib import Path
from hype.store.record import transaction
from hype.store.sqlite_record import writing_record
from entered import enter_evaluator
with writing_record(Path(sys.argv[1])) as engine:
    with transaction(engine) as connection:
        enter_evaluator(connection, "other")
    print("entered", flush=True)
    sys.stdin.read()
"""
EMPTIED = "PRAGMA wal_checkpoint(TRUNCATE)"


def another(path: Path) -> subprocess.Popen[str]:
    """Let another program enter an evaluator, and keep the record open until its input ends."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", OTHER, str(path)]
    program = subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=environment)
    assert program.stdout
    assert program.stdout.readline() == "entered\n"
    return program


def come(engine: Engine, code: str) -> None:
    with transaction(engine) as connection:
        enter_evaluator(connection, code)


def codes(connection: Connection) -> list[str]:
    return [who.evaluator for who in people.list_evaluators(connection, simulated=False)]


def codes_in(path: Path) -> list[str]:
    with reading_record(path) as engine, engine.connect() as connection:
        return codes(connection)


def refused(engine: Engine, code: str) -> str:
    """Return the message that refuses to enter an evaluator."""
    with pytest.raises(SessionProblem) as problem:
        come(engine, code)
    return str(problem.value)


def backup_in(message: str) -> Path:
    (found,) = re.findall(r"\S*/backups/[\w-]+\.sqlite", message)
    return Path(found)


def log(path: Path) -> Path:
    return Path(f"{path}-wal")


def test_a_log_that_another_program_emptied_is_no_damage(path):
    """`hype forget` empties the log while sessions continue."""
    with writing_record(path) as engine:
        enter(engine)
        come(engine, "p02")
        with closing(sqlite3.connect(path)) as other:
            assert other.execute(EMPTIED).fetchone()[0] == 0
        assert not log(path).stat().st_size
        come(engine, "p03")
    assert codes_in(path) == ["p01", "p02", "p03"]


@pytest.mark.posix("cannot remove or replace an open file")
def test_a_log_that_is_gone_is_moved_into_the_record_first(path):
    with writing_record(path) as engine:
        enter(engine)
        come(engine, "p02")
        log(path).unlink()
        assert "every answer before this one is in the record" in refused(engine, "p03")
        assert codes_in(path) == ["p01", "p02"]  # the record is still open


@pytest.mark.parametrize("kept_bytes", [0, 20_000])
def test_a_log_that_is_cut_in_the_middle_of_a_transaction(kept_bytes, path):
    """Data written after the log's end would be moved into the record when it is closed."""
    with writing_record(path) as engine:
        enter(engine)
    whole = path.read_bytes()
    with writing_record(path) as engine:
        for number in range(8):
            come(engine, f"q{number}")
        with engine.connect() as connection:
            connection.begin()
            enter_evaluator(connection, "last")
            os.truncate(log(path), kept_bytes)
            with pytest.raises(SessionProblem, match=r"-wal was cut .* answers may be lost"):
                connection.commit()
        assert "-wal was cut" in refused(engine, "later")
    assert path.read_bytes() == whole


@pytest.mark.skipif(
    ON_WINDOWS and sys.version_info < (3, 12), reason="needs a setting of SQLite in Python 3.12"
)
def test_a_log_that_was_cut_and_written_to_behind_its_end(path):
    """A commit at the same moment has this effect."""
    with writing_record(path) as engine:
        enter(engine)
    whole = path.read_bytes()
    with writing_record(path) as engine:
        come(engine, "p02")
        size = log(path).stat().st_size
        os.truncate(log(path), 0)
        os.truncate(log(path), size + 4096)
        assert "-wal was cut" in refused(engine, "p03")
    assert path.read_bytes() == whole


@pytest.mark.posix("cannot remove or replace an open file")
def test_a_program_whose_files_were_taken_away_leaves_those_of_others(path):
    """At the end SQLite would move its own log into the record, and delete the others' log."""
    with writing_record(path) as engine:
        enter(engine)
        come(engine, "p02")
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink()
        with another(path) as other:
            message = refused(engine, "p03")
            other.communicate()
    assert codes_in(backup_in(message)) == ["p01", "p02"]
    assert codes_in(path)[-1] == "other"


def test_what_was_recorded_is_looked_for_anew(path):
    with writing_record(path) as engine:
        enter(engine)
        require_durable(engine, lambda anew: codes(anew) == ["p01"])
        with pytest.raises(SessionProblem, match="would not find the recorded") as lost:
            require_durable(engine, lambda anew: codes(anew) == ["p01", "p02"])
    assert codes_in(backup_in(str(lost.value))) == ["p01"]


@pytest.mark.posix("cannot remove or replace an open file")
def test_after_the_last_commit_it_is_looked_at_once_more(path):
    with writing_record(path) as engine:
        enter(engine)
        log(path).unlink()
        with pytest.raises(SessionProblem, match="-wal was removed or replaced"):
            require_durable(engine, lambda anew: True)
