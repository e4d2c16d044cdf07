"""Connections to a central store that wait for no reply longer than they may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen

from hype.store.central.limits import FOREVER, SAID_AFTER_S, STATION, Limits
from hype.waits import TOLD

RV = TypeVar("RV")
STORE: Final = "the central store"
OTHERS: Final = "another station, which is giving somebody a place"


class TooLong(psycopg.OperationalError):
    """A reply did not come in time."""


class PatientConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed once a reply takes too long.

    The server is not asked to stop, since it does not answer; it has limits of its own.

    Attributes
    ----------
    limits
        How long it may wait for one reply.
    until
        When it may not wait any more, by the monotonic clock.
    """

    limits: Limits = STATION
    until: float = FOREVER
    _others = False
    _spent: TooLong | KeyboardInterrupt | None = None

    def wait(self, gen: PQGen[RV], *more: Any, **named: Any) -> RV:
        """Consume a generator that operates on the connection.

        Raises
        ------
        TooLong, KeyboardInterrupt
            The reply did not come in time, or somebody did not want to wait; now or before.
        """
        if self._spent:
            raise self._spent
        try:
            return super().wait(self._limited(gen), *more, **named)
        except (TooLong, KeyboardInterrupt) as error:
            self._spent = error
            self.close()
            raise

    @contextmanager
    def waiting_for_others(self) -> Iterator[None]:
        """Say of what happens in the block that it waits for a lock."""
        self._others = True
        try:
            yield
        finally:
            self._others = False

    @property
    def _awaited(self) -> tuple[str, float]:
        """For what it waits, and for how many seconds at most."""
        if self._others:
            return OTHERS, self.limits.lock_s
        return STORE, self.limits.statement_s

    def _limited(self, gen: PQGen[RV]) -> PQGen[RV]:
        """Pass on what a generator waits for, until that takes too long."""
        begun = monotonic()
        end = min(begun + self.limits.reply_s, self.until)
        try:
            wanted = next(gen)
            while True:
                wanted = gen.send((yield wanted))  # what came meanwhile is taken first
                now = monotonic()
                if now > end:
                    raise TooLong(f"no answer for {now - begun:.0f} seconds")
                if now - begun > SAID_AFTER_S:
                    TOLD.get()(*self._awaited)
        except StopIteration as done:
            result: RV = done.value
            return result


def patiently(limits: Limits, until: float) -> Callable[..., PatientConnection]:
    """Give what connects an engine, in the place of its driver."""

    def connect(_dialect: Any, _entry: Any, args: Any, named: Any) -> PatientConnection:
        if monotonic() > until:
            raise TooLong("no more time to wait for it")
        with told_if_slow(STORE, limits.connect_s):
            connection = PatientConnection.connect(*args, **named)
        connection.limits, connection.until = limits, until
        return connection

    return connect


@contextmanager
def told_if_slow(awaited: str, seconds: float) -> Iterator[None]:
    """Say for what is waited if the block, which cannot say it by itself, takes long."""
    telling = Timer(SAID_AFTER_S, TOLD.get(), [awaited, seconds])
    telling.daemon = True
    telling.start()
    try:
        yield
    finally:
        telling.cancel()
