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

from hype.protocol.frames import duration_of

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
    """One change of the screen, by the monotonic clock, in s.

    Attributes
    ----------
    at_s
        When it happened, as well as the frame clock can tell.
    earliest_s, latest_s
        Between these it must have happened.
    """

    at_s: float
    earliest_s: float
    latest_s: float


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of the screen for one picture: a duration, and the frames made of it."""

    duration_ms: float
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One picture from the flip that showed it to the flip that replaced it; all in ms.

    Attributes
    ----------
    requested_ms, frames, nominal_ms
        What was asked for, in how many frames, and what these last at the refresh rate.
    measured_ms
        What the flips say.
    worst_ms
        How far from ``nominal_ms`` it may have been at most, given when each flip can have been.
    """

    requested_ms: float
    frames: int
    nominal_ms: float
    measured_ms: float
    worst_ms: float

    @property
    def deviation_ms(self) -> float:
        """How much longer than requested it lasted."""
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
        """The widest of the intervals within which a flip must have happened."""
        return max(1000 * (flip.latest_s - flip.earliest_s) for flip in self.flips)


def judge_timing(
    requests: Sequence[Request],
    flips: Sequence[Flip],
    *,
    refresh_hz: float,
    tolerance_ms: float | None = None,
) -> Timing:
    """Say how long image and masks were shown, and whether that was as it should be.

    Parameters
    ----------
    requests
        The image, then its masks.
    flips
        One more than ``requests``: the last is the flip that hid the last of them.
    refresh_hz
        What makes frames into durations.
    tolerance_ms
        How far from its frames' nominal duration a picture may be; half a frame if None.

    Raises
    ------
    ValueError
        There is not one more flip than requests, or no request.
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
    """Measure one picture between two flips."""
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
