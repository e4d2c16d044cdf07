"""Errors of the kernel: from a given trial on, the disk answers with an error.

A seccomp filter acts like a broken, missing, full or read-only disk: the system calls with which
SQLite writes return an error number. The filter needs no privileges, and ends with the process.
"""

import ctypes
import errno
import os
import platform

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ERROR, ALLOW = 0x00050000, 0x7FFF0000
CALLS = {  # numbers of the calls on x86-64 and on 64-bit ARM
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "ftruncate": (77, 46),
    "openat": (257, 56),
}
WRITING = ("pwrite64", "fsync", "fdatasync", "ftruncate")
MACHINES = ("x86_64", "aarch64")


class Line(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("lines", ctypes.POINTER(Line)))


def supported() -> bool:
    """Tell whether the numbers of the calls are known for this machine."""
    return platform.machine() in MACHINES


class BreakingDisk:
    """A disk that breaks while the ``at``-th trial is shown.

    ``how`` is the name of the error that the disk returns. With "gone" after the name, nothing can
    be read or opened either.
    """

    def __init__(self, at: int, how: str) -> None:
        name, _, gone = how.partition(" ")
        self._left = at
        self._error = getattr(errno, name)
        self._calls = tuple(CALLS) if gone else WRITING

    def trial_shown(self) -> None:
        """Count a shown trial, and break at the ``at``-th."""
        self._left -= 1
        if self._left == 0:
            refuse(self._calls, self._error)


def refuse(calls: tuple[str, ...], error: int) -> None:
    """Let system calls of this process fail from now on with an error number."""
    machine = MACHINES.index(platform.machine())
    lines = [Line(LOAD, 0, 0, 0)]
    for call in calls:
        lines += [
            Line(JUMP_IF_EQUAL, 0, 1, CALLS[call][machine]),
            Line(RETURN, 0, 0, ERROR | error),
        ]
    lines.append(Line(RETURN, 0, 0, ALLOW))
    program = Filter(len(lines), (Line * len(lines))(*lines))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
