"""Newcomers who wait for their places at the central store, and are given them together."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, Protocol

from hype.errors import HypeError
from hype.protocols.base import Conduct
from hype.session.enrol import Enrolled

MOST_TOGETHER: Final = 50
"""Newcomers of a worker who wait at once; others wait until they may."""
LONGEST_REST_S: Final = 1.0


class Admit(Protocol):
    """`hype.session.admitting.admit_together`, for a server's record."""

    def __call__(
        self,
        conduct: Conduct[Any],
        evaluators: Sequence[str],
        /,
        *,
        simulated: bool,
        since_s: float,
    ) -> Mapping[str, Enrolled[Any] | HypeError]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Waiting:
    """Somebody who waits, and since when."""

    conduct: Conduct[Any]
    evaluator: str
    simulated: bool
    since_s: float = field(default_factory=time.monotonic)
    place: Future[Enrolled[Any]] = field(default_factory=Future)

    def is_with(self, other: Waiting) -> bool:
        return self.conduct is other.conduct and self.simulated is other.simulated


class WaitingRoom:
    """All newcomers of a worker who wait: who comes while others are admitted, is admitted next.

    As long as admitting took, nobody is admitted after it: those who sit have the processor then,
    and those who come gather.
    """

    def __init__(self, admit: Admit, sleep: Callable[[float], None] = time.sleep) -> None:
        self._admit = admit
        self._sleep = sleep
        self._lock, self._one_at_a_time = Lock(), Lock()
        self._waiting: list[Waiting] = []
        self._rest_until_s = 0.0

    def admitted(self, conduct: Conduct[Any], evaluator: str, *, simulated: bool) -> Enrolled[Any]:
        """Wait for a place.

        Raises HypeError: there is none, as `hype.session.admitting.admit`.
        """
        newcomer = Waiting(conduct=conduct, evaluator=evaluator, simulated=simulated)
        with self._lock:
            self._waiting.append(newcomer)
        with self._one_at_a_time:
            while not newcomer.place.done():
                self._sleep(max(0.0, self._rest_until_s - time.monotonic()))
                self._admit_all(self._called())
        return newcomer.place.result()

    def _called(self) -> list[Waiting]:
        """Call the first one in, and all who can be admitted with them."""
        with self._lock:
            called = [newcomer for newcomer in self._waiting if newcomer.is_with(self._waiting[0])]
            self._waiting = [newcomer for newcomer in self._waiting if newcomer not in called]
        return called

    def _admit_all(self, called: Sequence[Waiting]) -> None:
        first, begun_s = called[0], time.monotonic()
        try:
            codes = [newcomer.evaluator for newcomer in called]
            came = self._admit(
                *(first.conduct, codes), simulated=first.simulated, since_s=first.since_s
            )
        except BaseException as error:
            for newcomer in called:
                newcomer.place.set_exception(error)
            return
        finally:
            now_s = time.monotonic()
            self._rest_until_s = now_s + min(LONGEST_REST_S, now_s - begun_s)
        for newcomer in called:
            place = came[newcomer.evaluator]
            if isinstance(place, HypeError):
                newcomer.place.set_exception(place)
            else:
                newcomer.place.set_result(place)
