"""Whether scores rise along an order, such as the checkpoints of one model's training.

Two tests, both over evaluators. Jonckheere (1954), "A distribution-free k-sample test against
ordered alternatives", assumes nothing about the shape of the scores. Its statistic counts the
pairs of evaluators of different conditions in which the later one scores higher (a tie counts
half), which is Kendall's (1945) tau between the place in the order and the score: tau-b is given,
and its p by the normal approximation with the variance corrected for ties (Kendall 1970, chapter
4). The linear contrast of the one-way analysis of variance (Fisher 1935; Maxwell & Delaney 2004,
chapter 6) measures how fast: a slope per step, or per unit of the positions, such as epochs.

Zhou et al. (2019, section 4.5) print 29.5, 45.9 and 50.3 % at 4k, 9k and 25k epochs and F(2, 29);
three conditions of 30 evaluators have (2, 87) degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy import stats

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FloatArray = npt.NDArray[np.float64]

FEWEST: Final = 3
"""Conditions that an order must have; two are compared by a t-test."""


@dataclass(frozen=True, kw_only=True)
class RankTrend:
    """The test of Jonckheere.

    Parameters
    ----------
    jonckheere
        Pairs of evaluators in which the one of the later condition scores higher; ties count half.
    tau
        Kendall's tau-b between the place in the order and the score, from -1 to 1.
    p
        Two-sided.
    """

    jonckheere: float
    tau: float
    p: float


@dataclass(frozen=True, kw_only=True)
class LinearTrend:
    """The linear contrast of the means, in which every condition counts alike.

    Parameters
    ----------
    slope, standard_error
        Change of the score per step of the order, or per unit of the positions.
    t, df, p
        Student's t against the pooled variance within conditions; two-sided.
    ci_low, ci_high
        Interval of the slope.
    """

    slope: float
    standard_error: float
    t: float
    df: int
    p: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, kw_only=True)
class Trend:
    """The outcome of `trend`.

    Parameters
    ----------
    order
        The conditions, in the given order.
    positions
        Where they lie on the axis of the slope: as given, or 1, 2, 3 and so on.
    evaluators
        How many there are in each.
    means
        Mean of the evaluators' scores in each.
    rank
        None where all scores are the same.
    linear
        None where there is nothing to measure the slope against.
    confidence
        Coverage that the interval of the slope aims at, as a proportion.
    problem
        A sentence on what could not be computed; empty where nothing is missing.
    """

    order: tuple[str, ...]
    positions: tuple[float, ...]
    evaluators: tuple[int, ...]
    means: tuple[float, ...]
    rank: RankTrend | None
    linear: LinearTrend | None
    confidence: float
    problem: str


def trend(
    scores: Mapping[str, npt.ArrayLike],
    order: Sequence[str],
    *,
    positions: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Trend:
    """Test whether scores rise or fall along an order of conditions.

    Parameters
    ----------
    scores
        Condition to its evaluators' scores, shape (evaluators,), at least one each. Conditions
        that the order does not name are left out.
    order
        The conditions from first to last, at least `FEWEST`.
    positions
        One number per condition of the order, increasing, such as epochs. Without them the
        conditions are taken to be one step apart.
    confidence
        Of the slope's interval.

    Raises
    ------
    InputError
        The order names a condition that has no scores, one twice, or too few; positions that are
        not one increasing finite number each.
    """
    _check_order(scores, order)
    places = _places(order, positions)
    groups = [np.asarray(scores[name], dtype=float) for name in order]
    problem = _problem(groups)
    return Trend(
        order=tuple(order),
        positions=tuple(map(float, places)),
        evaluators=tuple(map(len, groups)),
        means=tuple(float(group.mean()) for group in groups),
        rank=_rank(groups),
        linear=None if problem else _linear(groups, places, confidence),
        confidence=confidence,
        problem=problem,
    )


def _check_order(scores: Mapping[str, npt.ArrayLike], order: Sequence[str]) -> None:
    for place, name in enumerate(order):
        if name not in scores:
            allowed = f"conditions are {', '.join(sorted(scores))}"
            raise InputError("order", f"there is no condition {name!r}", allowed)
        if name in order[:place]:
            raise InputError("order", f"names {name!r} twice", "each condition once")
    if len(order) < FEWEST:
        allowed = f"a trend needs at least {FEWEST}"
        raise InputError("order", f"names {len(order)} conditions", allowed)


def _places(order: Sequence[str], positions: Sequence[float] | None) -> FloatArray:
    if positions is None:
        return np.arange(1.0, len(order) + 1, dtype=np.float64)
    places: FloatArray = np.asarray(positions, dtype=float)
    if len(places) != len(order):
        problem = f"there are {len(places)} for {len(order)} conditions"
        raise InputError("positions", problem, "one number per condition")
    if not np.isfinite(places).all() or (np.diff(places) <= 0).any():
        said = ", ".join(f"{place:g}" for place in places)
        raise InputError("positions", said, "allowed are increasing numbers")
    return places


def _problem(groups: Sequence[FloatArray]) -> str:
    if all(len(group) == 1 for group in groups):
        return (
            "Every condition has a single evaluator, so nothing shows how much evaluators vary: "
            "the slope has no test."
        )
    if all(np.ptp(group) == 0 for group in groups):
        return (
            "Within every condition all evaluators have the same score, so the variance that the "
            "slope is measured against is zero: it has no test."
        )
    return ""


def _rank(groups: Sequence[FloatArray]) -> RankTrend | None:
    values = np.concatenate(groups)
    if np.ptp(values) == 0:
        return None
    place = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    tau = stats.kendalltau(place, values, method="asymptotic")
    later = place[:, None] < place
    higher = (values[:, None] < values) + 0.5 * (values[:, None] == values)
    return RankTrend(
        jonckheere=float((later * higher).sum()), tau=float(tau.statistic), p=float(tau.pvalue)
    )


def _linear(groups: Sequence[FloatArray], places: FloatArray, confidence: float) -> LinearTrend:
    sizes = np.array([len(group) for group in groups])
    df = int(sizes.sum()) - len(groups)
    variance = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / df
    weights = places - places.mean()
    weights /= (weights**2).sum()
    slope = float(weights @ [group.mean() for group in groups])
    standard_error = float(np.sqrt(variance * (weights**2 / sizes).sum()))
    t = slope / standard_error
    margin = float(stats.t.ppf((1 + confidence) / 2, df)) * standard_error
    return LinearTrend(
        slope=slope,
        standard_error=standard_error,
        t=t,
        df=df,
        p=float(2 * stats.t.sf(abs(t), df)),
        ci_low=slope - margin,
        ci_high=slope + margin,
    )
