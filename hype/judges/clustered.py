"""Standard errors of a mean of influences, over units that have several rows each.

An answer of a judge is met with the ratings of several people, and a person rates many items, so
that rows are alike in two ways. The variance is that over evaluators and that over items, less what
both count (Cameron, Gelbach & Miller 2011, "Robust inference with multiway clustering", Journal of
Business & Economic Statistics 29, eq. 2.4), and never less than either.

Cohen's κ (1960, "A coefficient of agreement for nominal scales") and weighted κ (1968, "Weighted
kappa") have such intervals too. The influence of a row on κ is its derivative, as in Fleiss, Cohen
& Everitt (1969), whose standard error comes out where each row is a unit of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import special

from hype.judges.results import CountedEstimate
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import Correlation, correlation, fisher_z, z_error
from hype.statistics.crossed import Error
from hype.statistics.proportions import crossed_share
from hype.statistics.resampling import FEWEST_CLUSTERS

_NONE: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class RowUnits:
    """Whose, and of what, each row is, as numbers from 0."""

    evaluator: IntArray | None  # shape (n,); None where unknown
    # Shape (n,); None where each item has one row, so that evaluators say it all
    item: IntArray | None

    def of(self, rows: BoolArray) -> RowUnits:
        if rows.all():
            return self
        kept = [None if each is None else each[rows] for each in (self.evaluator, self.item)]
        return RowUnits(evaluator=kept[0], item=kept[1])

    @cached_property
    def ways(self) -> list[tuple[IntArray, int]]:
        """The groupings that have enough groups to learn from, and how many these are."""
        given = [each for each in (self.evaluator, self.item) if each is not None and each.size]
        sized = [(each, int(np.count_nonzero(np.bincount(each)))) for each in given]
        return [each for each in sized if each[1] >= FEWEST_CLUSTERS]


def mean_error(
    influence: FloatArray, units: RowUnits, of_items: FloatArray | None = None
) -> tuple[float, int | None]:
    """Give the standard error of a mean, and the degrees of freedom; None for a normal.

    ``influence``: what each row adds, its mean taken off; shape (n,).
    ``units``: whose rows they are.
    ``of_items``: what each row adds to the sum of its item, where that is something else.
    """
    rows = len(influence)
    own = float((influence**2).sum()) / rows**2
    ways = units.ways
    if not ways:
        return float(np.sqrt(own)), None
    each: list[float] = []
    sizes: list[int] = []
    for codes, number in ways:
        is_item = codes is units.item and of_items is not None
        sums = np.bincount(codes, weights=of_items if is_item else influence)
        sizes.append(number)
        each.append(float((sums**2).sum()) / rows**2 * number / (number - 1))
    return _two_ways(each, own), min(sizes) - 1


def variance_of_people(adds: FloatArray, units: RowUnits) -> float:
    """Give the variance of a mean between people, by products of answers of one person.

    ``adds``: what each row adds. May be below 0. A judge is one, as a person is, and no two people
    answer alike.
    """
    if units.evaluator is None:
        return 0.0
    sums, rows = np.bincount(units.evaluator, weights=adds), np.bincount(units.evaluator)
    products, pairs = float((sums**2).sum() - (adds**2).sum()), float((rows * (rows - 1)).sum())
    return products / pairs if pairs else 0.0


def figure(
    value: float,
    influence: FloatArray,
    units: RowUnits,
    confidence: float,
    of_items: FloatArray | None = None,
) -> CountedEstimate:
    """Give an estimate with its interval, kept between −1 and 1."""
    error, df = mean_error(influence, units, of_items)
    half = _quantile(df, confidence) * error
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return CountedEstimate(value=value, low=low, high=high, n=len(influence))


def r_figure(
    r: float,
    influence: FloatArray,
    units: RowUnits,
    confidence: float,
    of_items: FloatArray | None = None,
) -> CountedEstimate:
    """Give a correlation with its interval, which is symmetric on Fisher's scale."""
    error, df = mean_error(influence, units, of_items)
    z = float(fisher_z(r))
    half = _quantile(df, confidence) * error / max(_NONE, 1 - r * r)
    low, high = float(np.tanh(z - half)), float(np.tanh(z + half))
    return CountedEstimate(value=r, low=min(low, r), high=max(high, r), n=len(influence))


def share(hits: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Give the mean of shares from 0 to 1, with its interval."""
    return share_and_p(hits, units, confidence)[0]


def share_and_p(
    hits: FloatArray, units: RowUnits, confidence: float
) -> tuple[CountedEstimate, float | None]:
    """Give the mean of shares from 0 to 1, with its interval, and the p of one half.

    As `CrossedShare` has them, so that all and nothing have intervals too.
    """
    number = len(hits)
    if not number:
        return CountedEstimate(value=None, low=None, high=None, n=0), None
    value = float(hits.mean())
    error, df = mean_error(hits - value, units)
    freedom = np.inf if df is None else float(df)
    estimated = crossed_share(
        value,
        number,
        Error(variance=error**2, freedom=freedom, of_items=0.0),
        people=max(2, number if df is None else df + 1),
    )
    ends = estimated.estimate(confidence)
    return CountedEstimate(value=value, low=ends.low, high=ends.high, n=number), estimated.p


def two_way_correlation(
    x: FloatArray, y: FloatArray, units: RowUnits, confidence: float
) -> tuple[Correlation, float | None]:
    """Correlate a judge's answers with ratings; give the two-sided p of no correlation as well.

    ``x``, ``y``: shape (n,), complete.
    ``units``: whose rows they are. With evaluators alone this is `correlation`.
    """
    ways = [codes for codes, _ in units.ways]
    people, item = (*ways, None, None)[:2]
    estimate = correlation(x, y, people, item, confidence=confidence)
    if estimate.r is None or estimate.low is None:
        return estimate, None
    z = float(fisher_z(estimate.r))
    if people is None:
        return estimate, two_sided(z, 1 / np.sqrt(estimate.n - 3), None)
    error = z_error(x, y, people, item)
    return estimate, None if error is None else error.p(z)


def _two_ways(variances: list[float], own: float) -> float:
    if len(variances) == 1:
        return float(np.sqrt(variances[0]))
    return float(np.sqrt(max(sum(variances) - own, *variances)))


def _quantile(df: int | None, confidence: float) -> float:
    tail = (1 + confidence) / 2
    return float(special.ndtri(tail) if df is None else special.stdtrit(df, tail))


def two_sided(value: float, error: float, df: int | None) -> float:
    """Give p of an estimate against zero: by t, or by the normal where `df` is None."""
    return min(1.0, 2 * above(abs(value), error, df))


def above(value: float, error: float, df: int | None) -> float:
    """Give the one-sided p of an estimate being no more than zero."""
    if error < _NONE:
        return 0.5 if abs(value) < _NONE else float(value < 0)
    return float(special.ndtr(-value / error) if df is None else special.stdtr(df, -value / error))


_NOTHING_LEFT = 1e-12


def as_names(levels: int) -> FloatArray:
    """Weigh answers as names: 1 for equal ones, 0 for others."""
    return np.eye(levels)


def quadratic(levels: int) -> FloatArray:
    """Weigh answers by the square of how far they are apart, 1 for equal ones, 0 for the ends."""
    away = np.subtract.outer(np.arange(levels), np.arange(levels)) / max(1, levels - 1)
    weights: FloatArray = 1 - away**2
    return weights


def kappa_of(
    a: IntArray, b: IntArray, weights: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Compute κ of two columns.

    ``a``, ``b``: numbers of the answers, from 0; shape (n,).
    ``weights``: how much two answers agree, from 0 to 1; shape (levels, levels).
    ``units``: whose rows they are.

    The result has no value where there is no row, or chance alone would have both agree.
    """
    if not a.size:
        return CountedEstimate(value=None, low=None, high=None, n=0)
    levels = len(weights)
    p = np.bincount(a * levels + b, minlength=levels * levels).reshape(levels, levels) / a.size
    of_a, of_b = weights @ p.sum(axis=0), p.sum(axis=1) @ weights
    observed, expected = float((weights * p).sum()), float(p.sum(axis=1) @ of_a)
    left = float(p.sum(axis=1) @ (1 - weights) @ p.sum(axis=0))
    if left < _NOTHING_LEFT:
        return CountedEstimate(value=None, low=None, high=None, n=int(a.size))
    moved = of_a[:, None] + of_b[None, :] - 2 * expected
    influence = ((weights - observed) * left - (1 - observed) * moved) / left**2
    kappa = 1 - float(((1 - weights) * p).sum()) / left  # so that who always agrees has exactly 1
    return figure(kappa, influence[a, b], units, confidence)
