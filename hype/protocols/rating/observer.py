"""A simulated evaluator who rates, with a truth that is known.

What somebody sees of a pair on an axis is normal: the difference of the two conditions' strengths
and of the images' own, and noise, a part of which is common to all axes of an item (as people who
like an image overall like everything about it). Levels cut it into steps of equal width, the
middle one around 0. Of a single image it is the strength itself, cut likewise around the middle of
the scale; yes means that it is above 0. Where it is known what is right of an image, that is seen
with the same noise.
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
    normal_of,
)
from hype.protocols.prompted.trial import Candidate
from hype.protocols.rating.trial import NOT_RELEVANT, YES_NO, Axis, RatingTrial
from hype.session.steps import Response
from hype.study.draws import STANDARD_NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTastes(PromptedTastes):
    """What simulated people find, and how they differ."""

    # Of each condition on each axis, of the typical person, in units of a level's width less
    # ``step``: axis to condition to strength
    strengths: Mapping[str, Mapping[str, float]]
    # noise, halo: standard deviation of what else decides, and the share of its variance that is
    # common to all axes of an item
    noise: float
    halo: float
    step: float  # how wide a level is
    not_relevant: Mapping[str, float]  # share of answers, by axis, that say that it does not apply
    lapse: float  # share of answers that are any level

    def looks_on(self, axis: str, image: Candidate) -> float:
        """Give how much better than others of its condition an image is on an axis, for everyone.

        Half of its variance is common to all axes.
        """
        if not self.image_spread:
            return 0.0
        common, own = (
            normal_of(self.image_seed, image.path, name) for name in ("", f"axis {axis}")
        )
        return self.image_spread * math.sqrt(0.5) * (common + own)


class RatingObserver(PromptedObserver):
    """One simulated evaluator who rates."""

    trial, noun, uniforms = RatingTrial, "rating", 3

    def __init__(self, tastes: RatingTastes, rng: np.random.Generator) -> None:
        self._tastes = tastes
        self._own = {
            axis: drawn_around(typical, tastes.taste_spread, rng)
            for axis, typical in tastes.strengths.items()
        }
        self._seed = int(rng.integers(2**62))
        super().__init__(tastes, rng)

    def answer(self, trial: RatingTrial, uniforms: tuple[float, ...], rt_ms: float) -> Response:
        relevant, lapse, noise = uniforms
        axis = trial.axis
        if axis.optional and relevant < self._tastes.not_relevant.get(axis.name, 0.0):
            return Response(NOT_RELEVANT, "", rt_ms)
        if lapse < self._tastes.lapse:
            return Response(axis.levels[int(noise * len(axis.levels))], "", rt_ms)
        pair, seen = len(trial.item.images) > 1, self._seen(trial, noise)
        return Response(level_of(axis, seen, self._tastes.step, pair=pair), "", rt_ms)

    def _seen(self, trial: RatingTrial, uniform: float) -> float:
        """Give what is seen of an item on an axis: above 0 in favour of the first image."""
        tastes, axis, item = self._tastes, trial.axis.name, trial.item
        liked = [
            self._own[axis][image.condition] + tastes.looks_on(axis, image) for image in item.images
        ]
        own = STANDARD_NORMAL.inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
        common = normal_of(self._seed, item.name)
        noise = math.sqrt(tastes.halo) * common + math.sqrt(1 - tastes.halo) * own
        right = leaning(trial.axis, item.truth(axis), tastes.step)
        return liked[0] - (liked[1] if len(liked) > 1 else 0.0) + right + tastes.noise * noise


def leaning(axis: Axis, truth: str | None, step: float) -> float:
    """Give how far what is right of an image moves what is seen of it; 0 where that is unknown."""
    if truth not in axis.levels:
        return 0.0
    if axis.levels == YES_NO:
        return 1.0 if truth == YES_NO[0] else -1.0
    return step * (axis.levels.index(truth) - (len(axis.levels) - 1) / 2)


def level_of(axis: Axis, seen: float, step: float, *, pair: bool) -> str:
    """Put what is seen into a level.

    Of a pair the first level is the best for the first image; a scale begins with its lowest.
    """
    if axis.levels == YES_NO:
        return YES_NO[0] if seen > 0 else YES_NO[1]
    place = (len(axis.levels) - 1) / 2 + (-seen if pair else seen) / step
    return axis.levels[min(max(round(place), 0), len(axis.levels) - 1)]
