"""What stops a session from outside: closed window, a signal, a lost display, a stopped program."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from types import FrameType
from typing import Any, Final

from hype.session.loop import SessionStopped
from hype.station.display import import_psychopy

LONGEST_S: Final = 1.0
"""A longer time between two looks at the clock, beyond the plan, is a stop: a running program looks
every few milliseconds, and a machine that is merely busy does not delay it for so long."""
SIGNALLED_S: Final = 0.1
"""The same, if the system said that the program had been stopped and goes on."""


class Stops:
    """Finds the stops between two looks at the monotonic clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_s = clock()
        self._was_told = False
        self._found_s: list[float] = []

    def note_continued(self) -> None:
        """Note that the program goes on after a stop, as SIGCONT says; the next look finds it."""
        self._was_told = True

    def begin(self) -> None:
        self._look(0.0, math.inf)

    def look(self, planned_s: float = 0.0) -> None:
        """Look at the clock again, about ``planned_s`` after the last look."""
        self._look(planned_s, LONGEST_S)

    def take(self) -> list[float]:
        """Return the durations, in s, of the stops found since the last call."""
        found_s, self._found_s = self._found_s, []
        return found_s

    def _look(self, planned_s: float, most_s: float) -> None:
        """Keep the time since the last look, if it is ``most_s`` or more beyond the plan."""
        now_s = self._clock()
        still_s, self._last_s = now_s - self._last_s - planned_s, now_s
        if self._was_told:
            most_s, self._was_told = SIGNALLED_S, False
        if still_s >= most_s:
            self._found_s.append(still_s)


URGENT: Final = (signal.SIGINT, signal.SIGTERM)
"""A second one of these signals ends the program at once."""
HANG_UP: Final = getattr(signal, "SIGHUP", signal.SIGTERM)
SIGNALS: Final = (*URGENT, HANG_UP)
"""A terminal that closes and a system that shuts down send SIGHUP besides another signal."""
GOES_ON: Final = getattr(signal, "SIGCONT", None)


class Interrupt(str, Enum):
    """Why a session ends without having been paused."""

    WINDOW_CLOSED = "window-closed"
    TERMINATED = "told-to-end"


class SessionInterrupted(SessionStopped):
    """Raised while the station waits, after an interrupt came."""

    def __init__(self, interrupt: Interrupt) -> None:
        super().__init__(interrupt.value)
        self.interrupt = interrupt


class Interrupts:
    """The first interrupt, if one came, and the times when the program was stopped."""

    def __init__(self) -> None:
        self.stops = Stops()
        self._first: Interrupt | None = None

    def note(self, interrupt: Interrupt) -> None:
        self._first = self._first or interrupt

    def stop_if_any(self) -> None:
        """Stop the session if an interrupt came.

        Raises SessionInterrupted: one came; it says which.
        """
        if self._first:
            raise SessionInterrupted(self._first)


@contextmanager
def note_signals() -> Iterator[Interrupts]:
    """Note signals that ask the program to end, instead of ending; a second one ends it.

    It is also noted when the program goes on after it was stopped.

    Signals that were ignored before, such as SIGHUP under ``nohup``, stay ignored.
    """
    interrupts = Interrupts()

    def hear(number: int, _frame: FrameType | None) -> None:
        if number == GOES_ON:
            interrupts.stops.note_continued()
            return
        interrupts.note(Interrupt.TERMINATED)
        if number in URGENT:
            for urgent in URGENT:
                signal.signal(urgent, signal.SIG_DFL)

    noted = (*SIGNALS, *filter(None, (GOES_ON,)))
    before = {number: signal.getsignal(number) for number in noted}
    taken = {n: was for n, was in before.items() if was not in (signal.SIG_IGN, None)}
    for number in taken:
        signal.signal(number, hear)
    try:
        yield interrupts
    finally:
        for number, was in taken.items():
            signal.signal(number, was)


def window_events(window: Any, interrupts: Interrupts) -> Callable[..., None]:
    """Return a function that handles the events of a window, and notes if the window is closed.

    On a request to close, pyglet alone would set a flag that nobody reads; and it does not notice
    when another program destroys the window. The function can wait for events that are still on
    their way (``all_sent``).
    """
    from pyglet.libs.x11 import xlib

    handle = window.winHandle

    def on_close() -> bool:
        interrupts.note(Interrupt.WINDOW_CLOSED)
        return True  # nothing else is to be done about it

    def on_destroyed(_event: object) -> None:
        interrupts.note(Interrupt.WINDOW_CLOSED)

    def take_in(*, all_sent: bool = False) -> None:
        if all_sent:
            xlib.XSync(handle._x_display, 0)
        handle.dispatch_events()

    handle.set_handler("on_close", on_close)
    handle._event_handlers[xlib.DestroyNotify] = on_destroyed
    return take_in


MESSAGE: Final = (
    b"hype: the display is gone; every answer before that is in the record: run the same command "
    b"again to go on\n"
)


@contextmanager
def end_with_display() -> Iterator[None]:
    """End the program at once, with a message and exit code 1, if the display goes meanwhile.

    Raises SessionProblem: PsychoPy is not installed.
    """
    import_psychopy()
    from pyglet.libs.x11 import xlib

    before = xlib.XSetIOErrorHandler(handler_for(xlib))
    try:
        yield
    finally:
        xlib.XSetIOErrorHandler(before)


@cache
def handler_for(xlib: Any) -> Any:
    """Give `end` as the X library calls it; it is kept, since that may call it at any time."""
    return xlib.XIOErrorHandler(end)


def end(_display: object) -> int:
    """Print what happened and end, in whichever thread is first; no clean-up is needed.

    It must not return: the X library would then exit by itself.
    """
    os.write(2, MESSAGE)
    os._exit(1)
