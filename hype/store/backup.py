"""Backups: complete copies of a record, each in one file, made even while sessions run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain, count
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine

from hype.errors import InputError, NothingRecorded, SessionProblem
from hype.files import PREFIX, aside, put_on_one_line
from hype.store.copying import as_sqlite
from hype.store.kept import recorders
from hype.store.sqlite_files import (
    connect,
    connect_read_only,
    copy_into,
    explain_errors,
    explain_use_elsewhere,
    is_busy,
    make_private,
)
from hype.system import sync

BACKUPS: Final = "backups"
UNFINISHED: Final = PREFIX.format(what="backup")
"""The prefix of folders that contain an unfinished copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy of a record, with its numbers of evaluators and answers.

    The answers of each protocol are counted under their name, even if there are none.
    """

    path: Path
    people: Mapping[str, int]
    simulated: Mapping[str, int]
    size_bytes: int


def back_up(
    reading: AbstractContextManager[Engine], record: Path, copy: Path | None = None
) -> Backup:
    """Copy a record to a new file; ``reading`` opens the record.

    By default the copy goes to the folder ``backups`` next to the file ``record``.

    Raises InputError: there is no record; the copy exists already, or cannot be written.
    Raises SessionProblem: the record is damaged, or another program keeps it locked.
    """
    with as_sqlite(reading) as engine, engine.connect() as connection:
        source: Any = connection.connection.driver_connection
        path = keep_copy(source, record, copy)
    made = connect_read_only(path)  # someone may have put a foreign journal next to the copy
    with explain_errors(path, "read", close=made), closing(made):
        return Backup(
            path=path,
            people=evaluators_in(made, simulated=False),
            simulated=evaluators_in(made, simulated=True),
            size_bytes=path.stat().st_size,
        )


def no_record(record: object) -> NothingRecorded:
    return NothingRecorded(record, "there is no record yet", "hype run or hype simulate makes one")


def keep_copy(source: sqlite3.Connection, record: Path, copy: Path | None = None) -> Path:
    """Copy an open record, as `back_up` does, and return the path of the copy."""
    if copy is not None and os.path.lexists(copy):
        raise already_there(copy)
    folder = backups_folder(record) if copy is None else copy.parent
    if not folder.is_dir():
        raise InputError(folder, "there is no such folder", "create it first")
    plain = folder / f"{record.stem}-{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}.sqlite"
    numbered = (plain.with_stem(f"{plain.stem}-{number}") for number in count(2))
    names = chain((plain,), numbered) if copy is None else iter((copy,))
    try:
        with aside(folder, "backup") as inner:
            temporary = inner / "data.sqlite"
            fill(temporary, source, record)
            path = next((name for name in names if take_place(temporary, name)), None)
        sync(folder)
    except (OSError, sqlite3.Error) as error:
        if is_busy(error):
            raise explain_use_elsewhere(record) from None
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(folder, f"the backup cannot be written: {reason}") from None
    if path is None:
        raise already_there(copy)
    return path


def already_there(copy: Path | None) -> InputError:
    return InputError(copy, "already exists", "another name; a backup never replaces a file")


def backups_folder(record: Path) -> Path:
    """Return the folder of a record's copies, and make it if there is none."""
    folder = record.parent / BACKUPS
    if folder.is_symlink():
        raise InputError(folder, "is a link", "a folder; hype backup -o FILE writes elsewhere")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        sync(record.parent)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None
    return folder


def fill(temporary: Path, source: sqlite3.Connection, record: Path) -> None:
    """Copy a record into a new file that only its owner can read, and force it to the disk.

    Raises SessionProblem: the copy is damaged.
    """
    make_private(temporary)
    with closing(connect(temporary)) as copy:
        copy.execute("PRAGMA journal_mode = OFF")  # an incomplete copy is deleted, never repaired
        copy.execute("PRAGMA synchronous = OFF")
        copy_into(copy, source)
    with closing(connect(temporary)) as copy:
        copy.execute("PRAGMA locking_mode = EXCLUSIVE")  # otherwise SQLite makes an -shm file
        copy.execute("PRAGMA journal_mode = DELETE")  # the copy is one file, without a log
        if damage := damage_of(copy):
            raise SessionProblem(
                f"{record}: is damaged ({damage}), and was not backed up; keep a copy of the file, "
                "and continue from the last good backup"
            )
    sync(temporary)


def damage_of(copy: sqlite3.Connection) -> str:
    """Describe the damage in a copy's pages or references; empty if there is none."""
    try:
        (problem,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if problem == "ok" and copy.execute("PRAGMA foreign_key_check").fetchone():
            return "a row refers to a missing row"
    except sqlite3.DatabaseError as error:
        return put_on_one_line(error)
    return "" if problem == "ok" else put_on_one_line(str(problem).splitlines()[-1])


def take_place(temporary: Path, path: Path) -> bool:
    """Give a file its name, unless another file has it already."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # the file system has no hard links, as on some USB disks
        if os.path.lexists(path):
            return False
        temporary.rename(path)
    return True


def evaluators_in(copy: sqlite3.Connection, *, simulated: bool) -> Mapping[str, int]:
    def number(table: str, condition: str = "") -> int:
        only = f" AND {condition}" if condition else ""
        query = f"SELECT count(*) FROM {table} WHERE simulated = ?{only}"  # noqa: S608 all our own
        return int(copy.execute(query, (simulated,)).fetchone()[0])

    held = {"evaluators": number("evaluators")}
    for kind in recorders():
        for what, condition in kind.held.items():
            held[what] = number(kind.table.name, condition)
    return held
