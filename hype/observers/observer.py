"""A simulated evaluator: what it answers, and how long it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean
from typing import Any, Final

import numpy as np

from hype.observers.psychometric import MOST_CERTAIN, STANDARD_NORMAL, Psychometric
from hype.protocol.steps import GO_ON, YES, JudgementTrial, Response, Screen, Step, Task, Truth

BATCH: Final = 1024
"""Random numbers are drawn this many at a time, since drawing one costs as much as a trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """People who differ: the typical evaluator per condition, and the spread around it.

    Attributes
    ----------
    typical
        Psychometric function of the median person, by condition.
    threshold_spread
        Standard deviation of log threshold between people.
    ceiling_spread, bias_spread
        Standard deviation between people, of z(ceiling) and of the criterion.
    rt_median_ms, rt_spread
        Median response time, and standard deviation of its logarithm.
    """

    typical: Mapping[str, Psychometric]
    threshold_spread: float = 0.25
    ceiling_spread: float = 0.15
    bias_spread: float = 0.15
    rt_median_ms: float = 700.0
    rt_spread: float = 0.35

    def draw(self, rng: np.random.Generator) -> dict[str, Psychometric]:
        """Draw one person, who is slow, able or biased in every condition alike."""
        slower, abler, biased = rng.standard_normal(3)
        return {
            condition: replace(
                typical,
                threshold_ms=typical.threshold_ms * math.exp(self.threshold_spread * slower),
                ceiling=shifted(typical.ceiling, self.ceiling_spread * abler),
                bias=typical.bias + self.bias_spread * biased,
            )
            for condition, typical in self.typical.items()
        }


def shifted(ceiling: float, by: float) -> float:
    """Move an accuracy in [½, 1) by ``by`` on the normal-quantile scale, not below ½."""
    z = STANDARD_NORMAL.inv_cdf(min(ceiling, MOST_CERTAIN))
    return max(0.5, STANDARD_NORMAL.cdf(z + by))


class Observer:
    """One simulated evaluator of one condition. Its answers follow from the generator alone."""

    def __init__(self, population: Population, condition: str, rng: np.random.Generator) -> None:
        self._person = population.draw(rng)
        self._condition = condition
        answers, times = rng.spawn(2)
        self._uniform = batched(lambda: answers.random(BATCH))
        self._rt_ms = batched(
            lambda: (
                population.rt_median_ms
                * np.exp(population.rt_spread * times.standard_normal(BATCH))
            )
        )
        self._says_fake: dict[tuple[float | None, Task, str], float] = {}

    def skip(self, trials: int) -> None:
        """Pass over ``trials`` trials, as if they had been answered: for resuming."""
        for stream in (self._uniform, self._rt_ms):
            next(islice(stream, trials, trials), None)

    def respond_to(self, step: Step) -> Response:
        """Answer a trial, agree to a choice, go on from a screen."""
        if isinstance(step, Screen):
            return YES if step.choice else GO_ON
        says_fake = next(self._uniform) < self.says_fake(step)
        return Response("fake" if says_fake else "real", "", next(self._rt_ms))

    def says_fake(self, trial: JudgementTrial) -> float:
        """Probability that this person calls the image of ``trial`` fake."""
        stimulus = trial.stimulus
        key = (trial.exposure_ms, trial.task, stimulus.condition)
        known = self._says_fake.get(key)
        if known is None:
            fake = stimulus.truth is Truth.FAKE
            against = [stimulus.condition] if fake else self._fakes_around(trial.task)
            known = fmean(
                self._person[name].says_fake(trial.exposure_ms, fake=fake) for name in against
            )
            self._says_fake[key] = known
        return known

    def _fakes_around(self, task: Task) -> Sequence[str]:
        """Name the conditions that a real image has to be told from."""
        return [self._condition] if task.scored else list(self._person)


def batched(draw: Callable[[], np.ndarray[Any, Any]]) -> Iterator[float]:
    """Yield the numbers of one drawn array after the other, as Python floats."""
    while True:
        yield from draw().tolist()
