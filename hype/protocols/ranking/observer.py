"""A simulated evaluator who ranks, with a truth that is known.

Of the images that have no place yet the next one is i with probability exp(sᵢ) / Σ exp(sⱼ)
(Plackett 1975, Luce 1959). Strengths differ between people and between images. Now and then
somebody takes the last image back and chooses anew, which leaves the model as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hype.protocols.prompted.observer import (
    PromptedObserver,
    PromptedTastes,
    drawn_around,
)
from hype.protocols.prompted.trial import Candidate
from hype.protocols.ranking.trial import Act, RankingTrial
from hype.session.steps import Response


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingTastes(PromptedTastes):
    """What simulated people like, and how they rank."""

    strengths: Mapping[str, float]  # log-strength of each condition, of the typical person
    undo_share: float  # share of acts that take the last one back
    # Share of images that share the place of the one before, where ties are allowed
    tie_share: float


class RankingObserver(PromptedObserver):
    """One simulated evaluator who ranks, act by act."""

    trial, noun, uniforms = RankingTrial, "ranking", 2

    def __init__(self, tastes: RankingTastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = drawn_around(tastes.strengths, tastes.taste_spread, rng)
        super().__init__(tastes, rng)

    def answer(self, trial: RankingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        return Response(self._act(trial, *uniforms), "", rt_ms)

    def _act(self, trial: RankingTrial, which: float, where: float) -> str:
        """Choose what to do, by two uniform numbers: which kind of act, and which image."""
        acts, tastes = trial.acts, self._tastes
        if Act.UNDO.value in acts and which < tastes.undo_share:
            return Act.UNDO.value
        if not trial.unplaced:
            return Act.ACCEPT.value
        if Act.TIE.value in acts and which > 1 - tastes.tie_share:
            return Act.TIE.value
        return self._next(trial, where)

    def _next(self, trial: RankingTrial, uniform: float) -> str:
        weights = [
            math.exp(self._liked(trial.group.image(letter_left))) for letter_left in trial.unplaced
        ]
        left = uniform * sum(weights)
        for letter, weight in zip(trial.unplaced, weights, strict=True):
            left -= weight
            if left < 0:
                return letter
        return trial.unplaced[-1]

    def _liked(self, image: Candidate) -> float:
        return self._own[image.condition] + self._tastes.looks(image.path)
