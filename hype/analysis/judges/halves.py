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
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.random import Generator

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEWEST: Final = 6
"""Units that can be split in ten ways; with fewer there is nothing to learn."""

_NO_VARIANCE: Final = 1e-9


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
    sums = _sums(x, units)
    number = len(sums)
    order = rng.permuted(np.tile(np.arange(number), (splits, 1)), axis=1)
    half = (order < (number + 1) // 2).astype(float)
    one = np.tensordot(half, sums, axes=1)
    both = _correlations(one), _correlations(sums.sum(axis=0) - one)
    found: FloatArray = distances(*both) / np.sqrt(2)
    return np.asarray(found[~np.isnan(found)], dtype=float)


def _sums(x: FloatArray, units: IntArray) -> FloatArray:
    """Sum each two columns by unit: rows, first, squares, products; shape (units, 4, k, k)."""
    there = ~np.isnan(x)
    filled: FloatArray = np.where(there, x - np.nanmean(x, axis=0), 0.0)
    spread = np.sqrt((filled**2).sum(axis=0) / np.maximum(there.sum(axis=0), 1))
    filled = filled / np.where(spread > _NO_VARIANCE, spread, 1.0)
    names, own = np.unique(units, return_inverse=True)
    rows = len(x)
    sum_up = csr_array((np.ones(rows), (own, np.arange(rows))), shape=(len(names), rows))
    counted = there.astype(float)
    found = np.empty((len(names), 4, x.shape[1], x.shape[1]))
    for i in range(x.shape[1]):
        column = filled[:, [i]]
        each = (counted[:, [i]] * counted, column * counted, column**2 * counted, column * filled)
        for number, values in enumerate(each):
            found[:, number, i] = sum_up @ values
    return found


def _correlations(sums: FloatArray) -> FloatArray:
    """Compute correlations of sums, shape (…, 4, k, k); NaN where a side does not vary."""
    rows, first, squares, products = np.moveaxis(sums, -3, 0)
    rows = np.maximum(rows, 1)
    variance = squares - first**2 / rows
    variance = np.where(variance > _NO_VARIANCE * rows, variance, np.nan)
    covariance = products - first * np.swapaxes(first, -1, -2) / rows
    found: FloatArray = covariance / np.sqrt(variance * np.swapaxes(variance, -1, -2))
    return found
