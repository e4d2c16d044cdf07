"""Facts about the machine of a session: its programs and clocks.

Durations come from the monotonic clock, which runs evenly and cannot be set, but stops while the
machine sleeps. The clock since boot does not stop during sleep. The wall clock can be set.
"""

from __future__ import annotations

import platform
import socket
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

PACKAGES = ("hype", "numpy", "pillow", "psychopy", "psychtoolbox", "pyglet", "sqlalchemy")

ANALYSIS: Final = ("hype", "numpy", "scipy", "pandas", "matplotlib")


@cache
def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of the installed packages among ``packages``."""
    versions_installed = {"python": platform.python_version()}
    for package in packages:
        try:
            versions_installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions_installed


@cache
def machine() -> dict[str, str]:
    return {
        "host": socket.gethostname(),
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "byte_order": sys.byteorder,
    }


SHORTEST_SLEEP_S: Final = 0.5
"""A shorter gap does not count as sleep: a busy machine may pause between reading two clocks."""
SMALLEST_SETTING_S: Final = 2.0
"""Smaller changes do not count as setting the clock: time servers make such corrections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """One reading, in seconds: the wall clock, the monotonic clock, and the clock since boot."""

    wall_s: float
    monotonic_s: float
    boot_s: float

    def later(self, seconds: float) -> Clocks:
        return Clocks(
            wall_s=self.wall_s + seconds,
            monotonic_s=self.monotonic_s + seconds,
            boot_s=self.boot_s + seconds,
        )

    def earlier(self, wall_s: float, monotonic_s: float) -> Clocks:
        """Estimate the clock since boot at a moment when only the others were read.

        If the wall clock has advanced further than the monotonic clock since then, the difference
        counts as sleep, unless it exceeds all sleep since boot: then the wall clock was set.
        """
        asleep_s = self.boot_s - self.monotonic_s
        gained_s = (self.wall_s - wall_s) - (self.monotonic_s - monotonic_s)
        slept_s = gained_s if 0 < gained_s <= asleep_s else 0.0
        boot_s = monotonic_s + asleep_s - slept_s
        return Clocks(wall_s=wall_s, monotonic_s=monotonic_s, boot_s=boot_s)


def gap_between(before: Clocks, after: Clocks) -> tuple[float, float]:
    """Return how long the machine was suspended, and how far its wall clock was set, in s.

    Each time is 0 if nothing happened; a clock that was set back gives a negative time. Daylight
    saving has no effect, since the wall clock counts in UTC.
    """
    awake_s = after.monotonic_s - before.monotonic_s
    passed_s = after.boot_s - before.boot_s
    slept_s = passed_s - awake_s
    set_s = (after.wall_s - before.wall_s) - passed_s
    return (
        slept_s if slept_s >= SHORTEST_SLEEP_S else 0.0,
        set_s if abs(set_s) >= SMALLEST_SETTING_S else 0.0,
    )
