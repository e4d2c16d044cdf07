"""A second person: how far two people agree who answered about the same, and a judge beside them.

Each answer is met with those of the others to the same question, m(m − 1) ordered pairs of m
answers, each with the weight 1/(m − 1): every answer counts once, as it does when a judge is held
against it. A product of two people's answers moves with either, so that in the errors it counts
twice among people and once among items (`intervals.mean_error`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hype.judges.intervals import (
    RowUnits,
    as_names,
    estimate_difference,
    estimate_within_one,
    kappa_and_influence,
    mean_error,
    quadratic,
    quantile_of,
)
from hype.judges.items import People
from hype.judges.results import CountedEstimate, SecondPerson
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.proportions import within_one

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
        low, high = _ends_of_difference(judge, person, errors, _most(t, units), confidence)
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


def _ends_of_difference(
    judge: float,
    person: float,
    errors: Sequence[tuple[float, int | None]],
    most: float,
    confidence: float,
) -> tuple[float | None, float | None]:
    """Give the ends of a difference of two r from those of each.

    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Each has its ends on Fisher's scale; the judge's, which is ``most`` at most, on r over that:
    the nearer it is, the less it varies. ``errors``: of the judge's, the person's, and the
    difference.
    """
    (of_judge, df), (of_person, _), (of_both, _) = errors
    if min(of_judge, of_person, most) < _FLAT:
        return None, None
    quantile = quantile_of(df, confidence)
    own = within_one(judge / most, quantile * of_judge / most)
    other = within_one(person, quantile * of_person)
    if own[0] is None or own[1] is None or other[0] is None or other[1] is None:
        return None, None
    together = (of_judge**2 + of_person**2 - of_both**2) / (of_judge * of_person)

    def reach(up: float, down: float) -> float:
        return float(np.sqrt(max(0.0, up**2 + down**2 - together * up * down)))

    below = reach(judge - most * own[0], other[1] - person)
    above = reach(most * own[1] - judge, person - other[0])
    return judge - person - below, judge - person + above


def subtract_person(
    judge: float,
    person: float,
    adds: FloatArray,
    of_people: FloatArray,
    of_items: FloatArray,
    units: RowUnits,
    confidence: float,
) -> CountedEstimate:
    """Give a judge's figure less a second person's, on the same answers.

    ``adds``: what each answer adds to the judge's figure; shape (n,).
    ``of_people``, ``of_items``: what it adds to the person's, among people and among items.
    """
    return _with_known_interval(
        estimate_difference(judge - person, adds - of_people, units, confidence, adds - of_items),
        units,
    )


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
