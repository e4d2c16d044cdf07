"""Krippendorff's α of comparisons: chance is what is usual for the two conditions.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability", compares the disagreement within
units with that among all values, whichever unit they belong to. The values of a comparison are
relative to it, first or second, and which of its two conditions is called first is arbitrary. With
one arbitrary order for a whole study, the disagreement expected by chance, and so α, depends on
names: where a is chosen over b and over c by coins of 80 %, and likewise b over c, α is 0; call a
"z", and the first is chosen in one pair and the second in two, more disagreement is expected, and
the same answers have an α well above 0. With an order drawn for each unit expected disagreement is
one half, and everybody's deciding by the same coin of 60 % has an α of 1 - .48/.50 = .04: it counts
as agreement that one condition is chosen more often.

Here both disagreements are summed over pairs of conditions, and the expected one is that among
values of the same pair (stratified chance, as for κ in Barlow, Lai & Azen 1991, "A comparison of
methods for calculating a stratified kappa", Statistics in Medicine 10). Names do not matter; α is 0
where everybody answers by the same coin, whatever the coin of each pair; 1 where all agree on every
unit; and Krippendorff's own where there are two conditions. It tells agreement on which *images* of
a condition are better than those of the other. Beside it stands the α of the drawn order,
`even_alpha`, 2·(observed agreement) - 1 without ties, which is Bennett, Alpert & Goldstein's S
(1954, "Communications through limited response questioning"), and counts agreement on the
conditions too.

A pair of conditions with few units has its expected disagreement mostly from within them, which
draws α towards 0; one with a single unit tells nothing and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

BOOTSTRAP: Final = "bootstrap"
LINEARISED: Final = "linearised"

_CELLS: Final = 2**22
"""Patterns times draws held in memory at once."""
_FEW_UNITS: Final = 50
"""Units per pair of conditions; with so many, a resample expects a fiftieth too little."""
_MOST_CELLS: Final = 2**25
"""More of them take seconds, and then so many units make the linearised interval good."""


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitCounts:
    """How often each unit was given each value.

    Parameters
    ----------
    counts
        Shape (units, values); each unit has two values or more.
    stratum
        The pair of conditions of each, numbers from 0; shape (units,).
    """

    counts: IntArray
    stratum: IntArray

    def telling(self) -> UnitCounts:
        kept = np.bincount(self.stratum, minlength=1)[self.stratum] >= 2
        _, stratum = np.unique(self.stratum[kept], return_inverse=True)
        return UnitCounts(counts=self.counts[kept], stratum=stratum)

    def one_stratum(self) -> UnitCounts:
        return replace(self, stratum=np.zeros_like(self.stratum))


def stratified_alpha(units: UnitCounts) -> float | None:
    """Compute α; None where no disagreement is expected by chance."""
    observed, expected = _disagreements(units)
    return 1 - float(observed) / float(expected) if expected > 0 else None


def even_alpha(units: UnitCounts) -> float | None:
    """Compute α where each unit's order is drawn, as the mean over all draws; None without units.

    Either condition is then first in one half of all values, and ties are what they are.
    """
    if not len(units.counts):
        return None
    totals = units.counts.sum(axis=0)
    values = totals.sum()
    even = np.array([(totals[0] + totals[1]) / 2] * 2 + [totals[2]])
    expected = 1 - (np.square(even).sum() / values**2)
    return 1 - float(_within(units.counts).sum() / values / expected) if expected > 0 else None


def observed_agreement(units: UnitCounts) -> float | None:
    """Give the share of pairs of answers to the same unit that agree; None without units.

    Units count by their answers, as in α.
    """
    values = units.counts.sum()
    return 1 - float(_within(units.counts).sum() / values) if values else None


def alpha_interval(
    units: UnitCounts, *, draws: int, rng: np.random.Generator, confidence: float
) -> tuple[float, float, str] | None:
    """Give an interval of α over resampled units, and how it was found.

    As many units as there are, drawn with replacement (Zapf et al. 2016, "Measuring inter-rater
    reliability for nominal data"); percentiles. Where pairs of conditions have few units each,
    resamples repeat units within them, and their expected disagreement is too small. There, and
    where the units are of so many kinds that this would take long, the variance is linearised
    (Efron 1982, "The jackknife, the bootstrap and other resampling plans", chapter 6), and the
    distribution taken to be normal.

    Returns
    -------
    tuple or None
        Low, high, and `BOOTSTRAP` or `LINEARISED`; None where more resamples have no α than a tail
        holds.
    """
    keys = np.column_stack([units.stratum, units.counts])
    patterns, repeats = np.unique(keys, axis=0, return_counts=True)
    kinds = UnitCounts(counts=patterns[:, 1:], stratum=patterns[:, 0])
    tail = (1 - confidence) / 2
    few = len(units.counts) < _FEW_UNITS * (int(units.stratum.max()) + 1)
    # A single pair has nothing to be pooled with, and Krippendorff's own bootstrap.
    if len(patterns) * draws > _MOST_CELLS or (few and units.stratum.any()):
        return (*_linearised(kinds, repeats, tail), LINEARISED)
    alphas = _resampled(kinds, repeats, draws, rng)
    if np.isnan(alphas).mean() > tail:
        return None
    low, high = np.nanquantile(alphas, (tail, 1 - tail))
    return float(low), float(high), BOOTSTRAP


def _within(counts: IntArray) -> FloatArray:
    """Give each unit's disagreement: of its values, those that differ from another one of it."""
    n = counts.sum(axis=1)
    return np.asarray((n * n - np.square(counts).sum(axis=1)) / (n - 1), dtype=float)


def _disagreements(
    units: UnitCounts, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Sum observed and expected disagreement, for each row of weights of the units."""
    weighed = np.ones((1, len(units.counts))) if weights is None else weights
    strata = int(units.stratum.max(initial=-1)) + 1
    belongs = _indicator(units.stratum, strata)
    observed = weighed @ _within(units.counts)
    values = [_by_stratum(weighed * column, belongs) for column in units.counts.T.astype(float)]
    n = np.sum(values, axis=0)
    apart = n * n - sum(np.square(value) for value in values)
    expected = np.divide(apart, n - 1, out=np.zeros_like(n), where=n > 1).sum(axis=1)
    if weights is None:
        return observed[0], expected[0]
    return observed, expected


def _indicator(stratum: IntArray, strata: int) -> tuple[IntArray, IntArray]:
    order = np.argsort(stratum, kind="stable")
    return order, np.searchsorted(stratum[order], np.arange(strata))


def _by_stratum(values: FloatArray, belongs: tuple[IntArray, IntArray]) -> FloatArray:
    order, starts = belongs
    if not len(starts):
        return np.zeros((len(values), 0))
    return np.asarray(np.add.reduceat(values[:, order], starts, axis=1))


def _resampled(
    kinds: UnitCounts, repeats: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    units, step = int(repeats.sum()), max(1, _CELLS // len(repeats))
    alphas = np.empty(draws)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = rng.multinomial(units, repeats / units, size=size).astype(float)
        observed, expected = _disagreements(kinds, drawn)
        some = expected > 0
        ratio = np.divide(observed, expected, out=np.full(size, np.nan), where=some)
        alphas[start : start + size] = 1 - ratio
    return alphas


def _linearised(kinds: UnitCounts, repeats: IntArray, tail: float) -> tuple[float, float]:
    """Let one more unit of each kind move α, and sum what the moves vary by."""
    weights = repeats.astype(float)
    observed, expected = (float(sums[0]) for sums in _disagreements(kinds, weights[None, :]))
    strata = int(kinds.stratum.max()) + 1
    of_stratum = np.zeros((strata, kinds.counts.shape[1]))
    np.add.at(of_stratum, kinds.stratum, kinds.counts * weights[:, None])
    n = of_stratum.sum(axis=1)
    apart = n * n - np.square(of_stratum).sum(axis=1)
    # The derivative of apart / (n - 1) by the number of each value.
    slopes = (2 * (n[:, None] - of_stratum) - (apart / (n - 1))[:, None]) / (n - 1)[:, None]
    more_expected = (slopes[kinds.stratum] * kinds.counts).sum(axis=1)
    moves = -_within(kinds.counts) / expected + observed / expected**2 * more_expected
    moves -= weights @ moves / weights.sum()
    error = float(np.sqrt(weights @ np.square(moves)))
    alpha, z = 1 - observed / expected, -float(special.ndtri(tail))
    return alpha - z * error, min(1.0, alpha + z * error)
