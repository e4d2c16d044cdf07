"""What a qualification does to who takes part: the chance of passing it, and who is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hype.observers.population import Population

PEOPLE: Final = 1000
"""Simulated people whose chances are averaged: the standard error of a share is at most 1.6%."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What a qualification does to the simulated people who come to one condition.

    Attributes
    ----------
    passing
        Share of them, 0 to 1, who pass.
    error, error_passing
        Share of judgements of the condition's images, half of them real and without a time limit,
        that are wrong: of everybody, and of those who pass. None where they judge no condition; the
        latter also where nobody passes.
    """

    passing: float
    error: float | None
    error_passing: float | None


class Crowd:
    """Simulated people, and how often each takes an image of each condition for a fake.

    All are drawn once, so that conditions are compared on the same people.
    """

    def __init__(self, population: Population, *, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        drawn = [population.draw(self._rng) for _ in range(PEOPLE)]
        self._hits, self._false_alarms = (
            {
                name: np.array([one[name].says_fake(None, fake=fake) for one in drawn])
                for name in population.typical
            }
            for fake in (True, False)
        )

    def selected(
        self, condition: str, sources: Sequence[str], *, trials: int, pass_rate: float
    ) -> Selected:
        """Let everybody take a test whose fakes come equally from ``sources``.

        Images of one kind are taken to look alike. ``condition`` is empty where nothing follows.
        """
        half = trials // 2
        false_alarms = np.mean([self._false_alarms[name] for name in sources], axis=0)
        reals = self._rng.binomial(half, 1 - false_alarms)
        fakes = sum(
            self._rng.binomial(len(range(place, half, len(sources))), self._hits[name])
            for place, name in enumerate(sources)
        )
        passes = np.minimum(reals, fakes) >= pass_rate * half - 1e-9
        wrong = self._error(condition) if condition else None
        return Selected(
            passing=float(passes.mean()),
            error=None if wrong is None else float(wrong.mean()),
            error_passing=(
                None if wrong is None or not passes.any() else float(wrong[passes].mean())
            ),
        )

    def _error(self, condition: str) -> NDArray[np.float64]:
        """Give each person's error rate on a condition."""
        wrong: NDArray[np.float64] = 1 - self._hits[condition] + self._false_alarms[condition]
        return wrong / 2
