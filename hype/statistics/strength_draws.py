"""Strengths of resampled comparisons: the bootstrap behind their intervals."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import ndtr, stdtrit
from threadpoolctl import threadpool_limits

from hype.statistics.bradley_terry import SMALLEST_STEP, NoFiniteStrengths, StrengthsNotFound
from hype.statistics.paired_counts import Counts
from hype.statistics.resampling import check_draws
from hype.statistics.strengths import fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from hype.statistics.paired_counts import EvaluatorCounts
    from hype.statistics.strengths import Fitted

FloatArray = npt.NDArray[np.float64]

IntArray = npt.NDArray[np.int64]

BoolArray = npt.NDArray[np.bool_]

_MOST_CHORDS: Final = 30

_TRIED: Final = 4

"""Steps after which a table is given up unless it will be fitted in `_MOST_CHORDS` at its pace."""


def refit(
    fitted: Fitted, points: FloatArray, ties: FloatArray, comparisons: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Fit tables.

    Parameters
    ----------
    fitted
        The strengths to begin at.
    points
        Of each condition in each table, half a point for a tie; shape (tables, K).
    ties
        Number of ties in each table; looked at for Davidson's model only.
    comparisons
        Of each two conditions, shape (tables, K, K).

    Returns
    -------
    found
        Log-strengths, and log ν for Davidson's model; shape (tables, K) or (tables, K + 1).
    done
        Which tables were fitted, to steps of at most `SMALLEST_STEP`; shape (tables,).
    """
    start = fitted.log_strengths
    davidson = fitted.log_nu is not None
    if fitted.log_nu is not None:
        start, points = np.append(start, fitted.log_nu), np.column_stack([points, ties])
    found = np.tile(start, (len(points), 1))
    done = np.zeros(len(points), dtype=bool)
    going = np.arange(len(points))
    inverse = fitted.inverse
    before = np.full(len(points), np.inf)
    for taken in range(1, _MOST_CHORDS + 1):
        own = comparisons if len(going) == len(points) else comparisons[going]
        step = (points[going] - _expected(found[going], own, davidson=davidson)) @ inverse
        found[going] += step
        width = np.abs(step).max(axis=1)
        done[going] = width <= SMALLEST_STEP
        going, before = _worth_going_on(going, width, before, taken)
        if not len(going):
            break
    return found, done


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
class Draws:
    """Log-strengths of the draws.

    Parameters
    ----------
    conditions
        K of them.
    log_strengths
        Of the draws that have finite ones, shape (draws - undefined, K), each of mean 0.
    nu
        Davidson's ν of the same draws; None by another rule.
    undefined
        Draws without finite strengths, or with ones that lie too far apart to be found.
    draws
        All of them.
    evaluators
        How many people were drawn in each; None where comparisons were.
    """

    conditions: tuple[str, ...]
    log_strengths: FloatArray
    nu: FloatArray | None
    undefined: int
    draws: int
    evaluators: int | None

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
) -> Draws:
    """Resample comparisons.

    Parameters
    ----------
    counts
        Of the conditions of ``fitted``.
    fitted
        Their strengths.
    draws
        Number of resamples.
    rng
        Source of randomness.

    Raises
    ------
    InputError
        For fewer than two draws.
    """
    table = partial(_comparisons_drawn, counts)
    return _draw(fitted, table, draws=draws, rng=rng, evaluators=None)


def draw_evaluators(
    by_evaluator: EvaluatorCounts, fitted: Fitted, *, draws: int, rng: np.random.Generator
) -> Draws:
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
) -> Draws:
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
    return Draws(
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
