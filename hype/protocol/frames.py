"""Durations and frames: the one place where milliseconds become what a screen can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

EXACT_MS: Final = 0.05
"""Up to this deviation a duration counts as shown exactly."""
COMMON_RATES_HZ: Final = (
    *(50.0, 60.0, 72.0, 75.0, 85.0, 90.0, 100.0, 120.0, 144.0, 160.0, 165.0),
    *(170.0, 175.0, 180.0, 200.0, 240.0, 250.0, 280.0, 300.0, 360.0, 480.0, 500.0),
)
"""Refresh rates that displays are sold with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """What a refresh rate makes of durations.

    Attributes
    ----------
    refresh_hz, durations_ms
        What was asked for.
    inexact_ms
        Those durations that the frames miss by more than `EXACT_MS`, in the order given.
    distinct
        How many different durations can be told apart on the screen.
    worst_ms, worst_shown_ms
        The duration that the frames miss by most (the first of them), and what it lasts.
    exact_at_hz
        Which of `COMMON_RATES_HZ` would show all durations exactly.
    """

    refresh_hz: float
    durations_ms: tuple[float, ...]
    inexact_ms: tuple[float, ...]
    distinct: int
    worst_ms: float
    worst_shown_ms: float
    exact_at_hz: tuple[float, ...]

    @property
    def deviation_ms(self) -> float:
        """The largest deviation, without its sign."""
        return abs(self.worst_shown_ms - self.worst_ms)


def frames_of(duration_ms: float, refresh_hz: float) -> int:
    """Whole number of frames, at least one, that comes nearest to ``duration_ms``."""
    return max(1, round(duration_ms * refresh_hz / 1000))


def duration_of(frames: int, refresh_hz: float) -> float:
    """Give what ``frames`` frames last nominally, in ms."""
    return frames * 1000 / refresh_hz


def shown_ms(duration_ms: float, refresh_hz: float) -> float:
    """Give what a duration lasts in whole frames."""
    return duration_of(frames_of(duration_ms, refresh_hz), refresh_hz)


def is_exact(duration_ms: float, refresh_hz: float) -> bool:
    """Whether whole frames come within `EXACT_MS` of a duration."""
    return abs(shown_ms(duration_ms, refresh_hz) - duration_ms) <= EXACT_MS


def rounding_of(durations_ms: Sequence[float], refresh_hz: float) -> Rounding:
    """See what a refresh rate makes of durations.

    Raises
    ------
    ValueError
        There is no duration.
    """
    if not durations_ms:
        raise ValueError("there is no duration to round")

    def miss(duration_ms: float) -> float:
        # To the nanosecond, so that of equally large deviations the first is named.
        return round(abs(shown_ms(duration_ms, refresh_hz) - duration_ms), 6)

    worst_ms = max(durations_ms, key=miss)
    return Rounding(
        refresh_hz=refresh_hz,
        durations_ms=tuple(durations_ms),
        inexact_ms=tuple(ms for ms in durations_ms if not is_exact(ms, refresh_hz)),
        distinct=len({frames_of(ms, refresh_hz) for ms in durations_ms}),
        worst_ms=worst_ms,
        worst_shown_ms=shown_ms(worst_ms, refresh_hz),
        exact_at_hz=rates_exact_for(durations_ms),
    )


def rates_exact_for(durations_ms: Sequence[float]) -> tuple[float, ...]:
    """Give those of `COMMON_RATES_HZ` that show all of these durations exactly."""
    return tuple(hz for hz in COMMON_RATES_HZ if all(is_exact(ms, hz) for ms in durations_ms))
