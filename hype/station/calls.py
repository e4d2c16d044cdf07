"""Calls from outside that end a session: the window is closed, or the program is told to end.

A call is only noted when it comes. The station looks at what was noted whenever it waits, so an
exposure that is under way is shown to its end.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from types import FrameType
from typing import Any, Final

from hype.protocol.loop import SessionStopped
from hype.station.stops import Stops

URGENT: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals of which a second one ends the program at once."""
SIGNALS: Final = (*URGENT, signal.SIGHUP)
"""A terminal that closes and a system that shuts down send SIGHUP beside another signal."""


class Call(str, Enum):
    """Why a session ends that nobody paused."""

    WINDOW_CLOSED = "window-closed"
    TOLD_TO_END = "told-to-end"


class CalledAway(SessionStopped):
    """Raised where the station waits, once a call came."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.value)
        self.call = call


class Calls:
    """Whether a call came, and which was the first; and when the program was stopped meanwhile."""

    def __init__(self) -> None:
        self.stops = Stops()
        self._first: Call | None = None

    def note(self, call: Call) -> None:
        """Keep a call for when the station looks."""
        self._first = self._first or call

    def heed(self) -> None:
        """Stop the session if a call came.

        Raises
        ------
        CalledAway
            Says which.
        """
        if self._first:
            raise CalledAway(self._first)


@contextmanager
def signals_noted() -> Iterator[Calls]:
    """Note signals that tell the program to end, instead of ending; a second one ends it.

    That the program goes on after it was stopped is noted as well.

    What was ignored before, as SIGHUP is under ``nohup``, stays ignored.
    """
    calls = Calls()

    def hear(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGCONT:
            calls.stops.told()
            return
        calls.note(Call.TOLD_TO_END)
        if number in URGENT:
            for urgent in URGENT:
                signal.signal(urgent, signal.SIG_DFL)

    before = {number: signal.getsignal(number) for number in (*SIGNALS, signal.SIGCONT)}
    taken = {n: was for n, was in before.items() if was not in (signal.SIG_IGN, None)}
    for number in taken:
        signal.signal(number, hear)
    try:
        yield calls
    finally:
        for number, was in taken.items():
            signal.signal(number, was)


def window_events(window: Any, calls: Calls) -> Callable[..., None]:
    """Give what takes in the events of a window, and notes it if the window is closed.

    That may be asked for, and left alone pyglet would set a flag that nobody reads; or another
    program destroys the window, of which pyglet takes no notice. What is given can wait for events
    that are still on their way (``all_sent``).
    """
    from pyglet.libs.x11 import xlib

    handle = window.winHandle

    def on_close() -> bool:
        calls.note(Call.WINDOW_CLOSED)
        return True  # nothing else is to be done about it

    def on_destroyed(_event: object) -> None:
        calls.note(Call.WINDOW_CLOSED)

    def take_in(*, all_sent: bool = False) -> None:
        if all_sent:
            xlib.XSync(handle._x_display, 0)
        handle.dispatch_events()

    handle.set_handler("on_close", on_close)
    handle._event_handlers[xlib.DestroyNotify] = on_destroyed
    return take_in
