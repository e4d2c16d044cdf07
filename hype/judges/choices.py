"""People's choices between two images, and how often a judge makes the same.

A comparison is such a choice, and a ranking of n images comes to n(n − 1)/2 of them. What a second
person would choose is expected from those who chose between the same two images.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from hype.judges.intervals import RowUnits, estimate_share
from hype.judges.results import ChoiceAgreement, CountedEstimate, JudgeOptions, PairAccuracy
from hype.judges.second_person import subtract_person
from hype.statistics.arrays import BoolArray, FloatArray, IntArray

Preference = Callable[[IntArray, IntArray], FloatArray]
"""By how much a judge prefers the first of two images, which are numbers; NaN where unknown."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PeoplesChoices:
    """People's choices between two images, without ties; arrays of shape (choices,)."""

    images: tuple[str, ...]  # names of all images of the table; numbers are places among them
    # better, worse: the two images
    better: IntArray
    worse: IntArray
    # better_condition, worse_condition: what made them, as numbers
    better_condition: IntArray
    worse_condition: IntArray
    conditions: tuple[str, ...]  # K of them
    units: RowUnits  # who chose, and the group that both images are of

    @cached_property
    def others(self) -> FloatArray:
        """The share of the others who chose the same of the same two; NaN where nobody did."""
        keys = np.minimum(self.better, self.worse) * len(self.images)
        question = pd.factorize(keys + np.maximum(self.better, self.worse))[0]
        upward = self.better < self.worse
        made = np.bincount(question)[question]
        rising = np.bincount(question, weights=upward)[question]
        same = np.where(upward, rising, made - rising)
        shares: FloatArray = np.where(made > 1, (same - 1) / np.maximum(made - 1, 1), np.nan)
        return shares

    @cached_property
    def by_pair(self) -> list[tuple[str, str, IntArray, RowUnits]]:
        """Give each pair of conditions, which choices are of it, and whose; none within one."""
        a, b = self.better_condition, self.worse_condition
        number = len(self.conditions)
        code = np.where(a == b, -1, np.minimum(a, b) * number + np.maximum(a, b))
        pairs = []
        for each in np.unique(code[code >= 0]).tolist():
            names, own = [self.conditions[place] for place in divmod(each, number)], code == each
            pairs.append((*names, np.flatnonzero(own), self.units.of(own)))
        return pairs


def prefer_higher(scores: FloatArray) -> Preference:
    """Prefer the image with the higher score; NaN where an image has none."""
    return lambda one, other: scores[one] - scores[other]


def agree_on_choices(
    judge: str, prefers: Preference, people: PeoplesChoices, options: JudgeOptions
) -> ChoiceAgreement:
    """Hold a judge against people's choices, all that is the same whatever was asked."""
    ahead = prefers(people.better, people.worse)
    known = ~np.isnan(ahead)
    hits: FloatArray = (ahead > 0) + 0.5 * (ahead == 0)
    shared = known & ~np.isnan(people.others)
    person, difference = None, None
    if shared.any():
        units, others = people.units.of(shared), people.others[shared]
        person = estimate_share(others, units, options.confidence)
        difference = _compare_shares(hits[shared], others, units, options.confidence)
    images = np.array([people.better, people.worse])
    return ChoiceAgreement(
        judge=judge,
        images=len(np.unique(images[:, known])),
        of_images=len(np.unique(images)),
        comparisons=int(known.sum()),
        of_comparisons=len(known),
        accuracy=estimate_share(hits[known], people.units.of(known), options.confidence),
        person=person,
        difference=difference,
        verdict=options.verdict(difference),
        pairs=_by_pairs(hits, known, people, options.confidence),
    )


def _compare_shares(
    hits: FloatArray, others: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate | None:
    if units.evaluator is None:
        return None
    own, other = hits - hits.mean(), others - others.mean()
    return subtract_person(
        float(hits.mean()), float(others.mean()), own, 2 * other, other, units, confidence
    )


def _by_pairs(
    hits: FloatArray, known: BoolArray, people: PeoplesChoices, confidence: float
) -> tuple[PairAccuracy, ...]:
    return tuple(
        PairAccuracy(
            a=a,
            b=b,
            accuracy=estimate_share(hits[rows][known[rows]], units.of(known[rows]), confidence),
        )
        for a, b, rows, units in people.by_pair
    )
