"""A simulated evaluator who picks: image i with a probability proportional to exp(strength)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hype.protocols.prompted.observer import told_of_themselves
from hype.session.steps import GO_ON, YES, Question, Response, Screen, Step
from picking.trial import PickingTrial


class PickingObserver:
    def __init__(
        self, strengths: Mapping[str, float], rt_median_ms: float, rng: np.random.Generator
    ) -> None:
        self._strengths = strengths
        self._rt_median_ms = rt_median_ms
        self._rng, self._about = rng.spawn(2)

    def skip(self, trials: int) -> None:
        self._rng.random(2 * trials)

    def respond_to(self, step: Step) -> Response:
        if isinstance(step, Question):
            return Response(told_of_themselves(step.options, self._about))
        if isinstance(step, Screen):
            return YES if step.choice else GO_ON
        if not isinstance(step, PickingTrial):
            raise TypeError(f"{step.name.task} is no row to pick from")
        which, how_long = self._rng.random(2)
        liked = np.exp([self._strengths.get(image.condition, 0.0) for image in step.images])
        place = int(np.searchsorted(np.cumsum(liked / liked.sum()), which)) + 1
        return Response(str(place), "", self._rt_median_ms * (0.5 + how_long))
