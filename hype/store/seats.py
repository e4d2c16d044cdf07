"""Seats: whoever holds one is alone with it, until they leave it or their program ends.

A seat is a file beside the record, locked with ``flock``. The kernel lets go of a lock when the
process ends, however it ends, so a seat is never kept by the dead.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from hype.errors import InputError, SessionProblem

SUFFIX: Final = "-seats"
"""The folder of a record's seats is named after the record."""


def evaluator_seat(evaluator: str, *, simulated: bool) -> str:
    """Name the seat of an evaluator; a simulated one and a person may share a code."""
    return f"{'simulated' if simulated else 'evaluator'}-{evaluator}"


def seats_folder(record: Path) -> Path:
    """Give the folder in which a record's seats are."""
    return record.with_name(record.name + SUFFIX)


@contextmanager
def seated(record: Path, seat: str, what: str) -> Iterator[None]:
    """Hold ``seat`` of a record; ``what`` says in a message what is done on it.

    Raises
    ------
    SessionProblem
        Someone else holds it, or the file system has no locks.
    InputError
        Nothing can be written beside the record.
    """
    path = seats_folder(record) / seat
    file = take(path, what)
    try:
        yield
    finally:
        with suppress(OSError):  # a disk that was removed has no seat to leave
            path.unlink()
        os.close(file)


def is_taken(record: Path, seat: str) -> bool:
    """Whether someone holds a seat. A free one is held no longer than it takes to ask."""
    try:
        file = os.open(seats_folder(record) / seat, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # whoever holds a seat has made the file
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


def take(path: Path, what: str) -> int:
    """Lock the file of a seat and say in it who holds it; returns its descriptor."""
    while True:
        file = open_seat(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_still_there(path, file):
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


def open_seat(path: Path) -> int:
    """Open the file of a seat, making it and its folder where they are not there."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror}") from None


def is_still_there(path: Path, file: int) -> bool:
    """Whether the locked file is the one that others will find under its name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file))
    return False


def say_who(file: int) -> None:
    """Write who holds the seat, for the message that others get."""
    since = datetime.now(timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    os.ftruncate(file, 0)
    with suppress(OSError):  # a full disk need not keep anyone from sitting down
        os.pwrite(
            file, f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(), 0
        )
