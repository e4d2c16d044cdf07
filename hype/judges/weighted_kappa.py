"""Cohen's κ and weighted κ of two columns of answers, with intervals that know whose they are.

Cohen (1960), "A coefficient of agreement for nominal scales"; Cohen (1968), "Weighted kappa". The
influence of a row on κ is its derivative, as in Fleiss, Cohen & Everitt (1969), whose standard
error comes out where each row is a unit of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.judges.clustered import figure
from hype.judges.verdicts import Figure

if TYPE_CHECKING:
    from hype.judges.clustered import Units

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_NOTHING_LEFT = 1e-12


def as_names(levels: int) -> FloatArray:
    """Weigh answers as names: 1 for equal ones, 0 for others."""
    return np.eye(levels)


def quadratic(levels: int) -> FloatArray:
    """Weigh answers by the square of how far they are apart, 1 for equal ones, 0 for the ends."""
    away = np.subtract.outer(np.arange(levels), np.arange(levels)) / max(1, levels - 1)
    weights: FloatArray = 1 - away**2
    return weights


def kappa_of(
    a: IntArray, b: IntArray, weights: FloatArray, units: Units, confidence: float
) -> Figure:
    """Compute κ of two columns.

    Parameters
    ----------
    a, b
        Numbers of the answers, from 0; shape (n,).
    weights
        How much two answers agree, from 0 to 1; shape (levels, levels).
    units
        Whose rows they are.
    confidence
        Of the interval.

    Returns
    -------
    Figure
        Without a value where there is no row, or chance alone would have both agree.
    """
    if not a.size:
        return Figure(value=None, low=None, high=None, n=0)
    levels = len(weights)
    p = np.bincount(a * levels + b, minlength=levels * levels).reshape(levels, levels) / a.size
    of_a, of_b = weights @ p.sum(axis=0), p.sum(axis=1) @ weights
    observed, expected = float((weights * p).sum()), float(p.sum(axis=1) @ of_a)
    left = float(p.sum(axis=1) @ (1 - weights) @ p.sum(axis=0))
    if left < _NOTHING_LEFT:
        return Figure(value=None, low=None, high=None, n=int(a.size))
    moved = of_a[:, None] + of_b[None, :] - 2 * expected
    influence = ((weights - observed) * left - (1 - observed) * moved) / left**2
    kappa = 1 - float(((1 - weights) * p).sum()) / left  # so that who always agrees has exactly 1
    return figure(kappa, influence[a, b], units, confidence)
