"""Faults in SQLite's own writes: a process killed during one, a power cut, a disk error.

SQLite reaches files through a table of functions, its VFS. We register a copy as the new default;
its files write, sync and truncate through the functions below. The library must be the same one
that Python's ``sqlite3`` uses.
"""

import ctypes
import os
import random
import signal
import sqlite3
from collections.abc import Callable, Iterable
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

OK = 0
CODES = {"SQLITE_FULL": 13, "SQLITE_IOERR_WRITE": 10 | 3 << 8, "SQLITE_IOERR_FSYNC": 10 | 4 << 8}
KILLS = ("killed before", "killed half way", "killed after")
POWER_CUTS = ("power cut", "power cut, some written")
REFUSALS = tuple(f"{code} {until}" for code in CODES for until in ("once", "from then on"))

Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
Read = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
Sync = CFUNCTYPE(c_int, c_void_p, c_int)
FileSize = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64))


class Vfs(ctypes.Structure):
    """The fields of ``sqlite3_vfs`` up to ``xOpen``, and the pointers after it."""

    _fields_ = (
        ("version", c_int),
        ("file_bytes", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", Open),
        ("others", c_void_p * 15),
    )


class Methods(ctypes.Structure):
    """``sqlite3_io_methods``."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", Read),
        ("write", Read),
        ("truncate", Truncate),
        ("sync", Sync),
        ("file_size", FileSize),
        ("others", c_void_p * 12),
    )


class File(ctypes.Structure):
    """The start of a ``sqlite3_file``; the default VFS keeps more data after it."""

    _fields_ = (("methods", POINTER(Methods)),)


def library() -> ctypes.CDLL | None:
    """Return the library that Python's ``sqlite3`` uses; None if it is built into Python."""
    try:
        sqlite = ctypes.CDLL("libsqlite3.so.0")
    except OSError:
        return None
    sqlite.sqlite3_libversion.restype = c_char_p
    sqlite.sqlite3_vfs_find.restype = POINTER(Vfs)
    same = sqlite.sqlite3_libversion().decode() == sqlite3.sqlite_version
    return sqlite if same and in_use(sqlite) else None


def in_use(sqlite: ctypes.CDLL) -> bool:
    """Tell whether Python's ``sqlite3`` uses this library: then the library counts its memory."""
    connection = sqlite3.connect(":memory:")
    used = sqlite.sqlite3_memory_used
    used.restype = c_int64
    try:
        return bool(used())
    finally:
        connection.close()


class FaultyFiles:
    """Counts calls that change files; the ``at``-th one fails in the way named by ``how``."""

    def __init__(self, at: int, how: str) -> None:
        self.calls = 0
        self._study_at = at
        self._how = how
        self._tables: dict[int, Methods] = {}
        self._real: dict[int, Methods] = {}
        self._unsynced: list[tuple[int, int, bytes, int]] = []
        self._kept: list[object] = []

    def register(self, sqlite: ctypes.CDLL) -> None:
        """Register as the default VFS, and pass calls on to the real one."""
        real = sqlite.sqlite3_vfs_find(None).contents
        ours = Vfs.from_buffer_copy(real)

        def opened(_vfs: int, name: int, file: int, flags: int, out: object) -> int:
            code = real.open(ctypes.addressof(real), name, file, flags, out)
            if code == OK:
                self.take(File.from_address(file))
            return int(code)

        ours.name, ours.open = b"faulty", Open(opened)
        self._kept += [ours, real]
        if sqlite.sqlite3_vfs_register(ctypes.byref(ours), 1) != OK:
            raise RuntimeError("SQLite does not accept another VFS")

    def take(self, file: File) -> None:
        """Replace the functions that change an opened file."""
        where = ctypes.addressof(file.methods.contents)
        if where not in self._tables:
            real = self._real[where] = file.methods.contents
            table = self._tables[where] = Methods.from_buffer_copy(real)
            table.write = Read(lambda *call: self.write(real, *call))
            table.truncate = Truncate(lambda *call: self.truncate(real, *call))
            table.sync = Sync(lambda *call: self.sync(real, *call))
        file.methods = ctypes.pointer(self._tables[where])

    def write(self, real: Methods, file: int, data: int, number: int, offset: int) -> int:
        """Write ``number`` bytes, or cause the fault."""
        self.remember(real, file, number, offset)

        def half() -> None:
            real.write(file, data, number // 2, offset)

        return self.occasion(real, lambda: real.write(file, data, number, offset), half)

    def truncate(self, real: Methods, file: int, size: int) -> int:
        """Truncate a file, or cause the fault."""
        return self.occasion(real, lambda: real.truncate(file, size))

    def sync(self, real: Methods, file: int, flags: int) -> int:
        """Sync a file to the disk, or cause the fault."""

        def synced() -> int:
            self._unsynced = [change for change in self._unsynced if change[0] != file]
            return int(real.sync(file, flags))

        return self.occasion(real, synced)

    def occasion(
        self, real: Methods, do: Callable[[], int], half: Callable[[], None] = lambda: None
    ) -> int:
        """Do a call, or cause the fault if this is the ``at``-th call."""
        self.calls += 1
        if self._how.endswith("from then on") and self._study_at and self.calls >= self._study_at:
            return CODES[self._how.split()[0]]
        if self.calls != self._study_at:
            return int(do())
        if self._how.endswith("once"):
            return CODES[self._how.split()[0]]
        if self._how in POWER_CUTS:
            self.cut_power(real)
        elif self._how == "killed half way":
            half()
        elif self._how == "killed after":
            do()
        os.kill(os.getpid(), signal.SIGKILL)
        return OK

    def remember(self, real: Methods, file: int, number: int, offset: int) -> None:
        """Keep the bytes that a write replaces until the file is synced."""
        if self._how in POWER_CUTS:
            size = c_int64()
            real.file_size(file, ctypes.byref(size))
            before = ctypes.create_string_buffer(number)
            real.read(file, ctypes.cast(before, c_void_p), number, offset)
            self._unsynced.append((file, offset, before.raw, size.value))

    def cut_power(self, real: Methods) -> None:
        """Undo writes that were not synced: all of them, or a random half."""
        chance = random.Random(self._study_at)
        lost = self._unsynced
        if self._how != POWER_CUTS[0]:
            lost = [change for change in lost if chance.random() < 0.5]
        undo(real, lost)


def undo(real: Methods, changes: Iterable[tuple[int, int, bytes, int]]) -> None:
    """Undo writes, the last one first."""
    for file, offset, before, size in reversed(list(changes)):
        real.write(file, ctypes.cast(c_char_p(before), c_void_p), len(before), offset)
        now = c_int64()
        real.file_size(file, ctypes.byref(now))
        if now.value > size:
            real.truncate(file, size)


_installed: list[FaultyFiles] = []


def install(at: int, how: str) -> Callable[[], int]:
    """Let the ``at``-th call fail (0: none); return a function that counts the calls so far."""
    sqlite = library()
    if sqlite is None:
        raise RuntimeError("Python's sqlite3 does not use libsqlite3.so.0")
    files = FaultyFiles(at, how)
    files.register(sqlite)
    _installed.append(files)
    return lambda: files.calls
