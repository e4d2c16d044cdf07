"""The machine that a benchmark runs on, and how busy other programs keep it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from collections.abc import Iterable
from pathlib import Path


def description(packages: Iterable[str]) -> str:
    """Name the processor, its cores, and the versions of Python and ``packages``."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.partition(":")[2].strip() for line in lines if "model name" in line), "?")
    versions = (f"{name} {importlib.metadata.version(name)}" for name in packages)
    python = f"Python {platform.python_version()}"
    return f"{cpu}, {os.cpu_count()} cores; {', '.join((python, *versions))}"


class Load:
    """Measures how busy other programs have kept the machine since this object was made."""

    def __init__(self) -> None:
        self.begin = time.perf_counter(), busy_seconds(), own_seconds()

    def of_others(self) -> float:
        """Return how many cores other programs, or our unfinished children, used on average."""
        wall, busy, own = self.begin
        return (busy_seconds() - busy - (own_seconds() - own)) / (time.perf_counter() - wall)


def busy_seconds() -> float:
    """Return how long all cores together have worked since the machine was started."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Return how long cores have worked for this process and its finished children."""
    return sum(os.times()[:4])
