"""What a browser's callbacks say of its display: its rate, and when pictures came on.

`requestAnimationFrame` calls once for each frame, with the time at which the frame began; what a
callback draws is seen at the next change of the screen, as long as it is done before. Differences
between callbacks are differences between changes.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple

from hype.session.timing import Flip

JudgedBy = Literal["presentations", "callbacks"]
"""What says when pictures came on: the browser, by when it had them on the screen, or callbacks
alone, which do not see what became of what they drew."""
PRESENTATIONS: Final = "presentations"
CALLBACKS: Final = "callbacks"
LEAD_FRAMES: Final = 6
"""Callbacks before the first picture, in which nothing changes."""
REGULAR: Final = 0.25
"""How far from the usual interval, as a share of it, an interval is still one frame."""
LEAST_REGULAR: Final = 0.9
"""Share of intervals that must be one frame each, for a display to hold its rate."""
SLOWEST_HZ: Final = 20.0
FASTEST_HZ: Final = 1000.0


class Callback(NamedTuple):
    """One call, both in ms of the page's clock."""

    began: float  # the time that the callback was given: when its frame began
    drawn: float  # when it was done with drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayRate:
    """How often a display changes, and how regularly."""

    refresh_hz: float
    regular: float  # share of the intervals that were one frame, 0 to 1

    @property
    def is_held(self) -> bool:
        return self.regular >= LEAST_REGULAR and SLOWEST_HZ <= self.refresh_hz <= FASTEST_HZ


def display_rate(intervals_ms: Sequence[float]) -> DisplayRate:
    """Find out a display's rate from intervals between callbacks: the mean of the regular ones.

    Raises ValueError: there is none, or one is not positive.
    """
    if not intervals_ms or min(intervals_ms) <= 0:
        raise ValueError("intervals between callbacks are positive, and there are some")
    usual = statistics.median(intervals_ms)
    regular = [ms for ms in intervals_ms if abs(ms - usual) <= REGULAR * usual]
    return DisplayRate(
        refresh_hz=1000 / statistics.fmean(regular), regular=len(regular) / len(intervals_ms)
    )


def flips_of(
    callbacks: Sequence[Callback],
    frames: Sequence[int],
    refresh_hz: float,
    judged_by: JudgedBy,
    *,
    presented: Sequence[float] | None = None,
) -> tuple[Flip, ...]:
    """Say when each picture came on, and what came after the last; by the page's clock, in s.

    ``frames``: how many frames each picture was to last.
    ``presented``: when each change was on the screen, in ms, where the browser tells that. Where
        no browser tells it callbacks say it, and one that was not done within its frame may have
        been seen as many frames later; where this one does and did not, one frame later still.

    Raises ValueError: there is not one callback for each frame and one for what came after, or not
    one presentation for each change; or time goes backwards.
    """
    if len(callbacks) != LEAD_FRAMES + sum(frames) + 1:
        raise ValueError(f"{len(callbacks)} callbacks for {sum(frames)} frames")
    if any(one.began >= other.began for one, other in pairwise(callbacks)):
        raise ValueError("a callback began before the one before it")
    if any(callback.drawn < callback.began for callback in callbacks):
        raise ValueError("something was drawn before its callback began")
    frame_ms = 1000 / refresh_hz
    places = (LEAD_FRAMES + before for before in accumulate(frames, initial=0))
    changes = [callbacks[place] for place in places]
    if presented is None:
        unseen = int(judged_by == PRESENTATIONS)
        return tuple(flip_of(change, frame_ms, unseen) for change in changes)
    if len(presented) != len(changes):
        raise ValueError(f"{len(presented)} presentations for {len(changes)} changes")
    if any(shown < change.began for shown, change in zip(presented, changes, strict=True)):
        raise ValueError("a change was seen before its callback began")
    return tuple(Flip(ms / 1000, ms / 1000, ms / 1000) for ms in presented)


def flip_of(callback: Callback, frame_ms: float, unseen_frames: int) -> Flip:
    began_s = callback.began / 1000
    late_frames = int((callback.drawn - callback.began) / frame_ms) + unseen_frames
    return Flip(began_s, began_s, began_s + late_frames * frame_ms / 1000)
