"""Cohen's κ: how far two raters agree beyond what their own base rates would make them.

Cohen (1960), "A coefficient of agreement for nominal scales"; the standard error of Fleiss, Cohen &
Everitt (1969), "Large sample standard errors of kappa and weighted kappa", eq. 13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class CohenKappa:
    """Agreement of two raters.

    Parameters
    ----------
    kappa
        1 where they always agree, 0 as by chance; None where both gave one and the same value to
        everything, so that chance alone would have them agree.
    standard_error, ci_low, ci_high
        Asymptotic; None without a κ. With few items they are rough.
    items
        How many both rated.
    observed, expected
        Share on which they agree, and would by chance.
    confidence
        Coverage of the interval, as a proportion.
    """

    kappa: float | None
    standard_error: float | None
    ci_low: float | None
    ci_high: float | None
    items: int
    observed: float
    expected: float
    confidence: float


def cohen_kappa(
    a: Sequence[Hashable], b: Sequence[Hashable], *, confidence: float = 0.95
) -> CohenKappa:
    """Compute κ of two raters who rated the same items.

    Parameters
    ----------
    a, b
        Their values, item by item; None leaves an item out.
    confidence
        Coverage of the interval, as a proportion.

    Raises
    ------
    InputError
        They rated unlike numbers of items, or none together.
    """
    if len(a) != len(b):
        raise InputError("ratings", f"{len(a)} by one rater, {len(b)} by the other", "equally many")
    both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not both:
        raise InputError("ratings", "no item was rated by both", "one or more")
    place: dict[Hashable, int] = {}
    for pair in both:
        for value in pair:
            place.setdefault(value, len(place))
    table = np.zeros((len(place), len(place)))
    for x, y in both:
        table[place[x], place[y]] += 1
    return kappa_of_table(table, confidence=confidence)


def kappa_of_table(table: npt.ArrayLike, *, confidence: float = 0.95) -> CohenKappa:
    """Compute κ of a square table: how often one rater gave value i, and the other j."""
    counts = np.asarray(table, dtype=float)
    items = counts.sum()
    p = counts / items
    observed, expected = float(np.trace(p)), float(p.sum(axis=1) @ p.sum(axis=0))
    kappa = error = half = None
    if expected < 1:
        kappa = (observed - expected) / (1 - expected)
        error = math.sqrt(max(0.0, _variance(p, observed, expected)) / items)
        half = error * float(special.ndtri((1 + confidence) / 2))
    return CohenKappa(
        kappa=kappa,
        standard_error=error,
        ci_low=None if kappa is None or half is None else max(-1.0, kappa - half),
        ci_high=None if kappa is None or half is None else min(1.0, kappa + half),
        items=int(items),
        observed=observed,
        expected=expected,
        confidence=confidence,
    )


def _variance(p: FloatArray, observed: float, expected: float) -> float:
    """Give the variance of κ times the number of items."""
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    both = columns[:, None] + rows[None, :]  # of value i by the second and j by the first
    kept, chance = 1 - observed, 1 - expected
    same = (np.diag(p) * np.square(chance - (rows + columns) * kept)).sum()
    apart = (
        kept**2 * (p * np.square(both)).sum() - kept**2 * (np.diag(p) * np.diag(both) ** 2).sum()
    )
    rest = (observed * expected - 2 * expected + observed) ** 2
    return float((same + apart - rest) / chance**4)


def kappas(tables: FloatArray) -> FloatArray:
    """Compute κ of many tables at once, shape (..., values, values); NaN where there is none."""
    items = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / items
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / np.square(items)
        found: FloatArray = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
    return found


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
