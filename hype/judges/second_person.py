"""What people chose, and how far a judge, or a second person, agrees with them.

A comparison is such a choice, and a ranking of n images comes to n(n − 1)/2 of them. What a second
person would choose is expected from those who chose between the same two images.

Each answer is met with those of the others to the same question, m(m − 1) ordered pairs of m
answers, each with the weight 1/(m − 1): every answer counts once, as it does when a judge is held
against it. A product of two people's answers moves with either, so that in the errors it counts
twice among people and once among items (`intervals.mean_error`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from hype.judges.intervals import (
    RowUnits,
    as_names,
    estimate_share,
    estimate_within_one,
    kappa_and_influence,
    mean_error,
    quadratic,
    quantile_of,
)
from hype.judges.items import People
from hype.judges.results import (
    ChoiceAgreement,
    CountedEstimate,
    JudgeOptions,
    PairAccuracy,
    SecondPerson,
)
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import mean_on_scale, within_one

_FLAT = 1e-12


def meet_second_person(people: People, axis: int, confidence: float) -> SecondPerson:
    """Hold people against each other on an axis, by the figures that judges have."""
    there = ~np.isnan(people.ratings[:, axis])
    there &= (np.bincount(people.item[there], minlength=len(people.items)) > 1)[people.item]
    ratings, units = people.ratings[there, axis], _units(people, there)
    items = len(np.unique(people.item[there]))
    if not items:
        return SecondPerson(axis=people.axes[axis], r=None, kappa=None, weighted=None, items=0)
    levels = people.levels(axis)
    given = np.eye(levels)[people.level(ratings, axis)]
    others = _mean_of_others(given, units)
    r, adds, of_items = _product_moment(ratings, units)
    kappas = [
        _kappa(given, others, weights, units, confidence)
        for weights in (as_names(levels), quadratic(levels))
    ]
    unknown = CountedEstimate(value=None, low=None, high=None, n=len(ratings))
    return SecondPerson(
        axis=people.axes[axis],
        r=unknown
        if np.isnan(r)
        else _with_known_interval(estimate_within_one(r, adds, units, confidence, of_items), units),
        kappa=kappas[0],
        weighted=kappas[1],
        items=items,
    )


def compare_r(
    answers: FloatArray, people: People, axis: int, confidence: float
) -> CountedEstimate | None:
    """Give a judge's r less a second person's, on ratings of items that two or more rated.

    ``answers``: of each item, shape (I,); NaN where there is none. None where no such item has two
    ratings, or either side does not vary.
    """
    theirs, mine = people.ratings[:, axis], answers[people.item]
    there = ~(np.isnan(theirs) | np.isnan(mine))
    there &= (np.bincount(people.item[there], minlength=len(people.items)) > 1)[people.item]
    if not there.any():
        return None
    theirs, mine, units = theirs[there], mine[there], _units(people, there)
    person, of_people, of_items = _product_moment(theirs, units)
    if np.isnan(person) or np.ptp(mine) < _FLAT:
        return None
    x, t = ((each - each.mean()) / each.std() for each in (mine, theirs))
    judge = float((x * t).mean())
    low, high = None, None
    if len(units.ways) == 2:
        weight = (x**2 + t**2) / 2
        adds = x * t - judge * weight
        left = adds * _left_out(weight, units), of_items * _left_out(t**2, units)
        errors = [
            mean_error(among_people, units, among_items)
            for among_people, among_items in (
                (adds, left[0]),
                (of_people, left[1]),
                (adds - of_people, left[0] - left[1]),
            )
        ]
        most, (of_judge, df), (of_person, _) = _most(t, units), *errors[:2]
        if min(of_judge, of_person, most) > _FLAT:
            quantile = quantile_of(df, confidence)
            own = _of_most(judge, quantile * of_judge, most)
            other = _of_most(person, quantile * of_person, 1.0)
            low, high = _ends_of_difference(own, other, [error for error, _ in errors])
    return CountedEstimate(value=judge - person, low=low, high=high, n=len(mine))


def _left_out(weight: FloatArray, units: RowUnits) -> FloatArray:
    """Say by how much an item moves a figure more if left out than if all counted alike.

    That is (1 - 1/I)/(1 - h), where h is its share of ``weight``, shape (n,). So the sum over items
    is the jackknife's, to first order: of few items those at the ends count for much.
    """
    item = units.ways[1][0]
    share = np.bincount(item, weight) / weight.sum()
    left: FloatArray = (1 - 1 / units.ways[1][1]) / np.maximum(1 - share, _FLAT)
    return left[item]


def _most(t: FloatArray, units: RowUnits) -> float:
    """Give the r of a person who knows each item's mean: the most that one answer can have."""
    item = units.ways[1][0]
    means = np.bincount(item, t) / np.maximum(np.bincount(item), 1)
    return float(np.sqrt(np.square(means[item]).mean()))


def _of_most(r: float, reach: float, most: float) -> Estimate:
    low, high = within_one(r / most, reach / most)
    return Estimate(value=r / most, low=low, high=high).scaled(most)


def _ends_of_difference(
    judge: Estimate, person: Estimate, errors: Sequence[float]
) -> tuple[float | None, float | None]:
    """Give the ends of a difference of two figures from those of each.

    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. A judge's figure has a most: the nearer it is, the less it varies, and the farther below it
    the truth may be. ``errors``: of the judge's, the person's, and the difference.
    """
    if judge.low is None or judge.high is None or person.low is None or person.high is None:
        return None, None
    of_judge, of_person, of_both = errors
    product = max(of_judge * of_person, _FLAT)
    together = (of_judge**2 + of_person**2 - of_both**2) / product

    def reach(up: float, down: float) -> float:
        return float(np.sqrt(max(0.0, up**2 + down**2 - together * up * down)))

    below = reach(judge.value - judge.low, person.high - person.value)
    above = reach(judge.high - judge.value, person.value - person.low)
    difference = judge.value - person.value
    return difference - below, difference + above


def _units(people: People, rows: BoolArray) -> RowUnits:
    return RowUnits(evaluator=people.evaluator, item=people.item).of(rows)


def _with_known_interval(figure: CountedEstimate, units: RowUnits) -> CountedEstimate:
    """Take the interval off where people or items are unknown, or too few to learn from."""
    if len(units.ways) == 2:
        return figure
    return CountedEstimate(value=figure.value, low=None, high=None, n=figure.n)


def _mean_of_others(given: FloatArray, units: RowUnits) -> FloatArray:
    """Give the mean over the others who answered about the same; shape (n, k) as `given`."""
    item = np.zeros(len(given), dtype=np.int64) if units.item is None else units.item
    sums = np.zeros((int(item.max()) + 1, given.shape[1]))
    np.add.at(sums, item, given)
    number = np.bincount(item)[item]
    means: FloatArray = (sums[item] - given) / (number - 1)[:, None]
    return means


def _product_moment(ratings: FloatArray, units: RowUnits) -> tuple[float, FloatArray, FloatArray]:
    """Give r of two people, and what each rating adds among people and among items."""
    spread = float(ratings.std())
    if spread < _FLAT:
        return np.nan, np.zeros(len(ratings)), np.zeros(len(ratings))
    t = (ratings - ratings.mean()) / spread
    product = t * _mean_of_others(t[:, None], units)[:, 0]
    r = float(np.clip(product.mean(), -1.0, 1.0))
    return r, 2 * product - r * t**2 - r, product - r * t**2


def _kappa(
    given: FloatArray,
    others: FloatArray,
    weights: FloatArray,
    units: RowUnits,
    confidence: float,
) -> CountedEstimate:
    """Give κ of two people; ``given``, ``others``: shares of each level, shape (n, levels)."""
    kappa, influence = kappa_and_influence(given.T @ others / len(given), weights)
    if kappa is None:
        return CountedEstimate(value=None, low=None, high=None, n=len(given))
    adds = ((given @ influence) * others).sum(axis=1)
    return _with_known_interval(
        estimate_within_one(kappa, 2 * adds, units, confidence, adds), units
    )


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
    def alike(self) -> tuple[IntArray, IntArray]:
        """How many chose between the same two, and how many of them the same."""
        keys = np.minimum(self.better, self.worse) * len(self.images)
        question = pd.factorize(keys + np.maximum(self.better, self.worse))[0]
        upward = self.better < self.worse
        made = np.bincount(question)[question]
        rising = np.bincount(question, weights=upward)[question]
        return made, np.where(upward, rising, made - rising).astype(np.int64)

    @property
    def others(self) -> FloatArray:
        """The share of the others who chose the same of the same two; NaN where nobody did."""
        made, same = self.alike
        return np.where(made > 1, (same - 1) / np.maximum(made - 1, 1), np.nan)

    @property
    def majority(self) -> FloatArray:
        """The share of the choice that most made between the same two."""
        made, same = self.alike
        return np.asarray(np.maximum(same, made - same) / made)

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
        most = float(people.majority[shared].mean())
        difference = _compare_shares(hits[shared], others, most, units, options.confidence)
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
    hits: FloatArray, others: FloatArray, most: float, units: RowUnits, confidence: float
) -> CountedEstimate | None:
    """Give a judge's share less a second person's; ``most``: that of who knows each majority."""
    if units.evaluator is None:
        return None
    own, other = hits - hits.mean(), others - others.mean()
    low, high = None, None
    if len(units.ways) == 2:
        (of_judge, df), (of_person, _), (of_both, _) = (
            mean_error(own, units),
            mean_error(2 * other, units, other),
            mean_error(own - 2 * other, units, own - other),
        )
        quantile, people = quantile_of(df, confidence), units.ways[0][1]
        judge, person = (
            mean_on_scale(
                float(each.mean()), quantile * error, people, confidence=confidence, scale=scale
            )
            for each, error, scale in (
                (hits, of_judge, (1 - most, most)),
                (others, of_person, (0.0, 1.0)),
            )
        )
        low, high = _ends_of_difference(judge, person, (of_judge, of_person, of_both))
    return CountedEstimate(
        value=float(hits.mean() - others.mean()), low=low, high=high, n=len(hits)
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
