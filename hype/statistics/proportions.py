"""Shares of choices: intervals, tests against one half, and what many tests do to them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]


def wilson(
    successes: npt.ArrayLike, trials: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Give the score interval of proportions, arrays of one shape.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22.
    Successes may be halves, as of ties. NaN where there is no trial.
    """
    x, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    z = float(special.ndtri((1 + confidence) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (x + z * z / 2) / (n + z * z)
        half = z / (n + z * z) * np.sqrt(x * (n - x) / n + z * z / 4)
    # Rounding must not move an end away from 0 or 1 where it lies there.
    low = np.where(x <= 0, np.where(n > 0, 0.0, np.nan), centre - half)
    high = np.where(x >= n, np.where(n > 0, 1.0, np.nan), centre + half)
    return np.asarray(low, dtype=float), np.asarray(high, dtype=float)


def even_chance_p(successes: npt.ArrayLike, trials: npt.ArrayLike) -> FloatArray:
    """Give the two-sided exact binomial p of proportions against one half; whole numbers."""
    x, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    tail = special.bdtr(np.minimum(x, n - x), n.astype(np.int64), 0.5)
    return np.asarray(np.minimum(1.0, 2 * tail), dtype=float)


def holm(p: npt.ArrayLike) -> FloatArray:
    """Correct p for their number; NaN stays and does not count.

    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    values = np.asarray(p, dtype=float)
    corrected = np.full(values.shape, np.nan)
    places = np.flatnonzero(~np.isnan(values))
    order = places[np.argsort(values[places], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return corrected
