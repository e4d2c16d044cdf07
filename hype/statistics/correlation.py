"""Pearson's correlations of columns with gaps, and intervals that know who gave the numbers.

Several numbers of one evaluator are not independent: some see much, some see little, and all have
their own taste. So the evaluators are left out one at a time (`hype.statistics.resampling`), and
how much the correlation then moves says how sure it is, on Fisher's scale z = artanh r (Fisher
1921, "On the probable error of a coefficient of correlation deduced from a small sample"), where it
is nearly symmetric. Where evaluators are unknown the rows are taken for independent, with Fisher's
standard error 1/√(n − 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.estimate import plain_members
from hype.statistics.resampling import FEWEST_CLUSTERS, jackknife_reach

if TYPE_CHECKING:
    from hype.statistics.estimate import JsonValue

_NO_VARIANCE: Final = 1e-12
"""A part of a column's whole variance below which it is rounding."""
_NEARLY_ONE: Final = 1.0 - 1e-12
"""Fisher's z of 1 is infinite; a correlation above this is 1 but for rounding."""


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """How two columns go together."""

    # Pearson's correlation; None where one side does not vary, or fewer than two rows have both
    r: float | None
    # low, high: its interval; None where it is unknown
    low: float | None
    high: float | None
    n: int  # rows that have both numbers
    # Evaluators (or other groups of rows) that the interval takes for the independent units; None
    # where it takes each row for one
    clusters: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelationMatrix:
    """How each two of k columns go together."""

    # Pearson's correlations, shape (k, k), each over the rows that have both numbers; NaN where one
    # side does not vary
    r: FloatArray
    # low, high: their intervals, shape (k, k); NaN where unknown. On the diagonal 1.
    low: FloatArray
    high: FloatArray
    n: IntArray  # rows that have both numbers, shape (k, k)
    # Evaluators (or other groups of rows) that the intervals take for the independent units; None
    # where they take each row for one
    clusters: int | None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values; numbers that are none are null."""
        members = {name: getattr(self, name).tolist() for name in ("r", "low", "high", "n")}
        return {**plain_members(members), "clusters": self.clusters}


class PairSums(NamedTuple):
    """Sums over the rows that have both columns, each of shape (…, k, k); [i, j] is of column i."""

    rows: FloatArray
    first: FloatArray
    squares: FloatArray
    products: FloatArray

    def whole(self) -> PairSums:
        return PairSums(*(each.sum(axis=0) for each in self))

    def weighted(self, weights: FloatArray) -> PairSums:
        """Add up clusters by each row of weights, shape (m, C): m sums of some, or of all."""
        sums = (np.tensordot(weights, each, axes=1) for each in self)
        return PairSums(*(each.astype(np.float64, copy=False) for each in sums))

    def without(self, others: PairSums) -> PairSums:
        return PairSums(*(mine - theirs for mine, theirs in zip(self, others, strict=True)))

    def pearson(self) -> FloatArray:
        """Compute the correlations; NaN where a side does not vary."""
        rows = np.maximum(self.rows, 1)
        variance = self.squares - self.first**2 / rows
        variance = np.where(variance > _NO_VARIANCE * rows, variance, np.nan)
        covariance = self.products - self.first * np.swapaxes(self.first, -1, -2) / rows
        r: FloatArray = covariance / np.sqrt(variance * np.swapaxes(variance, -1, -2))
        return np.clip(r, -1.0, 1.0)


def correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> Correlation:
    """Correlate two columns of shape (n,), NaN where missing, as `correlation_matrix` does."""
    both = np.column_stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)])
    complete = ~np.isnan(both).any(axis=1)
    codes = None if clusters is None else np.asarray(clusters)[complete]
    matrix = correlation_matrix(both[complete], codes, confidence=confidence)
    return Correlation(
        r=_known(matrix.r[0, 1]),
        low=_known(matrix.low[0, 1]),
        high=_known(matrix.high[0, 1]),
        n=int(matrix.n[0, 1]),
        clusters=matrix.clusters,
    )


def correlation_matrix(
    x: npt.ArrayLike, clusters: npt.ArrayLike | None = None, *, confidence: float = 0.95
) -> CorrelationMatrix:
    """Correlate each two of several columns, over the rows that have both.

    `x` has the shape (n, k), NaN where missing; `clusters`, shape (n,), says whose row it is, in
    whole numbers from 0; None where that is unknown.

    With at least `FEWEST_CLUSTERS` clusters the intervals are by the jackknife over them, with the
    quantiles of t for as many clusters as have a row with both columns, less one; where these are
    too few, or one alone holds all that varies, the interval is unknown. Without, they are
    Fisher's.
    """
    values = np.asarray(x, dtype=np.float64)
    owner = np.zeros(len(values)) if clusters is None else np.asarray(clusters)
    few = len(np.unique(owner)) < FEWEST_CLUSTERS
    parts = pair_sums(values, np.zeros(len(values)) if few else owner)
    total = parts.whole()
    r, rows = total.pearson(), total.rows.astype(np.int64)
    if few:
        low, high = fisher_interval(r, rows, confidence=confidence)
        return _with_diagonal(CorrelationMatrix(r=r, low=low, high=high, n=rows, clusters=None))
    left_out = fisher_z(total.without(parts).pearson())
    low, high = _around(r, jackknife_reach(left_out, parts.rows > 0, confidence=confidence))
    units = len(parts.rows)
    return _with_diagonal(CorrelationMatrix(r=r, low=low, high=high, n=rows, clusters=units))


def left_out_matrices(x: npt.ArrayLike, clusters: npt.ArrayLike) -> FloatArray:
    """Compute the matrix of correlations with each cluster left out; shape (C, k, k).

    For the C clusters that have a row, in order of their numbers, and for the jackknife of any
    function of the matrix. `x` and `clusters` as for `correlation_matrix`.
    """
    parts = pair_sums(x, clusters)
    return parts.whole().without(parts).pearson()


def pair_sums(x: npt.ArrayLike, clusters: npt.ArrayLike) -> PairSums:
    """Sum each two columns by cluster, after every column got mean 0 and variance 1.

    Each sum is of shape (C, k, k), for the C clusters that have a row, in order of their numbers.
    """
    filled, there = _standardised(np.asarray(x, dtype=np.float64))
    numbers, codes = np.unique(np.asarray(clusters), return_inverse=True)
    count, k = max(len(numbers), 1), len(filled)
    sums = PairSums(*(np.zeros((count, k, k)) for _ in PairSums._fields))

    def by_cluster(weights: FloatArray) -> FloatArray:
        found: FloatArray = np.bincount(codes, weights, minlength=count).astype(np.float64)
        return found

    for i in range(k):
        squares = filled[i] * filled[i]
        for j in range(k):
            sums.first[:, i, j] = by_cluster(filled[i] * there[j])
            sums.squares[:, i, j] = by_cluster(squares * there[j])
        for j in range(i, k):
            for each, of in ((sums.rows, there), (sums.products, filled)):
                each[:, i, j] = each[:, j, i] = by_cluster(of[i] * of[j])
    return sums


def fisher_interval(
    r: npt.ArrayLike, n: npt.ArrayLike, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Give the ends of Fisher's interval of correlations over `n` independent rows each.

    All of one shape; NaN with fewer than four rows.
    """
    from scipy.special import ndtri

    rows = np.asarray(n, dtype=np.float64)
    error = np.full(rows.shape, np.nan)
    np.divide(1.0, np.sqrt(np.maximum(rows - 3, 0)), out=error, where=rows > 3)
    return _around(np.asarray(r, dtype=np.float64), error * ndtri((1 + confidence) / 2))


def fisher_z(r: npt.ArrayLike) -> FloatArray:
    """Take correlations to Fisher's scale; those of 1 but for rounding to one finite value."""
    z: FloatArray = np.arctanh(np.clip(np.asarray(r, dtype=np.float64), -_NEARLY_ONE, _NEARLY_ONE))
    return z


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def _standardised(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give each column mean 0 and variance 1, zero where missing; and 1 where there is a number.

    So that sums of squares lose no digits to a large mean. Both of shape (k, n).
    """
    there = ~np.isnan(values.T)
    filled: FloatArray = np.where(there, values.T, 0.0)
    rows = np.maximum(there.sum(axis=1), 1)[:, None]
    filled = np.where(there, filled - filled.sum(axis=1, keepdims=True) / rows, 0.0)
    spread = np.sqrt((filled**2).sum(axis=1, keepdims=True) / rows)
    size = np.abs(np.nan_to_num(values.T)).max(axis=1, keepdims=True, initial=0.0)
    varies = spread > _NO_VARIANCE * size
    return np.where(varies, filled / np.where(varies, spread, 1.0), 0.0), there.astype(np.float64)


def _around(r: FloatArray, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
    z = fisher_z(r)  # which ends before 1, and an interval holds its correlation
    return np.minimum(np.tanh(z - reach), r), np.maximum(np.tanh(z + reach), r)


def _with_diagonal(matrix: CorrelationMatrix) -> CorrelationMatrix:
    """Set what a column has with itself to exactly 1, where it varies."""
    itself = np.arange(len(matrix.r))
    for each in (matrix.r, matrix.low, matrix.high):
        each[itself, itself] = np.where(np.isnan(matrix.r[itself, itself]), np.nan, 1.0)
    return matrix
