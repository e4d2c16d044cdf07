"""Stops: the program stood still, and what was on the screen stood with it.

Ctrl-Z and SIGSTOP do that, a debugger, or a machine that gives the program no time. No clock tells
of it: all of them go on, and the machine was awake.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

LONGEST_S: Final = 1.0
"""From one look at the clock to the next, beyond what was planned: a program that runs looks every
few milliseconds, and is not kept from it for so long by a machine that is merely busy."""
TOLD_S: Final = 0.1
"""The same, where the system said that the program had been stopped and goes on."""


class Stops:
    """Finds the stops between two looks at the monotonic clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_s = clock()
        self._was_told = False
        self._found_s: list[float] = []

    def told(self) -> None:
        """Note that the program goes on after a stop, as SIGCONT says; the next look finds it."""
        self._was_told = True

    def begin(self) -> None:
        """Look for the first time after something that may take long by itself."""
        self._look(0.0, math.inf)

    def look(self, planned_s: float = 0.0) -> None:
        """Look again, ``planned_s`` and next to nothing more after the last time."""
        self._look(planned_s, LONGEST_S)

    def take(self) -> list[float]:
        """Give how long each stop lasted, in s, of those found since it was asked last."""
        found_s, self._found_s = self._found_s, []
        return found_s

    def _look(self, planned_s: float, most_s: float) -> None:
        """Keep how long it was since the last look, if ``most_s`` or more beyond the plan."""
        now_s = self._clock()
        still_s, self._last_s = now_s - self._last_s - planned_s, now_s
        if self._was_told:
            most_s, self._was_told = TOLD_S, False
        if still_s >= most_s:
            self._found_s.append(still_s)
