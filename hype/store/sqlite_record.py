"""The open record: one SQLite file next to the study, watched while it is open.

SQLite does not notice if its files are removed or changed during a session. SQLite would continue
with files that no program can find any more, or write a damaged log into the record at the end.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import ConnectionPoolEntry

from hype.errors import HypeError, InputError, SessionProblem
from hype.files import inside, put_on_one_line
from hype.store import seats
from hype.store.backup import keep_copy, no_record
from hype.store.columns import metadata
from hype.store.schema import tables
from hype.store.sqlite_files import (
    BUSY_TIMEOUT_S,
    READS_ALONE,
    SHARED,
    WAL,
    begins_wrong,
    connect,
    connect_reading,
    connect_writing,
    engine_over,
    explain_use_elsewhere,
    file_of,
    is_busy,
    is_record,
    is_record_at,
    mark_as_record,
    uri,
)
from hype.system import share_bytes

SHARED_BYTES: Final = (0x40000002, 510)
"""The bytes that SQLite locks in an open file: the position of the first, and their number."""
GONE: Final = "the record is not there any more"

Identity = tuple[int, int]


@dataclass(slots=True, kw_only=True)
class OpenFiles:
    """The files that a connection has open."""

    path: Path
    # Path of each file (links followed), by its suffix after the record's name. Paths are strings
    # for speed: each transaction checks all files, when it begins and when it ends.
    names: dict[str, str]
    files: dict[str, Identity | None]  # each file's identity; a file that replaced it has another
    log_bytes: int = 0  # length of the log at the last check
    problem: str = ""  # once there is a problem, nothing more is written


def files_at(names: Mapping[str, str]) -> dict[str, Identity | None]:
    return {suffix: identity_in(status_of(name)) for suffix, name in names.items()}


def status_of(file: str) -> os.stat_result | None:
    try:  # suppress() takes twice as long
        return os.stat(file)  # noqa: PTH116  making a Path would take as long as `stat`
    except OSError:
        return None


def identity_in(status: os.stat_result | None) -> Identity | None:
    return (status.st_dev, status.st_ino) if status else None


def require_in_place(connection: Connection) -> None:
    """Refuse to write to files that were removed or changed by others.

    Raises SessionProblem: a file was moved, deleted, replaced or cut short, or its disk was
    removed. The message says where earlier answers are.
    """
    opened: OpenFiles = connection.info["opened"]
    if not opened.problem:
        what = what_changed(opened)
        if what:
            opened.problem = f"{opened.path}: {what}; {what_is_left(opened, connection)}"
    if opened.problem:
        raise SessionProblem(opened.problem)


def what_changed(opened: OpenFiles) -> str:
    """Describe what happened to a connection's files; empty if nothing happened."""
    now = {suffix: status_of(name) for suffix, name in opened.names.items()}
    for suffix, status in now.items():
        if identity_in(status) != opened.files[suffix]:
            file = f"{opened.path.name}{suffix}"
            return f"{file} was removed or replaced while the record was open" if suffix else GONE
    log, status = opened.names[WAL], now[WAL]
    before, opened.log_bytes = opened.log_bytes, status.st_size if status else 0
    was_cut = opened.log_bytes < before and not is_sound(opened.path)  # SQLite may also cut it
    if was_cut or begins_wrong(log):  # a log that was cut and grew again starts wrongly
        return f"{opened.path.name}{WAL} was cut short while the record was open"
    return ""


def is_sound(path: Path) -> bool:
    """Return whether a new connection finds an undamaged record."""
    try:
        with closing(connect(uri(path, "ro"))) as record:
            return bool(record.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def what_is_left(opened: OpenFiles, connection: Connection) -> str:
    """Save what a connection can still read from changed files; return advice for the user."""
    raw: Any = connection.connection.driver_connection
    again = "run the same command again to continue"
    with suppress(sqlite3.Error):
        raw.execute("ROLLBACK")
    if is_emptied(opened, raw):
        return f"every answer before this one is in the record; {again}"
    leave(opened, raw)
    copy = ""
    with suppress(HypeError):
        copy = str(keep_copy(raw, opened.path))
    if files_at(opened.names)[""] != opened.files[""]:
        either = f", or {copy} in its place" if copy else ""
        problem = "every answer before this one is in that file: put it or its disk back"
        return f"{problem}{either}, and {again}"
    if copy:
        return (
            f"every answer before this one is in {copy}: move {opened.path.name} and the files "
            f"named after it away, put that file in its place, and {again}"
        )
    return "answers may be lost: run hype verify, or continue from a backup"


def is_emptied(opened: OpenFiles, raw: sqlite3.Connection) -> bool:
    """If only the log was deleted, save its content in the record; return whether this worked."""
    now = files_at(opened.names)
    if now != opened.files | {WAL: None}:
        return False
    try:
        busy, frames, moved = raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy and frames == moved and is_sound(opened.path)


def leave(opened: OpenFiles, raw: sqlite3.Connection) -> None:
    """Keep SQLite from writing the log into the record and deleting it when a connection closes.

    SQLite does so if no other connection has the record open. Since 3.12, Python has a setting that
    keeps the log. On Linux a lock keeps the log until this program ends.
    """
    if sys.version_info >= (3, 12):
        raw.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
    with suppress(OSError):
        share_bytes(
            *(opened.path, *SHARED_BYTES), lambda: files_at(opened.names)[""] == opened.files[""]
        )


def require_durable_file(engine: Engine, is_durable: Callable[[Connection], bool]) -> None:
    """Check a record's file with a new connection.

    Raises SessionProblem: committed data are missing, or the record's files were changed.
    """
    with engine.connect() as connection:
        connection.begin()  # this checks the files
        opened: OpenFiles = connection.info["opened"]
        is_found = False
        with (
            suppress(HypeError, DatabaseError),
            closing(connect_reading(opened.path)) as record,
            engine_over(record).connect() as second,
        ):
            is_found = is_durable(second)
        if not is_found:
            what = "a program that opens it now would not find the recorded answers"
            opened.problem = f"{opened.path}: {what}; {what_is_left(opened, connection)}"
            raise SessionProblem(opened.problem)


@contextmanager
def writing_record(path: Path) -> Iterator[Engine]:
    """Open the record at ``path`` for writing.

    If there is no record, the first transaction makes one.

    Raises InputError: the file is not a record, has another version, cannot be written, or is a
    link to a record elsewhere.
    """
    inside(path.parent, path.name)
    new = not is_record_at(path)
    location = URL.create("sqlite", database=str(path))
    # Every transaction that may write takes the write lock. Programs wait for their turn to ask for
    # this lock (`begin_in_turn`), instead of all asking SQLite again and again.
    engine = create_engine(
        location,
        creator=partial(connect_writing, path),
        pool_size=1,
        max_overflow=0,
        pool_timeout=None,
    )

    def note(_: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        names = {"": str(path)} | {suffix: str(file_of(path, suffix)) for suffix in (WAL, SHARED)}
        entry.info["opened"] = OpenFiles(path=path, names=names, files=files_at(names))

    event.listen(engine, "connect", note)
    event.listen(engine, "begin", require_in_place)
    event.listen(engine, "commit", require_in_place)
    event.listen(engine, "begin", partial(begin_in_turn, path))
    if new:
        event.listen(engine, "begin", make_tables)
    try:
        if not new:
            try:
                with engine.begin():
                    pass
            except DatabaseError as error:
                raise InputError(
                    path, f"cannot be used as a record: {put_on_one_line(error.orig)}"
                ) from None
        yield engine
    finally:
        engine.dispose()


def begin_in_turn(path: Path, connection: Connection) -> None:
    """Begin a transaction; if it may write, it waits for its turn among all programs.

    In SQLite, the program that asks just when the lock is free writes next, so a busy program could
    keep another waiting for long. Here only one program asks at a time, and a program that has just
    written cannot overtake it.

    Raises SessionProblem: another program keeps the record locked.
    """
    if connection.get_execution_options().get(READS_ALONE):
        connection.exec_driver_sql("BEGIN")
        return
    with seats.next_in_line(path, BUSY_TIMEOUT_S) as is_next:
        if not is_next:
            raise explain_use_elsewhere(path)
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def make_tables(connection: Connection) -> None:
    """Make a new record's tables in this new transaction, unless another program has made them.

    Raises InputError: the tables cannot be written.
    """

    def are_made() -> bool:
        return bool(connection.exec_driver_sql("PRAGMA user_version").scalar_one())

    if connection.info.get("has_tables"):
        return
    try:
        if are_made():
            connection.info["has_tables"] = True
            return
        if connection.get_execution_options().get(READS_ALONE):
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            if are_made():  # another program made them meanwhile
                return
        metadata.create_all(connection, tables=tables(), checkfirst=False)
        mark_as_record(connection)
    except DatabaseError as error:
        where = connection.engine.url.database
        raise InputError(where, f"cannot be made: {put_on_one_line(error.orig)}") from None


@contextmanager
def reading_record(path: Path) -> Iterator[Engine]:
    """Open the record at ``path`` for reading only.

    Raises InputError: the file is missing, is not a record, or has another version.
    Raises SessionProblem: another program keeps the record locked.
    """
    if not inside(path.parent, path.name).is_file():
        raise no_record(path)
    record = connect_reading(path)
    try:
        if not is_record(path, record):
            raise no_record(path)
        yield engine_over(record)
    except DatabaseError as error:
        if is_busy(error):
            raise explain_use_elsewhere(path) from None
        problem = f"cannot be read as a record: {put_on_one_line(error.orig)}"
        raise InputError(path, problem, "for details: hype verify STUDY") from None
    finally:
        record.close()


@dataclass(frozen=True, slots=True)
class SqliteRecord:
    """The record of a study in one SQLite file, in the study's folder."""

    path: Path

    @property
    def where(self) -> str:
        return str(self.path)

    def is_there(self) -> bool:
        """Return whether the file has been made."""
        return is_record_at(self.path)

    def writing(self, _connections: int = 1) -> AbstractContextManager[Engine]:
        return writing_record(self.path)

    def reading(self) -> AbstractContextManager[Engine]:
        """Open the record's current state, for reading only."""
        return reading_record(self.path)

    def hold_seat(self, _engine: Engine, seat: str, what: str) -> AbstractContextManager[None]:
        return seats.hold_seat(self.path, seat, what)
