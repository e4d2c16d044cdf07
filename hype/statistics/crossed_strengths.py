"""Strengths on three scales, ranks and differences, for other people and other images.

Log-strengths have the mean 0. On Elo's scale 400 points are odds of 10 to 1, and the mean is
`ELO_MEAN` (Elo 1978, "The Rating of Chessplayers, Past and Present"). Shares are exp(s), made to
sum to 100; their intervals are made on the scale of log-odds. The errors are those of
`hype.statistics.crossed`, never less than of answers that are all independent. A rank is left open
to as many conditions as are not told apart by Holm's rule
(Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries", The Review of Economic Studies 91).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit, logit

from hype.statistics.crossed import Crossed
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import holm_known

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from hype.statistics.arrays import FloatArray, IntArray
    from hype.statistics.strengths import Fitted


ELO_MEAN: Final = 1000.0
ELO_PER_UNIT: Final = 400 / math.log(10)
"""Points on Elo's scale for one unit of log-strength."""


@dataclass(frozen=True, kw_only=True)
class StrengthOf:
    """The strength of a condition, on three scales."""

    condition: str
    strength: Estimate
    elo: Estimate
    share100: Estimate
    rank: int  # 1 is the strongest
    # rank_low, rank_high: the best and the worst rank that is left open
    rank_low: int
    rank_high: int


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much stronger one condition is than another."""

    # a, b: the conditions; `a` is the stronger
    a: str
    b: str
    difference: Estimate  # in log-strength
    p: float | None  # two-sided; None where nothing varies
    p_holm: float | None  # by Holm's rule over all pairs


@dataclass(frozen=True, kw_only=True)
class CrossedStrengths:
    """The strengths of conditions, and how far they are apart."""

    conditions: tuple[StrengthOf, ...]  # the strongest first
    differences: tuple[Difference, ...]  # of every two


def crossed_strengths(
    fitted: Fitted,
    scores: csr_array,
    weights: csr_array,
    people: IntArray,
    items: IntArray | None,
    *,
    confidence: float,
) -> CrossedStrengths:
    """Estimate strengths from answers of two people or more.

    ``scores``: the first derivatives of the answers' log-likelihoods, shape (answers, parameters),
    those of the log-strengths first. ``weights``, ``people``, ``items``: as of `Crossed`.
    """
    own, size = fitted.log_strengths, len(fitted.conditions)
    inverse = fitted.inverse[:, :size]
    of_shares = inverse @ _log_odds_of_shares(own)
    crossed = Crossed(
        scores, weights, people, items, inverse=np.hstack([inverse, of_shares]), bounded=True
    )
    order = strongest_first(fitted)
    differences = _differences(fitted, crossed, order, confidence)
    above, below = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
    place = {name: number for number, name in enumerate(fitted.conditions)}
    for pair in differences:
        if pair.p_holm is not None and pair.p_holm < 1 - confidence:
            above[place[pair.b]] += 1
            below[place[pair.a]] += 1
    elos, of_100 = elo(own), shares(own) / 100
    rows = []
    for number in order:
        reach = crossed.error(number).reach(confidence)
        ends = own[number] + np.array([-reach, reach])
        share_ends = expit(
            logit(of_100[number])
            + crossed.error(size + number).reach(confidence) * np.array([-1, 1])
        )
        rows.append(
            StrengthOf(
                condition=fitted.conditions[number],
                strength=_estimate(own[number], ends),
                elo=_estimate(elos[number], elo(ends)),
                share100=_estimate(100 * of_100[number], 100 * share_ends),
                rank=1 + int(np.count_nonzero(own > own[number])),
                rank_low=1 + int(above[number]),
                rank_high=size - int(below[number]),
            )
        )
    return CrossedStrengths(conditions=tuple(rows), differences=differences)


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


def _log_odds_of_shares(log_strengths: FloatArray) -> FloatArray:
    """Give how the log-odds of each share go with each log-strength, shape (K, K)."""
    strengths = np.exp(log_strengths - log_strengths.max())
    others = strengths.sum() - strengths
    slopes: FloatArray = -strengths[:, np.newaxis] / np.where(others > 0, others, 1.0)
    np.fill_diagonal(slopes, 1.0)
    return slopes


def _differences(
    fitted: Fitted, crossed: Crossed, order: list[int], confidence: float
) -> tuple[Difference, ...]:
    pairs = [(a, b) for number, a in enumerate(order) for b in order[number + 1 :]]
    errors = [crossed.error_of_difference(a, b) for a, b in pairs]
    values = [float(fitted.log_strengths[a] - fitted.log_strengths[b]) for a, b in pairs]
    p = [error.p(value) for error, value in zip(errors, values, strict=True)]
    return tuple(
        Difference(
            a=fitted.conditions[a],
            b=fitted.conditions[b],
            difference=_estimate(value, value + error.reach(confidence) * np.array([-1, 1])),
            p=one,
            p_holm=both,
        )
        for (a, b), value, error, one, both in zip(
            pairs, values, errors, p, holm_known(p), strict=True
        )
    )


def _estimate(value: float, ends: FloatArray) -> Estimate:
    return Estimate(value=float(value), low=float(ends[0]), high=float(ends[1]))
