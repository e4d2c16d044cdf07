"""Rankings as arrays: the best first, and as comparisons of each two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from hype.statistics.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Orders:
    """Images of R rankings, ranking after ranking, the best first."""

    conditions: tuple[str, ...]  # K of them
    row: IntArray  # where in the table each image stands, shape (images,), as the next three
    ranking: IntArray  # which ranking it belongs to, numbers from 0, ascending
    rank: IntArray  # one more than the number of images before it; equal in a tie
    condition: IntArray  # its place in ``conditions``
    sizes: IntArray  # images of each ranking, shape (R,)

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

    ``rankings``: as `check_rankings` returns them, or some of its rankings, each whole.
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
        condition=rankings["condition"].cat.codes.to_numpy().astype(np.int64)[row[order]],
        sizes=np.bincount(number),
    )


def compared_rows(rankings: pd.DataFrame) -> tuple[IntArray, IntArray, BoolArray]:
    """Give every comparison of the finished rankings as two rows of the table.

    ``rankings``: as `check_rankings` returns them, or some of its rankings, each whole. Returns
    ``better``, ``worse``: positions in the table, shape (comparisons,); of a tie the two in any
    order. Comparisons of two images of one condition are among them; ``tied``: whether neither is
    the better one.
    """
    laid = orders(rankings)
    first, second = places_of_pairs(laid)
    return laid.row[first], laid.row[second], laid.rank[first] == laid.rank[second]


def places_of_pairs(laid: Orders) -> tuple[IntArray, IntArray]:
    """Give every two images of each ranking, the better first, as places in its layout."""
    firsts, seconds = [], []
    for size in np.unique(laid.sizes).tolist():
        first, second = np.triu_indices(size, 1)
        starts = laid.starts[laid.sizes == size][:, np.newaxis]
        firsts.append((starts + first).ravel())
        seconds.append((starts + second).ravel())
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *firsts]), np.concatenate([none, *seconds])
