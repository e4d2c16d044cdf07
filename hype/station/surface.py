"""The window as a frame clock sees it."""

from __future__ import annotations

from typing import Any

from hype.station.frameclock import FrameClock, SoftwareClock, VsyncClock
from hype.station.window import DisplayFacts


def frame_clock(window: Any, facts: DisplayFacts) -> FrameClock:
    """Give the clock that fits a display."""
    if facts.sync == "vsync":
        return VsyncClock(WaitingSurface(window), facts.refresh_hz)
    return SoftwareClock(SwappedSurface(window), facts.refresh_hz)


class WaitingSurface:
    """A window whose flips wait for the screen; PsychoPy's own flip knows how to wait for them."""

    def __init__(self, window: Any) -> None:
        self._window = window

    def render(self) -> None:
        """Leave it to the flip."""

    def flip(self) -> None:
        """Flip, wait, clear."""
        self._window.flip()

    def clear(self) -> None:
        """PsychoPy's flip has done it."""


class SwappedSurface:
    """A window whose flips do not wait.

    PsychoPy's flip clears and waits for the renderer after the swap, 1 to 2 ms in which the screen
    may have changed at any time. Here a flip is the swap alone, and the X server's word that it
    is done: under Xvfb 0.6 ms, with the change inside.
    """

    def __init__(self, window: Any) -> None:
        from pyglet import gl
        from pyglet.libs.x11 import xlib

        self._window = window
        self._handle = window.winHandle
        self._finish = gl.glFinish
        self._sync: Any = xlib.XSync

    def render(self) -> None:
        """Finish rendering into the back buffer."""
        self._finish()

    def flip(self) -> None:
        """Swap the buffers, and wait until the X server has done it."""
        self._window.backend.setCurrent()
        self._handle.flip()
        self._sync(self._handle._x_display, 0)

    def clear(self) -> None:
        """Clear the back buffer, and take in what the X server has to say."""
        self._window.clearBuffer()
        self._handle.dispatch_events()
