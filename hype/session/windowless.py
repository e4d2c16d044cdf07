"""A station without a window: nothing is shown, and time passes on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any, Final, Protocol

import numpy as np

from hype.session.loop import Presentation
from hype.session.steps import Response, Screen, Step

READING_MS: Final = 3000.0
"""How long a simulated evaluator is taken to read a screen."""


class Mind(Protocol):
    """A simulated evaluator."""

    def respond_to(self, step: Step) -> Response:
        """Answer a step."""
        ...

    def skip(self, trials: int) -> None:
        """Pass over ``trials`` trials, as if they had been answered: for resuming."""
        ...


class WindowlessStation:
    """Presenter and responder of a simulated session.

    Its clock is virtual: it starts at the given times and advances by what each step would have
    taken, so that a record of simulated sessions is as regular as one of people.
    """

    def __init__(
        self, observer: Mind, *, unix_s: float, monotonic_s: float, countdown_ms: float
    ) -> None:
        self._observer = observer
        self._unix_minus_monotonic_s = unix_s - monotonic_s
        self._now_s = monotonic_s
        self._countdown_s = countdown_ms / 1000

    def present(self, step: Step) -> Presentation:
        """Let the time pass until the step could be answered."""
        onset_s = self._now_s
        if isinstance(step, Screen):
            self._now_s += (step.duration_ms or READING_MS) / 1000
        else:
            onset_s += self._countdown_s if step.shown_ms else 0.0
            self._now_s = onset_s + step.shown_ms / 1000
        return Presentation(onset_s + self._unix_minus_monotonic_s, onset_s)

    def respond(self, step: Step) -> Response:
        """Let the observer answer, and its response time pass."""
        response = self._observer.respond_to(step)
        self._now_s += response.rt_ms / 1000
        return response

    @property
    def now_unix_s(self) -> float:
        return self._now_s + self._unix_minus_monotonic_s


STANDARD_NORMAL: Final = NormalDist()
BATCH: Final = 1024
"""Random numbers are drawn this many at a time, since drawing one costs as much as a trial."""


def batched(draw: Callable[[], np.ndarray[Any, Any]]) -> Iterator[float]:
    """Yield the numbers of one drawn array after the other, as Python floats."""
    while True:
        yield from draw().tolist()
