"""How far two people agree who rated the same: what a judge may at best be asked to do.

Of an item with m ratings each is met with every other, m(m - 1) ordered pairs, each with the
weight 1/(m - 1): every rating counts once, as it does when a judge is held against it. So Pearson's
r and κ of these pairs stand beside those of a judge. Their intervals are by the jackknife over
evaluators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.judges.results import SecondPerson
from hype.judges.verdicts import Figure
from hype.judges.weighted_kappa import as_names, quadratic
from hype.statistics.correlation import fisher_z
from hype.statistics.resampling import jackknife_reach

if TYPE_CHECKING:
    from hype.judges.people import People

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_SUMS: Final = 6
"""Ratings, their sum, squares, products, and agreement by names and by squares; then counts."""


def second_person(people: People, axis: int, *, confidence: float) -> SecondPerson:
    """Hold people against each other on an axis.

    Parameters
    ----------
    people
        The ratings.
    axis
        Which.
    confidence
        Of the intervals.
    """
    there = ~np.isnan(people.ratings[:, axis])
    level = people.level(people.ratings[there, axis], axis)
    item, levels = people.item[there], people.levels(axis)
    counts = np.zeros((len(people.items), levels))
    np.add.at(counts, (item, level), 1)
    of_item = _sums(counts)
    total = of_item.sum(axis=0)
    items = int((counts.sum(axis=1) >= 2).sum())
    name, ratings = people.axes[axis], round(float(total[0]))
    if not items:
        return SecondPerson(axis=name, r=None, kappa=None, weighted=None, ratings=0, items=0)
    found, reach = _estimates(total), np.full(3, np.nan)
    if people.evaluator is not None:
        without = counts[item] - np.eye(levels)[level]
        parts = _sums(without) - of_item[item]
        known = counts[item].sum(axis=1) >= 2
        reach = _reach(total, parts, people.evaluator[there], known, confidence)
    figures = [_figure(found[i], reach[i], ratings, fisher=i == 0) for i in range(3)]
    return SecondPerson(
        axis=name,
        r=figures[0],
        kappa=figures[1],
        weighted=figures[2],
        ratings=ratings,
        items=items,
    )


def _sums(counts: FloatArray) -> FloatArray:
    """Sum over the pairs of ratings of each item, from its counts of levels, shape (n, levels)."""
    levels = counts.shape[1]
    number, value = counts.sum(axis=1), np.arange(levels, dtype=float)
    several = number >= 2
    others = np.where(several, number - 1, 1)
    first, squares = counts @ value, counts @ value**2
    products = (first**2 - squares) / others
    agreed = [
        (np.einsum("ni,ij,nj->n", counts, weights, counts, optimize=True) - number) / others
        for weights in (as_names(levels), quadratic(levels))
    ]
    columns = [number, first, squares, products, *agreed]
    found: FloatArray = np.column_stack([*columns, counts]) * several[:, None]
    return found


def _estimates(sums: FloatArray) -> FloatArray:
    """Give r, κ and weighted κ of sums, shape (…, 6 + levels); NaN where undefined."""
    number, first, squares, products, names, squared = np.moveaxis(sums[..., :_SUMS], -1, 0)
    levels = sums.shape[-1] - _SUMS
    with np.errstate(invalid="ignore", divide="ignore"):
        share = sums[..., _SUMS:] / number[..., None]
        mean = first / number
        spread = squares / number - mean**2
        r = np.where(spread > 1e-12, (products / number - mean**2) / spread, np.nan)
        kappas = []
        for agreed, weights in ((names, as_names(levels)), (squared, quadratic(levels))):
            expected = np.einsum("...i,ij,...j->...", share, weights, share)
            left = np.where(1 - expected > 1e-12, 1 - expected, np.nan)
            kappas.append((agreed / number - expected) / left)
    return np.stack([r, *kappas], axis=-1)


def _reach(
    total: FloatArray, parts: FloatArray, who: IntArray, known: BoolArray, confidence: float
) -> FloatArray:
    """Leave each evaluator out; `parts` is what changes without each rating."""
    number, own = np.unique(who, return_inverse=True)
    moved = np.zeros((len(number), parts.shape[1]))
    np.add.at(moved, own, parts)
    left_out = _estimates(total + moved)
    left_out[:, 0] = fisher_z(left_out[:, 0])
    had = np.bincount(own, weights=known, minlength=len(number)) > 0
    counted = np.broadcast_to(had[:, None], left_out.shape)
    return jackknife_reach(left_out, counted, confidence=confidence)


def _figure(value: float, reach: float, n: int, *, fisher: bool) -> Figure:
    if np.isnan(value):
        return Figure(value=None, low=None, high=None, n=n)
    if np.isnan(reach):
        return Figure(value=float(value), low=None, high=None, n=n)
    low, high = value - reach, value + reach
    if fisher:
        z = float(fisher_z(value))
        low, high = np.tanh(z - reach), np.tanh(z + reach)
    return Figure(
        value=float(value),
        low=float(max(-1.0, min(low, value))),
        high=float(min(1.0, max(high, value))),
        n=n,
    )
