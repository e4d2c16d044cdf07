"""Who sits at the station: a person, or a simulated evaluator whose presses are real."""

from __future__ import annotations

import time
from typing import Any, Final, Protocol

from hype.errors import InputError, SessionProblem
from hype.protocol.steps import Response, Screen, Step
from hype.station.config import Keys

KEYSYMS: Final = {
    "escape": "Escape",
    "left": "Left",
    "right": "Right",
    "up": "Up",
    "down": "Down",
    "return": "Return",
    "space": "space",
    "tab": "Tab",
    "backspace": "BackSpace",
    "comma": "comma",
    "period": "period",
    "slash": "slash",
    "semicolon": "semicolon",
}
"""X11's names of the keys whose PsychoPy name differs or is longer than a letter or digit."""


class Person(Protocol):
    """Whoever answers. A person needs none of this; what they do comes by the keyboard."""

    @property
    def patience_s(self) -> float:
        """How long a last screen stays for them, if they press nothing."""
        ...

    def see(self, step: Step) -> None:
        """Be shown a step that can now be answered."""
        ...

    def act(self) -> None:
        """Do what is due, while the station waits for a key."""
        ...


class Somebody:
    """A person: the program leaves them alone."""

    patience_s: Final = 300.0

    def see(self, step: Step) -> None:
        """See a step."""

    def act(self) -> None:
        """Press keys whenever they like."""


class Mind(Protocol):
    """What a simulated evaluator answers, and after what time."""

    def respond_to(self, step: Step) -> Response:
        """Answer a step."""
        ...


class Robot:
    """A simulated evaluator at a real window.

    It presses keys through the X server's XTEST extension, so a press takes the whole way that a
    person's takes: server, input device, psychtoolbox, PsychoPy.
    """

    def __init__(self, mind: Mind, keys: Keys, *, window_id: int, reading_ms: float) -> None:
        from Xlib import display

        self._window_id = window_id
        self._mind = mind
        self._keys = keys
        self._reading_ms = reading_ms
        self._display: Any = display.Display()
        self._due: tuple[float, str] | None = None

    @property
    def patience_s(self) -> float:
        """As long as any screen."""
        return self._reading_ms / 1000

    def see(self, step: Step) -> None:
        """Decide, and set the time at which to press."""
        response = self._mind.respond_to(step)
        if isinstance(step, Screen):
            key = self._keys.answering(response.answer) if step.choice else self._keys.go_on
            wait_ms = self._reading_ms
        else:
            key, wait_ms = self._keys.answering(response.answer), response.rt_ms
        self._due = (time.monotonic() + wait_ms / 1000, key)

    def act(self) -> None:
        """Press the key once its time has come."""
        if self._due and time.monotonic() >= self._due[0]:
            key, self._due = self._due[1], None
            self.press(key)

    def leave(self) -> None:
        """Close the connection to the X server."""
        self._display.close()

    def press(self, key: str) -> None:
        """Press and release a key, provided that it will reach our own window."""
        from Xlib.error import ConnectionClosedError

        try:
            self._press(key)
        except ConnectionClosedError:
            raise SessionProblem("the display does not answer any more") from None

    def _press(self, key: str) -> None:
        """Ask the X server to press and release a key."""
        from Xlib import X
        from Xlib.ext import xtest

        focus = self._display.get_input_focus().focus
        if getattr(focus, "id", self._window_id) != self._window_id:
            raise SessionProblem("another window has the keyboard; simulated keys stay off it")
        code = self._keycode(key)
        for event in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, event, code)
        self._display.sync()

    def _keycode(self, key: str) -> int:
        """Give the code of a key on this keyboard."""
        from Xlib import XK

        code = int(self._display.keysym_to_keycode(XK.string_to_keysym(KEYSYMS.get(key, key))))
        if not code:
            raise InputError("keys", f"{key!r} is on no key of this keyboard")
        return code
