"""What three clocks say together: whether the machine slept, and whether its time was set.

A duration is a difference of the monotonic clock, which runs evenly and cannot be set. It stands
still while the machine sleeps; the clock since boot does not, and the wall clock can be set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHORTEST_SLEEP_S: Final = 0.5
"""Clocks are read one after the other, and a busy machine may stop in between."""
SMALLEST_SETTING_S: Final = 2.0
"""A time server's slow corrections are no setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """One reading: seconds of the wall clock, of the monotonic one, and of the one since boot."""

    wall_s: float
    monotonic_s: float
    boot_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What happened between two readings; 0 is nothing.

    ``slept_s`` is how long the machine was suspended, ``set_s`` how far its wall clock was set
    (negative: back). Daylight saving is neither, since the wall clock counts in UTC.
    """

    slept_s: float = 0.0
    set_s: float = 0.0


def gap_between(before: Clocks, after: Clocks) -> Gap:
    """Compare two readings, ``before`` the earlier one."""
    awake_s = after.monotonic_s - before.monotonic_s
    passed_s = after.boot_s - before.boot_s
    slept_s = passed_s - awake_s
    set_s = (after.wall_s - before.wall_s) - passed_s
    return Gap(
        slept_s=slept_s if slept_s >= SHORTEST_SLEEP_S else 0.0,
        set_s=set_s if abs(set_s) >= SMALLEST_SETTING_S else 0.0,
    )
