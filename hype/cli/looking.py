"""Looking at something again and again, without being in anybody's way."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from typing import Final, Generic, TypeVar

LOWER: Final = 10
"""Steps by which a session at this station comes before a look, where they share a processor."""
LEAVING_S: Final = 0.5
"""For a look that is under way when nobody wants it any more."""

FoundT = TypeVar("FoundT")


class Looker(Generic[FoundT]):
    """Looks in a thread of its own, so that a look that takes long holds nothing else up.

    Parameters
    ----------
    look
        Takes a look.
    every_s
        Seconds from one look to the next; at least as long as the look took, so that looking never
        takes more than half of a processor.
    """

    def __init__(self, look: Callable[[], FoundT], *, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._found: Queue[FoundT | Exception] = Queue(maxsize=1)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Looker[FoundT]:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(LEAVING_S)

    def next(self, patience_s: float) -> FoundT | Exception | None:
        """Wait for the next look; give what it found or met; None if it takes longer."""
        try:
            return self._found.get(timeout=patience_s)
        except Empty:
            return None

    def _work(self) -> None:
        """Look until it is over."""
        os.nice(LOWER)  # on Linux of this thread alone
        while not self._over.is_set():
            start = time.monotonic()
            self._hand_over(self._outcome())
            self._over.wait(max(self._every_s, time.monotonic() - start))

    def _outcome(self) -> FoundT | Exception:
        """Take a look."""
        try:
            return self._look()
        except Exception as error:
            return error

    def _hand_over(self, found: FoundT | Exception) -> None:
        """Leave it for `next`, as soon as the one before was taken."""
        while not self._over.is_set():
            try:
                self._found.put(found, timeout=LEAVING_S)
            except Full:
                continue
            return
