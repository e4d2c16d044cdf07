"""A simulated evaluator: what it answers, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from statistics import fmean
from typing import Any, Final

import numpy as np

from hype.observers.population import Population
from hype.protocol.staircase import CHANCE
from hype.protocol.steps import GO_ON, YES, JudgementTrial, Response, Screen, Step, Task, Truth

__all__ = ["BATCH", "Observer", "Population"]

CARELESS_MS: Final = 400.0
"""How often somebody presses a key who does not look."""
BATCH: Final = 1024
"""Random numbers are drawn this many at a time, since drawing one costs as much as a trial."""


class Observer:
    """One simulated evaluator of one condition. Its answers follow from the generator alone.

    Who is careless qualifies honestly, and looks at nothing afterwards.

    ``tested_on`` are the conditions whose fakes the qualification shows; all, if it is empty.
    """

    def __init__(
        self,
        population: Population,
        condition: str,
        rng: np.random.Generator,
        *,
        tested_on: Sequence[str] = (),
    ) -> None:
        self._person = population.draw(rng)
        self._looks = population.looks if population.image_spread else None
        self._condition = condition
        self._tested_on = tested_on
        answers, times, habits = rng.spawn(3)
        self._careless = population.careless > habits.random()
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
        if not isinstance(step, JudgementTrial):
            raise TypeError(f"{step.name.task} is no judgement")
        drawn, rt_ms = next(self._uniform), next(self._rt_ms)
        if self._careless and step.task.paid:
            return Response("fake" if drawn < CHANCE else "real", "", CARELESS_MS)
        return Response("fake" if drawn < self.says_fake(step) else "real", "", rt_ms)

    def says_fake(self, trial: JudgementTrial) -> float:
        """Probability that this person calls the image of ``trial`` fake."""
        if self._looks:  # every image is another, and there is nothing to remember
            return self._found_fake(trial, self._looks(trial.stimulus.path))
        key = (trial.exposure_ms, trial.task, trial.stimulus.condition)
        known = self._says_fake.get(key)
        if known is None:
            known = self._says_fake[key] = self._found_fake(trial, 0.0)
        return known

    def _found_fake(self, trial: JudgementTrial, looks: float) -> float:
        """Work the probability out, for an image that looks so much more fake than others.

        An obvious one is told by everybody who looks: only lapses miss it.
        """
        fake = trial.stimulus.truth is Truth.FAKE
        if trial.task is Task.CATCH:
            lapse = self._person[self._condition].lapse
            return 1 - lapse / 2 if fake else lapse / 2
        against = [trial.stimulus.condition] if fake else self._fakes_around(trial.task)
        return fmean(
            self._person[name].says_fake(trial.exposure_ms, fake=fake, looks=looks)
            for name in against
        )

    def _fakes_around(self, task: Task) -> Sequence[str]:
        """Name the conditions that a real image has to be told from."""
        if task.scored:
            return [self._condition]
        known = list(self._person)
        return (self._tested_on or known) if task is Task.QUALIFICATION else known


def batched(draw: Callable[[], np.ndarray[Any, Any]]) -> Iterator[float]:
    """Yield the numbers of one drawn array after the other, as Python floats."""
    while True:
        yield from draw().tolist()
