"""What an arena's stopping rule says of a table of comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from hype.statistics.separation import Goal, Separation, separation, separation_by_evaluator

if TYPE_CHECKING:
    from hype.statistics.paired_counts import Counts, EvaluatorCounts

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
GoalUnit = Literal["vote", "evaluator"]


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """What is known, with an error rate that holds however often one looks.

    Parameters
    ----------
    goal
        "top" or "ranking".
    unit
        What the rule takes to be independent: "vote" or "evaluator".
    alpha
        The error rate.
    reached
        Whether the goal is.
    top
        The condition that is known to be the best; None where that is open.
    order
        All conditions from the best, where that is known; never with the goal "top".
    separated, pairs
        Of how many pairs it is known who beats whom, and how many there are.
    said
        The same in a sentence.
    """

    goal: Goal
    unit: GoalUnit
    alpha: float
    reached: bool
    top: str | None
    order: tuple[str, ...] | None
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

    Parameters
    ----------
    counts, by_evaluator
        The scored comparisons.
    goal, unit, alpha
        As the study has them.

    Returns
    -------
    Sequential or None
        None where evaluators are the unit and not known.

    Notes
    -----
    The error rate is the arena's where every vote that it looked at is here: what a rule leaves out
    afterwards, such as evaluators who failed their validation, the stopping rule had counted.
    """
    if unit == "evaluator":
        if by_evaluator is None:
            return None
        pairs, shares = evaluator_shares(by_evaluator)
        found = separation_by_evaluator(
            pairs, shares, conditions=len(counts.conditions), goal=goal, alpha=alpha
        )
    else:
        found = separation(counts.wins, goal=goal, alpha=alpha)
    names = counts.conditions
    top = None if found.top is None else names[found.top]
    order = None if found.order is None else tuple(names[place] for place in found.order)
    separated, number = int((found.beats | found.beats.T).sum()) // 2, math.comb(len(names), 2)
    return Sequential(
        goal=goal,
        unit=unit,
        alpha=alpha,
        reached=found.reached,
        top=top,
        order=order,
        separated=separated,
        pairs=number,
        said=_said(found, top, order, separated, number),
    )


def evaluator_shares(by_evaluator: EvaluatorCounts) -> tuple[IntArray, FloatArray]:
    """Give each evaluator's share of his votes of a pair that went to the first, a tie half.

    Returns
    -------
    pairs
        Shape (n, 2), the lower place first.
    shares
        Shape (n,), from 0 to 1.
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
