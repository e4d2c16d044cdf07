"""From rankings to comparisons: of n images in order, each two are a comparison, n(n - 1)/2 in all.

Wu et al. (2023), "Human Preference Score v2", section 3.4, count their data so. The comparisons of
one ranking are one act of one person, and not independent of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.analysis.pairwise.counts import Counts, EvaluatorCounts
from hype.analysis.rankings.orders import Orders, orders

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis.rankings.ranking_units import Units

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Expanded:
    """Comparisons between conditions; those of two images of one condition are left out.

    Parameters
    ----------
    conditions
        K of them.
    ranking
        Which ranking each comparison is from, shape (comparisons,).
    cell
        How it went: better · K + worse; of a tie K² + first · K + second.
    within
        How many were left out.
    """

    conditions: tuple[str, ...]
    ranking: IntArray
    cell: IntArray
    within: int

    def counts(self) -> Counts:
        """Count them by pairs of conditions."""
        size = len(self.conditions)
        cells = np.bincount(self.cell, minlength=2 * size**2).reshape(2, size, size)
        won, tied = cells.astype(float)
        return Counts(conditions=self.conditions, wins=won, ties=tied + tied.T)

    def by_unit(self, unit: IntArray) -> EvaluatorCounts:
        """Count them by evaluators, or by whatever else the rankings belong to.

        Parameters
        ----------
        unit
            Of each ranking, numbers from 0; shape (rankings,).
        """
        size = len(self.conditions)
        keys, times = np.unique(unit[self.ranking] * (2 * size**2) + self.cell, return_counts=True)
        cell = keys % (2 * size**2)
        own, evaluator = np.unique(keys // (2 * size**2), return_inverse=True)
        return EvaluatorCounts(
            conditions=self.conditions,
            evaluators=len(own),
            evaluator=evaluator,
            chosen=cell % size**2 // size,
            other=cell % size,
            tied=cell >= size**2,
            times=times.astype(float),
        )

    def sums(self, units: Units, *, ties: bool = True) -> tuple[FloatArray, FloatArray]:
        """Sum points and comparisons by units.

        Parameters
        ----------
        units
            Whose each ranking is.
        ties
            Whether a tie counts, as half a point to either.

        Returns
        -------
        points
            Of i against j, shape (units, K, K).
        comparisons
            Of i and j, symmetric, of the same shape.
        """
        size = len(self.conditions)
        tied = self.cell >= size**2
        kept = np.ones(len(tied), dtype=bool) if ties else ~tied
        begin = units.of_ranking[self.ranking[kept]] * size**2
        cell, half = self.cell[kept] % size**2, tied[kept] / 2
        forth, back = begin + cell, begin + cell % size * size + cell // size
        cells, shape = units.number * size**2, (units.number, size, size)
        points = np.bincount(forth, 1 - half, minlength=cells).astype(float)
        points += np.bincount(back, half, minlength=cells)
        points = points.reshape(shape)
        return points, points + points.transpose(0, 2, 1)


def compared_rows(rankings: pd.DataFrame) -> tuple[IntArray, IntArray, BoolArray]:
    """Give every comparison of the finished rankings as two rows of the table.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them, or some of its rankings, each whole.

    Returns
    -------
    better, worse
        Positions in the table, shape (comparisons,); of a tie the two in any order. Comparisons of
        two images of one condition are among them.
    tied
        Whether neither is the better one.
    """
    laid = orders(rankings)
    first, second = _places(laid)
    return laid.row[first], laid.row[second], laid.rank[first] == laid.rank[second]


def expanded(laid: Orders) -> Expanded:
    """Expand rankings."""
    size = len(laid.conditions)
    first, second = _places(laid)
    better, worse = laid.condition[first], laid.condition[second]
    differ = better != worse
    tied = laid.rank[first] == laid.rank[second]
    turned = tied & (better > worse)
    better, worse = np.where(turned, worse, better), np.where(turned, better, worse)
    cell = better * size + worse + size**2 * tied
    return Expanded(
        conditions=laid.conditions,
        ranking=laid.ranking[first][differ],
        cell=cell[differ],
        within=int(len(differ) - differ.sum()),
    )


def _places(laid: Orders) -> tuple[IntArray, IntArray]:
    """Give every two images of each ranking, the better first, as places in its layout."""
    firsts, seconds = [], []
    for size in np.unique(laid.sizes).tolist():
        first, second = np.triu_indices(size, 1)
        starts = laid.starts[laid.sizes == size][:, np.newaxis]
        firsts.append((starts + first).ravel())
        seconds.append((starts + second).ravel())
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *firsts]), np.concatenate([none, *seconds])
