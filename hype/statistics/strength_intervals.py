"""Intervals of strengths on three scales, and of differences between two.

Log-strengths have the mean 0. On Elo's scale 400 points are odds of 10 to 1, and the mean is
`ELO_MEAN` (Elo 1978, "The Rating of Chessplayers, Past and Present"). Shares are exp(s), made to
sum to 100: the probability that a is chosen over b, if either is, is a / (a + b).

Intervals are percentiles of the draws, each of which is brought to the scale as a whole; of few
evaluators those further out (`hype.statistics.strength_intervals.Draws.tail`). A draw without
finite strengths is taken to lie beyond either end of every interval, so that intervals get wider by
it; where such draws are more than an interval leaves outside, its ends are open.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, stdtrit
from threadpoolctl import threadpool_limits

from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.bradley_terry import SMALLEST_STEP, NoFiniteStrengths, StrengthsNotFound
from hype.statistics.estimate import Estimate
from hype.statistics.paired_counts import Counts
from hype.statistics.resampling import check_draws
from hype.statistics.strengths import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hype.statistics.paired_counts import EvaluatorCounts
    from hype.statistics.strengths import Fitted, Sandwich

ELO_MEAN: Final = 1000.0
ELO_PER_UNIT: Final = 400 / math.log(10)
"""Points on Elo's scale for one unit of log-strength."""


@dataclass(frozen=True, kw_only=True)
class ConditionEstimate:
    """The strength of a condition."""

    condition: str
    # strength, elo, share100: on the three scales, with the intervals of the bootstrap
    strength: Estimate
    elo: Estimate
    share100: Estimate
    # The log-strength with the interval of the sandwich; None without one
    sandwich: Estimate | None
    # Of the log-strength by the information alone, as if the model were true and comparisons
    # independent
    standard_error: float
    rank: int  # 1 is the strongest
    # rank_low, rank_high: the best and the worst rank that the draws leave open
    rank_low: int
    rank_high: int


@dataclass(frozen=True, kw_only=True)
class StrengthDifference:
    """How much stronger one condition is than another."""

    # a, b: the conditions; `a` is the stronger
    a: str
    b: str
    difference: Estimate  # in log-strength, with the interval of the bootstrap
    sandwich: Estimate | None  # the same with the interval of the sandwich; None without one
    # Share of the draws in which `a` is above `b`; draws without finite strengths count as those in
    # which it is not
    above: float


def condition_estimates(
    fitted: Fitted, draws: StrengthDraws, sandwich: Sandwich | None, *, confidence: float
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
            rank=1 + int(np.count_nonzero(own > own[place])),
            rank_low=int(ranks[0, place]),
            rank_high=int(ranks[1, place]),
        )
        for place in strongest_first(fitted)
    )


def differences(
    fitted: Fitted, draws: StrengthDraws, sandwich: Sandwich | None, *, confidence: float
) -> Iterator[StrengthDifference]:
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
            yield StrengthDifference(
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

    `drawn` has the shape (finite draws, numbers); `undefined` more draws lay beyond either end.
    `tail` is the share of the draws outside at either end.
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


def _ranks(draws: StrengthDraws, tail: float) -> FloatArray:
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


_MOST_CHORDS: Final = 30
_TRIED: Final = 4
"""Steps after which a table is given up unless it will be fitted in `_MOST_CHORDS` at its pace."""


def refit(
    fitted: Fitted, points: FloatArray, ties: FloatArray, comparisons: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Fit tables, from the strengths of ``fitted``.

    `points` of each condition in each table, half a point for a tie, have the shape (tables, K);
    `comparisons` of each two conditions (tables, K, K). Only Davidson's model looks at `ties`, one
    number a table.

    Gives log-strengths (and log ν for Davidson's model, last), shape (tables, K), and which tables
    were fitted, to steps of at most `SMALLEST_STEP`.
    """
    start = fitted.log_strengths
    davidson = fitted.log_nu is not None
    if fitted.log_nu is not None:
        start, points = np.append(start, fitted.log_nu), np.column_stack([points, ties])
    solution = np.tile(start, (len(points), 1))
    done = np.zeros(len(points), dtype=bool)
    going = np.arange(len(points))
    inverse = fitted.inverse
    before = np.full(len(points), np.inf)
    for taken in range(1, _MOST_CHORDS + 1):
        own = comparisons if len(going) == len(points) else comparisons[going]
        step = (points[going] - _expected(solution[going], own, davidson=davidson)) @ inverse
        solution[going] += step
        width = np.abs(step).max(axis=1)
        done[going] = width <= SMALLEST_STEP
        going, before = _worth_going_on(going, width, before, taken)
        if not len(going):
            break
    return solution, done


def _worth_going_on(
    going: IntArray, width: FloatArray, before: FloatArray, taken: int
) -> tuple[IntArray, FloatArray]:
    """Leave the tables that need more steps and are on their way; with the last one's width."""
    kept = width > SMALLEST_STEP
    if taken >= _TRIED:
        with np.errstate(divide="ignore", invalid="ignore"):
            pace = np.log(width / before)
            kept &= pace * (_MOST_CHORDS - taken) < np.log(SMALLEST_STEP / width)
    return going[kept], width[kept]


def _expected(found: FloatArray, comparisons: FloatArray, *, davidson: bool) -> FloatArray:
    """Give the points to be expected of each condition; and the ties, last, by Davidson's model."""
    if not davidson:
        strengths = np.exp(found)
        chances = strengths[:, :, np.newaxis] + strengths[:, np.newaxis, :]
        np.divide(comparisons, chances, out=chances)
        points: FloatArray = strengths * np.einsum("tij->ti", chances)
        return points
    return _expected_with_ties(found, comparisons)


def _expected_with_ties(found: FloatArray, comparisons: FloatArray) -> FloatArray:
    roots, nu = np.exp(found[:, :-1] / 2), np.exp(found[:, -1])
    whole = roots[:, :, np.newaxis] ** 2 + roots[:, np.newaxis, :] ** 2
    tied = roots[:, :, np.newaxis] * roots[:, np.newaxis, :] * nu[:, np.newaxis, np.newaxis]
    whole += tied
    np.divide(comparisons, whole, out=whole)
    tied *= whole
    per_condition = np.einsum("tij->ti", tied)
    points = roots**2 * np.einsum("tij->ti", whole) + per_condition / 2
    return np.column_stack([points, per_condition.sum(axis=1) / 2])


Tables = tuple[FloatArray, FloatArray]
"""Wins and ties of several tables, shape (tables, K, K) each."""
_CELLS: Final = 2**19
"""Cells of the tables that each thread holds at once."""
_MOST_AT_ONCE: Final = 100
"""Draws that a thread takes at once, so that there are some for every thread."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StrengthDraws:
    """Log-strengths of the draws."""

    conditions: tuple[str, ...]  # K of them
    # Of the draws that have finite ones, shape (draws - undefined, K), each of mean 0
    log_strengths: FloatArray
    nu: FloatArray | None  # Davidson's ν of the same draws; None by another rule
    # Draws without finite strengths, or with ones that lie too far apart to be found
    undefined: int
    draws: int  # all of them
    evaluators: int | None  # how many people were drawn in each; None where comparisons were

    @property
    def unit(self) -> Unit:
        return "comparisons" if self.evaluators is None else "evaluators"

    def tail(self, confidence: float) -> float:
        """Give the share of the draws that an interval leaves outside at either end.

        Draws of G people vary too little by the factor (G - 1) / G in the variance, and a few
        people tell little of how people vary. So percentiles are taken as far out as Student's
        distribution with G - 1 degrees of freedom asks: the "expanded percentile interval" of
        Hesterberg (2015), "What teachers should know about the bootstrap", The American
        Statistician 69.
        """
        outside = (1 - confidence) / 2
        if self.evaluators is None:
            return outside
        freedom = self.evaluators - 1
        return float(ndtr(stdtrit(freedom, outside) * math.sqrt(1 + 1 / freedom)))


def draw_comparisons(
    counts: Counts, fitted: Fitted, *, draws: int, rng: np.random.Generator
) -> StrengthDraws:
    """Resample the comparisons of the conditions of ``fitted``; two draws or more."""
    table = partial(_comparisons_drawn, counts)
    return _draw(fitted, table, draws=draws, rng=rng, evaluators=None)


def draw_evaluators(
    by_evaluator: EvaluatorCounts, fitted: Fitted, *, draws: int, rng: np.random.Generator
) -> StrengthDraws:
    """Resample two evaluators or more with all their comparisons; see `draw_comparisons`."""
    table = partial(_evaluators_drawn, by_evaluator, _outcomes(by_evaluator))
    return _draw(fitted, table, draws=draws, rng=rng, evaluators=by_evaluator.evaluators)


def _draw(
    fitted: Fitted,
    tables: Callable[[int, np.random.Generator], Tables],
    *,
    draws: int,
    rng: np.random.Generator,
    evaluators: int | None,
) -> StrengthDraws:
    """Draw and fit in batches; each has a generator of its own, whichever thread takes it."""
    check_draws(draws)
    batch = max(1, min(_MOST_AT_ONCE, _CELLS // len(fitted.conditions) ** 2))
    numbers = [min(batch, draws - begin) for begin in range(0, draws, batch)]

    def found(number: int, own: np.random.Generator) -> FloatArray:
        return _strengths(fitted, *tables(number, own))

    # The matrices are small: threads of their own would only wait for each other.
    with threadpool_limits(1), ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        finite = np.concatenate([*threads.map(found, numbers, rng.spawn(len(numbers)))])
    size = len(fitted.conditions)
    log_strengths = finite[:, :size] - finite[:, :size].mean(axis=1, keepdims=True)
    return StrengthDraws(
        conditions=fitted.conditions,
        log_strengths=log_strengths,
        nu=np.exp(finite[:, size]) if fitted.log_nu is not None else None,
        undefined=draws - len(finite),
        draws=draws,
        evaluators=evaluators,
    )


def _comparisons_drawn(counts: Counts, number: int, rng: np.random.Generator) -> Tables:
    size = len(counts.conditions)
    shape = number, size, size
    wins = rng.poisson(counts.wins, shape).astype(float)
    if not counts.ties.any():
        return wins, np.zeros(shape)
    ties = rng.poisson(np.triu(counts.ties), shape).astype(float)
    return wins, ties + ties.transpose(0, 2, 1)


def _outcomes(by_evaluator: EvaluatorCounts) -> csr_array:
    """Lay out answers by outcome and evaluator: wins of i over j, then ties, K² rows each."""
    size = len(by_evaluator.conditions)
    cell = by_evaluator.chosen * size + by_evaluator.other + size**2 * by_evaluator.tied
    shape = (2 * size**2, by_evaluator.evaluators)
    return csr_array((by_evaluator.times, (cell, by_evaluator.evaluator)), shape=shape)


def _evaluators_drawn(
    by_evaluator: EvaluatorCounts, outcomes: csr_array, number: int, rng: np.random.Generator
) -> Tables:
    size, people = len(by_evaluator.conditions), by_evaluator.evaluators
    weights = (
        np.bincount(rng.integers(people, size=people, dtype=np.int32), minlength=people)
        for _ in range(number)
    )
    cells = np.stack([outcomes @ own.astype(float) for own in weights])
    drawn = cells.reshape(number, 2, size, size)
    ties = drawn[:, 1] + drawn[:, 1].transpose(0, 2, 1)
    return drawn[:, 0], ties


def _strengths(fitted: Fitted, wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Fit several tables; those that have no finite strengths are missing from the result."""
    points = wins + ties / 2
    found, done = refit(
        fitted, points.sum(axis=2), ties.sum(axis=(1, 2)) / 2, points + points.transpose(0, 2, 1)
    )
    for table in np.flatnonzero(~done).tolist():
        try:
            found[table] = _alone(fitted, wins[table], ties[table])
        except (NoFiniteStrengths, StrengthsNotFound):
            continue
        done[table] = True
    return found[done]


def _alone(fitted: Fitted, wins: FloatArray, ties: FloatArray) -> FloatArray:
    counts = Counts(conditions=fitted.conditions, wins=wins, ties=ties)
    again = fit(counts, fitted.ties, start=fitted.log_strengths)
    if fitted.log_nu is None:
        return again.log_strengths
    return np.append(again.log_strengths, -np.inf if again.log_nu is None else again.log_nu)


Unit = Literal["evaluators", "comparisons"]
"""What the bootstrap draws, and what the sandwich takes to be independent."""
