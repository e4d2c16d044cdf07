"""Differences between operating systems: locks, files, disks, cores, clocks.

Only this module and `hype.station` use functions that are missing on Linux, macOS or Windows. The
limits of each system are described here, and for users in docs/record.md.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

OWNER_ONLY: Final = 0o600
"""The permissions of files with people's data. On Windows, those of the folder apply instead."""


def open_file(path: Path | str, flags: int, *, folder: int | None = None) -> int:
    """Open a private file; do not follow links, wait for pipes, or share it with child processes.

    ``flags``: see `os.open`.
    ``folder``: if ``path`` is only a file name, the descriptor of the folder that contains it.

    Raises OSError: the file cannot be opened, or is a link.
    """
    if sys.platform == "win32":
        refuse_link(Path(path))
        flags |= os.O_BINARY | os.O_NOINHERIT  # otherwise LF would become CR LF
    else:
        flags |= os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    return os.open(path, flags, OWNER_ONLY, dir_fd=folder)


def refuse_link(path: Path) -> None:
    """Refuse a symbolic link, and on Windows also a junction.

    Raises OSError: the path is a link or a junction.
    """
    mount_point = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT
    tag = getattr(path.lstat(), "st_reparse_tag", 0) if os.path.lexists(path) else 0
    if path.is_symlink() or tag == mount_point:
        raise OSError(errno.ELOOP, "is a link", str(path))


class OpenFolder:
    """An open folder, in which files can be opened, checked and removed; links are not followed.

    The folder stays open, so that another folder with its name cannot replace it. On Windows, a
    folder cannot stay open and is checked only once, at the start.

    Raises OSError: the path is not a folder, or is a link to one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        if sys.platform == "win32":
            refuse_link(path)
            if not stat.S_ISDIR(path.stat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(path))
        else:
            self._descriptor = open_file(path, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> OpenFolder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def _path_of(self, name: str) -> Path | str:
        return self.path / name if self._descriptor is None else name

    def open(self, name: str, flags: int) -> int:
        return open_file(self._path_of(name), flags, folder=self._descriptor)

    def stat(self, name: str) -> os.stat_result:
        return os.stat(self._path_of(name), dir_fd=self._descriptor, follow_symlinks=False)

    def unlink_locked(self, name: str, file: int) -> None:
        """Remove an open file and close it; on Windows, close it first, as the system requires.

        Raises OSError: the file cannot be removed. The file is closed in any case.
        """
        if sys.platform == "win32":
            os.close(file)
            (self.path / name).unlink()  # fails if another program has opened the file meanwhile
            return
        try:
            os.unlink(self._path_of(name), dir_fd=self._descriptor)
        finally:
            os.close(file)


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file until it is closed or the program ends, even if it is killed.

    ``shared``: take a shared lock, to check if another program has an exclusive one. On Windows,
    all locks are exclusive.
    Raises BlockingIOError: another program locked it. Raises OSError: the file system has no locks.
    """
    if sys.platform != "win32":
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
    else:
        import portalocker

        flags = portalocker.LockFlags.EXCLUSIVE
        if not wait:
            flags |= portalocker.LockFlags.NON_BLOCKING
        while True:
            try:
                portalocker.lock(file, flags)
                return
            except portalocker.AlreadyLocked:
                if not wait:
                    raise BlockingIOError(errno.EAGAIN, "is locked by another program") from None
            except portalocker.LockException as error:
                if isinstance(error.__cause__, OSError):
                    raise error.__cause__ from None
                raise OSError(errno.ENOLCK, str(error)) from None


def share_bytes(path: Path, start: int, number: int, is_meant: Callable[[], bool]) -> None:
    """Lock some bytes of a file until the program ends; other programs may share the lock.

    ``is_meant``: returns whether ``path`` is still the right file. If not, nothing is locked.

    The lock remains even if others remove the file. It is only taken on Linux: macOS has no such
    locks, and Windows needs none because it does not let anybody remove an open file.
    """
    if sys.platform == "linux":
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # not closed: closing releases locks
        if is_meant():
            fcntl.fcntl(
                file,
                fcntl.F_OFD_SETLK,
                struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, start, number, 0),
            )


class HeldFolder:
    """A folder that is locked until it is released or the program ends.

    Windows cannot lock folders; there, a file next to the folder is locked.

    Raises OSError: another program uses the folder (BlockingIOError); the path is not a folder; or
    a lock is ``needed``, but the file system has no locks.
    """

    def __init__(self, path: Path, *, needed: bool = True) -> None:
        self.path = path
        self._beside: Path | None = None
        if sys.platform == "win32":
            self._beside = path.with_name(f"{path.name}.held")
            with OpenFolder(path):
                self._file = open_file(self._beside, os.O_RDWR | os.O_CREAT)
        else:
            self._file = open_file(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            lock(self._file)
        except OSError as error:
            if needed or isinstance(error, BlockingIOError):
                os.close(self._file)
                raise

    def is_own(self) -> bool:
        """Return whether the folder belongs to this user; on Windows this is not checked."""
        return sys.platform == "win32" or os.fstat(self._file).st_uid == os.getuid()

    def is_there(self) -> bool:
        """Return whether the path still points to the locked folder."""
        if self._beside is not None:
            return self.path.is_dir()
        with suppress(FileNotFoundError):
            return os.path.samestat(self.path.stat(), os.fstat(self._file))
        return False

    def let_go(self) -> None:
        os.close(self._file)
        if self._beside is not None:
            with suppress(OSError):  # another program already uses the file
                self._beside.unlink()


def move_folder(folder: Path, place: Path) -> None:
    """Move a folder to a path that does not exist or is an empty folder.

    Raises OSError: the path is a file, or a folder with content.
    """
    if sys.platform == "win32" and place.is_dir():
        place.rmdir()  # on other systems, the move replaces an empty folder
    folder.replace(place)


def is_others_too(path: Path) -> bool:
    """Return if other users may read or write a file; False on Windows, where this is unknown."""
    public = stat.S_IRWXG | stat.S_IRWXO
    return sys.platform != "win32" and bool(path.stat().st_mode & public)


def sync(path: Path) -> None:
    """Write a file's content, or the list of names in a folder, from the system's cache to disk.

    Windows cannot do this for folders: NTFS logs changes of names, but a power cut may lose those
    of the last seconds. On macOS, the disk also writes out its own cache.
    """
    if sys.platform == "win32":
        if path.is_dir():
            return
        file = os.open(path, os.O_RDWR | os.O_BINARY | os.O_NOINHERIT)
    else:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        bring_to_disk(file)
    finally:
        os.close(file)


def bring_to_disk(file: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)
    else:
        os.fsync(file)


def is_read_only(folder: Path) -> bool:
    """Return whether a file system is read-only; False on Windows, where this is unknown."""
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def file_system_of(folder: Path) -> str:
    """Return the kind of file system that a folder is on; empty if unknown.

    ``folder``: an absolute path without symbolic links.
    """
    import psutil

    try:
        disks = psutil.disk_partitions(all=True)
    except OSError:
        return ""
    over = [disk for disk in disks if folder.is_relative_to(disk.mountpoint)]
    if not over:
        return ""
    # Of two mounts at the same place, only the later one is visible.
    nearest = max(over[::-1], key=lambda disk: len(Path(disk.mountpoint).parts))
    return "remote" if "remote" in nearest.opts.split(",") else nearest.fstype


def memory_free() -> int:
    """Return how much memory, in bytes, a program can use before the system swaps to disk."""
    import psutil

    return int(psutil.virtual_memory().available)


def cores() -> int:
    """Return how many cores this program may use; on macOS and Windows, how many there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def raise_file_limit() -> None:
    """Raise the maximum number of open files and connections as far as the system allows.

    Programs that this one starts inherit this limit. Windows has no such limit.
    """
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (most, OPEN_MAX):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
            break


OPEN_MAX: Final = 10_240
"""The highest limit on open files that macOS accepts."""


def put_last(program: int, niceness: int) -> None:
    """Give another process a lower priority.

    Raises OSError: the process has ended.
    """
    import psutil

    idle = psutil.IDLE_PRIORITY_CLASS if sys.platform == "win32" else niceness
    try:
        psutil.Process(program).nice(idle)
    except psutil.Error as error:
        raise OSError(errno.ESRCH, str(error)) from None


since_boot_s: Callable[[], float]
"""A function that returns the seconds since the machine was started, including sleep.

The monotonic clock stops during sleep, so a difference between the two shows that the machine
slept. On Windows, this function is the monotonic clock itself, so sleep is not detected.
"""
if sys.platform == "linux":
    since_boot_s = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
elif sys.platform == "darwin":
    since_boot_s = partial(time.clock_gettime, time.CLOCK_MONOTONIC)  # time.monotonic stops
else:
    since_boot_s = time.monotonic


FOLDERS: Final = {"config": ".config", "state": ".local/state", "cache": ".cache"}


def folder_for(what: str) -> Path:
    """Return the user's own folder for the program's "config", "state" or "cache".

    If ``XDG_…_HOME`` is an absolute path, it is used on every system.
    """
    named = Path(os.environ.get(f"XDG_{what.upper()}_HOME", ""))
    if named.is_absolute():
        return named / "hype"
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        return Path(getattr(platformdirs, f"user_{what}_dir")("hype", appauthor=False))
    return Path.home() / FOLDERS[what] / "hype"


NEVER_IN_NAMES: Final = frozenset('<>:"|?*\\')
"""Characters that Windows forbids in names of files."""
DEVICES: Final = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10)))
)


def is_name_everywhere(name: str) -> bool:
    """Return whether a file can have this name on every system, including Windows."""
    device = name.split(".", maxsplit=1)[0].rstrip().upper() in DEVICES
    return not (device or NEVER_IN_NAMES & set(name) or name.endswith((".", " ")))


def could_be_named(name: str) -> bool:
    """Return whether a file can have this name on this system."""
    return sys.platform != "win32" or name in {".", ".."} or is_name_everywhere(name)
