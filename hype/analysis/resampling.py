"""How much a score would vary with other evaluators: the paper's bootstrap.

Zhou et al. (2019), section 3: as many evaluators as there are, drawn with replacement, 10,000
times; the standard deviation of the scores so obtained ("Std.") and their 95 % percentile
interval. Efron (1979), "Bootstrap methods: another look at the jackknife".

Resampling evaluators alone takes the images as given: it says nothing about other images.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

FloatArray = npt.NDArray[np.float64]

_CELLS = 2**20
"""Evaluators times draws held in memory at once."""


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Spread of a score over resampled evaluators, in the score's unit.

    Parameters
    ----------
    std
        Standard deviation of the bootstrap distribution (n - 1 in the denominator).
    ci_low, ci_high
        Percentile interval.
    confidence
        Coverage the interval aims at, as a proportion.
    draws
        Number of resamples.
    """

    std: float
    ci_low: float
    ci_high: float
    confidence: float
    draws: int


def condition_rng(seed: int, name: str) -> np.random.Generator:
    """Give a condition its own stream of random numbers.

    The stream depends on the seed and the name alone, so a condition that joins or leaves a
    study does not move the intervals of the others.
    """
    if seed < 0:
        raise InputError("seed", str(seed), "allowed is a whole number, 0 or more")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(name.encode())))


def resampled_scores(
    totals: npt.ArrayLike, weights: npt.ArrayLike, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Score resampled evaluators.

    A score is the sum of the evaluators' totals over the sum of their weights: wrong judgements
    over judgements for a pooled rate, scores over ones for a mean.

    Parameters
    ----------
    totals, weights
        One number per evaluator, shape (evaluators,); weights above 0.
    draws
        Number of resamples.
    rng
        Source of randomness.

    Returns
    -------
    ndarray
        Shape (draws,), in the unit of totals over weights.
    """
    totals, weights = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    scores = np.empty(draws)
    step = max(1, _CELLS // len(totals))
    for start in range(0, draws, step):
        size = (min(step, draws - start), len(totals))
        drawn = rng.integers(len(totals), size=size)
        scores[start : start + step] = totals[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    return scores


def bootstrap(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Bootstrap:
    """Summarise `resampled_scores` by standard deviation and percentile interval.

    Raises
    ------
    InputError
        For fewer than two draws.
    """
    if draws < 2:
        raise InputError("draws", str(draws), "allowed is a whole number, 2 or more")
    scores = resampled_scores(totals, weights, draws=draws, rng=rng)
    tail = (1 - confidence) / 2
    low, high = np.quantile(scores, (tail, 1 - tail))
    return Bootstrap(
        std=float(scores.std(ddof=1)),
        ci_low=float(low),
        ci_high=float(high),
        confidence=confidence,
        draws=draws,
    )
