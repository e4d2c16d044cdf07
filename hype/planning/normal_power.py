"""The power of the tests between two conditions, for normally distributed scores.

Simulation (`hype.planning.power`) gives the power of a number of evaluators that is asked about;
the closed form says about how many are needed, and how much a power depends on who was simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.protocols.hype.options import ALPHA
from hype.statistics.pairs import critical

FloatArray = npt.NDArray[np.float64]

_PARTS: Final = 20
"""Of the people simulated, each left out in turn."""


@lru_cache(maxsize=256)
def critical_t(conditions: int, df: float, alpha: float = ALPHA) -> float:
    if conditions == 2:
        return -float(special.stdtrit(df, alpha / 2))
    return float(critical(alpha, conditions, df) / np.sqrt(2))


def normal_power(
    difference: float, deviations: Sequence[float], evaluators: int, *, alpha: float = ALPHA
) -> float:
    """Give the power of the test for normal scores, as the noncentral t distribution has it.

    Parameters
    ----------
    difference
        Between the true scores of the first two conditions.
    deviations
        Standard deviation of each condition's scores, not all 0; those of the pair come first.
    evaluators
        Per condition, 2 or more.

    Notes
    -----
    Exact where all deviations are the same: the difference of a pair over its standard error is
    then noncentral t on k·(N - 1) degrees of freedom (Cohen 1988, chapter 2, for k = 2). Where they
    are not, the error is pooled over all conditions and the difference varies with the two of the
    pair, so that the ratio is stretched accordingly.
    """
    variances = np.square(np.asarray(deviations, dtype=float))
    pooled, own = float(variances.mean()), float(variances[:2].mean())
    df = len(variances) * (evaluators - 1)
    limit = critical_t(len(variances), df, alpha) * np.sqrt(2 * pooled / evaluators)
    error = np.sqrt(2 * own / evaluators)
    s, weight = _estimated_deviation(df)
    with np.errstate(divide="ignore"):  # where nobody of the pair varies, it is 0 or 1
        beyond = special.ndtr((difference - limit * s) / error)
        beyond += special.ndtr((-difference - limit * s) / error)
    return float(min(1.0, weight @ beyond))


@lru_cache(maxsize=256)
def _estimated_deviation(df: int) -> tuple[FloatArray, FloatArray]:
    """Give values of an estimated standard deviation of 1, and their weights, which sum to 1.

    s is the root of a chi-squared variate on df degrees of freedom, divided by df; outside of the
    values lies less than 1e-12. Integrating over it is slower than the noncentral t distribution
    of SciPy, but has a value for all arguments.
    """
    low, high = np.sqrt(special.chdtri(df, [1 - 1e-13, 1e-13]) / df)
    nodes, weights = _legendre()
    s = low + (high - low) * (nodes + 1) / 2
    log_density = df * (np.log(s) - s * s / 2)
    density = weights * s**-1.0 * np.exp(log_density - log_density.max())
    return s, np.asarray(density / density.sum())


@lru_cache(maxsize=1)
def _legendre() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(128)


def people_power(
    scores: Sequence[FloatArray], difference: float, evaluators: int, *, alpha: float = ALPHA
) -> float:
    """Give the power for normal scores that vary as these do."""
    deviations = [float(each.std(ddof=1)) for each in scores]
    if not any(deviations):
        return 0.0
    return normal_power(difference, deviations, evaluators, alpha=alpha)


def people_error(scores: Sequence[FloatArray], evaluators: int, *, alpha: float = ALPHA) -> float:
    """Give the standard error of a power by who was simulated, for a fixed difference.

    By a jackknife: one part of the people after the other is left out. The difference is fixed
    since it was made to be what it is.
    """
    difference = float(scores[1].mean() - scores[0].mean())
    parts = min(_PARTS, *map(len, scores))
    without = [
        people_power(_without(scores, part, parts), difference, evaluators, alpha=alpha)
        for part in range(parts)
    ]
    return float(np.sqrt((parts - 1) * np.var(without)))


def _without(scores: Sequence[FloatArray], part: int, parts: int) -> list[FloatArray]:
    return [each[np.arange(len(each)) % parts != part] for each in scores]
