"""Keeping the program from being disturbed for the length of an exposure."""

from __future__ import annotations

import gc
import os
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

LOWEST_REALTIME: Final = 1
"""Real-time priority is above everything ordinary already; more of it would only block others."""
LATENCY: Final = Path("/dev/cpu_dma_latency")
"""Linux keeps to the latency, in µs, that is written here for as long as the file stays open."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector out and, where that is allowed, other programs too."""
    collects = gc.isenabled()
    gc.disable()
    raised = raise_priority()
    try:
        with awake_cores():
            yield
    finally:
        if raised:
            set_scheduler(os.SCHED_OTHER, 0)
        if collects:
            gc.enable()


@contextmanager
def awake_cores(latency: Path = LATENCY) -> Iterator[None]:
    """Keep idle cores from sleeping, where that is allowed: the X server's would wake up late."""
    with ExitStack() as held:
        with suppress(OSError):
            held.enter_context(latency.open("r+b", buffering=0)).write(struct.pack("i", 0))
        yield


def raise_priority() -> bool:
    """Ask for real-time priority; say whether it was granted. Most systems want a permission."""
    try:
        set_scheduler(os.SCHED_FIFO, LOWEST_REALTIME)
    except OSError:
        return False
    return True


def set_scheduler(policy: int, priority: int) -> None:
    """Set how this thread is scheduled. What it starts meanwhile, threads or programs, is ordinary.

    The flag that says so stays: only a privileged program may take it back, and whoever tries
    without being one keeps the real-time priority.
    """
    os.sched_setscheduler(0, policy | os.SCHED_RESET_ON_FORK, os.sched_param(priority))


def allowed_priority() -> str:
    """Say which priority exposures get here: "realtime" or "ordinary"."""
    with suppress(OSError):
        if raise_priority():
            set_scheduler(os.SCHED_OTHER, 0)
            return "realtime"
    return "ordinary"
