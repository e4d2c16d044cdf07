"""Which of two strengths is greater: every two compared, and all pairs together err with alpha.

A difference of two strengths is held against its crossed standard error, with Student's t
(`hype.statistics.crossed`). Over all pairs p is that of max-|t| with the estimated correlation of
the contrasts (Hothorn, Bretz and Westfall 2008, "Simultaneous inference in general parametric
models", Biometrical Journal 50): how often any p would be as small if all were equal. Each pair has
an error and degrees of freedom of its own, so that p are as correlated as those of normal variables
and have no divisor in common (Conneely and Boehnke 2007, "So many correlated tests, so little
time!", American Journal of Human Genetics 81). It steps down: pairs that are told apart already
cost the others nothing (Westfall and Young 1993, "Resampling-based multiple testing", algorithm
2.8; Romano and Wolf 2005), so that it finds at least what Holm's rule does. Normal variables are
drawn, with a fixed seed.

Of fewer than `FEWEST_PEOPLE`, of fewer than `FEWEST_ITEMS` where these are a sample, and of no more
of either than there are conditions, correlations are not known: p is then Holm's (1979, "A simple
sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6). Two are
equivalent where two one-sided tests show that they differ by less than a margin (Schuirmann 1987),
by Holm's rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy import special

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Crossed, Errors
from hype.statistics.proportions import holm

FEWEST_PEOPLE: Final = 10
FEWEST_ITEMS: Final = 20
DRAWS: Final = 10_000
SEED: Final = 2008
_AT_ONCE: Final = 2**22

Rule = Literal["max-t", "holm"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences:
    """Every two of K estimates; arrays of shape (pairs,), in the order of `np.triu_indices`."""

    first: IntArray
    second: IntArray
    difference: FloatArray
    errors: Errors
    p: FloatArray  # of each by itself; NaN where nothing varies
    p_adjusted: FloatArray  # over all pairs
    p_equivalent: FloatArray | None  # over all pairs, by Holm's rule; None without a margin


def compare_all(
    values: FloatArray, crossed: Crossed, rule: Rule, margin: float | None = None
) -> Differences:
    """Compare every two estimates."""
    first, second = np.triu_indices(len(values), 1)
    difference = values[first] - values[second]
    contrasts, pairs = np.zeros((len(values), len(first))), np.arange(len(first))
    contrasts[first, pairs], contrasts[second, pairs] = 1.0, -1.0
    errors = crossed.errors(contrasts, first, second)
    p = errors.p(difference)
    adjusted = holm(p)
    if rule == "max-t" and not np.isnan(p).any():
        adjusted = np.clip(stepped_down(p, crossed.covariance()), p, adjusted)
    return Differences(
        first=first,
        second=second,
        difference=difference,
        errors=errors,
        p=p,
        p_adjusted=adjusted,
        p_equivalent=None if margin is None else holm(errors.p_within(difference, margin)),
    )


def rule_of(people: int, items: int | None, conditions: int) -> Rule:
    """Say by which rule so many people, and items that are a sample, have all pairs tested."""
    few = people < max(FEWEST_PEOPLE, conditions + 1)
    return "holm" if few or (items or np.inf) < max(FEWEST_ITEMS, conditions + 1) else "max-t"


def stepped_down(p: FloatArray, covariance: FloatArray) -> FloatArray:
    """Give p for all pairs together; ``p``: of each, ``covariance``: of the estimates."""
    first, second = (each[np.argsort(p)] for each in np.triu_indices(len(covariance), 1))
    variances, axes = np.linalg.eigh(covariance)
    root = (axes * np.sqrt(np.maximum(variances, 0.0))).astype(np.float32)
    spread = np.sqrt(np.square(root[first] - root[second]).sum(axis=1))
    reached = -special.ndtri(np.sort(p) / 2)
    rng, as_great = np.random.default_rng(SEED), np.zeros(len(p))
    size = max(1, min(DRAWS, _AT_ONCE // len(first)))
    for number in np.diff([*range(0, DRAWS, size), DRAWS]):
        drawn = rng.standard_normal((number, len(covariance)), dtype=np.float32) @ root.T
        sizes = np.abs(drawn[:, first] - drawn[:, second]) / spread
        greatest = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]
        as_great += (greatest >= reached).sum(axis=0)
    adjusted = np.empty(len(p))
    adjusted[np.argsort(p)] = np.maximum.accumulate(as_great / DRAWS)
    return adjusted
