"""Interrupts of a session: a closed window, a signal, a lost display, a stopped program."""

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
"""A reading of the clock that comes this much later than planned means that the program was
stopped; a busy machine does not delay a reading that long."""
SIGNALLED_S: Final = 0.1
"""The limit in place of `LONGEST_S` after SIGCONT, which shows that the program was stopped."""


class Stops:
    """Measures how long the program was stopped, by reading the monotonic clock often."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_s = clock()
        self._was_signalled = False
        self._found_s: list[float] = []

    def note_continued(self) -> None:
        """Remember SIGCONT, so that the next reading is compared with a shorter limit."""
        self._was_signalled = True

    def begin(self) -> None:
        self._look(0.0, math.inf)

    def look(self, planned_s: float = 0.0) -> None:
        """Read the clock; ``planned_s``: the planned time between the last reading and this one."""
        self._look(planned_s, LONGEST_S)

    def take(self) -> list[float]:
        """Return the durations, in s, of the stops since the last call."""
        found_s, self._found_s = self._found_s, []
        return found_s

    def _look(self, planned_s: float, most_s: float) -> None:
        """Store by how much this reading is later than planned, if that is at least ``most_s``."""
        now_s = self._clock()
        still_s, self._last_s = now_s - self._last_s - planned_s, now_s
        if self._was_signalled:
            most_s, self._was_signalled = SIGNALLED_S, False
        if still_s >= most_s:
            self._found_s.append(still_s)


URGENT: Final = (signal.SIGINT, signal.SIGTERM)
"""If one of these signals comes a second time, it ends the program immediately."""
HANG_UP: Final = getattr(signal, "SIGHUP", signal.SIGTERM)
SIGNALS: Final = (*URGENT, HANG_UP)
"""SIGHUP is sent when the terminal closes or the system shuts down."""
GOES_ON: Final = getattr(signal, "SIGCONT", None)
IGNORED: Final = (signal.SIG_IGN, None)


class Interrupt(str, Enum):
    """Why a session ends immediately, without the pause screen."""

    WINDOW_CLOSED = "window-closed"
    TERMINATED = "told-to-end"


class SessionInterrupted(SessionStopped):
    """Raised while the station waits, after an interrupt."""

    def __init__(self, interrupt: Interrupt) -> None:
        super().__init__(interrupt.value)
        self.interrupt = interrupt


class Interrupts:
    """The first interrupt, if there was one, and how long the program was stopped."""

    def __init__(self) -> None:
        self.stops = Stops()
        self._first: Interrupt | None = None

    def note(self, interrupt: Interrupt) -> None:
        self._first = self._first or interrupt

    def stop_if_any(self) -> None:
        """Stop the session if there was an interrupt.

        Raises SessionInterrupted: there was an interrupt.
        """
        if self._first:
            raise SessionInterrupted(self._first)


@contextmanager
def note_signals() -> Iterator[Interrupts]:
    """Remember the first signal that asks the program to end; a second signal ends it at once.

    SIGCONT, after which a stopped program continues, is remembered too. Signals that were ignored
    before, such as SIGHUP under ``nohup``, stay ignored.
    """
    interrupts = Interrupts()

    def note(number: int, _frame: FrameType | None) -> None:
        if number == GOES_ON:
            interrupts.stops.note_continued()
            return
        interrupts.note(Interrupt.TERMINATED)
        if number in URGENT:
            for urgent in URGENT:
                signal.signal(urgent, signal.SIG_DFL)

    numbers = (*SIGNALS, *filter(None, (GOES_ON,)))
    handlers = {number: signal.getsignal(number) for number in numbers}
    handlers = {n: handler for n, handler in handlers.items() if handler not in IGNORED}
    for number in handlers:
        signal.signal(number, note)
    try:
        yield interrupts
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def window_events(window: Any, interrupts: Interrupts) -> Callable[..., None]:
    """Return a function that handles a window's events, and notices that the window is closed.

    Without this function, a request to close only sets a flag in pyglet, and pyglet does not notice
    if another program destroys the window. With ``all_sent`` the function first waits
    until the X server has sent all events.
    """
    from pyglet.libs.x11 import xlib

    handle = window.winHandle

    def on_close() -> bool:
        interrupts.note(Interrupt.WINDOW_CLOSED)
        return True  # pyglet then calls no other handler

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
    b"hype: the display is gone; the record has every answer before that; run the same command "
    b"again to continue\n"
)


@contextmanager
def end_with_display() -> Iterator[None]:
    """If the display is lost in this block, end the program with a message and exit code 1.

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
    """Wrap `end` for the X library; keep the wrapper, since the library may call it at any time."""
    return xlib.XIOErrorHandler(end)


def end(_display: object) -> int:
    """Print what happened and end the program; any thread may call this. No answer is lost.

    The function must not return: the X library would then exit by itself.
    """
    os.write(2, MESSAGE)
    os._exit(1)
