"""Seats: locks for work that only one program does at a time, such as an evaluator's session.

A seat is a locked file in a folder next to the record. The system releases the lock however the
process ends, so an ended process never keeps a seat.
"""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Final

from hype.errors import InputError, SessionProblem
from hype.system import HeldFolder, OpenFolder, lock

SUFFIX: Final = "-seats"
"""The suffix of the folder of a record's seats; before it comes the record's name."""


def evaluator_seat(evaluator: str, *, simulated: bool) -> str:
    """Name the seat of an evaluator; a simulated evaluator and a person may have the same code."""
    return f"{'simulated' if simulated else 'evaluator'}-{evaluator}"


@cache
def seats_folder(record: Path) -> Path:
    return record.with_name(record.name + SUFFIX)


@contextmanager
def hold_seat(record: Path, seat: str, what: str) -> Iterator[None]:
    """Hold ``seat`` of a record; ``what`` describes the holder's work in messages.

    Raises SessionProblem: someone else holds the seat, or the file system has no locks.
    Raises InputError: nothing can be written next to the record.
    """
    with open_folder(record) as folder:
        file = take(folder, seat, what)
        try:
            yield
        finally:
            with suppress(OSError):  # the disk was removed, so there is no seat to release
                folder.unlink_locked(seat, file)


def is_taken(record: Path, seat: str) -> bool:
    """Return whether someone holds a seat. The check itself holds a free seat for a moment."""
    try:
        with OpenFolder(seats_folder(record)) as folder:
            file = folder.open(seat, os.O_RDONLY)
    except OSError:  # there is no file, so nobody holds the seat
        return False
    try:
        lock(file, shared=True)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(file)
    return False


def open_folder(record: Path) -> OpenFolder:
    """Open the folder of a record's seats, and make it if there is none; links are not followed.

    The study may come from a stranger, so the program works only inside this folder.
    """
    path = seats_folder(record)
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        return OpenFolder(path)
    except OSError as error:
        problem = "is a link" if path.is_symlink() else f"cannot be written: {error.strerror}"
        raise InputError(path, problem) from None


def take(folder: OpenFolder, seat: str, what: str) -> int:
    """Lock a seat's file, write the holder into the file, and return the file's descriptor."""
    path = folder.path / seat
    while True:
        try:
            file = folder.open(seat, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise InputError(path, f"cannot be written: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise InputError(path, "is not a file", "delete it")
        try:
            lock(file)
            with suppress(FileNotFoundError):
                if os.path.samestat(folder.stat(seat), os.fstat(file)):  # not removed meanwhile
                    since = datetime.now(timezone.utc).astimezone()
                    host, now = socket.gethostname(), f"{since:%Y-%m-%d %H:%M:%S}"
                    os.ftruncate(file, 0)
                    with suppress(OSError):  # a seat can be held on a full disk too
                        os.write(file, f"process {os.getpid()} on {host} since {now}".encode())
                    return file
        except BlockingIOError:
            holder = ""
            with suppress(OSError):  # on Windows no program can read a file that another has locked
                holder = os.read(file, 200).decode(errors="replace").strip()
            os.close(file)
            raise SessionProblem(
                f"{what} is already in progress ({holder or 'started just now'}); end that one "
                "first; its answers are safe"
            ) from None
        except OSError as error:
            os.close(file)
            raise SessionProblem(
                f"{path}: cannot be locked ({error.strerror}); keep the study on a local disk"
            ) from None
        os.close(file)  # the holder left and removed this file: try again


LOOK_S: Final = 0.002


@contextmanager
def next_in_line(record: Path, patience_s: float) -> Iterator[bool]:
    """Wait for this program's turn to write; False if it does not come within ``patience_s``.

    If the folder of the seats cannot be made or locked, there are no turns: any program may write.
    """
    folder, until_s = seats_folder(record), time.monotonic() + patience_s
    held = None
    while held is None and time.monotonic() < until_s:
        try:
            held = HeldFolder(folder)
        except BlockingIOError:
            time.sleep(LOOK_S)
        except OSError:
            try:
                folder.mkdir(mode=0o700)
            except OSError:
                yield True
                return
    if held is None:
        yield False
        return
    try:
        yield True
    finally:
        held.let_go()
