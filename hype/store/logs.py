"""SQLite's files beside a record: its logs, and what programs share that have it open.

A record may come from a stranger, and SQLite does what these files say. A rollback journal may name
one more file, that of a transaction over several databases, which SQLite deletes once it has undone
that transaction, wherever the file lies.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from hype.confine import followed
from hype.errors import InputError

WAL: Final = "-wal"
JOURNAL: Final = "-journal"
LOGS: Final = (WAL, JOURNAL)
"""Files beside a record that belong to it: what was written last, or what is to be undone."""
SHARED: Final = "-shm"
"""Where programs that have a record open share what is in its log."""
NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a journal that names another file (SQLite's file format, "super-journal")."""

WAL_BEGINS: Final = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"))
"""The first bytes of a write-ahead log, on machines of either byte order."""


def require_harmless(path: Path, *, writing: bool = False) -> None:
    """Refuse files by which SQLite would change what lies elsewhere, or throw a log away.

    Raises
    ------
    InputError
        A file beside the record, or the record itself where it is to be written, is a link, no
        plain file, or has a second name; its journal names another file; or there is a log, and
        the record that it belongs to is not there.
    """
    try:
        for suffix in ("", *LOGS, SHARED)[not writing :]:
            require_plain(file_of(path, suffix))
        require_sole(file_of(path, JOURNAL))
        require_both(path, file_of(path, WAL))
    except OSError as error:
        raise InputError(path, f"cannot be read as a record: {error.strerror}") from None


def file_of(path: Path, suffix: str) -> Path:
    """Give the path of one of a record's files.

    SQLite follows a database's own link, and no others.
    """
    return Path(f"{followed(path)}{suffix}")


def is_shared(path: Path) -> bool:
    """Whether programs have a record open, or had when they were killed."""
    return all(os.path.lexists(file_of(path, suffix)) for suffix in (WAL, SHARED))


def require_plain(file: Path) -> None:
    """Refuse a link, a folder, a pipe, and a file that has another name besides."""
    with suppress(FileNotFoundError):
        found = file.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(file, "is a link, or no file", "a plain file, or none")
        if found.st_nlink > 1:
            problem = "has a second name (a hard link), under which it would be changed too"
            raise InputError(file, problem, "put a copy of it in its place")


def require_sole(journal: Path) -> None:
    """Refuse a journal that would have SQLite delete another file."""
    with suppress(FileNotFoundError), journal.open("rb") as file:
        file.seek(max(0, size_of(journal) - len(NAMES_ANOTHER)))
        if file.read() == NAMES_ANOTHER:
            raise InputError(
                journal,
                "is a journal that has another file deleted; hype never leaves one",
                "move it out of the study, and see what hype verify says of the record",
            )


def lost_its_beginning(log: Path) -> bool:
    """Whether something is in a log that can be read, and does not begin as one."""
    with suppress(OSError), log.open("rb") as file:
        return file.read(4) not in (b"", *WAL_BEGINS)
    return False


def require_both(path: Path, log: Path) -> None:
    """Refuse a log whose record is gone: SQLite would delete it."""
    if size_of(log) and not size_of(path):  # in this order: whoever makes a record does so
        raise InputError(
            log,
            f"belongs to a record, and {path.name} is missing or empty",
            "put the record back; or move this file away, and a new record is begun",
        )


def size_of(file: Path) -> int:
    """Give the bytes of a file; 0 where there is none."""
    with suppress(OSError):
        return file.stat().st_size
    return 0
