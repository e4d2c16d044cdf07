"""Ratios of sums over units, as mean ranks and win rates are, with intervals over the units.

The standard error is that of a ratio estimator, by the units' residuals (Cochran 1977, "Sampling
Techniques", chapter 6), and the interval takes Student's distribution with one degree of freedom
less than there are units: percentiles of a bootstrap are too narrow where evaluators are few.
Shares have their intervals on the scale of log-odds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, stdtrit

from hype.analysis.pairwise.strength_intervals import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]


def ratio_estimates(
    above: FloatArray, below: FloatArray, *, share: bool, confidence: float
) -> list[Estimate | None]:
    """Divide sums over units.

    Parameters
    ----------
    above, below
        What each unit adds to the two sums of each ratio, shape (units, ratios).
    share
        Whether the ratios are shares, from 0 to 1; else they are 1 and more.
    confidence
        Coverage that intervals aim at, as a proportion.

    Returns
    -------
    list
        None where nothing is to be divided by. Ends are None where fewer than two units add to a
        ratio, and where a share is 0 or 1.
    """
    whole, units = below.sum(axis=0), np.count_nonzero(below, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = above.sum(axis=0) / whole
        squares = np.square(above - own * below).sum(axis=0) / np.square(whole)
        errors = np.sqrt(squares * units / (units - 1))
        reach = -stdtrit(units - 1.0, (1 - confidence) / 2) * errors
        if share:
            ends = [expit(logit(own) + sign * reach / (own * (1 - own))) for sign in (-1, 1)]
        else:
            ends = [np.maximum(own - reach, 1), own + reach]
    return _estimates(own, *ends)


def _estimates(own: FloatArray, low: FloatArray, high: FloatArray) -> list[Estimate | None]:
    columns: Sequence[list[float]] = (own.tolist(), low.tolist(), high.tolist())
    return [
        None
        if math.isnan(value)
        else Estimate(
            value=value,
            low=begin if math.isfinite(begin) else None,
            high=end if math.isfinite(end) else None,
        )
        for value, begin, end in zip(*columns, strict=True)
    ]
