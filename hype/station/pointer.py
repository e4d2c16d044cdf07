"""Clicks of the mouse, with the times at which they were seen."""

from __future__ import annotations

import time
from typing import Any, NamedTuple


class Click(NamedTuple):
    """A press of the left button: where, from the window's middle and upwards, and when."""

    x: float
    y: float
    after_ms: float


class Pointer:
    """The station's mouse.

    pyglet does not say when the X server had a press, so its time is that at which the window took
    it in: every millisecond, and so at most that much too late, or as long as a flip takes.
    """

    def __init__(self, window: Any) -> None:
        from pyglet.libs.x11 import xlib
        from pyglet.window import mouse

        self._left_button: int = mouse.LEFT
        self._window = window
        self._handle = window.winHandle
        self._middle = tuple(int(side) / 2 for side in window.size)
        self._sync: Any = xlib.XSync
        self._since_s = 0.0
        self._seen: list[Click] = []
        self._handle.set_handler("on_mouse_press", self._note)
        self.seen = False
        self.listen()

    @property
    def seen(self) -> bool:
        """Whether the pointer is shown."""
        return bool(self._window.mouseVisible)

    @seen.setter
    def seen(self, seen: bool) -> None:
        self._window.mouseVisible = seen

    def listen(self) -> None:
        """Forget what was clicked; response times count from now."""
        self._sync(self._handle._x_display, 0)  # so that nothing from before is still on its way
        self._handle.dispatch_events()
        self._seen.clear()
        self._since_s = time.monotonic()

    def clicks(self) -> list[Click]:
        """Give the clicks since, or since it was asked last."""
        taken, self._seen = self._seen, []
        return taken

    def _note(self, x: float, y: float, button: int, _modifiers: int) -> bool:
        """Note a press; pyglet's pixels count from the window's lower left corner."""
        if button == self._left_button:
            after_ms = 1000 * (time.monotonic() - self._since_s)
            across, up = self._middle
            self._seen.append(Click(x + 0.5 - across, y + 0.5 - up, after_ms))
        return True  # nothing else is to be done about it
