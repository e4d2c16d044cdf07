"""The end of a program whose display goes: the X server ends, or its user is logged out.

The X library ends such a program itself, and every thread with a connection of its own does so at
the same time, psychtoolbox's among them. Two ends at once may crash, or leave it hanging.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from hype.station.home import import_psychopy

MESSAGE: Final = (
    b"hype: the display is gone; every answer before that is in the record: run the same command "
    b"again to go on\n"
)


@contextmanager
def ended_with_display() -> Iterator[None]:
    """End the program at once, with a message and exit code 1, if the display goes meanwhile.

    Raises
    ------
    SessionProblem
        PsychoPy is not installed.
    """
    import_psychopy()
    from pyglet.libs.x11 import xlib

    before = xlib.XSetIOErrorHandler(handler_for(xlib))
    try:
        yield
    finally:
        xlib.XSetIOErrorHandler(before)


_handlers: list[Any] = []
"""The handler, once there is one. The X library may call it as long as the program lives."""


def handler_for(xlib: Any) -> Any:
    """Give `end` as the X library calls it."""
    if not _handlers:
        _handlers.append(xlib.XIOErrorHandler(end))
    return _handlers[0]


def end(_display: object) -> int:
    """Say what happened and end, in whichever thread came first; nothing is left to put in order.

    It must not return: the X library would then exit by itself.
    """
    os.write(2, MESSAGE)
    os._exit(1)
