"""Standard errors of a mean of influences, over units that have several rows each.

An answer of a judge is met with the ratings of several people, and a person rates many items, so
that rows are alike in two ways. The variance is that over evaluators and that over items, less what
both count (Cameron, Gelbach & Miller 2011, "Robust inference with multiway clustering", Journal of
Business & Economic Statistics 29, eq. 2.4), and never less than either.

κ has such intervals too; its standard error is that of Fleiss, Cohen & Everitt (1969) where each
row is a unit of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hype.judges.results import CountedEstimate
from hype.statistics.agreement import kappa_and_influence
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation
from hype.statistics.crossed import Error
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import crossed_share, within_one
from hype.statistics.resampling import FEWEST_CLUSTERS

_FLAT = 1e-12


@dataclass(frozen=True, kw_only=True)
class RowUnits:
    """Whose, and of what, each row is, as numbers from 0."""

    evaluator: IntArray | None = None  # shape (n,); None if unknown
    # Shape (n,); None if each item has one row, so that evaluators say it all
    item: IntArray | None = None

    def of(self, rows: BoolArray | IntArray) -> RowUnits:
        if rows.dtype == bool and rows.all():
            return self
        kept = [None if each is None else each[rows] for each in (self.evaluator, self.item)]
        return RowUnits(evaluator=kept[0], item=kept[1])

    @cached_property
    def ways(self) -> list[tuple[IntArray, int]]:
        """The groupings that have enough groups to learn from, and how many these are."""
        given = [each for each in (self.evaluator, self.item) if each is not None and each.size]
        sized = [(each, int(np.count_nonzero(np.bincount(each)))) for each in given]
        return [each for each in sized if each[1] >= FEWEST_CLUSTERS]


def mean_error(influence: FloatArray, units: RowUnits, of_items: FloatArray | None = None) -> Error:
    """Give the error of a mean; its degrees of freedom are infinite where rows are the units.

    ``influence``: what each row adds, its mean taken off; shape (n,).
    ``units``: whose rows they are.
    ``of_items``: what each row adds to the sum of its item, where that is something else.
    """
    rows = len(influence)
    own = float((influence**2).sum()) / rows**2
    each: list[float] = []
    for codes, number in units.ways:
        is_item = codes is units.item and of_items is not None
        sums = np.bincount(codes, weights=of_items if is_item else influence)
        each.append(float((sums**2).sum()) / rows**2 * number / (number - 1))
    both = [sum(each) - own] if len(each) == 2 else []
    return Error(
        variance=max([*both, *each], default=own),
        freedom=min((number - 1.0 for _, number in units.ways), default=np.inf),
        of_items=0.0,
    )


def estimate_difference(
    value: float, influence: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Give a difference of two means with its interval."""
    reach = mean_error(influence, units).reach(confidence)
    return CountedEstimate(value=value, low=value - reach, high=value + reach, n=len(influence))


def estimate_within_one(
    value: float,
    influence: FloatArray,
    units: RowUnits,
    confidence: float,
    of_items: FloatArray | None = None,
) -> CountedEstimate:
    """Return κ or a correlation with its interval; no interval if it is −1 or 1.

    ``of_items``: as in `mean_error`, where people are met with each other. There is no interval
    where these or the items are then unknown, or too few to learn from.
    """
    low, high = None, None
    if of_items is None or len(units.ways) == 2:
        low, high = within_one(value, mean_error(influence, units, of_items).reach(confidence))
    return CountedEstimate(value=value, low=low, high=high, n=len(influence))


def ends_of_difference(
    judge: Estimate, person: Estimate, errors: Sequence[Error]
) -> tuple[float | None, float | None]:
    """Give the ends of a difference of two figures from those of each.

    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. A judge's figure has a most: the nearer it is, the less it varies, and the farther below it
    the truth may be. ``errors``: of the judge's, the person's, and the difference.
    """
    if judge.low is None or judge.high is None or person.low is None or person.high is None:
        return None, None
    of_judge, of_person, of_both = (error.standard for error in errors)
    product = max(of_judge * of_person, _FLAT)
    together = (of_judge**2 + of_person**2 - of_both**2) / product

    def reach(up: float, down: float) -> float:
        return float(np.sqrt(max(0.0, up**2 + down**2 - together * up * down)))

    below = reach(judge.value - judge.low, person.high - person.value)
    above = reach(judge.high - judge.value, person.value - person.low)
    difference = judge.value - person.value
    return difference - below, difference + above


def estimate_share(hits: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Give the mean of shares from 0 to 1, with its interval.

    As `CrossedShare` has it, so that all and nothing have intervals too.
    """
    number = len(hits)
    if not number:
        return CountedEstimate(n=0)
    value = float(hits.mean())
    error = mean_error(hits - value, units)
    people = number if np.isinf(error.freedom) else int(error.freedom) + 1
    ends = crossed_share(value, number, error, people=max(2, people)).estimate(confidence)
    return CountedEstimate(value=value, low=ends.low, high=ends.high, n=number)


def correlate(x: FloatArray, y: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Correlate a judge's answers with ratings, complete and of shape (n,)."""
    people, item = (*(codes for codes, _ in units.ways), None, None)[:2]
    found = correlation(x, y, people, item, confidence=confidence)
    return CountedEstimate(value=found.r, low=found.low, high=found.high, n=found.n)


def kappa_of(
    a: IntArray, b: IntArray, weights: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Compute κ of two columns.

    ``a``, ``b``: numbers of the answers, from 0; shape (n,).
    ``weights``: how much two answers agree, from 0 to 1; shape (levels, levels).
    ``units``: whose rows they are.

    The result has no value where there is no row, or chance alone would have both agree.
    """
    levels = len(weights)
    joint = np.bincount(a * levels + b, minlength=levels * levels).reshape(levels, levels)
    kappa, influence = kappa_and_influence(joint / max(1, a.size), weights)
    if kappa is None:
        return CountedEstimate(n=int(a.size))
    return estimate_within_one(kappa, influence[a, b], units, confidence)
