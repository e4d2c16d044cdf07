"""Saying what a command waits for, whatever it is that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

Tell = Callable[[str, float], None]
"""Called with what somebody waits for, and for how many seconds at most."""
TOLD: Final[ContextVar[Tell]] = ContextVar("told", default=lambda _awaited, _seconds: None)


@contextmanager
def told_of_waiting(tell: Callable[[str], None]) -> Iterator[None]:
    """Let ``tell`` be called with a sentence, once each, when something is waited for that is slow.

    Threads that are begun meanwhile tell nobody.
    """
    said: set[str] = set()

    def once(awaited: str, seconds: float) -> None:
        sentence = f"waiting for {awaited}, up to {seconds:g} seconds"
        if sentence not in said:
            said.add(sentence)
            tell(sentence)

    token = TOLD.set(once)
    try:
        yield
    finally:
        TOLD.reset(token)
