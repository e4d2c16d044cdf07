"""From every earlier schema to this one: all rows, all tables, all or nothing."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from long import long_but
from old_records import OLD, as_before, mounted, old_study, pragma, rows_in, untouched, without_log
from sqlalchemy import Engine, NullPool, create_engine

from hype.errors import InputError
from hype.store.columns import metadata
from hype.store.record import reading_record, writing_record
from hype.store.schema import VERSION
from hype.store.sqlite_files import APPLICATION_ID, connect_reading, known_version
from hype.store.update import config_for, upgrade


def new(path: Path) -> None:
    with writing_record(path) as engine, engine.begin():
        pass


def old(version: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        untouched(old_study(path.parent / f"schema-{version}", version).rename(path))

    return make


def from_nothing(path: Path) -> None:
    """All migrations, from the first on."""
    with engine_at(path).begin() as connection:
        connection.exec_driver_sql("BEGIN")
        from alembic import command

        command.upgrade(config_for(connection), "head")


def engine_at(path: Path) -> Engine:
    return create_engine(f"sqlite:///{path}", poolclass=NullPool)  # closed when it was used


MADE = {"new": new, "nothing": from_nothing, **{f"schema {n}": old(n) for n in OLD}}


@pytest.mark.parametrize("made", MADE)
def test_every_way_leads_to_the_same_tables(made: str, tmp_path: Path) -> None:
    """Columns, types, indexes, keys, what must be unique and what may be empty."""
    path = tmp_path / "data.sqlite"
    MADE[made](path)
    engine = engine_at(path)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        differences = compare_metadata(context, metadata)
        revision = context.get_current_revision()
    engine.dispose()

    assert differences == []
    assert revision == str(VERSION)


def test_a_difference_would_be_found(tmp_path: Path) -> None:
    """The test before this one can fail."""
    path = tmp_path / "data.sqlite"
    new(path)
    with closing(sqlite3.connect(path)) as record:
        record.execute("drop index events_of_session")
    engine = engine_at(path)
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    engine.dispose()

    assert [what for what, *_ in differences] == ["add_index"]


def test_revisions_are_the_versions_one_after_the_other(tmp_path: Path) -> None:
    with engine_at(tmp_path / "data.sqlite").connect() as connection:
        scripts = ScriptDirectory.from_config(config_for(connection))
        revisions = [script.revision for script in scripts.walk_revisions()]

    assert revisions == [str(n) for n in range(VERSION, 0, -1)]


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("wal", [True, False], ids=["WAL", "journal"])
def test_every_row_comes_over_as_it_was(version: int, wal: bool, tmp_path: Path) -> None:
    path = old_study(tmp_path / "study", version)
    if not wal:
        without_log(path)
    before = rows_in(path)
    untouched(path)

    assert as_before(rows_in(path), version) == before
    assert sum(map(len, before.values())) > 200
    assert pragma(path, "user_version") == VERSION
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "integrity_check") == "ok"


KILLED = """
import os, shutil, signal, sys
from itertools import chain, count
from pathlib import Path
from sqlalchemy import Engine, event
import alembic.command
from hype.store.record import writing_record

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def migrate_and_die(record, number):
    statements = count(1)
    if number == 0:
        event.listen(Engine, "commit", kill)
    event.listen(
        Engine, "after_cursor_execute", lambda *_: kill() if next(statements) == number else None
    )
    with writing_record(record):
        os._exit(0)

study, step = Path(sys.argv[1]), int(sys.argv[2])
for number in chain([0], count(1, step)):
    folder = study.with_name(f"killed-{number}")
    shutil.copytree(study, folder)
    child = os.fork()
    if not child:
        migrate_and_die(folder / "data.sqlite", number)
    if os.waitpid(child, 0)[1] == 0:
        shutil.rmtree(folder)
        break
"""


@pytest.mark.parametrize(("version", "wal"), [(1, True), (2, False)], ids=["WAL", "journal"])
def test_a_migration_that_is_killed_at_any_statement_is_whole_or_never_was(
    version: int, wal: bool, soak: bool, tmp_path: Path
) -> None:
    """Right before its commit, and after some of its statements; in the long form after each."""
    path = old_study(tmp_path / "study", version)
    if not wal:
        without_log(path)
    before = rows_in(path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", KILLED, path.parent, "1" if soak else "9"],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    killed = sorted(tmp_path.glob("killed-*/data.sqlite"))
    migrated = 0

    for record in killed:
        with closing(connect_reading(record)) as connection:
            found, rows = known_version(record, connection), rows_in(connection)
        assert (found, rows) == (version, before) or found == VERSION
        migrated += found == VERSION
        untouched(record)
        assert as_before(rows_in(record), version) == before
        for kept in record.parent.glob("backups/data-*"):
            assert (rows_in(kept), pragma(kept, "user_version")) == (before, version)
    assert migrated <= 3  # those killed after the commit
    assert len(killed) - migrated > (20 if soak else 3)


@pytest.mark.parametrize("version", [version for version in OLD if version < 7])
def test_a_migration_that_fails_in_the_middle_never_was(version: int, tmp_path: Path) -> None:
    """Somebody had made a table of their own where the migration to schema 7 makes one."""
    path = old_study(tmp_path / "study", version)
    with closing(sqlite3.connect(path)) as record:
        record.execute("create table contradictions (mine text)")
    before = rows_in(path)

    with pytest.raises(InputError, match=f"to schema version {VERSION}: .*contradictions"):
        untouched(path)
    assert rows_in(path) == before
    assert pragma(path, "user_version") == version
    with (
        pytest.raises(InputError, match="table contradictions already exists"),
        reading_record(path),
    ):
        pass


@pytest.mark.parametrize("version", long_but([OLD[0], OLD[-1]], OLD))
def test_with_little_room_it_migrates_or_says_that_it_cannot(version: int, tmp_path: Path) -> None:
    """The disk is full before the backup, in it, in the migration, or not at all."""
    source = old_study(tmp_path / "study", version)
    before = rows_in(source)
    endings = []
    for size_kib in range(160, 384, 12):
        with mounted(tmp_path / "disk", size_kib=size_kib) as disk:
            path = Path(shutil.copy(source, disk))
            try:
                untouched(path)
            except InputError as error:
                endings.append(str(error))
                with closing(connect_reading(path)) as record:
                    is_old = known_version(path, record) == version  # else: full after migrating
                    now = rows_in(record)
                    assert (now if is_old else as_before(now, version)) == before
            else:
                endings.append("migrated")
                assert as_before(rows_in(path), version) == before
            assert not list(disk.glob("backups/.*"))

    assert "backup cannot be" in endings[0] or "cannot be made" in endings[0]
    assert any("disk is full; it is as it was" in ending for ending in endings)
    assert endings[-1] == "migrated"


def test_a_transaction_that_is_rolled_back_takes_the_version_with_it(tmp_path: Path) -> None:
    path = old_study(tmp_path / "study", 1)
    before = rows_in(path)
    with engine_at(path).connect() as connection:
        connection.exec_driver_sql("BEGIN")
        upgrade(connection, before=1, after=2)
        assert connection.exec_driver_sql("PRAGMA user_version").scalar() == 2
        connection.rollback()

    assert (rows_in(path), pragma(path, "user_version")) == (before, 1)
