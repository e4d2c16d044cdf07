"""How much a score would vary with other evaluators: the paper's bootstrap.

Zhou et al. (2019), section 3: as many evaluators as there are, drawn with replacement, 10,000
times; the standard deviation of the scores so obtained ("Std.") and their 95 % percentile
interval. Efron (1979), "Bootstrap methods: another look at the jackknife".

Beside it the bias-corrected and accelerated interval: Efron (1987), "Better bootstrap confidence
intervals", eq. 6.8, which allows for a score whose bootstrap distribution is skewed.

Resampling evaluators alone takes the images as given: it says nothing about other images.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import stats

from hype.errors import InputError

FloatArray = npt.NDArray[np.float64]

_CELLS = 2**18
"""Evaluators times draws held in memory at once; few enough for a processor's cache."""
_SEPARATOR = 256
"""Follows a name in the key of a stream: no byte of a name can be it."""


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Spread of a score over resampled evaluators, in the score's unit.

    Parameters
    ----------
    std
        Standard deviation of the bootstrap distribution (n - 1 in the denominator).
    ci_low, ci_high
        Percentile interval.
    bca_low, bca_high
        Bias-corrected and accelerated interval; None where there is none: all evaluators have the
        same score, or so few draws were made that all lie on one side of the score.
    confidence
        Coverage the intervals aim at, as a proportion.
    draws
        Number of resamples.
    """

    std: float
    ci_low: float
    ci_high: float
    bca_low: float | None = None
    bca_high: float | None = None
    confidence: float
    draws: int


def condition_rng(seed: int, name: str, purpose: str = "") -> np.random.Generator:
    """Give a condition its own stream of random numbers.

    The stream depends on the seed, the name and the purpose alone, so a condition that joins or
    leaves a study does not move the intervals of the others.
    """
    if seed < 0:
        raise InputError("seed", str(seed), "allowed is a whole number, 0 or more")
    key = [*name.encode(), *((_SEPARATOR, *purpose.encode()) if purpose else ())]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(key)))


def check_draws(draws: int) -> None:
    """Refuse fewer than two draws, which have no standard deviation."""
    if draws < 2:
        raise InputError("draws", str(draws), "allowed is a whole number, 2 or more")


def pooled_score(totals: FloatArray, weights: FloatArray, axis: int = -1) -> FloatArray:
    """Divide the evaluators' totals, summed along ``axis``, by their summed weights."""
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
    """Resample evaluators, and tell how their score varies.

    A score is the sum of the evaluators' totals over the sum of their weights: wrong judgements
    over judgements for a pooled rate, scores over ones for a mean.

    Parameters
    ----------
    totals, weights
        One number per evaluator, shape (evaluators,), for two evaluators or more; weights above 0.
    draws
        Number of resamples.
    rng
        Source of randomness.
    confidence
        Coverage the intervals are to have, as a proportion.

    Raises
    ------
    InputError
        For fewer than two draws.
    """
    check_draws(draws)
    totals, weights = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    own = totals / weights
    if np.all(own == own[0]):
        point = float(own[0])
        return Bootstrap(std=0.0, ci_low=point, ci_high=point, confidence=confidence, draws=draws)
    return _bootstrap(totals, weights, draws=draws, rng=rng, confidence=confidence)


def _bootstrap(
    totals: FloatArray,
    weights: FloatArray,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float,
) -> Bootstrap:
    # Where weights are equal the score is a mean, which takes half the time.
    alike = bool(np.all(weights == weights[0]))
    resample = partial(
        stats.bootstrap,
        (totals / weights,) if alike else (totals, weights),
        np.mean if alike else pooled_score,
        batch=max(1, _CELLS // len(totals)),
        vectorized=True,
        paired=True,
        confidence_level=confidence,
    )
    found = resample(n_resamples=draws, method="percentile", rng=rng)
    low, high = found.confidence_interval
    bca_low: float | None = None
    bca_high: float | None = None
    if _surrounded(pooled_score(totals, weights), found.bootstrap_distribution):
        again = resample(n_resamples=0, method="BCa", bootstrap_result=found)
        bca_low, bca_high = map(float, again.confidence_interval)
    return Bootstrap(
        std=float(found.standard_error),
        ci_low=float(low),
        ci_high=float(high),
        bca_low=bca_low,
        bca_high=bca_high,
        confidence=confidence,
        draws=draws,
    )


def _surrounded(score: FloatArray, drawn: FloatArray) -> bool:
    """Whether draws lie on both sides; else the correction for bias would be infinite."""
    return bool(drawn.min() <= score <= drawn.max())
