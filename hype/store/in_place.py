"""Whether the files that a program has open are still the record's, and what is saved if not.

Whoever takes them away or changes them during a session does so behind SQLite's back: it goes on
with files that nobody would find any more, or writes a damaged log into the record at the end.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import struct
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import ConnectionPoolEntry

from hype.errors import HypeError, SessionProblem
from hype.store.backup import keep_copy
from hype.store.sqlite_files import (
    SHARED,
    WAL,
    connect_reading,
    connected,
    engine_over,
    file_of,
    lost_its_beginning,
    size_of,
    uri,
)

SHARED_BYTES: Final = (0x40000002, 510)
"""Where SQLite locks a file that it has open: the first byte, and how many."""

Identity = tuple[int, int]


@dataclass(slots=True, kw_only=True)
class Opened:
    """The files that a connection has open.

    Attributes
    ----------
    names
        Where each is, by what its name adds to that of the record; links were followed once.
    files
        What tells each from others that may come to have its name.
    log_bytes
        How long the log was when somebody last looked.
    problem
        What was found wrong, after which nothing is written any more.
    """

    path: Path
    names: dict[str, Path]
    files: dict[str, Identity | None]
    log_bytes: int = 0
    problem: str = ""


def remember_files(path: Path) -> Callable[[sqlite3.Connection, ConnectionPoolEntry], None]:
    """Give what notes, of each new connection, which files it was made to."""

    def note(_: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        names = {"": path} | {suffix: file_of(path, suffix) for suffix in (WAL, SHARED)}
        entry.info["opened"] = Opened(path=path, names=names, files=files_at(names))

    return note


def files_at(names: Mapping[str, Path]) -> dict[str, Identity | None]:
    return {suffix: identity(name) for suffix, name in names.items()}


def identity(file: Path) -> Identity | None:
    """Tell a file from others; None where there is none."""
    with suppress(OSError):
        found = file.stat()
        return found.st_dev, found.st_ino
    return None


def require_in_place(connection: Connection) -> None:
    """Refuse to write to files that nobody would find any more, or that somebody changed.

    Raises
    ------
    SessionProblem
        One was moved, deleted, exchanged or cut, or its disk was removed. It says where that is
        which was recorded before.
    """
    opened: Opened = connection.info["opened"]
    if not opened.problem:
        what = what_changed(opened)
        if what:
            opened.problem = f"{opened.path}: {what}; {what_is_left(opened, connection)}"
    if opened.problem:
        raise SessionProblem(opened.problem)


def what_changed(opened: Opened) -> str:
    """Say what became of a connection's files; nothing where all is well."""
    now, log = files_at(opened.names), opened.names[WAL]
    if now[""] != opened.files[""]:
        return "the record is not there any more"
    for suffix in (WAL, SHARED):
        if now[suffix] != opened.files[suffix]:
            return f"{opened.path.name}{suffix} was taken away while the record was open"
    before, opened.log_bytes = opened.log_bytes, size_of(log)
    was_cut = opened.log_bytes < before and not is_sound(opened.path)  # SQLite itself may cut it
    if was_cut or lost_its_beginning(log):  # cut, and written to behind its end
        return f"{log.name} was cut while the record was open"
    return ""


def is_sound(path: Path) -> bool:
    """Whether a connection made now finds a whole record."""
    try:
        with closing(connected(uri(path, "ro"))) as record:
            return bool(record.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def what_is_left(opened: Opened, connection: Connection) -> str:
    """Save what a connection still sees of a record whose files were changed; say what to do."""
    raw: Any = connection.connection.driver_connection
    again = "run the same command again to go on"
    with suppress(sqlite3.Error):
        raw.execute("ROLLBACK")
    if is_emptied(opened, raw):
        return f"every answer before this one is in the record; {again}"
    leave(opened)
    copy = ""
    with suppress(HypeError):
        copy = str(keep_copy(raw, opened.path))
    if files_at(opened.names)[""] != opened.files[""]:
        either = f", or {copy} in its place" if copy else ""
        problem = "every answer before this one is in it: put the file or its disk back"
        return f"{problem}{either}, and {again}"
    if copy:
        return (
            f"every answer before this one is in {copy}: move {opened.path.name} and what is "
            f"called like it away, put that file in its place, and {again}"
        )
    return "answers may be lost with it: see what hype verify says, or go on from a backup"


def is_emptied(opened: Opened, raw: sqlite3.Connection) -> bool:
    """Move a log whose name is gone into the record, if no other program can have begun one."""
    now = files_at(opened.names)
    if now != opened.files | {WAL: None}:
        return False
    try:
        busy, frames, moved = raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy and frames == moved and is_sound(opened.path)


def leave(opened: Opened) -> None:
    """Keep SQLite from moving a log into the record and deleting it, once it is closed.

    It does so if nobody else has the record open. So somebody has, until this program ends.
    """
    with suppress(OSError):
        file = os.open(opened.path, os.O_RDONLY | os.O_CLOEXEC)  # closed, it would free all locks
        if files_at(opened.names)[""] == opened.files[""]:
            start, number = SHARED_BYTES
            lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, start, number, 0)
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)


def require_kept(engine: Engine, is_kept: Callable[[Connection], bool]) -> None:
    """Look at an open record as somebody would who opens it now: what was committed must be there.

    Raises
    ------
    SessionProblem
        It is not, or the record's files were changed.
    """
    with engine.connect() as connection:
        connection.begin()  # looks at the files
        opened: Opened = connection.info["opened"]
        if not is_found(opened.path, is_kept):
            what = "whoever opens it now does not find in it what was recorded"
            opened.problem = f"{opened.path}: {what}; {what_is_left(opened, connection)}"
            raise SessionProblem(opened.problem)


def is_found(path: Path, is_kept: Callable[[Connection], bool]) -> bool:
    """Whether a connection made now can read a record, and finds what it looks for."""
    try:
        with closing(connect_reading(path)) as record, engine_over(record).connect() as anew:
            return is_kept(anew)
    except (HypeError, DatabaseError):
        return False
