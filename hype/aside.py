"""A folder beside the place of what is to be there whole or not at all.

Whoever works in one holds a lock on it. The kernel lets go of it when the program ends, however it
ends, so that what nobody holds was left by a program that was killed, and is removed by the next.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = ".hype-{what}-"
DRAWN: Final = re.compile(r"[a-z0-9_]{8}")
"""What `tempfile` adds to it."""


@contextmanager
def aside(home: Path, what: str) -> Iterator[Path]:
    """Give a new folder in ``home``; what was not moved out of it is gone when the block ends.

    It can be entered by its owner only. ``what``, one word, says in its name what is being made.

    Raises
    ------
    OSError
        It cannot be made.
    """
    prefix = PREFIX.format(what=what)
    remove_left(home, prefix)
    folder, lock = locked(home, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_left(home: Path, prefix: str) -> None:
    """Remove the folders of one's own that programs left when they were killed."""
    there: list[Path] = []
    with suppress(PermissionError):  # what one may write into, one need not be allowed to list
        there = list(home.iterdir())
    for path in there:
        if path.name.startswith(prefix) and DRAWN.fullmatch(path.name, len(prefix)):
            with suppress(OSError):  # somebody works in it, or it is no folder
                remove_unless_held(path)


def remove_unless_held(folder: Path) -> None:
    """Remove a folder, if it is one's own.

    Raises
    ------
    OSError
        Somebody works in it, or the file system has no locks to tell; or it is no folder.
    """
    lock = take(folder)
    try:
        if os.fstat(lock).st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def locked(home: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder and lock it; gives both. One that another took for left behind is made anew."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(BlockingIOError, FileNotFoundError):
            lock = take(folder, needed=False)
            with suppress(FileNotFoundError):
                if os.path.samestat(folder.stat(), os.fstat(lock)):
                    return folder, lock
            os.close(lock)


def take(folder: Path, *, needed: bool = True) -> int:
    """Open a folder and lock it, unless the file system has no locks and none is ``needed``.

    Raises
    ------
    OSError
        Somebody else has it (BlockingIOError), or it is no folder.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if needed or isinstance(error, BlockingIOError):
            os.close(lock)
            raise
    return lock
