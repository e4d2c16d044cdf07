"""A stranger's files next to a record are refused, not followed, and left unchanged."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from builders import contents
from crafted_journals import lay_trap
from disk_records import without_log
from entered import crashed, ended
from long import long_but
from sqlalchemy import select

from hype.errors import InputError
from hype.store import people, sqlite_files
from hype.store.backup import back_up
from hype.store.schema import evaluators
from hype.store.sqlite_record import reading_record, writing_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    study = tmp_path / "study"
    study.mkdir()
    return study / "data.sqlite"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a private file outside the study."""
    file = tmp_path / "thesis.txt"
    file.write_text("years of work " * 500)
    return file


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    with reading_record(path) as engine, engine.connect() as connection:
        connection.execute(select(evaluators)).all()
        yield


@contextmanager
def written(path: Path) -> Iterator[None]:
    with writing_record(path) as engine, engine.begin():
        yield


@contextmanager
def backed_up(path: Path) -> Iterator[None]:
    back_up(reading_record(path), path)
    yield


WAYS = {
    "read": read_only,
    "written": written,
    "backed up": backed_up,
}


def test_the_trap_works_where_nobody_looks(path, victim):
    """Otherwise the tests below would test nothing."""
    ended(path)
    lay_trap(path, victim)
    with closing(sqlite3.connect(path)) as record:
        record.execute("select count(*) from sqlite_master").fetchone()

    if victim.exists() and sqlite3.sqlite_version_info >= (3, 53):
        pytest.skip("SQLite itself now avoids this trap")
    assert not victim.exists()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("log", [True, False], ids=["with a log", "without one"])
def test_a_journal_that_names_another_file_is_never_replayed(way, log, path, victim):
    ended(path)
    if not log:
        without_log(path)
    journal = lay_trap(path, victim)
    before = contents(path.parent)

    with pytest.raises(InputError, match=rf"{journal}: .* another file"), WAYS[way](path):
        pass
    assert victim.exists()
    assert contents(path.parent) == before


def test_a_journal_of_a_crash_is_undone_in_a_copy(path):
    """A power failure leaves a journal without a name; the record is read in its earlier state."""
    ended(path)
    without_log(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as record:
        record.execute("pragma cache_size = 1")
        record.execute("begin")
        record.execute("update evaluators set evaluator = 'p02'")
        record.execute("create table filled as select zeroblob(99999) as what")
        for file in (path, Path(f"{path}-journal")):
            shutil.copy(file, path.parent.parent / file.name)
    left = path.parent.parent / path.name
    before = contents(left.parent)
    with reading_record(left) as engine, engine.connect() as connection:
        (who,) = people.list_evaluators(connection, simulated=False)

    assert who.evaluator == "p01"
    assert contents(left.parent) == before
    with writing_record(left) as engine, engine.connect() as connection:
        (who,) = people.list_evaluators(connection, simulated=False)
    assert who.evaluator == "p01"


def link(file: Path, victim: Path) -> None:
    file.symlink_to(victim)


def pipe(file: Path, victim: Path) -> None:
    os.mkfifo(file)


def folder(file: Path, victim: Path) -> None:
    file.mkdir()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("suffix", long_but(["-wal"], ["-wal", "-shm", "-journal"]))
@pytest.mark.parametrize("make", [link, pipe, folder])
def test_what_is_no_file_of_the_record_is_neither_followed_nor_waited_for(
    make, suffix, way, path, victim
):
    ended(path)
    make(Path(f"{path}{suffix}"), victim)
    before = victim.read_bytes()

    with pytest.raises(InputError, match=rf"data\.sqlite{suffix}: "), WAYS[way](path):
        pass
    assert victim.read_bytes() == before


def test_a_log_that_a_crash_left_is_read_and_left_alone(path):
    crashed(path)
    before = contents(path.parent)
    with reading_record(path) as engine, engine.connect() as connection:
        assert len(people.list_evaluators(connection, simulated=False)) == 1

    assert contents(path.parent) == before


@pytest.mark.parametrize("way", [read_only, written])
@pytest.mark.parametrize("emptied", [True, False], ids=["emptied", "missing"])
def test_a_log_whose_record_is_gone_is_kept(way, emptied, path):
    """SQLite would delete the log, with all data that were not yet moved into the record."""
    crashed(path)
    if emptied:
        path.write_bytes(b"")
    else:
        path.unlink()
    before = contents(path.parent)

    with pytest.raises(InputError, match=r"missing or empty|there is no record yet"), way(path):
        pass
    assert contents(path.parent) == before


def test_what_a_schema_of_a_stranger_calls_is_not_called(path):
    """SQLAlchemy adds a function for regular expressions, and some of these never end."""
    ended(path)
    with closing(sqlite3.connect(path)) as record:
        record.execute("alter table events rename to kept")
        record.execute("create view events as select regexp('a', 'a') as id, * from kept")
    with closing(sqlite_files.connect_reading(path)) as record:
        called = []
        record.create_function("regexp", 2, lambda *words: called.append(words))
        with pytest.raises(sqlite3.OperationalError, match="unsafe use of regexp"):
            record.execute("select id from events").fetchall()

    assert not called
