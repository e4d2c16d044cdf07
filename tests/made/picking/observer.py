"""A simulated evaluator who picks: image i with a probability proportional to exp(strength)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hype.protocols.prompted.course import PromptedObserver, PromptedTastes
from hype.session.steps import Response
from picking.trial import PickingTrial


@dataclass(frozen=True, slots=True, kw_only=True)
class PickingTastes(PromptedTastes):
    strengths: Mapping[str, float]


class PickingObserver(PromptedObserver):
    trial, noun, uniforms = PickingTrial, "row to pick from", 1

    def __init__(self, tastes: PickingTastes, rng: np.random.Generator) -> None:
        self._strengths = tastes.strengths
        super().__init__(tastes, rng)

    def answer(self, trial: PickingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        liked = np.exp([self._strengths[image.condition] for image in trial.images])
        place = int(np.searchsorted(np.cumsum(liked / liked.sum()), uniforms[0])) + 1
        return Response(str(place), "", rt_ms)
