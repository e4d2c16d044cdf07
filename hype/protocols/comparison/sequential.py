"""An arena's stopping rule, applied to a table of comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from hype.report import tabular
from hype.report.methods import render_block
from hype.report.tabular import Row, Table, tabulate
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.estimate import Images
from hype.statistics.looks import Goal, Look, looks_of
from hype.statistics.paired_counts import Counts, answers_of, count
from hype.statistics.pairs import verdict_of
from hype.statistics.separation import FinishedVotes, separations
from hype.statistics.strengths import Ties, fit

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class StoppingRule:
    """The stopping rule of an arena."""

    goal: Goal
    evaluators: int  # planned number of evaluators
    images: Images = "sample"  # whether claims should apply to other images and prompts too
    alpha: float = 0.05
    # Returns the looks for conditions; if None, the looks follow from `evaluators` and `alpha`
    fixed: Callable[[Sequence[str]], tuple[Look, ...]] | None = None

    def looks(self, names: Sequence[str]) -> tuple[Look, ...]:
        return self.fixed(names) if self.fixed else looks_of(self.evaluators, self.alpha)


Claims = tuple[tuple[str, str], ...]
"""Pairs with a known winner at the last look, the winner first.

The probability of any wrong claim is at most alpha; so is that of a wrong result.
"""


def sequential(rows: pd.DataFrame, rule: StoppingRule) -> tuple[Row | None, Sequence[Look], Claims]:
    """Apply the stopping rule; its error rate covers all looks together.

    ``rows``: the scored comparisons, in the order of answers. Returns the result (None if
    evaluators are unknown), the looks and the claims. ``images``: "sample" if claims apply to other
    images and prompts too (this needs enough of both), else "fixed". ``planned``: the planned
    number of evaluators. ``next_look``: the number of evaluators at the next look; None if there is
    none. ``reached``: whether the goal is reached. ``top``: the best condition; None if unknown.
    ``separated``: how many of the ``pairs`` have a known winner.

    The error rate holds only if the table has all votes that the looks used. Votes of evaluators
    who withdrew later are missing from the table, although the arena counted them.
    """
    if "evaluator" not in rows:
        return None, (), ()
    names, votes = tuple(map(str, rows["left"].cat.categories)), votes_of(rows, rule.images)
    looks = rule.looks(names)
    looked = tuple(separations(votes, looks, goal=rule.goal))
    last = looked[-1] if looked else None
    known = last if last is not None and last.settled else None
    later = [look.people for look in looks if look.people > votes.number]
    apart = np.argwhere(last.apart) if last else ()
    arena: Row = {
        "goal": rule.goal,
        "images": "fixed" if votes.items is None else rule.images,
        "alpha": rule.alpha,
        "planned": rule.evaluators,
        "next_look": later[0] if later and known is None else None,
        "reached": known is not None,
        "top": None if known is None or known.top is None else names[known.top],
        "pairs": math.comb(len(names), 2),
        "separated": len(apart),
    }
    order = [names[n] for n in known.order or ()] if known else []
    there: list[str] = []
    first = ""
    if known is None and last is not None and last.reached:
        there = [name for at, name in enumerate(names) if at not in last.look.without]
        first = names[last.order[0] if last.order else last.top or 0]
    facts = {"arena": arena, "order": order, "last": looked[-1].look.people if looked else 0}
    arena["said"] = render_block(FOLDER, "arena", **facts, first=first, there=there)
    claims = tuple((names[better], names[worse]) for better, worse in apart)
    return arena, [separation.look for separation in looked], claims


def apply_arena_rule(pair: Row, claims: Claims) -> Row:
    """Replace the verdict of the tests on a pair with the verdict of the arena's rule."""
    separable = (pair["a"], pair["b"]) in claims
    untested = dict.fromkeys(("p", "p_adjusted", "p_equivalent", "powered"))
    verdict = {"said": "", "separable": separable, "verdict": verdict_of(separable)}
    return pair | untested | verdict


def looks_table(looks: Sequence[Look]) -> Table:
    return tabulate(
        [{"evaluators": look.people, "level": look.level} for look in looks],
        name="comparison-looks",
        title="Tests of the arena's stopping rule",
        columns=(tabular.name("Evaluators", "evaluators"), tabular.number("Level", "level", 4)),
    )


def votes_of(rows: pd.DataFrame, images: Images) -> FinishedVotes:
    """Encode the comparisons of a table; people are sorted by the time of their last answer."""
    codes = rows["evaluator"].cat.codes.to_numpy()
    last = np.full(len(rows["evaluator"].cat.categories), -1)
    np.maximum.at(last, codes, np.arange(len(rows)))
    people = np.searchsorted(np.sort(last[last >= 0]), last[codes])
    answers, _ = answers_of(rows, images)
    return FinishedVotes(
        conditions=len(answers.conditions),
        chosen=answers.chosen,
        other=answers.other,
        tied=answers.tied,
        people=people,
        items=answers.items,
    )


MOST_MOMENTS: Final = 60
MOST_CONDITIONS: Final = 40
"""With more conditions, lines cannot be distinguished, and the fits would take a long time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArenaCourse:
    """The course of an arena."""

    votes: IntArray  # numbers of votes, ascending, shape (moments,)
    conditions: tuple[str, ...]  # conditions with a final strength, the strongest first
    # Log-strengths over time, shape (moments, conditions); NaN until they are finite
    strengths: FloatArray
    # Number of votes at which the rule first gave its final result; None if it has no result
    known_at: int | None


def course(
    votes: pd.DataFrame, names: tuple[str, ...], ties: Ties, known_since: int | None
) -> ArenaCourse | None:
    """Compute strengths from an arena's first vote to its last.

    ``votes``: the scored rows in order. ``names``: the conditions with a final strength, the
    strongest first. ``known_since``: number of evaluators when the rule reached its goal; None if
    it did not. The result is None with more than forty conditions, or fewer than two.
    """
    if not 2 <= len(names) <= MOST_CONDITIONS:
        return None
    people = votes_of(votes, "fixed").people
    ordered = votes.iloc[np.argsort(people, kind="stable")]
    ends = np.cumsum(np.bincount(people))
    if len(ends) > MOST_MOMENTS:  # evenly spaced, including the last
        ends = ends[np.linspace(0, len(ends) - 1, MOST_MOMENTS + 1).round().astype(int)[1:]]
    return ArenaCourse(
        votes=ends,
        conditions=names,
        strengths=np.array([_strengths(count(ordered.iloc[:end]), names, ties) for end in ends]),
        known_at=None if known_since is None else int((people < known_since).sum()),
    )


def _strengths(counts: Counts, names: tuple[str, ...], ties: Ties) -> FloatArray:
    own = counts.only(names)
    own = own.drop_ties() if ties == "none" else own
    if len(connectivity(own).fitted) < len(names):
        return np.full(len(names), np.nan)
    try:
        return fit(own, ties).log_strengths
    except StrengthsNotFound:
        return np.full(len(names), np.nan)
