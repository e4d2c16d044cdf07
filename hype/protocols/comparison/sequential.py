"""What an arena's stopping rule says of a table of comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.paired_counts import count, count_by_evaluator
from hype.statistics.separation import (
    Goal,
    Separation,
    level_for,
    separation,
    separation_by_evaluator,
)
from hype.statistics.strengths import fit

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.comparison.results import PairwiseScore
    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.strengths import Ties

GoalUnit = Literal["vote", "evaluator"]


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """What is known, with an error rate that holds however often one looks."""

    goal: Goal  # "top" or "ranking"
    unit: GoalUnit  # what the rule takes to be independent: "vote" or "evaluator"
    alpha: float
    reached: bool  # whether the goal is
    top: str | None  # the condition that is known to be the best; None where that is open
    # All conditions from the best, where that is known; never with the goal "top"
    order: tuple[str, ...] | None
    # separated, pairs: of how many pairs it is known who beats whom, and how many there are
    separated: int
    pairs: int
    said: str


def sequential(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    goal: Goal,
    unit: GoalUnit = "vote",
    alpha: float = 0.05,
) -> Sequential | None:
    """Ask the stopping rule.

    ``counts``, ``by_evaluator``: the scored comparisons. ``goal``, ``unit``, ``alpha``: as the
    study has them. Gives None where evaluators are the unit and not known.

    The error rate is the arena's where every vote that it looked at is here: what a rule leaves out
    afterwards, such as evaluators who failed their validation, the stopping rule had counted.
    """
    if unit == "evaluator":
        if by_evaluator is None:
            return None
        pairs, shares = evaluator_shares(by_evaluator)
        result = separation_by_evaluator(
            pairs, shares, conditions=len(counts.conditions), goal=goal, alpha=alpha
        )
    else:
        result = separation(counts.wins, goal=goal, alpha=alpha)
    names = counts.conditions
    top = None if result.top is None else names[result.top]
    order = None if result.order is None else tuple(names[place] for place in result.order)
    separated, number = int((result.beats | result.beats.T).sum()) // 2, math.comb(len(names), 2)
    return Sequential(
        goal=goal,
        unit=unit,
        alpha=alpha,
        reached=result.reached,
        top=top,
        order=order,
        separated=separated,
        pairs=number,
        said=_said(result, top, order, separated, number),
    )


def evaluator_shares(by_evaluator: EvaluatorCounts) -> tuple[IntArray, FloatArray]:
    """Give each evaluator's share of his votes of a pair that went to the first, a tie half.

    Returns ``pairs``: shape (n, 2), the lower place first; ``shares``: shape (n,), from 0 to 1.
    """
    first = np.minimum(by_evaluator.chosen, by_evaluator.other)
    second = np.maximum(by_evaluator.chosen, by_evaluator.other)
    part = np.where(by_evaluator.tied, 0.5, by_evaluator.chosen == first)
    keys = np.column_stack([by_evaluator.evaluator, first, second])
    cells, entry = np.unique(keys, axis=0, return_inverse=True)
    entry = entry.reshape(-1)
    votes = np.bincount(entry, by_evaluator.times)
    return cells[:, 1:], np.bincount(entry, by_evaluator.times * part) / votes


def _said(
    found: Separation,
    top: str | None,
    order: tuple[str, ...] | None,
    separated: int,
    pairs: int,
) -> str:
    sure = f"with an error rate of {found.alpha:.0%} at most, however often one looks"
    if order is not None:
        return f"The ranking is known, {sure}: {', '.join(order)}."
    if found.goal == "top" and top is not None:
        return f"{top} is known to be the top, {sure}."
    what = "ranking" if found.goal == "ranking" else "top"
    return f"The {what} is not known yet: {separated} of {pairs} pairs are separated, {sure}."


MOST_MOMENTS: Final = 60
MOST_CONDITIONS: Final = 40
"""Beyond so many nobody tells the lines apart, and fits take long."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LeadingPair:
    """What was known of the two conditions that end at the top.

    ``a``, ``b``: the conditions, the first one ahead at the end. ``rate``: of `a` over `b` at each
    moment; NaN before the two met. ``low``, ``high``: the confidence sequence: its intervals of all
    moments hold the truth together. ``level``: the probability that they do not.
    """

    a: str
    b: str
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    level: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """The course of an arena."""

    votes: IntArray  # how many there were at each moment, ascending; shape (moments,)
    conditions: tuple[str, ...]  # those with a strength at the end, the strongest first
    # Log-strengths at each moment, shape (moments, conditions); NaN while they are not finite
    strengths: FloatArray
    # Votes after which what the rule knows at the end was known for the first time; None where it
    # does not know its goal
    known_at: int | None
    leading: LeadingPair | None  # the two conditions at the top; None where they never met


def course(votes: pd.DataFrame, score: PairwiseScore) -> Course | None:
    """Follow an arena from its first vote to its last.

    ``votes``: the scored rows, in their order. Gives None for a study without a stopping rule, with
    more than forty conditions, or without strengths.
    """
    rule = score.sequential
    names = tuple(row.condition for row in score.conditions if row.strength is not None)
    if rule is None or not 2 <= len(names) <= MOST_CONDITIONS:
        return None
    ordered, ends = _moments(votes, by_evaluator=rule.unit == "evaluator")
    prefixes = [ordered.iloc[:end] for end in ends]
    tables = [count(rows) for rows in prefixes]
    people = [count_by_evaluator(rows) if rule.unit == "evaluator" else None for rows in prefixes]
    return Course(
        votes=ends,
        conditions=names,
        strengths=np.array([_strengths(counts, names, score.ties) for counts in tables]),
        known_at=_known_at(tables, people, rule, ends),
        leading=_leading(tables, people, names, rule, len(score.conditions)),
    )


def _moments(votes: pd.DataFrame, *, by_evaluator: bool) -> tuple[pd.DataFrame, IntArray]:
    """Put rows into the order of the course, and give where its moments end."""
    number = len(votes)
    if not by_evaluator:
        return votes, _thinned(np.arange(1, number + 1))
    codes = votes["evaluator"].cat.codes.to_numpy()
    last = np.zeros(len(votes["evaluator"].cat.categories), dtype=np.int64)
    np.maximum.at(last, codes, np.arange(number))
    order = np.argsort(last[codes], kind="stable")
    own = last[codes][order]
    ends = np.flatnonzero(np.diff(own, append=-1)) + 1
    return votes.iloc[order], _thinned(ends)


def _thinned(ends: IntArray) -> IntArray:
    """Keep moments that are evenly spread, the last one among them."""
    if len(ends) <= MOST_MOMENTS:
        return ends
    kept: IntArray = ends[np.linspace(0, len(ends) - 1, MOST_MOMENTS + 1).round().astype(int)[1:]]
    return kept


def _strengths(counts: Counts, names: tuple[str, ...], ties: Ties) -> FloatArray:
    own = counts.only(names)
    own = own.without_ties() if ties == "none" else own
    if len(connectivity(own).fitted) < len(names):
        return np.full(len(names), np.nan)
    try:
        return fit(own, ties).log_strengths
    except StrengthsNotFound:
        return np.full(len(names), np.nan)


def _known_at(
    tables: list[Counts], people: list[EvaluatorCounts | None], rule: Sequential, ends: IntArray
) -> int | None:
    """Search from the end: what is known there was known without a break since that moment."""
    if not rule.reached:
        return None
    first_votes = int(ends[-1])
    for counts, evaluators, end in zip(tables[::-1], people[::-1], ends[::-1], strict=True):
        verdict = sequential(counts, evaluators, goal=rule.goal, unit=rule.unit, alpha=rule.alpha)
        if (
            verdict is None
            or not verdict.reached
            or (verdict.top, verdict.order) != (rule.top, rule.order)
        ):
            break
        first_votes = int(end)
    return first_votes


def _leading(
    tables: list[Counts],
    people: list[EvaluatorCounts | None],
    names: tuple[str, ...],
    rule: Sequential,
    conditions: int,
) -> LeadingPair | None:
    pair = names[:2]
    level = level_for(rule.goal, rule.alpha, conditions, by_evaluator=rule.unit == "evaluator")
    rows = [
        _interval(counts.only(pair), evaluators and evaluators.only(pair), level)
        for counts, evaluators in zip(tables, people, strict=True)
    ]
    rate, low, high = np.array(rows).T
    if np.isnan(rate).all():
        return None
    return LeadingPair(a=pair[0], b=pair[1], rate=rate, low=low, high=high, level=level)


def _interval(
    counts: Counts, people: EvaluatorCounts | None, level: float
) -> tuple[float, float, float]:
    """Give a moment's rate of the first over the second, with its interval at a pair's own level.

    Of two conditions the level of the top is the level of their only pair.
    """
    if people is None:
        result = separation(counts.wins, alpha=level)
        won, lost = counts.wins[0, 1], counts.wins[1, 0]
        rate = won / (won + lost) if won + lost else np.nan
    else:
        pairs, shares = evaluator_shares(people)
        result = separation_by_evaluator(pairs, shares, conditions=2, alpha=level)
        rate = shares.mean() if len(shares) else np.nan
    return float(rate), float(result.low[0, 1]), float(result.high[0, 1])
