"""Simulated evaluators of single images: a population, and how a person from it answers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

import numpy as np

from hype.protocols.hype.staircase import CHANCE
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.plans import simulate_statement, step_of_confidence
from hype.session.steps import NO_ANSWER, ConfidenceQuestion, Question, Response, Screen, Step
from hype.stimuli.manifest import Truth
from hype.study.draws import BATCH, STANDARD_NORMAL, draw_in_batches

MOST_CERTAIN: Final = 0.99999
"""Accuracy is kept below this and above 1 minus this, so that its normal quantile is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Psychometric:
    """How well one observer can distinguish one condition's images from real ones."""

    threshold_ms: float  # exposure at which accuracy is halfway between chance and ``ceiling``
    slope: float = 1.5  # Weibull exponent: how steeply accuracy rises around the threshold
    # Accuracy without a time limit and without lapses: above 0, at most 1. Below 0.5 the fakes look
    # more real than real images do: Zhou et al. 2019 call this hyper-realism.
    ceiling: float = 0.98
    lapse: float = 0.02  # share of trials, 0 to 1, that are answered by chance
    # Criterion c in units of d′ (Green & Swets 1966); above 0, the observer tends to say "real"
    bias: float = 0.0
    # Accuracy at very long exposures, if it differs from ``ceiling``: people may learn from the
    # feedback that the timed method can give after every trial
    timed_ceiling: float | None = None
    # Standard deviations between people, of the log threshold, of z(ceiling) and of the criterion
    threshold_spread: float = 0.25
    ceiling_spread: float = 0.15
    bias_spread: float = 0.15

    def accuracy(self, exposure_ms: float | None) -> float:
        """Compute the accuracy of an unbiased, attentive observer (None: no time limit).

        ½ + (ceiling − ½)·(1 − 2^−(t/threshold)^slope), a Weibull function (Wichmann & Hill 2001,
        eq. 1) whose threshold is its halfway point.
        """
        if exposure_ms is None:
            return self.ceiling
        ceiling = self.ceiling if self.timed_ceiling is None else self.timed_ceiling
        return 0.5 + (ceiling - 0.5) * self.rise(exposure_ms)

    def settling_ms(self, accuracy: float) -> float | None:
        """Return the exposure at which this share of all answers is right; None if there is none.

        Answers include lapses. The criterion is assumed to be 0, at which accuracy is highest.
        """
        ceiling = self.ceiling if self.timed_ceiling is None else self.timed_ceiling
        attentive = (accuracy - self.lapse / 2) / (1 - self.lapse) if self.lapse < 1 else 0.0
        if not 0.5 < attentive < ceiling:
            return None
        steps = -math.log2(1 - (attentive - 0.5) / (ceiling - 0.5))
        return self.threshold_ms * math.pow(steps, 1 / self.slope)

    def rise(self, exposure_ms: float | None) -> float:
        """Compute the share of the evidence, 0 to 1, that is seen in this time; None: no limit."""
        if exposure_ms is None:
            return 1.0
        try:
            steps = math.pow(exposure_ms / self.threshold_ms, self.slope)
        except OverflowError:  # very steep: above the threshold, all is seen
            return 1.0
        return 1 - math.pow(2, -steps)

    def says_fake(self, exposure_ms: float | None, *, fake: bool, looks: float = 0.0) -> float:
        """Compute the probability of the answer "fake" to a fake or a real image.

        Equal-variance signal detection: the unbiased accuracy gives d′/2 = z(accuracy), the
        criterion moves the probability, and lapses pull it towards ½. ``looks``: how much more
        fake the image looks than others of its kind, without a time limit, on the scale of d′/2.
        """
        accuracy = self.accuracy(exposure_ms)
        half_d = STANDARD_NORMAL.inv_cdf(max(1 - MOST_CERTAIN, min(accuracy, MOST_CERTAIN)))
        evidence = (half_d if fake else -half_d) - self.bias
        if looks:
            evidence += looks * self.rise(exposure_ms)
        seen = 0.5 * (1 + math.erf(evidence / math.sqrt(2)))
        return (1 - self.lapse) * seen + self.lapse / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """A population of people: the typical evaluator of each condition, and how others differ."""

    typical: Mapping[str, Psychometric]  # psychometric function of the median person, by condition
    # rt_median_ms, rt_spread: median response time, and standard deviation of its logarithm
    rt_median_ms: float = 700.0
    rt_spread: float = 0.35
    # Standard deviation, between images of one kind, of how fake they look, in units of d′/2
    image_spread: float = 0.0
    image_seed: int = 0  # this seed and an image's path decide how fake it looks
    # Share of people who press random keys in scored blocks, one key every `CARELESS_MS`
    careless: float = 0.0

    def draw(self, rng: np.random.Generator) -> dict[str, Psychometric]:
        """Draw a person at the same distance (in SDs) from the typical person in all conditions."""
        slower, abler, biased = rng.standard_normal(3)
        return {
            condition: vary(typical, slower, abler, biased)
            for condition, typical in self.typical.items()
        }

    def looks(self, path: str) -> float:
        """Return how much more fake an image looks than others of its kind, in units of d′/2.

        The number depends only on the path and the settings: it is the same on every machine.
        """
        if not self.image_spread:
            return 0.0
        digest = hashlib.sha256(f"{self.image_seed} {path}".encode()).digest()
        uniform = (int.from_bytes(digest[:6], "big") + 0.5) / 2**48
        return self.image_spread * STANDARD_NORMAL.inv_cdf(uniform)


def vary(typical: Psychometric, slower: float, abler: float, biased: float) -> Psychometric:
    """Return the psychometric function of a person whose traits are this many SDs from typical."""
    timed, by = typical.timed_ceiling, typical.ceiling_spread * abler
    return replace(
        typical,
        threshold_ms=typical.threshold_ms * math.exp(typical.threshold_spread * slower),
        ceiling=shift_ceiling(typical.ceiling, by),
        bias=typical.bias + typical.bias_spread * biased,
        timed_ceiling=None if timed is None else shift_ceiling(timed, by),
    )


def shift_ceiling(ceiling: float, by: float) -> float:
    """Move an accuracy by ``by`` on the normal-quantile scale.

    If the typical person sees a difference, no one is worse than chance: the result is at least ½.
    If the typical person is misled (below ½), the result may be below or above ½.
    """
    z = STANDARD_NORMAL.inv_cdf(min(ceiling, MOST_CERTAIN))
    moved = STANDARD_NORMAL.cdf(z + by)
    return max(0.5, moved) if ceiling >= 0.5 else moved


CARELESS_MS: Final = 400.0
"""Time between the key presses of a careless person."""


class Observer:
    """One simulated evaluator.

    With the same ``rng`` and the same trials, the answers are the same. ``condition``: the
    condition that is judged in trials that name none. A careless evaluator takes the qualification
    honestly, but does not look at the images of scored blocks. ``tested_on``: the conditions whose
    fakes the qualification shows; empty for all.
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
        answers, times, habits, self._about = rng.spawn(4)
        self._careless = population.careless > habits.random()
        self._uniform = draw_in_batches(lambda: answers.random(BATCH))
        self._rt_ms = draw_in_batches(
            lambda: (
                population.rt_median_ms
                * np.exp(population.rt_spread * times.standard_normal(BATCH))
            )
        )
        self._latest = 0.5  # the random number that decided the last answer
        self._says_fake: dict[tuple[float | None, Task, str, str], float] = {}

    def skip(self, trials: int) -> None:
        """Skip trials that were answered before the session was resumed."""
        for _ in range(trials):
            self._latest, _ = next(self._uniform), next(self._rt_ms)

    def respond_to(self, step: Step) -> Response:
        if isinstance(step, ConfidenceQuestion):
            return Response(step.answers[self._confidence(step.about, len(step.answers)) - 1])
        if isinstance(step, Question):
            return Response(simulate_statement(step, self._about))
        if isinstance(step, Screen):
            return step.passing
        if not isinstance(step, JudgementTrial):
            raise TypeError(f"{step.name.task} is not a judgement")
        self._latest, rt_ms = next(self._uniform), next(self._rt_ms)
        if self._careless and step.task.paid:
            rt_ms = CARELESS_MS
        if step.limit_ms is not None and rt_ms >= step.limit_ms:
            return Response(NO_ANSWER, "", step.limit_ms)
        answer = "fake" if self._latest < self._threshold(step) else "real"
        if step.steps:
            answer = f"{answer} {self._confidence(step, step.steps)}"
        return Response(answer, "", rt_ms)

    def _threshold(self, trial: JudgementTrial) -> float:
        """Return the probability of the answer "fake"; a careless person guesses."""
        return CHANCE if self._careless and trial.task.paid else self.says_fake(trial)

    def _confidence(self, trial: Any, steps: int) -> int:
        """Return the confidence in the last answer, from the signal's distance to the criterion."""
        return step_of_confidence((self._threshold(trial),), self._latest, steps)

    def says_fake(self, trial: JudgementTrial) -> float:
        """Return the probability that this person calls the image of ``trial`` fake."""
        if self._looks:  # each image has its own probability, so nothing is cached
            return self._answers_fake(trial, self._looks(trial.stimulus.path))
        key = (trial.exposure_ms, trial.task, trial.stimulus.condition, trial.condition)
        known = self._says_fake.get(key)
        if known is None:
            known = self._says_fake[key] = self._answers_fake(trial, 0.0)
        return known

    def _answers_fake(self, trial: JudgementTrial, looks: float) -> float:
        """Compute the probability of "fake" if the image looks this much more fake than others.

        Every attentive person recognises an obvious image, except for lapses.
        """
        fake = trial.stimulus.truth is Truth.FAKE
        if trial.task is Task.CATCH:
            lapse = self._person[trial.condition or self._condition].lapse
            return 1 - lapse / 2 if fake else lapse / 2
        against = [trial.stimulus.condition] if fake else self._fakes_around(trial)
        return fmean(
            self._person[name].says_fake(trial.exposure_ms, fake=fake, looks=looks)
            for name in against
        )

    def _fakes_around(self, trial: JudgementTrial) -> Sequence[str]:
        """Return the conditions whose fakes are in the same block as this trial."""
        if trial.task.scored:
            return [trial.condition or self._condition]
        known = list(self._person)
        return (self._tested_on or known) if trial.task is Task.QUALIFICATION else known
