"""Intervals of strengths on three scales, and of differences between two.

Log-strengths have the mean 0. On Elo's scale 400 points are odds of 10 to 1, and the mean is
`ELO_MEAN` (Elo 1978, "The Rating of Chessplayers, Past and Present"). Shares are exp(s), made to
sum to 100: the probability that a is chosen over b is a / (a + b).

Intervals are percentiles of the draws, each of which is brought to the scale as a whole; of few
evaluators those further out (`hype.statistics.strength_draws.Draws.tail`). A draw without
finite strengths is taken to lie beyond either end of every interval, so that intervals get wider by
it; where such draws are more than an interval leaves outside, its ends are open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.statistics.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.statistics.sandwich import Sandwich
    from hype.statistics.strength_draws import Draws
    from hype.statistics.strengths import Fitted

FloatArray = npt.NDArray[np.float64]

ELO_MEAN: Final = 1000.0
ELO_PER_UNIT: Final = 400 / math.log(10)
"""Points on Elo's scale for one unit of log-strength."""


@dataclass(frozen=True, kw_only=True)
class ConditionEstimate:
    """The strength of a condition.

    Parameters
    ----------
    condition
        Whose.
    strength, elo, share100
        On the three scales, with the intervals of the bootstrap.
    sandwich
        The log-strength with the interval of the sandwich; None without one.
    standard_error, sandwich_error
        Of the log-strength: by the information alone, as if the model were true and comparisons
        independent, and by the sandwich.
    rank
        1 is the strongest.
    rank_low, rank_high
        The best and the worst rank that the draws leave open.
    """

    condition: str
    strength: Estimate
    elo: Estimate
    share100: Estimate
    sandwich: Estimate | None
    standard_error: float
    sandwich_error: float | None
    rank: int
    rank_low: int
    rank_high: int


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much stronger one condition is than another.

    Parameters
    ----------
    a, b
        The conditions; `a` is the stronger.
    difference
        In log-strength, with the interval of the bootstrap.
    sandwich
        The same with the interval of the sandwich; None without one.
    above
        Share of the draws in which `a` is above `b`; draws without finite strengths count as
        those in which it is not.
    """

    a: str
    b: str
    difference: Estimate
    sandwich: Estimate | None
    above: float


def condition_estimates(
    fitted: Fitted, draws: Draws, sandwich: Sandwich | None, *, confidence: float
) -> tuple[ConditionEstimate, ...]:
    """Give the strength of each condition, the strongest first."""
    tail = draws.tail(confidence)
    own, drawn = fitted.log_strengths, draws.log_strengths
    scales = [(own, drawn), (elo(own), elo(drawn)), (shares(own), shares(drawn))]
    scaled = [
        _estimates(value, *percentiles(of_draws, draws.undefined, tail))
        for value, of_draws in scales
    ]
    normal = _normal(own, sandwich.standard_errors, sandwich, confidence) if sandwich else None
    ranks = _ranks(draws, tail)
    errors = np.sqrt(np.diag(fitted.covariance))
    return tuple(
        ConditionEstimate(
            condition=fitted.conditions[place],
            strength=scaled[0][place],
            elo=scaled[1][place],
            share100=scaled[2][place],
            sandwich=normal[place] if normal else None,
            standard_error=float(errors[place]),
            sandwich_error=float(sandwich.standard_errors[place]) if sandwich else None,
            rank=1 + int(np.count_nonzero(own > own[place])),
            rank_low=int(ranks[0, place]),
            rank_high=int(ranks[1, place]),
        )
        for place in strongest_first(fitted)
    )


def differences(
    fitted: Fitted, draws: Draws, sandwich: Sandwich | None, *, confidence: float
) -> Iterator[Difference]:
    """Yield the difference of every two conditions, the stronger first."""
    order = strongest_first(fitted)
    errors = sandwich.of_differences if sandwich else None
    for number, first in enumerate(order[:-1]):
        others = order[number + 1 :]
        own = fitted.log_strengths[first] - fitted.log_strengths[others]
        drawn = draws.log_strengths[:, [first]] - draws.log_strengths[:, others]
        above = np.count_nonzero(drawn > 0, axis=0) / draws.draws
        percentile = _estimates(own, *percentiles(drawn, draws.undefined, draws.tail(confidence)))
        normal = None
        if sandwich is not None and errors is not None:
            normal = _normal(own, errors[first, others], sandwich, confidence)
        for place, other in enumerate(others):
            yield Difference(
                a=fitted.conditions[first],
                b=fitted.conditions[other],
                difference=percentile[place],
                sandwich=normal[place] if normal else None,
                above=float(above[place]),
            )


def strongest_first(fitted: Fitted) -> list[int]:
    keys = zip(-fitted.log_strengths, fitted.conditions, strict=True)
    return [place for _, place in sorted((key, place) for place, key in enumerate(keys))]


def elo(log_strengths: FloatArray) -> FloatArray:
    return ELO_MEAN + ELO_PER_UNIT * log_strengths


def shares(log_strengths: FloatArray) -> FloatArray:
    """Bring log-strengths of all conditions, along the last axis, to shares of 100."""
    strengths = np.exp(log_strengths - log_strengths.max(axis=-1, keepdims=True))
    each: FloatArray = 100 * strengths / strengths.sum(axis=-1, keepdims=True)
    return each


def percentiles(drawn: FloatArray, undefined: int, tail: float) -> tuple[FloatArray, FloatArray]:
    """Give the ends of percentile intervals, infinite where they are open.

    Parameters
    ----------
    drawn
        Shape (finite draws, numbers).
    undefined
        How many more draws there were, beyond either end.
    tail
        The share of the draws outside at either end.
    """
    finite = len(drawn)
    # As numpy's quantiles of all draws, the undefined ones being minus infinity (or infinity).
    place = (finite + undefined - 1) * tail - undefined
    if place < 0 or finite < 2:
        open_end = np.full(drawn.shape[1], np.inf)
        return -open_end, open_end
    share = place / (finite - 1)
    low, high = np.quantile(drawn, [share, 1 - share], axis=0)
    return low, high


def _ranks(draws: Draws, tail: float) -> FloatArray:
    size = len(draws.conditions)
    order = np.argsort(-draws.log_strengths, axis=1)
    ranks = np.empty(order.shape)
    np.put_along_axis(ranks, order, np.arange(1.0, size + 1)[np.newaxis], axis=1)
    low, high = percentiles(ranks, draws.undefined, tail)
    return np.clip([np.floor(low), np.ceil(high)], 1, size)


def _normal(
    own: FloatArray, errors: FloatArray, sandwich: Sandwich, confidence: float
) -> list[Estimate]:
    reach = sandwich.reach(confidence) * errors
    return _estimates(own, own - reach, own + reach)


def _estimates(values: FloatArray, lows: FloatArray, highs: FloatArray) -> list[Estimate]:
    return [
        Estimate(
            value=value,
            low=low if math.isfinite(low) else None,
            high=high if math.isfinite(high) else None,
        )
        for value, low, high in zip(values.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]
