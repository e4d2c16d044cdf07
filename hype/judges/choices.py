"""People's choices between two images, and how often a judge makes the same.

A comparison is such a choice, and a ranking of n images comes to n(n − 1)/2 of them. What a second
person would choose is expected from those who chose between the same two images.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np
import pandas as pd

from hype.judges.clustered import (
    RowUnits,
    above,
    figure,
    mean_error,
    share,
    share_and_p,
    variance_of_people,
)
from hype.judges.results import (
    CountedEstimate,
    JudgeOptions,
    JudgeVerdict,
    PairAccuracy,
    PreferenceAgreement,
)
from hype.judges.second_person import Met, about_models, paired_agreement, within_models
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.proportions import even_chance_p, holm

Preference = Callable[[IntArray, IntArray], FloatArray]
"""By how much a judge prefers the first of two images, which are numbers; NaN where unknown."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageChoices:
    """Choices between two images; arrays of shape (choices,), images as numbers."""

    # better, worse: the two
    better: IntArray
    worse: IntArray
    units: RowUnits  # who chose, and the group that both are of


@dataclass(frozen=True, kw_only=True, eq=False)
class PeoplesChoices:
    """What people said that a judge is held against."""

    images: tuple[str, ...]  # names of all images of the table; numbers are places among them
    choices: ImageChoices  # people's, without ties
    # better, worse: what made either image of each choice, as numbers of conditions
    better: IntArray
    worse: IntArray
    conditions: tuple[str, ...]  # K of them
    # What most people prefer, or what has the better mean rank, of two images that two or more
    # compared or ranked
    average: ImageChoices

    @cached_property
    def question(self) -> IntArray:
        """The two images of each choice, as a number that is the same for the same two."""
        one, other = self.choices.better, self.choices.worse
        keys = np.minimum(one, other) * len(self.images) + np.maximum(one, other)
        return np.asarray(pd.factorize(keys)[0], dtype=np.int64)

    @cached_property
    def single(self) -> FloatArray:
        """Give for each choice how many of the others chose the same, as a share; NaN of none."""
        upward = self.choices.better < self.choices.worse
        made = np.bincount(self.question)[self.question]
        rising = np.bincount(self.question, weights=upward)[self.question]
        same = np.where(upward, rising, made - rising)
        shares: FloatArray = np.where(made > 1, (same - 1) / np.maximum(made - 1, 1), np.nan)
        return shares

    @cached_property
    def pair(self) -> IntArray:
        """The pair of conditions of each choice, first · K + second; -1 within one."""
        a, b = self.better, self.worse
        pair = np.minimum(a, b) * len(self.conditions) + np.maximum(a, b)
        return np.where(a == b, -1, pair)

    @cached_property
    def turned(self) -> BoolArray:
        """Whether the better image is of the second condition (within one, the later image)."""
        within = self.choices.better > self.choices.worse
        return np.where(self.better == self.worse, within, self.better > self.worse)


def by_scores(scores: FloatArray) -> Preference:
    """Prefer the image with the higher score; NaN where an image has none."""
    return lambda one, other: scores[one] - scores[other]


def choice_agreement(
    judge: str,
    prefers: Preference,
    people: PeoplesChoices,
    options: JudgeOptions,
    *,
    of_two: bool = True,
    as_one: bool = False,
) -> PreferenceAgreement:
    """Hold a judge against people's choices, all that is the same whatever was asked.

    ``of_two``: whether which condition of a pair is called the first means nothing.
    ``as_one``: whether a judge that agrees less than people do on the average is compared with
    single ones, who differ in that.
    """
    confidence, choices = options.confidence, people.choices
    ahead = prefers(choices.better, choices.worse)
    is_known = ~np.isnan(ahead)
    hits = _hits(ahead)
    accuracy, p = share_and_p(hits[is_known], choices.units.of(is_known), confidence)
    shared = ~np.isnan(people.single) & is_known
    shown = np.array([choices.better, choices.worse])
    average = prefers(people.average.better, people.average.worse)
    has_average = ~np.isnan(average)
    units = people.average.units.of(has_average)
    return PreferenceAgreement(
        judge=judge,
        images=len(np.unique(shown[:, is_known])),
        of_images=len(np.unique(shown)),
        comparisons=int(is_known.sum()),
        of_comparisons=len(is_known),
        accuracy=accuracy,
        p=p,
        single=or_none(share(people.single[shared], choices.units.of(shared), confidence)),
        **_beside_person(ahead, people, options, of_two=of_two, as_one=as_one),
        average=or_none(share(_hits(average[has_average]), units, confidence)),
        first_choice=None,
        log_loss=None,
        pairs=_pair_accuracies(hits, is_known, people),
        verdict=JudgeVerdict.UNKNOWN,
        said=(),
    )


class _PersonComparison(TypedDict):
    difference: CountedEstimate | None
    p_as_well: float | None
    p_less: float | None
    within: CountedEstimate | None
    about: CountedEstimate | None
    within_person: CountedEstimate | None
    within_difference: CountedEstimate | None


def _beside_person(
    ahead: FloatArray,
    people: PeoplesChoices,
    options: JudgeOptions,
    *,
    of_two: bool,
    as_one: bool,
) -> _PersonComparison:
    """Compare a judge with a second person on the same choices, as `second_person` does ratings."""
    met = _met(ahead, people)
    is_known = ~np.isnan(ahead)
    shared = is_known & ~np.isnan(people.single)
    units, several = people.choices.units.of(shared), len(np.unique(met.group)) > 1
    compared = _PersonComparison(
        difference=None,
        p_as_well=None,
        p_less=None,
        within=within_models(met.of(is_known), options.confidence),
        about=about_models(met.of(is_known), pairs=of_two, confidence=options.confidence),
        within_person=None,
        within_difference=None,
    )
    if not shared.any() or units.evaluator is None:
        return compared
    hits, single = _hits(ahead[shared]), people.single[shared]
    value = float((hits - single).mean())
    own, other = hits - hits.mean(), single - single.mean()
    compared["difference"] = figure(value, own - 2 * other, units, options.confidence, own - other)
    error = mean_error(own - 2 * other, units, own - other)
    within = paired_agreement(met.of(shared)) if several else None
    p, less = [above(value + options.margin_of_shares, *error)], above(-value, *error)
    if as_one:
        between = np.sqrt(max(0.0, variance_of_people(other, units)))
        less = above(-value, float(np.hypot(error[0], between)), error[1])
    if within is not None:
        compared["within_person"] = within.of_person(options.confidence)
        compared["within_difference"] = within.of_difference(options.confidence)
        less = min(1.0, 2 * min(less, within.p_not_below(as_one=as_one)))
        looks = above(within.judge, *mean_error(within.judge_adds, within.units))
        p += [within.p_below(options.margin), looks]
    sizes = [len(set(each)) for each in (units.evaluator, met.of(shared).items)]
    if min(sizes) >= options.fewest_people:
        compared["p_as_well"], compared["p_less"] = max(p), less
    return compared


def _met(ahead: FloatArray, people: PeoplesChoices) -> Met:
    """Turn choices so that the first condition of each two comes first: 1 where it is chosen."""
    turned = np.where(people.turned, -1.0, 1.0)
    return Met(
        theirs=turned,
        judge=turned * np.sign(ahead),
        units=people.choices.units,
        same=people.question,
        group=np.asarray(pd.factorize(people.pair)[0], dtype=np.int64),
        side=np.ones(len(ahead)),
    )


def _hits(ahead: FloatArray) -> FloatArray:
    """Give 1 where a judge prefers what was chosen, a half where it prefers neither."""
    hits: FloatArray = (ahead > 0) + 0.5 * (ahead == 0)
    return hits


def or_none(counted: CountedEstimate) -> CountedEstimate | None:
    return counted if counted.n else None


def _pair_accuracies(
    hits: FloatArray, known: BoolArray, people: PeoplesChoices
) -> tuple[PairAccuracy, ...]:
    """Count by pairs of conditions, and groups by whether it agrees with most people in them."""
    size, group = len(people.conditions), people.choices.units.item
    across = known & (people.pair >= 0)
    pair, own = people.pair[across], hits[across]
    made = np.bincount(pair, minlength=size**2)
    right = np.bincount(pair, weights=own, minlength=size**2)
    of_group = people.question if group is None else group
    cell, cells = pd.factorize(pair * (int(of_group.max(initial=0)) + 1) + of_group[across])
    sides = np.sign(np.bincount(cell, weights=own - 0.5, minlength=len(cells)))
    of_cell = cells // (int(of_group.max(initial=0)) + 1)
    won, lost = (np.bincount(of_cell[sides == side], minlength=size**2) for side in (1, -1))
    asked = np.unique(people.pair[people.pair >= 0])
    decided = won[asked] + lost[asked]
    p = np.where(decided > 0, even_chance_p(won[asked], decided), np.nan)
    return tuple(
        PairAccuracy(
            a=people.conditions[code // size],
            b=people.conditions[code % size],
            accuracy=float(right[code] / made[code]) if made[code] else None,
            comparisons=int(made[code]),
            groups_right=int(won[code]),
            groups_wrong=int(lost[code]),
            p=None if np.isnan(p_value) else float(p_value),
            p_holm=None if np.isnan(corrected) else float(corrected),
        )
        for code, p_value, corrected in zip(asked.tolist(), p, holm(p), strict=True)
    )
