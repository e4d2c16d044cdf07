"""Presses of keys and buttons that the program makes itself, as real as anybody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hype.errors import InputError, SessionProblem
from hype.station.boxes import Box
from hype.station.keymap import FROM_X, keymap_here

LEFT_BUTTON: Final = 1


class Hands:
    """Presses and clicks through the X server, provided that they will reach our own window."""

    def __init__(self, window_id: int) -> None:
        from Xlib import display

        self._window_id = window_id
        self._display: Any = display.Display()
        self._keymap = keymap_here()

    def press(self, key: str) -> None:
        """Press and release a key.

        Raises
        ------
        SessionProblem
            Another window has the keyboard, or the display is gone.
        """
        answered(lambda: self._press(key))

    def click(self, box: Box) -> None:
        """Click on the middle of a box.

        Raises
        ------
        SessionProblem
            Another window lies there, or the display is gone.
        """
        answered(lambda: self._click(box))

    def leave(self) -> None:
        """Close the connection to the X server."""
        self._display.close()

    def _press(self, key: str) -> None:
        """Ask the X server to press and release a key."""
        from Xlib import X

        focus = self._display.get_input_focus().focus
        if getattr(focus, "id", self._window_id) != self._window_id:
            raise SessionProblem("another window has the keyboard; simulated keys stay off it")
        self._fake((X.KeyPress, X.KeyRelease), self._keycode(key))

    def _click(self, box: Box) -> None:
        """Ask the X server to move the pointer, and to press and release its button."""
        from Xlib import X
        from Xlib.ext import xtest

        window = self._display.create_resource_object("window", self._window_id)
        size, root = window.get_geometry(), window.query_tree().root
        corner = root.translate_coords(window, 0, 0)
        x_px = corner.x + round(size.width / 2 + box.x)
        y_px = corner.y + round(size.height / 2 - box.y)
        xtest.fake_input(self._display, X.MotionNotify, x=x_px, y=y_px)
        self._display.sync()
        if not self._points_at_us(root):
            raise SessionProblem(
                "another window is under the pointer; simulated clicks stay off it"
            )
        self._fake((X.ButtonPress, X.ButtonRelease), LEFT_BUTTON)

    def _points_at_us(self, root: Any) -> bool:
        """Whether the pointer is over our window, or a frame around it."""
        under = root
        while under:
            if under.id == self._window_id:
                return True
            under = under.query_pointer().child
        return False

    def _fake(self, events: tuple[int, int], detail: int) -> None:
        """Ask the X server for a press and its release."""
        from Xlib.ext import xtest

        for event in events:
            xtest.fake_input(self._display, event, detail)
        self._display.sync()

    def _keycode(self, key: str) -> int:
        """Give the code of a key on this keyboard."""
        number = self._keymap.number_of(key)
        if number is None:
            raise InputError("keys", f"{key!r} is on no key of this keyboard")
        return number - FROM_X


def answered(request: Callable[[], None]) -> None:
    """Ask something of the X server, which may be gone."""
    from Xlib.error import ConnectionClosedError

    try:
        request()
    except ConnectionClosedError:
        raise SessionProblem("the display does not answer any more") from None
