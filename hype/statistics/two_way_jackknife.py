"""Intervals of shares that depend on two kinds of things at once: on groups, and on people.

The jackknife (Tukey 1958; Efron 1982, "The jackknife, the bootstrap and other resampling plans")
leaves out one group after another, one person after another, and one ranking after another. The
first two variances are added, and the third is taken off, since what varies from one ranking to
the next is in both (Cameron, Gelbach & Miller 2011, "Robust inference with multiway clustering",
Journal of Business & Economic Statistics 29); the result is never below either of the two. Fewer
than three people say too little of people: then groups alone are left out. Ends are found on the
scale of log-odds, with Student's distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, stdtrit

from hype.statistics.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]

IntArray = npt.NDArray[np.int64]

FEWEST_PEOPLE: Final = 3

FEWEST_GROUPS: Final = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """What shares are made of, S of them; arrays of shape (parts,).

    Parameters
    ----------
    share
        To which share each part belongs: numbers from 0.
    above, below
        What it adds to the two sums whose ratio the share is.
    group, evaluator
        With which it would be gone.
    each
        In how many parts a person's answer is: 1, or 2 where a part is half of a pair of people.
    """

    share: IntArray
    above: FloatArray
    below: FloatArray
    group: IntArray
    evaluator: IntArray
    each: int = 1


def jackknifed(parts: Parts, shares: int, *, confidence: float) -> list[Estimate]:
    """Compute shares with their intervals.

    Of a share without parts the value is NaN; of a single group, or where it is 0 or 1, there is no
    interval.
    """
    above = np.bincount(parts.share, parts.above, minlength=shares).astype(float)
    below = np.bincount(parts.share, parts.below, minlength=shares).astype(float)
    own = np.divide(above, below, out=np.full(shares, np.nan), where=below > 0)
    groups, by_group = _variances(parts, parts.group, 1, above, below)
    people, by_person = _variances(parts, parts.evaluator, parts.each, above, below)
    ranking = parts.group * (int(parts.evaluator.max(initial=0)) + 1) + parts.evaluator
    _, number = np.unique(ranking, return_inverse=True)
    _, by_ranking = _variances(parts, number, parts.each, above, below)
    told = people >= FEWEST_PEOPLE
    both = np.maximum(np.maximum(by_group, by_person), by_group + by_person - by_ranking)
    variance = np.where(told, both, by_group)
    freedom = np.where(told, np.minimum(people, groups), groups) - 1
    variance[groups < FEWEST_GROUPS] = np.nan
    columns = (own.tolist(), variance.tolist(), freedom.tolist())
    return [_share(*each, confidence) for each in zip(*columns, strict=True)]


def _variances(
    parts: Parts, cluster: IntArray, each: int, above: FloatArray, below: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Count the clusters of each share, and give the jackknife's variance over them."""
    number, shares = int(cluster.max(initial=0)) + 1, len(above)
    keys, entry = np.unique(parts.share * number + cluster, return_inverse=True)
    share = keys // number
    gone = [each * np.bincount(entry, values) for values in (parts.above, parts.below)]
    clusters = np.bincount(share, minlength=shares)
    left = below[share] - gone[1]
    # Without the only cluster, or with one of two people, nothing is left to compute.
    known = left > 1e-9
    value = np.divide(above[share] - gone[0], left, out=np.zeros(len(keys)), where=known)
    usable = np.bincount(share, known, minlength=shares)
    mean = np.bincount(share, value * known, minlength=shares) / np.maximum(usable, 1)
    squares = np.bincount(share, known * np.square(value - mean[share]), minlength=shares)
    factor = (usable - 1) / np.maximum(usable, 1)
    return clusters, np.where(usable > 1, squares * factor, np.nan)


def _share(value: float, variance: float, freedom: int, confidence: float) -> Estimate:
    if not 0 < value < 1 or math.isnan(variance) or freedom < 1:
        return Estimate(value=value)
    centre = math.log(value / (1 - value))
    reach = -float(stdtrit(freedom, (1 - confidence) / 2))
    reach *= math.sqrt(variance) / (value * (1 - value))
    return Estimate(
        value=value, low=float(expit(centre - reach)), high=float(expit(centre + reach))
    )


def ratio_estimates(
    above: FloatArray, below: FloatArray, *, share: bool, confidence: float
) -> list[Estimate | None]:
    """Divide sums over units.

    Parameters
    ----------
    above, below
        What each unit adds to the two sums of each ratio, shape (units, ratios).
    share
        Whether the ratios are shares, from 0 to 1; else they are 1 and more.
    confidence
        Coverage that intervals aim at, as a proportion.

    Returns
    -------
    list
        None where nothing is to be divided by. Ends are None where fewer than two units add to a
        ratio, and where a share is 0 or 1.
    """
    whole, units = below.sum(axis=0), np.count_nonzero(below, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = above.sum(axis=0) / whole
        squares = np.square(above - own * below).sum(axis=0) / np.square(whole)
        errors = np.sqrt(squares * units / (units - 1))
        reach = -stdtrit(units - 1.0, (1 - confidence) / 2) * errors
        if share:
            ends = [expit(logit(own) + sign * reach / (own * (1 - own))) for sign in (-1, 1)]
        else:
            ends = [np.maximum(own - reach, 1), own + reach]
    return _estimates(own, *ends)


def _estimates(own: FloatArray, low: FloatArray, high: FloatArray) -> list[Estimate | None]:
    columns: Sequence[list[float]] = (own.tolist(), low.tolist(), high.tolist())
    return [
        None
        if math.isnan(value)
        else Estimate(
            value=value,
            low=begin if math.isfinite(begin) else None,
            high=end if math.isfinite(end) else None,
        )
        for value, begin, end in zip(*columns, strict=True)
    ]
