"""Rankings laid out best first, as arrays: what everything else is counted from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.rankings.members import codes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Orders:
    """Images of R rankings, ranking after ranking, the best first.

    Parameters
    ----------
    conditions
        K of them.
    row
        Where in the table each image stands, shape (images,), as the next three.
    ranking
        Which ranking it belongs to, numbers from 0, ascending.
    rank
        One more than the number of images before it; equal in a tie.
    condition
        Its place in ``conditions``.
    sizes
        Images of each ranking, shape (R,).
    """

    conditions: tuple[str, ...]
    row: IntArray
    ranking: IntArray
    rank: IntArray
    condition: IntArray
    sizes: IntArray

    @property
    def starts(self) -> IntArray:
        """Where each ranking begins, shape (R,)."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def leads(self) -> IntArray:
        """Of each image the first one that is tied with it, or itself; shape (images,)."""
        begins = np.append(True, self.ranking[1:] != self.ranking[:-1])
        begins |= np.append(True, self.rank[1:] != self.rank[:-1])
        return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))

    @property
    def tied(self) -> IntArray:
        """How many images share each image's rank, itself among them; shape (images,)."""
        leads = self.leads
        return np.bincount(leads, minlength=len(leads))[leads]

    @property
    def mid_ranks(self) -> FloatArray:
        """The mean of the places that an image shares with those tied with it."""
        return np.asarray(self.rank + (self.tied - 1) / 2, dtype=float)

    def only(self, conditions: Sequence[str]) -> Orders:
        """Leave the images of some of the conditions.

        Rankings keep their numbers, though some may have no image any more. Ranks keep their
        order, and are no longer one more than the number of images before.
        """
        place = np.full(len(self.conditions), -1)
        place[[self.conditions.index(name) for name in conditions]] = range(len(conditions))
        kept = place[self.condition] >= 0
        return replace(
            self,
            conditions=tuple(conditions),
            row=self.row[kept],
            ranking=self.ranking[kept],
            rank=self.rank[kept],
            condition=place[self.condition[kept]],
            sizes=np.bincount(self.ranking[kept], minlength=len(self.sizes)),
        )


def orders(rankings: pd.DataFrame) -> Orders:
    """Lay out the finished rankings of a table.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them, or some of its rankings, each whole.
    """
    row = np.flatnonzero(rankings["finished"].to_numpy())
    rank = rankings["rank"].to_numpy(dtype=float)[row].astype(np.int64)
    number, _ = pd.factorize(rankings["ranking"].to_numpy()[row])
    order = np.lexsort((rank, number))
    return Orders(
        conditions=tuple(map(str, rankings["condition"].cat.categories)),
        row=row[order],
        ranking=number[order].astype(np.int64),
        rank=rank[order],
        condition=codes_of(rankings["condition"])[row[order]],
        sizes=np.bincount(number),
    )
