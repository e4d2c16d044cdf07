"""Show pictures for whole frames, whether or not flips wait for the screen.

Each picture is rendered before its time, so that a flip only swaps two buffers. Each flip is stored
with the interval in which the screen must have changed; `hype.session.timing` evaluates it.
"""

from __future__ import annotations

import gc
import os
import statistics
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol

from hype.session.timing import Flip
from hype.station.window import DisplayFacts

Draw = Callable[[], None]
SPIN_S: Final = 0.0015
"""Each wait ends with a busy loop of this duration, since sleep may take too long."""
LEAD_FRAMES: Final = 4
"""Number of flips of the previous picture before an exposure, to measure when frames start."""
REMEMBERED_FLIPS: Final = 15
"""The number of past flips that predict the duration of the next flip."""
CHANGED_BY: Final = 0.4
"""Share of a flip's usual duration after which the screen changes (measured externally)."""


@dataclass(frozen=True, slots=True)
class TimedPicture:
    """A drawing, and for how many frames it is shown (0: until the next drawing).

    ``at_flip`` is called after the screen has changed to this drawing, never before.
    """

    draw: Draw
    frames: int
    at_flip: Callable[[], None] | None = None


class Surface(Protocol):
    """The functions of a window that a frame clock needs."""

    def render(self) -> None:
        """Finish drawing, without showing it."""
        ...

    def flip(self) -> None:
        """Show the drawing; return when it is on the screen."""
        ...

    def clear(self) -> None:
        """Clear the drawing surface, and handle the window's events."""
        ...


class Time(Protocol):
    """The monotonic clock, which tests replace."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None:
        """Wait for at least ``seconds``."""
        ...


class VsyncClock:
    """A clock for displays where each flip waits for the next frame; it counts flips."""

    def __init__(self, surface: Surface, refresh_hz: float, clock: Time = time) -> None:
        self._surface = surface
        self._period_s = 1 / refresh_hz
        self._clock = clock

    def show(self, pictures: Sequence[TimedPicture]) -> list[Flip]:
        """Flip once per frame."""
        stamps: list[float] = []
        first: list[int] = []
        with prevent_delays():
            for picture in pictures:
                first.append(len(stamps))
                stamps.append(self._flip(picture.draw, picture.at_flip))
                stamps += [self._flip(picture.draw) for _ in range(picture.frames - 1)]
        flips = align_to_beat(stamps, self._period_s)
        return [flips[index] for index in first]

    def _flip(self, draw: Draw, at_flip: Callable[[], None] | None = None) -> float:
        """Draw and flip; return the time when the flip was done."""
        draw()
        self._surface.flip()
        done_s = self._clock.monotonic()
        if at_flip:
            at_flip()
        self._surface.clear()
        return done_s


def align_to_beat(stamps_s: Sequence[float], period_s: float) -> list[Flip]:
    """Find when the screen changed, from time stamps of consecutive flips that waited for frames.

    A stamp is never early. It is late if the program read the clock too late, or if the flip missed
    frames; the stamp does not show which. So the screen may have changed at any time up to it; the
    earliest is the regular time of the stamp's frame, minus the frames that it may have missed.

    The result is right as long as no two stamps in a row are late by half a frame or more.
    """
    beats, missed = [0], [0]
    for before_s, after_s in pairwise(stamps_s):
        frames = max(1, round((after_s - before_s) / period_s))
        beats.append(beats[-1] + frames)
        missed.append(frames - 1)
    origin_s = min(s - beat * period_s for s, beat in zip(stamps_s, beats, strict=True))
    return [
        Flip(s, earliest_s=origin_s + (beat - lost) * period_s, latest_s=s)
        for s, beat, lost in zip(stamps_s, beats, missed, strict=True)
    ]


class SoftwareClock:
    """A clock for displays where flips do not wait; it times each flip itself.

    The screen changes during a flip. So each flip starts early, by `CHANGED_BY` times the median
    duration of the last flips. If a flip takes longer than usual, most of the delay comes after the
    screen has changed.
    """

    def __init__(self, surface: Surface, refresh_hz: float, clock: Time = time) -> None:
        self._surface = surface
        self._period_s = 1 / refresh_hz
        self._clock = clock
        self._costs_s = deque([0.001], maxlen=REMEMBERED_FLIPS)

    def show(self, pictures: Sequence[TimedPicture]) -> list[Flip]:
        """Flip once per picture, when the frames of the previous picture are over.

        Each flip is timed from the previous flip, not from the first, so that a late flip spoils
        only one duration.
        """
        flips: list[Flip] = []
        frames = 0
        with prevent_delays():
            for picture in pictures:
                picture.draw()
                self._surface.render()
                if flips:
                    self._await(flips[-1].at_s + frames * self._period_s)
                flips.append(self._flip())
                if picture.at_flip:
                    picture.at_flip()
                self._surface.clear()
                frames = picture.frames
        return flips

    def _flip(self) -> Flip:
        """Flip, store how long it took, and return when the screen changed."""
        begun_s = self._clock.monotonic()
        self._surface.flip()
        done_s = self._clock.monotonic()
        self._costs_s.append(done_s - begun_s)
        at_s = min(begun_s + self._change_delay_s(), done_s)
        return Flip(at_s, earliest_s=begun_s, latest_s=done_s)

    def _change_delay_s(self) -> float:
        return CHANGED_BY * statistics.median(self._costs_s)

    def _await(self, change_s: float) -> None:
        """Wait until a flip must start for the screen to change at ``change_s``."""
        deadline_s = change_s - self._change_delay_s()
        pause_s = deadline_s - self._clock.monotonic() - SPIN_S
        if pause_s > 0:
            self._clock.sleep(pause_s)
        while self._clock.monotonic() < deadline_s:
            pass


FrameClock = VsyncClock | SoftwareClock
"""Shows pictures one after the other, and returns the flip of each."""


def frame_clock(window: Any, facts: DisplayFacts) -> FrameClock:
    if facts.sync == "vsync":
        return VsyncClock(WaitingSurface(window), facts.refresh_hz)
    return SoftwareClock(SwappedSurface(window), facts.refresh_hz)


class WaitingSurface:
    """A window where PsychoPy's own flip waits for the screen."""

    def __init__(self, window: Any) -> None:
        self._window = window

    def render(self) -> None:
        """Do nothing: the flip renders."""

    def flip(self) -> None:
        self._window.flip()

    def clear(self) -> None:
        """Do nothing: PsychoPy's flip has cleared the surface."""


class SwappedSurface:
    """A window whose flips do not wait.

    After the swap, PsychoPy's flip clears the buffer and waits for the renderer. This takes 1 to
    2 ms, and the screen may change at any time in between. Here a flip only swaps and waits for the
    X server's reply: the screen changes within 0.6 ms under Xvfb.
    """

    def __init__(self, window: Any) -> None:
        from pyglet import gl
        from pyglet.libs.x11 import xlib

        self._window = window
        self._handle = window.winHandle
        self._finish = gl.glFinish
        self._sync: Any = xlib.XSync

    def render(self) -> None:
        self._finish()

    def flip(self) -> None:
        """Swap the buffers, and wait until the X server has done it."""
        self._window.backend.setCurrent()
        self._handle.flip()
        self._sync(self._handle._x_display, 0)

    def clear(self) -> None:
        """Clear the back buffer, and read the X server's events."""
        self._window.clearBuffer()
        self._handle.dispatch_events()


LOWEST_REALTIME: Final = 1
"""The lowest real-time priority, above all ordinary ones; a higher one would block more threads."""
LATENCY: Final = Path("/dev/cpu_dma_latency")
"""While this file is open, Linux wakes idle cores within the latency (in µs) written to it."""


@contextmanager
def prevent_delays() -> Iterator[None]:
    """Keep the garbage collector and, if allowed, other programs from running in this block."""
    collects = gc.isenabled()
    gc.disable()
    raised = raise_priority()
    try:
        with awake_cores():
            yield
    finally:
        if raised and sys.platform == "linux":
            set_scheduler(os.SCHED_OTHER, 0)
        if collects:
            gc.enable()


@contextmanager
def awake_cores(latency: Path = LATENCY) -> Iterator[None]:
    """Keep idle cores awake, if allowed: a core that sleeps would run the X server too late."""
    with ExitStack() as held:
        with suppress(OSError):
            held.enter_context(latency.open("r+b", buffering=0)).write(struct.pack("i", 0))
        yield


def raise_priority() -> bool:
    """Ask for real-time priority, which often needs permission; return whether it was granted."""
    if sys.platform != "linux":
        return False
    try:
        set_scheduler(os.SCHED_FIFO, LOWEST_REALTIME)
    except OSError:
        return False
    return True


def set_scheduler(policy: int, priority: int) -> None:
    """Set the scheduling of this thread; threads and programs that it starts do not inherit it.

    The flag SCHED_RESET_ON_FORK is always set: without privileges, a call that clears the flag
    fails, and then the thread would keep its real-time priority.
    """
    if sys.platform == "linux":
        os.sched_setscheduler(0, policy | os.SCHED_RESET_ON_FORK, os.sched_param(priority))


def find_priority() -> str:
    """Return the priority with which exposures run on this machine: "realtime" or "ordinary"."""
    with suppress(OSError):
        if raise_priority() and sys.platform == "linux":
            set_scheduler(os.SCHED_OTHER, 0)
            return "realtime"
    return "ordinary"
