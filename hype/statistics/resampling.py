"""The paper's bootstrap: how much a score would vary with other evaluators.

Zhou et al. (2019), section 3: the evaluators are resampled with replacement 10,000 times; this
gives the standard deviation of the scores ("Std.") and their 95 % percentile interval. Efron
(1979), "Bootstrap methods: another look at the jackknife".

The bias-corrected and accelerated interval is computed too: Efron (1987), "Better bootstrap
confidence intervals", eq. 6.8. It allows for a skewed bootstrap distribution. Only evaluators are
resampled, so the intervals do not generalise to other images.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import expit, stdtrit

from hype.errors import InputError
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.estimate import Estimate

_CELLS = 2**18
"""The maximum of evaluators × draws in memory at once; this many fit into a processor's cache."""

_SEPARATOR = 256
"""Separates name and purpose in a random stream's key. No byte has this value: keys are unique."""


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Spread of a score over resampled evaluators, in the score's unit."""

    std: float  # standard deviation of the bootstrap distribution, with n - 1 in the denominator
    # ci_low, ci_high: percentile interval
    ci_low: float
    ci_high: float
    # bca_low, bca_high: bias-corrected and accelerated interval; None if all evaluators have the
    # same score, or if all draws are on one side of the score
    bca_low: float | None = None
    bca_high: float | None = None
    confidence: float  # coverage of the intervals, as a proportion
    draws: int


def condition_rng(seed: int, name: str, purpose: str = "") -> np.random.Generator:
    """Give a condition its own stream of random numbers.

    The stream depends only on the seed, the name and the purpose, so the intervals of other
    conditions stay the same if a condition joins or leaves a study.
    """
    if seed < 0:
        raise InputError("seed", str(seed), "it must be a whole number, 0 or more")
    key = [*name.encode(), *((_SEPARATOR, *purpose.encode()) if purpose else ())]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(key)))


def check_draws(draws: int) -> None:
    """Refuse fewer than two draws, since they have no standard deviation."""
    if draws < 2:
        raise InputError("draws", str(draws), "it must be a whole number, 2 or more")


def pool_scores(totals: FloatArray, weights: FloatArray, axis: int = -1) -> FloatArray:
    """Return the sum of the totals over the sum of the weights, along ``axis``."""
    scores: FloatArray = totals.sum(axis=axis) / weights.sum(axis=axis)
    return scores


def bootstrap(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Bootstrap:
    """Resample evaluators, and measure how their score varies.

    A score is the sum of the evaluators' totals over the sum of their weights. For a pooled rate,
    these are the numbers of wrong judgements and of all judgements; for a mean, scores and 1.

    ``totals``, ``weights``: a number for each of at least two evaluators; weights are above 0.
    InputError if there are fewer than two draws.
    """
    check_draws(draws)
    totals, weights = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    own = totals / weights
    if np.all(own == own[0]):
        point = float(own[0])
        return Bootstrap(std=0.0, ci_low=point, ci_high=point, confidence=confidence, draws=draws)
    # With equal weights the score is a mean, which is computed twice as fast.
    is_equal = bool(np.all(weights == weights[0]))
    resample = partial(
        scipy.stats.bootstrap,  # scipy loads this part only when used
        (totals / weights,) if is_equal else (totals, weights),
        np.mean if is_equal else pool_scores,
        batch=max(1, _CELLS // len(totals)),
        vectorized=True,
        paired=True,
        confidence_level=confidence,
    )
    interval = resample(n_resamples=draws, method="percentile", rng=rng)
    low, high = interval.confidence_interval
    bca_low: float | None = None
    bca_high: float | None = None
    drawn = interval.bootstrap_distribution
    # BCa's ends would be infinite if all draws were on one side of the score
    if drawn.min() <= pool_scores(totals, weights) <= drawn.max():
        again = resample(n_resamples=0, method="BCa", bootstrap_result=interval)
        bca_low, bca_high = map(float, again.confidence_interval)
    return Bootstrap(
        std=float(interval.standard_error),
        ci_low=float(low),
        ci_high=float(high),
        bca_low=bca_low,
        bca_high=bca_high,
        confidence=confidence,
        draws=draws,
    )


FEWEST_CLUSTERS: Final = 3
"""With fewer evaluators than this, the data do not show how much people differ."""

Item = TypeVar("Item")

Result = TypeVar("Result")


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a pure function to each item, on all cores; results are in the order of the items."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(function, items))


FEWEST_PEOPLE: Final = 3
"""The agreement of two people has no interval: if one of them is left out, no pair remains."""
FEWEST_ITEMS: Final = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """The parts from which shares are computed; all arrays have shape (parts,)."""

    share: IntArray  # the number of the share that each part belongs to, from 0
    # above, below: what the part adds to the numerator and the denominator of its share
    above: FloatArray
    below: FloatArray
    # item, evaluator: the item and evaluator of each part; item is None if items are fixed
    item: IntArray | None
    evaluator: IntArray
    # 2 if a pair's part is halved between two people: leaving out one removes both halves; else 1
    each: int = 1


def jackknife_shares(parts: Parts, shares: int, *, confidence: float) -> list[Estimate]:
    """Compute shares with their intervals.

    A share without parts is NaN. A share from two people or a single item, and a share of 0 or 1,
    has no interval.
    """
    above = np.bincount(parts.share, parts.above, minlength=shares).astype(float)
    below = np.bincount(parts.share, parts.below, minlength=shares).astype(float)
    own = np.divide(above, below, out=np.full(shares, np.nan), where=below > 0)
    people, variance = _variances(parts, parts.evaluator, parts.each, above, below)
    freedom, known = people - 1, people >= FEWEST_PEOPLE
    if parts.item is not None:
        items, by_item = _variances(parts, parts.item, 1, above, below)
        cell = parts.item * (int(parts.evaluator.max(initial=0)) + 1) + parts.evaluator
        _, number = np.unique(cell, return_inverse=True)
        _, by_cell = _variances(parts, number, parts.each, above, below)
        variance = np.maximum(np.maximum(by_item, variance), by_item + variance - by_cell)
        freedom, known = np.minimum(freedom, items - 1), known & (items >= FEWEST_ITEMS)
    rows = zip(own.tolist(), np.where(known, variance, np.nan), freedom.tolist(), strict=True)
    return [_share(*each, confidence) for each in rows]


def _variances(
    parts: Parts, cluster: IntArray, each: int, above: FloatArray, below: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Count the clusters of each share, and compute the jackknife's variance over them."""
    number, shares = int(cluster.max(initial=0)) + 1, len(above)
    keys, entry = np.unique(parts.share * number + cluster, return_inverse=True)
    share = keys // number
    gone = [each * np.bincount(entry, values) for values in (parts.above, parts.below)]
    clusters = np.bincount(share, minlength=shares)
    left = below[share] - gone[1]
    # Without its only cluster, or without one of two people, a share cannot be computed.
    is_defined = left > 1e-9
    value = np.divide(above[share] - gone[0], left, out=np.zeros(len(keys)), where=is_defined)
    usable = np.bincount(share, is_defined, minlength=shares)
    mean = np.bincount(share, value * is_defined, minlength=shares) / np.maximum(usable, 1)
    squares = np.bincount(share, is_defined * np.square(value - mean[share]), minlength=shares)
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
