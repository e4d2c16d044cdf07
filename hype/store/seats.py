"""Seats: whoever holds one is alone with it, until they leave it or their program ends.

A seat is a file beside the record, locked with ``flock``. The kernel lets go of a lock when the
process ends, however it ends, so a seat is never kept by the dead.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from hype.errors import InputError, SessionProblem

SUFFIX: Final = "-seats"
"""The folder of a record's seats is named after the record."""
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
SEAT: Final = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""How a seat is opened: no link is followed, and a pipe not waited for."""


def evaluator_seat(evaluator: str, *, simulated: bool) -> str:
    """Name the seat of an evaluator; a simulated one and a person may share a code."""
    return f"{'simulated' if simulated else 'evaluator'}-{evaluator}"


def seats_folder(record: Path) -> Path:
    return record.with_name(record.name + SUFFIX)


@contextmanager
def seated(record: Path, seat: str, what: str) -> Iterator[None]:
    """Hold ``seat`` of a record; ``what`` says in a message what is done on it.

    Raises SessionProblem: someone else holds it, or the file system has no locks.
    Raises InputError: nothing can be written beside the record.
    """
    folder = open_folder(record)
    try:
        file = take(folder, seats_folder(record) / seat, what)
        try:
            yield
        finally:
            with suppress(OSError):  # a disk that was removed has no seat to leave
                os.unlink(seat, dir_fd=folder)
            os.close(file)
    finally:
        os.close(folder)


def is_taken(record: Path, seat: str) -> bool:
    """Whether someone holds a seat. A free one is held no longer than it takes to ask."""
    try:
        folder = os.open(seats_folder(record), FOLDER)
    except OSError:  # whoever holds a seat has made it
        return False
    try:
        file = os.open(seat, os.O_RDONLY | SEAT, dir_fd=folder)
    except OSError:
        return False
    finally:
        os.close(folder)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


def open_folder(record: Path) -> int:
    """Open the folder of a record's seats, making it where there is none; links are not followed.

    The study may come from a stranger, and what is done in the folder is done nowhere else.
    """
    path = seats_folder(record)
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        return os.open(path, FOLDER)
    except OSError as error:
        problem = "is a link" if path.is_symlink() else f"cannot be written: {error.strerror}"
        raise InputError(path, problem) from None


def take(folder: int, path: Path, what: str) -> int:
    """Lock the file of a seat and say in it who holds it; returns its descriptor."""
    while True:
        file = open_seat(folder, path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_still_there(folder, path.name, file):
                say_who(file)
                return file
        except BlockingIOError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip()
            os.close(file)
            raise SessionProblem(
                f"{what} is going on elsewhere ({holder or 'since just now'}); end that one first: "
                "what it did is safe"
            ) from None
        except OSError as error:
            os.close(file)
            raise SessionProblem(
                f"{path}: cannot be locked ({error.strerror}); keep the study on a local disk"
            ) from None
        os.close(file)  # whoever held it left, and took the file away


def open_seat(folder: int, path: Path) -> int:
    """Open the file of a seat, making it where it is not there."""
    try:
        file = os.open(path.name, os.O_RDWR | os.O_CREAT | SEAT, 0o600, dir_fd=folder)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror}") from None
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(file)
        raise InputError(path, "is no file, or has a second name (a hard link)", "delete it")
    return file


def is_still_there(folder: int, seat: str, file: int) -> bool:
    """Whether the locked file is the one that others will find under its name."""
    with suppress(FileNotFoundError):
        status = os.stat(seat, dir_fd=folder, follow_symlinks=False)
        return os.path.samestat(status, os.fstat(file))
    return False


def say_who(file: int) -> None:
    since = datetime.now(timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    os.ftruncate(file, 0)
    with suppress(OSError):  # a full disk need not keep anyone from sitting down
        os.pwrite(
            file, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(), 0
        )


TURNS: Final = "turns"
"""The file in a record's folder of seats of whose bytes each is somebody's turn."""


@contextmanager
def turn(record: Path, seat: str) -> Iterator[None]:
    """Wait for the turn at ``seat``, among all threads and programs, and have it for a moment.

    What it is locked by is the kernel's, and ends with who has it.

    Raises InputError: nothing can be written beside the record.
    """
    folder = open_folder(record)
    try:
        file = open_seat(folder, seats_folder(record) / TURNS)
    finally:
        os.close(folder)
    place = int.from_bytes(hashlib.sha256(seat.encode()).digest()[:7], "big")
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLKW, lock)
        yield
    finally:
        os.close(file)
