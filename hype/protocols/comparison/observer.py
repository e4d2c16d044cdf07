"""A simulated evaluator who compares, with a truth that is known.

People choose i over j with probability σ(sᵢ − sⱼ) (Bradley & Terry 1952); with a third answer a tie
is as probable as Davidson (1970) has it. Strengths differ between people and between images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hype.protocols.comparison.trial import Choice, ComparisonTrial
from hype.protocols.prompted.observer import (
    PromptedObserver,
    PromptedTastes,
    drawn_around,
)
from hype.protocols.prompted.trial import Candidate
from hype.session.steps import Response

CARELESS_MS = 150.0
"""How long those take who do not look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tastes(PromptedTastes):
    """What simulated people like, and how they differ."""

    strengths: Mapping[str, float]  # log-strength of each condition, of the typical person
    left_bias: float  # added to the log-odds of the left image
    # ties, tie_share: whether there is a third answer, and its share where both are equally liked
    ties: bool
    tie_share: float
    lapse: float  # share of comparisons answered by a coin
    careless: float  # share of people who always press one key, at once

    def draw(self, rng: np.random.Generator) -> dict[str, float]:
        return drawn_around(self.strengths, self.taste_spread, rng)

    @property
    def tie_weight(self) -> float:
        """Davidson's ν: of two equal ones, a tie has the probability ν/(2 + ν)."""
        return 2 * self.tie_share / (1 - self.tie_share) if self.ties else 0.0


class ComparingObserver(PromptedObserver):
    """One simulated evaluator who compares."""

    trial, noun, uniforms = ComparisonTrial, "comparison", 1

    def __init__(self, tastes: Tastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = tastes.draw(rng)
        careless, which = rng.random(2)
        self._always = ("left" if which < 0.5 else "right") if careless < tastes.careless else ""
        super().__init__(tastes, rng)

    def answer(self, trial: ComparisonTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        if self._always:
            return Response(self._always, "", CARELESS_MS)
        if trial.limit_ms is not None and rt_ms >= trial.limit_ms:
            return Response(Choice.NONE.value, "", trial.limit_ms)
        return Response(self._chosen(trial, *uniforms).value, "", rt_ms)

    def _chosen(self, trial: ComparisonTrial, uniform: float) -> Choice:
        if uniform < self._tastes.lapse:
            return Choice.LEFT if uniform < self._tastes.lapse / 2 else Choice.RIGHT
        uniform = (uniform - self._tastes.lapse) / (1 - self._tastes.lapse)
        if trial.obvious:
            return trial.obvious
        left, tie = self.probabilities(trial.left, trial.right)
        if uniform < left:
            return Choice.LEFT
        return Choice.TIE if uniform < left + tie else Choice.RIGHT

    def probabilities(self, left: Candidate, right: Candidate) -> tuple[float, float]:
        """Give the probabilities of choosing the left one, and of a tie, without lapses."""
        log_odds = self._liked(left) - self._liked(right) + self._tastes.left_bias
        better = math.exp(log_odds / 2)
        total = better + 1 / better + self._tastes.tie_weight
        return better / total, self._tastes.tie_weight / total

    def _liked(self, image: Candidate) -> float:
        return self._own[image.condition] + self._tastes.looks(image.path)
