"""Opening the record: one SQLite file beside the study, every commit on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, IntegrityError

from hype.confine import inside
from hype.errors import InputError, SessionProblem
from hype.store.backup import no_record
from hype.store.columns import metadata
from hype.store.in_place import remember_files, require_in_place
from hype.store.schema import TABLES, VERSION
from hype.store.sqlite_files import (
    begin_immediately,
    connect_reading,
    connect_writing,
    connected,
    engine_over,
    in_use,
    is_busy,
)
from hype.store.stamps import known_version, stamp
from hype.store.update import bring_up_to_date, migrated_copy, version_at

RECORD_FILE: Final = "data.sqlite"


def ignore(_remark: str) -> None:
    """Tell nobody."""


@contextmanager
def writing_record(path: Path, *, remark: Callable[[str], None] = ignore) -> Iterator[Engine]:
    """Open the record at ``path`` for writing.

    Where there is none, it is made with the first transaction. One of an earlier program is
    migrated first, after a backup, and ``remark`` is told of it.

    Raises
    ------
    InputError
        It is no record, was written by a newer program, cannot be written, or is a link to one
        elsewhere.
    SessionProblem
        It must be migrated, and another program has it open.
    """
    inside(path.parent, path.name)
    new = version_at(path) == 0
    location = URL.create("sqlite", database=str(path))
    engine = create_engine(location, creator=partial(connect_writing, path))
    event.listen(engine, "connect", remember_files(path))
    event.listen(engine, "begin", require_in_place)
    event.listen(engine, "commit", require_in_place)
    event.listen(engine, "begin", begin_immediately)
    if new:
        event.listen(engine, "begin", make_tables)
    else:
        bring_up_to_date(path, remark)
    try:
        if not new:
            require_writable(path, engine)
        yield engine
    finally:
        engine.dispose()


def require_writable(path: Path, engine: Engine) -> None:
    """Refuse now what would be refused at the first answer."""
    try:
        with engine.begin():
            pass
    except DatabaseError as error:
        raise InputError(path, f"cannot be used as a record: {error.orig}") from None


def make_tables(connection: Connection) -> None:
    """Make a new record's tables in the transaction that has just begun, if nobody else has.

    Raises
    ------
    InputError
        They cannot be written.
    """
    try:
        if connection.exec_driver_sql("PRAGMA user_version").scalar_one() == 0:
            metadata.create_all(connection, tables=TABLES)
            stamp(connection, VERSION)
    except DatabaseError as error:
        where = connection.engine.url.database
        raise InputError(where, f"cannot be made: {error.orig}") from None


@contextmanager
def reading_record(path: Path) -> Iterator[Engine]:
    """Open the record at ``path`` for reading only.

    One of an earlier program is migrated in memory; its file stays as it is.

    Raises
    ------
    InputError
        There is none, it is no record, or was written by a newer program.
    SessionProblem
        Another program keeps it locked.
    """
    if not inside(path.parent, path.name).is_file():
        raise no_record(path)
    record = connect_reading(path)
    try:
        version = known_version(path, record)
        if version == 0:
            raise no_record(path)
        if version < VERSION:
            with closing(record):
                record = migrated_copy(path, record, version)
        yield engine_over(record)
    except DatabaseError as error:
        raise unreadable(path, error) from None
    finally:
        record.close()


def unreadable(path: Path, error: DatabaseError) -> Exception:
    """Say of a query that failed what it means; what another database said is not said here."""
    if not isinstance(error.orig, sqlite3.Error):
        return error
    if is_busy(error.orig):
        return in_use(path)
    problem = f"cannot be read as a record: {error.orig}"
    return InputError(path, problem, "hype verify STUDY says more")


@contextmanager
def rehearsing(engine: Engine) -> Iterator[Connection]:
    """Connect to a record to try what is not to be kept, without making a new record's file.

    Whatever is written is gone when the block ends.
    """
    where = engine.url.database
    if where and version_at(Path(where)):
        with engine.connect() as connection:
            yield connection
        return
    with closing(connected(":memory:")) as memory, engine_over(memory).connect() as connection:
        make_tables(connection)
        yield connection


@contextmanager
def committed(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction that is on the disk when the block ends, or else not there at all.

    Raises
    ------
    SessionProblem
        The record cannot be written: the disk is full, gone, read-only or broken.
    """
    with failures_explained(engine), engine.begin() as connection:
        yield connection


@contextmanager
def failures_explained(engine: Engine) -> Iterator[None]:
    """Say of a failed write what it means.

    Raises
    ------
    SessionProblem
        As `committed`.
    """
    try:
        yield
    except IntegrityError:
        raise  # a trial that is there already: no disk would mend that
    except DatabaseError as error:
        raise SessionProblem(
            f"{engine.url.database}: the record cannot be written ({error.orig}); every answer "
            "before this one is safe: mend the disk, and run the same command again to go on"
        ) from None
