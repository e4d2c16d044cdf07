"""What a session notes about the programs and the machine it ran on."""

from __future__ import annotations

import platform
import socket
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("hype", "numpy", "pillow", "psychopy", "psychtoolbox", "pyglet", "sqlalchemy")


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the packages a session depends on, as far as installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def machine() -> dict[str, str]:
    """The machine and its system."""
    return {
        "host": socket.gethostname(),
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "byte_order": sys.byteorder,
    }
