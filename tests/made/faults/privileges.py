"""Giving up the privileges of root, since permissions of files do not limit root."""

import ctypes
import os

VERSION_3 = 0x20080522


class Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop() -> None:
    """Drop all capabilities of this process, so that it has the rights of an ordinary user."""
    libc = ctypes.CDLL(None, use_errno=True)
    none = (Sets * 2)()
    if libc.capset(ctypes.byref(Header(VERSION_3, 0)), ctypes.byref(none)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
