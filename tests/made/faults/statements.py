"""Killing a process between two SQL statements to the record."""

import os
import signal
from collections.abc import Callable
from itertools import count

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

POINTS = (
    (Engine, "before_cursor_execute"),
    (Engine, "after_cursor_execute"),
    (Engine, "commit"),  # before COMMIT is sent
    (Pool, "checkin"),  # right after COMMIT
)


def install(at: int) -> Callable[[], int]:
    """Kill this process at the ``at``-th point (0: never); return a function that counts points."""
    points = count(1)
    passed = 0

    def point(*_: object, **__: object) -> None:
        nonlocal passed
        passed = next(points)
        if passed == at:
            os.kill(os.getpid(), signal.SIGKILL)

    for target, name in POINTS:
        event.listen(target, name, point, named=True)
    return lambda: passed
