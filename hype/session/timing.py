"""How long things really were on the screen: flips go in, a verdict comes out.

A program cannot know the instant at which the screen changed. It knows when it asked for the
change and when it was told that the change was done; the truth lies between. The verdict is on the
worst that these bounds allow, so a trial is only ``ok`` if it cannot have been otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
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
    """What a refresh rate makes of durations."""

    # refresh_hz, durations_ms: what was asked for
    refresh_hz: float
    durations_ms: tuple[float, ...]
    # Those durations that the frames miss by more than `EXACT_MS`, in the order given
    inexact_ms: tuple[float, ...]
    distinct: int  # how many different durations can be told apart on the screen
    # worst_ms, worst_shown_ms: the duration that the frames miss by most (the first of them), and
    # what it lasts
    worst_ms: float
    worst_shown_ms: float
    exact_at_hz: tuple[float, ...]  # which of `COMMON_RATES_HZ` would show all durations exactly

    @property
    def deviation_ms(self) -> float:
        return abs(self.worst_shown_ms - self.worst_ms)


def frames_of(duration_ms: float, refresh_hz: float) -> int:
    """Whole number of frames, at least one, that comes nearest to ``duration_ms``."""
    return max(1, round(duration_ms * refresh_hz / 1000))


def duration_of(frames: int, refresh_hz: float) -> float:
    """Give what ``frames`` frames last nominally, in ms."""
    return frames * 1000 / refresh_hz


def shown_ms(duration_ms: float, refresh_hz: float) -> float:
    return duration_of(frames_of(duration_ms, refresh_hz), refresh_hz)


def is_exact(duration_ms: float, refresh_hz: float) -> bool:
    """Whether whole frames come within `EXACT_MS` of a duration."""
    return abs(shown_ms(duration_ms, refresh_hz) - duration_ms) <= EXACT_MS


def rounding_of(durations_ms: Sequence[float], refresh_hz: float) -> Rounding:
    """See what a refresh rate makes of durations.

    Raises ValueError: there is no duration.
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


WHOLE: Final = 0.75
"""Share of a frame from which a deviation counts as a whole frame, since stamps jitter."""
HALF: Final = 0.5
"""Tolerance, in frames, where the study gives none."""


class Verdict(str, Enum):
    """What became of a flashed trial.

    ``ok``: image and masks each lasted as long as their frames do, within the study's tolerance.
    ``late``: one did not, by less than a frame. ``dropped``: one was off by a frame or more.
    ``seen``: they did, and the trial had been shown before and was not answered then.
    """

    OK = "ok"
    LATE = "late"
    DROPPED = "dropped"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class Flip:
    """One change of the screen, by the monotonic clock, in s."""

    at_s: float  # when it happened, as well as the frame clock can tell
    # earliest_s, latest_s: between these it must have happened
    earliest_s: float
    latest_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of the screen for one picture: a duration, and the frames made of it."""

    duration_ms: float
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One picture from the flip that showed it to the flip that replaced it; all in ms."""

    # requested_ms, frames, nominal_ms: what was asked for, in how many frames, and what these last
    # at the refresh rate
    requested_ms: float
    frames: int
    nominal_ms: float
    measured_ms: float  # what the flips say
    # How far from ``nominal_ms`` it may have been at most, given when each flip can have been
    worst_ms: float

    @property
    def deviation_ms(self) -> float:
        return self.measured_ms - self.requested_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """All that is known of the timing of one flashed trial.

    ``flips`` are the onset of the image, of each mask, and of what came after them.
    ``missed_frames`` is the most frames by which image or a mask may have been off.
    """

    flips: tuple[Flip, ...]
    image: Shown
    masks: tuple[Shown, ...]
    missed_frames: int
    verdict: Verdict

    @property
    def uncertainty_ms(self) -> float:
        return max(1000 * (flip.latest_s - flip.earliest_s) for flip in self.flips)


def judge_timing(
    requests: Sequence[Request],
    flips: Sequence[Flip],
    *,
    refresh_hz: float,
    tolerance_ms: float | None = None,
) -> Timing:
    """Say how long image and masks were shown, and whether that was as it should be.

    ``requests``: the image, then its masks.
    ``flips``: one more than ``requests``: the last is the flip that hid the last of them.
    ``refresh_hz``: what makes frames into durations.
    ``tolerance_ms``: how far from its frames' nominal duration a picture may be; half a frame if
        None.

    Raises ValueError: there is not one more flip than requests, or no request.
    """
    if not requests or len(flips) != len(requests) + 1:
        raise ValueError(f"{len(flips)} flips for {len(requests)} pictures; needs one more")
    pairs = zip(requests, pairwise(flips), strict=True)
    image, *masks = (shown(request, *pair, refresh_hz) for request, pair in pairs)
    frame_ms = duration_of(1, refresh_hz)
    worst_ms = max(picture.worst_ms for picture in (image, *masks))
    missed = frames_off(worst_ms, frame_ms)
    allowed_ms = HALF * frame_ms if tolerance_ms is None else tolerance_ms
    late = Verdict.LATE if worst_ms > allowed_ms else Verdict.OK
    return Timing(
        flips=tuple(flips),
        image=image,
        masks=tuple(masks),
        missed_frames=missed,
        verdict=Verdict.DROPPED if missed else late,
    )


def shown(request: Request, on: Flip, off: Flip, refresh_hz: float) -> Shown:
    nominal_ms = duration_of(request.frames, refresh_hz)
    shortest_ms = 1000 * (off.earliest_s - on.latest_s)
    longest_ms = 1000 * (off.latest_s - on.earliest_s)
    return Shown(
        requested_ms=request.duration_ms,
        frames=request.frames,
        nominal_ms=nominal_ms,
        measured_ms=1000 * (off.at_s - on.at_s),
        worst_ms=max(abs(longest_ms - nominal_ms), abs(shortest_ms - nominal_ms)),
    )


def frames_off(deviation_ms: float, frame_ms: float) -> int:
    """Count the whole frames in a deviation; `WHOLE` of a frame is one."""
    return int(abs(deviation_ms) / frame_ms + 1 - WHOLE)
