"""How sure an estimate is, from what it would be without each evaluator in turn.

The jackknife over clusters (Quenouille 1956, "Notes on bias in estimation"; Tukey 1958; Miller
1974, "The jackknife: a review", Biometrika 61, 1-15), with the quantiles of t for as many clusters
less one. Nothing is assumed of what an evaluator's answers have in common.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

FEWEST_CLUSTERS: Final = 3
"""With fewer evaluators nothing can be said of how they differ."""


def jackknife_reach(
    left_out: FloatArray, counted: npt.NDArray[np.bool_], *, confidence: float
) -> FloatArray:
    """Compute how far an interval reaches to either side of an estimate.

    Parameters
    ----------
    left_out
        The estimates without each cluster, shape (C, …).
    counted
        Whether the cluster had any part in the estimate, of the same shape.
    confidence
        Such as 0.95.

    Returns
    -------
    ndarray
        Shape (…); NaN where fewer than `FEWEST_CLUSTERS` count, or where one of them alone makes
        the estimate possible.
    """
    from scipy.special import stdtrit

    units = counted.sum(axis=0)
    known = np.where(counted, left_out, 0.0)
    away = np.where(counted, known - known.sum(axis=0) / np.maximum(units, 1), 0.0)
    variance = (away**2).sum(axis=0) * (units - 1) / np.maximum(units, 1)
    enough = units >= FEWEST_CLUSTERS
    quantile = stdtrit(np.where(enough, units - 1, 1), (1 + confidence) / 2)
    reach: FloatArray = np.where(enough, quantile * np.sqrt(np.maximum(variance, 0)), np.nan)
    return reach
