"""What a session notes about the programs and the machine it ran on."""

from __future__ import annotations

import os
import platform
import re
import socket
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from hype.errors import InputError
from hype.study.store_settings import STATION_NAME

PACKAGES = ("hype", "numpy", "pillow", "psychopy", "psychtoolbox", "pyglet", "sqlalchemy")
STATION_VARIABLE: Final = "HYPE_STATION"
"""The variable of the environment that names this station."""


def station_name() -> str:
    """Give the name of this station: ``HYPE_STATION``, or that of the machine as far as it can be.

    Raises
    ------
    InputError
        The variable holds what is no name.
    """
    if given := os.environ.get(STATION_VARIABLE):
        if STATION_NAME.fullmatch(given):
            return given
        problem = f"{given!r} cannot be the name of a station"
        allowed = "1 to 32 of the letters A to Z and a to z, digits and '-'"
        raise InputError(STATION_VARIABLE, problem, allowed)
    host = re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname().split(".")[0])[:32]
    return host.strip("-") or "station"


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
