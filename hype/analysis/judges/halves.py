"""How far the correlation matrices of two halves of people are apart, over many splits.

That says how far a judge's matrix would be from people's if the judge were like people: each half
has half of the answers, so that its noise has twice the variance, and a judge who gives as many
answers as people did would be nearer by a factor √2. The judge sees the same items, which makes it
nearer still, so this errs on the judge's side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.analysis.correlation import pair_sums

if TYPE_CHECKING:
    from numpy.random import Generator

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEWEST: Final = 6
"""Units that can be split in ten ways; with fewer there is nothing to learn."""


def distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Give the root of the mean squared difference off the diagonal of matrices, shape (…, k, k).

    Pairs of axes that either lacks do not count; NaN where none is left.
    """
    i, j = np.triu_indices(a.shape[-1], 1)
    squares = (a[..., i, j] - b[..., i, j]) ** 2
    known = ~np.isnan(squares)
    number = known.sum(axis=-1)
    mean = np.where(known, squares, 0.0).sum(axis=-1) / np.maximum(number, 1)
    found: FloatArray = np.where(number > 0, np.sqrt(mean), np.nan)
    return found


def half_distances(x: FloatArray, units: IntArray, splits: int, rng: Generator) -> FloatArray:
    """Split units in halves at random, and give the distance to be expected of a whole judge.

    Parameters
    ----------
    x
        Shape (n, k); NaN where missing, but somewhere in each column there is a number.
    units
        Whose row each is, shape (n,).
    splits
        How many times to split.
    rng
        Where the splits come from.

    Returns
    -------
    ndarray
        Shape (splits,), without those in which nothing can be compared.
    """
    sums = pair_sums(x, units)
    number = len(sums.rows)
    order = rng.permuted(np.tile(np.arange(number), (splits, 1)), axis=1)
    one = sums.weighted((order < (number + 1) // 2).astype(float))
    other = sums.whole().without(one)
    found: FloatArray = distances(one.pearson(), other.pearson()) / np.sqrt(2)
    return np.asarray(found[~np.isnan(found)], dtype=float)
