"""Pearson's correlations of columns, which may have missing values, and their intervals.

Several numbers from one evaluator are not independent, since evaluators differ. Numbers about one
item are not independent either. So intervals generalise to other people and other items
(`hype.statistics.crossed`); they are computed on Fisher's scale (`interval_on_fisher_scale`). If
people and items are unknown, rows count as independent, with Fisher's standard error 1/√(n − 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import ndtri

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Crossed, Error
from hype.statistics.proportions import interval_on_fisher_scale, number_or_none

FEWEST_CLUSTERS: Final = 2
"""With fewer evaluators, the data do not show how much evaluators differ."""
_NO_VARIANCE: Final = 1e-12
"""Smaller unexplained shares of the variance, 1 − r², are treated as this large."""
_NEARLY_ONE: Final = 1.0 - 1e-12
"""If a person's share of the weight is larger than this, it is 1 except for rounding."""


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """The correlation of two columns."""

    # Pearson's correlation; None if a column does not vary, or with fewer than two complete rows
    r: float | None
    # low, high: the interval of r; None if unknown
    low: float | None
    high: float | None
    n: int  # rows that have both numbers
    # Number of evaluators (or other groups of rows) that count as independent; None: each row
    clusters: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelationMatrix:
    """The correlations of all pairs of k columns."""

    # Pearson's correlations, shape (k, k), each over the rows that have both numbers; NaN if a
    # column does not vary
    r: FloatArray
    # low, high: the intervals of r, shape (k, k); NaN if unknown, and 1 on the diagonal
    low: FloatArray
    high: FloatArray
    n: IntArray  # rows that have both numbers, shape (k, k)
    # Number of evaluators (or other groups of rows) that count as independent; None: each row
    clusters: int | None


def correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    items: npt.ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> Correlation:
    """Correlate two columns of shape (n,), NaN for missing values; see `correlation_matrix`."""
    both = np.column_stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)])
    complete = ~np.isnan(both).any(axis=1)
    codes, about = (
        None if each is None else np.asarray(each)[complete] for each in (clusters, items)
    )
    matrix = correlation_matrix(both[complete], codes, about, confidence=confidence)
    return Correlation(
        r=number_or_none(matrix.r[0, 1]),
        low=number_or_none(matrix.low[0, 1]),
        high=number_or_none(matrix.high[0, 1]),
        n=int(matrix.n[0, 1]),
        clusters=matrix.clusters,
    )


def correlation_matrix(
    x: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    items: npt.ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> CorrelationMatrix:
    """Correlate all pairs of several columns, over the rows that have both.

    ``x`` has the shape (n, k), NaN if missing; ``clusters``, shape (n,): the person of each row,
    numbers from 0; None if unknown. ``items``: as in `Crossed`. With at least `FEWEST_CLUSTERS`
    clusters, intervals come from `z_error`. With fewer clusters, each row is its own cluster; if
    ``items`` is also None, intervals are Fisher's.
    """
    values = np.asarray(x, dtype=np.float64)
    owner = None if clusters is None else np.asarray(clusters)
    units = 0 if owner is None else len(np.unique(owner))
    there = ~np.isnan(values)
    rows = there.astype(np.int64).T @ there
    r = pd.DataFrame(values).corr().to_numpy(copy=True)
    people_known = units if units >= FEWEST_CLUSTERS else None
    if people_known is None and items is None:
        low, high = fisher_interval(r, rows, confidence=confidence)
        return _set_diagonal(CorrelationMatrix(r=r, low=low, high=high, n=rows, clusters=None))
    people = np.arange(len(values)) if owner is None or people_known is None else owner
    about = None if items is None else np.asarray(items)
    reach = np.full(r.shape, np.nan)
    for i, j in zip(*np.triu_indices(len(r), 1), strict=True):
        own = there[:, i] & there[:, j]
        error = None
        if not np.isnan(r[i, j]):
            of = None if about is None else about[own]
            error = z_error(values[own, i], values[own, j], people[own], of)
        if error is not None:
            reach[i, j] = reach[j, i] = error.reach(confidence)
    low, high = interval_on_fisher_scale(r, reach)
    return _set_diagonal(CorrelationMatrix(r=r, low=low, high=high, n=rows, clusters=people_known))


def z_error(x: FloatArray, y: FloatArray, people: IntArray, items: IntArray | None) -> Error | None:
    """Return the error of Fisher's z for two complete columns that vary, shape (n,).

    To first order, for x and y with mean 0 and variance 1, a row adds (xy - r(x² + y²)/2)/n to r,
    and 1/(1 - r²) times that to z; its weight is (x² + y²)/2n. ``people``, ``items``: as in
    `Crossed`. None if there are fewer than `FEWEST_CLUSTERS` people, or all variation comes from
    one of them.
    """
    a, b = ((each - each.mean()) / each.std() for each in (x, y))
    r = float((a * b).mean())
    weight = (a**2 + b**2) / (2 * len(a))
    seen, who = np.unique(people, return_inverse=True)
    if len(seen) < FEWEST_CLUSTERS or np.bincount(who, weight).max() > _NEARLY_ONE:
        return None
    adds = (a * b / len(a) - r * weight) / max(1 - r * r, _NO_VARIANCE)
    terms, weights = (csr_array(each[:, np.newaxis]) for each in (adds, weight))
    return Crossed(terms, weights, who.reshape(-1), items, bounded=True).error(0)


def fisher_interval(
    r: npt.ArrayLike, n: npt.ArrayLike, *, confidence: float, of_ranks: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return Fisher's intervals of correlations, each over ``n`` independent rows.

    ``of_ranks``: use the variance of Spearman's ρ by Bonett and Wright (2000), "Sample size
    requirements for estimating Pearson, Kendall and Spearman correlations". All arrays have the
    same shape. The limits are NaN for fewer than four rows, and for a correlation of −1 or 1.
    """
    rows, values = np.asarray(n, dtype=float), np.asarray(r, dtype=float)
    variance = np.full(rows.shape, np.nan)
    wider = 1 + np.square(values) / 2 if of_ranks else np.ones_like(values)
    np.divide(wider, rows - 3, out=variance, where=rows > 3)
    return interval_on_fisher_scale(values, np.sqrt(variance) * ndtri((1 + confidence) / 2))


def _set_diagonal(matrix: CorrelationMatrix) -> CorrelationMatrix:
    """Set the correlation of a column with itself to exactly 1, if it varies."""
    itself = np.arange(len(matrix.r))
    for each in (matrix.r, matrix.low, matrix.high):
        each[itself, itself] = np.where(np.isnan(matrix.r[itself, itself]), np.nan, 1.0)
    return matrix
