"""An interval of a median that asks nothing of the distribution and resamples nothing."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

CONFIDENCE: Final = 0.95


def median_interval(
    values: npt.NDArray[np.float64], *, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Give the interval of a median between two order statistics.

    David & Nagaraja (2003), "Order Statistics", 3rd edition, section 7.1: from the d-th smallest
    value to the d-th largest one, with the greatest d for which P(Bin(n, ½) < d) is at most half of
    what the confidence leaves. It holds for any distribution, and covers at least as often as it
    says.

    Parameters
    ----------
    values
        Ascending, independent, at least one.
    confidence
        As a proportion.

    Returns
    -------
    tuple or None
        None where there are too few values for any such interval.
    """
    n = len(values)
    below = bdtr(np.arange(n, dtype=float), n, 0.5)  # the chance of fewer than 1, 2, … n
    d = int(np.count_nonzero(below <= (1 - confidence) / 2))
    return (float(values[d - 1]), float(values[n - d])) if d else None
