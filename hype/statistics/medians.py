"""Medians over people, with their intervals."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import bdtr, stdtrit

from hype.statistics.arrays import FloatArray
from hype.statistics.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE: Final = 0.95


def median_interval(
    values: FloatArray, *, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Give the interval of a median of ascending values between two order statistics.

    David & Nagaraja (2003), "Order Statistics", 3rd edition, section 7.1: from the d-th smallest
    value to the d-th largest one, with the greatest d for which P(Bin(n, ½) < d) is at most half of
    what the confidence leaves. It holds for any distribution, and covers at least as often as it
    says. None where there are too few values for any such interval.
    """
    n = len(values)
    below = bdtr(np.arange(n, dtype=float), n, 0.5)  # the chance of fewer than 1, 2, … n
    d = int(np.count_nonzero(below <= (1 - confidence) / 2))
    return (float(values[d - 1]), float(values[n - d])) if d else None


def median_over_people(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Give the median of people's own values above 0, whose interval takes people for a sample.

    Values may be infinite, or −∞, where only the side is known; the median is finite. Between two
    of the values (`median_interval`). Where people are too few for that and all are finite,
    Student's interval of the mean logarithm, which is one of the median where logarithms are
    distributed symmetrically. An end among the infinite ones is open.
    """
    ends = median_interval(np.sort(values), confidence=confidence) or _of_few(values, confidence)
    low, high = (end if math.isfinite(end) else None for end in ends)
    return Estimate(value=statistics.median(values), low=low, high=high)


def _of_few(values: Sequence[float], confidence: float) -> tuple[float, float]:
    if len(values) < 2 or not all(map(math.isfinite, values)):
        return -math.inf, math.inf
    logs = np.log(values)
    t = float(stdtrit(len(logs) - 1, (1 + confidence) / 2))
    reach = t * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)
