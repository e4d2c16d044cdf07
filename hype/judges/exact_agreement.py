"""Which part of a judge's levels is equal to others' beyond what answers given apart would be.

Answers of two who look at the same are taken for two correlated normal numbers, one of them cut at
the judge's own thresholds, the other known by its rank (the polyserial model: Olsson, Drasgow &
Dorans 1982, "The polyserial correlation coefficient", Psychometrika 47); some answers are at
random. Who takes a share over has the very level that is next to the other's number, on either side
of the middle between two, where the answers of others pass from one to the next by degrees. Share,
correlations and answers at random are found by maximum likelihood on a grid; the share's error is
the sandwich over items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import special, stats

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]

IntArray = npt.NDArray[np.int64]

_SHARES: Final = np.linspace(0, 0.98, 50)
_CORRELATIONS: Final = 20
_AT_RANDOM: Final = np.array([0, 0.05, 0.15, 0.35])
"""Shares of answers that have nothing to do with what is asked."""
_LIMIT: Final = 8.0
"""Where a threshold stands that no answer is beyond."""
_LEAST: Final = 1e-7
"""Chance of a cell, where there is none by rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Column:
    """What a judge and others said on one axis; arrays of shape (n,)."""

    judge: IntArray  # levels from 0
    nearest: IntArray  # those that a copy would have
    others: FloatArray  # what these are nearest to
    item: IntArray
    levels: int
    most: float  # the highest correlation that answers given apart may have


@dataclass(frozen=True, kw_only=True)
class Taken:
    """The share that is equal because it was taken over, its standard error, and items."""

    share: float
    error: float
    items: int
    equal: float  # the share of equal answers


def taken(columns: Sequence[Column]) -> Taken | None:
    """Find the share that was taken over, the same on all axes; None where nothing is known."""
    columns = [each for each in columns if each.judge.size]
    if not columns:
        return None
    fitted = [_Fitted(column) for column in columns]
    likelihood = np.sum([each.likelihood.max(axis=(1, 2)) for each in fitted], axis=0)
    best = int(np.argmax(likelihood))
    adds = [each.adds(best) for each in fitted]
    items, cell = np.unique(np.concatenate([each.item for each in columns]), return_inverse=True)
    sums = np.bincount(cell, weights=np.concatenate(adds))
    information = float(sum((each**2).sum() for each in adds))
    error = np.inf
    if information > 0 and len(items) > 1:
        error = float(np.sqrt(sums.var(ddof=1) * len(items))) / information
    number = sum(each.judge.size for each in columns)
    equal = sum(int((each.judge == each.nearest).sum()) for each in columns) / number
    return Taken(share=float(_SHARES[best]), error=error, items=len(items), equal=equal)


class _Fitted:
    """Likelihoods of one column, over the cells of equal answers."""

    def __init__(self, column: Column) -> None:
        pairs = np.column_stack([column.judge, column.others])
        _, first, cell, counts = np.unique(
            pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self._cell = cell.ravel()
        judge = column.judge[first]
        place = special.ndtri((stats.rankdata(column.others) - 0.5) / len(pairs))[first]
        share = np.bincount(column.judge, minlength=column.levels) / len(pairs)
        cuts = special.ndtri(np.clip(np.append(0, share).cumsum(), 0, 1))
        cuts = np.clip(cuts, -_LIMIT, _LIMIT)[:, None]
        angles = np.linspace(0, np.arcsin(column.most), _CORRELATIONS)
        away = np.sin(angles) * place[:, None]
        high, low = (special.ndtr((cuts[at] - away) / np.cos(angles)) for at in (judge + 1, judge))
        looked, at_random = np.maximum(high - low, _LEAST)[:, :, None], share[judge, None, None]
        self._apart: FloatArray = (1 - _AT_RANDOM) * looked + _AT_RANDOM * at_random
        self._equal = (judge == column.nearest[first]).astype(np.float64)
        mixed = _SHARES[:, None, None, None] * self._equal[:, None, None] + np.multiply.outer(
            1 - _SHARES, self._apart
        )
        self.likelihood: FloatArray = np.einsum("c,scar->sar", counts.astype(float), np.log(mixed))

    def adds(self, place: int) -> FloatArray:
        """Give what each row adds to the score of the share, what the others explain taken off."""
        share, table = _SHARES[place], self.likelihood[place]
        angle, rate = np.unravel_index(int(np.argmax(table)), table.shape)
        angles, rates = (
            np.clip([at - 1, at + 1], 0, size - 1)
            for at, size in zip((angle, rate), table.shape, strict=True)
        )
        apart = self._apart[:, angle, rate]
        moved = np.column_stack(
            [
                self._apart[:, angles[1], rate] - self._apart[:, angles[0], rate],
                self._apart[:, angle, rates[1]] - self._apart[:, angle, rates[0]],
            ]
        )
        mixed = share * self._equal + (1 - share) * apart
        own, other = ((self._equal - apart) / mixed)[self._cell], (moved.T / mixed).T[self._cell]
        return np.asarray(own - other @ np.linalg.lstsq(other, own, rcond=None)[0])
