"""Opening the record: one SQLite file beside the study, every commit on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError, IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from hype.errors import InputError, SessionProblem
from hype.store.schema import VERSION, metadata

RECORD_FILE: Final = "data.sqlite"
BUSY_TIMEOUT_MS: Final = 30_000


@contextmanager
def writing_record(path: Path) -> Iterator[Engine]:
    """Open the record at ``path`` for writing, making it where it is not there yet.

    Raises
    ------
    InputError
        It is no record, or was written by a newer program.
    """
    if path.exists() and path.stat().st_size:
        with reading_record(path):
            pass  # nothing is written to a file that is not ours
    engine = create_engine(URL.create("sqlite", database=str(path)))
    event.listen(engine, "connect", make_durable)
    event.listen(engine, "begin", begin_immediately)
    try:
        with engine.begin() as connection:
            if schema_version(connection) == 0:
                metadata.create_all(connection)
                connection.execute(text(f"PRAGMA user_version = {VERSION}"))
    except DatabaseError as error:
        raise InputError(path, f"cannot be used as a record: {error.orig}") from None
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def reading_record(path: Path) -> Iterator[Engine]:
    """Open the record at ``path`` for reading only.

    Raises
    ------
    InputError
        There is none, it is no record, or was written by a newer program.
    """
    if not path.is_file():
        raise InputError(path, "there is no record yet", "hype run or hype simulate makes one")
    location = f"file:{quote(str(path.resolve()))}?mode=ro"
    engine = create_engine(
        "sqlite://", creator=lambda: sqlite3.connect(location, uri=True), poolclass=NullPool
    )
    try:
        with engine.connect() as connection:
            require_version(path, connection)
    except DatabaseError as error:
        raise InputError(path, f"cannot be read as a record: {error.orig}") from None
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def committed(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction that is on the disk when the block ends, or else not there at all.

    Raises
    ------
    SessionProblem
        The record cannot be written: the disk is full, gone, read-only or broken.
    """
    try:
        with engine.begin() as connection:
            yield connection
    except IntegrityError:
        raise  # a trial that is there already: no disk would mend that
    except DatabaseError as error:
        raise SessionProblem(
            f"{engine.url.database}: the record cannot be written ({error.orig}); every answer "
            "before this one is safe: mend the disk, and run the same command again to go on"
        ) from None


def make_durable(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    """Make every commit durable, and leave transactions to SQLAlchemy."""
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def begin_immediately(connection: Connection) -> None:
    """Take the write lock at once, so that two stations wait and neither fails half way."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def schema_version(connection: Connection) -> Any:
    """Version that the file says its tables have; 0 for an empty file."""
    return connection.execute(text("PRAGMA user_version")).scalar()


def require_version(path: Path, connection: Connection) -> None:
    """Refuse a file whose tables this program does not know."""
    version = schema_version(connection)
    if version == 0:
        raise InputError(path, "is a database, and not a record of hype")
    if version != VERSION:
        raise InputError(
            path, f"has schema version {version}", f"this program knows version {VERSION}"
        )
