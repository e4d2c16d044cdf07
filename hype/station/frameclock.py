"""Showing pictures for whole frames, whether or not the display makes flips wait."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

Draw = Callable[[], None]
SPIN_S: Final = 0.0015
"""The last stretch before a deadline is waited out awake, since sleep overshoots."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Something to draw, and for how many frames (0: until something else is drawn)."""

    draw: Draw
    frames: int


class FrameClock(Protocol):
    """Shows pictures one after the other."""

    def show(self, pictures: Sequence[Picture]) -> list[float]:
        """Return the onset of each picture: monotonic time, in s, at which its flip was done."""
        ...


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector from starting."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class VsyncClock:
    """For displays where each flip waits for the next frame: exposures count frames."""

    def __init__(self, window: Any) -> None:
        self._window = window

    def show(self, pictures: Sequence[Picture]) -> list[float]:
        """Flip once per frame."""
        onsets = []
        with undisturbed():
            for picture in pictures:
                picture.draw()
                self._window.flip()
                onsets.append(time.monotonic())
                for _ in range(picture.frames - 1):
                    picture.draw()
                    self._window.flip()
        return onsets


class SoftwareClock:
    """For displays where flips do not wait: each is timed to end when its frame would begin.

    A flip takes time itself. Its running mean is subtracted from the deadline.
    """

    def __init__(self, window: Any, refresh_hz: float) -> None:
        self._window = window
        self._period_s = 1 / refresh_hz
        self._flip_s = 0.001

    def show(self, pictures: Sequence[Picture]) -> list[float]:
        """Flip once per picture, each at its time after the first."""
        onsets: list[float] = []
        frames = 0
        with undisturbed():
            for picture in pictures:
                picture.draw()
                if onsets:
                    wait_until(onsets[0] + frames * self._period_s - self._flip_s)
                start = time.monotonic()
                self._window.flip()
                onsets.append(time.monotonic())
                self._flip_s += 0.1 * (onsets[-1] - start - self._flip_s)
                frames += picture.frames
        return onsets


def wait_until(deadline_s: float) -> None:
    """Return at ``deadline_s`` of the monotonic clock, or at once if that is past."""
    pause = deadline_s - time.monotonic() - SPIN_S
    if pause > 0:
        time.sleep(pause)
    while time.monotonic() < deadline_s:
        pass
