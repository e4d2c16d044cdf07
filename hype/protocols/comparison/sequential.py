"""What an arena's stopping rule says of a table of comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from hype.protocols.comparison.results import (
    ArenaCourse,
    PairResult,
    PairwiseScore,
    Sequential,
)
from hype.report.methods import said
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.crossed import Images
from hype.statistics.paired_counts import Counts, answers_of, count
from hype.statistics.pairs import verdict_of
from hype.statistics.separation import (
    FinishedVotes,
    Goal,
    Look,
    looks_of,
    separations,
)
from hype.statistics.strengths import Ties, fit

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class StoppingRule:
    """The rule of an arena, as its study has it."""

    goal: Goal
    evaluators: int  # how many were planned
    images: Images = "sample"  # whether claims are to hold for other images and prompts too
    alpha: float = 0.05
    # Gives the looks, by the conditions' names, where they are not those of `evaluators` alone
    fixed: Callable[[Sequence[str]], tuple[Look, ...]] | None = None

    def looks(self, names: Sequence[str]) -> tuple[Look, ...]:
        return self.fixed(names) if self.fixed else looks_of(self.evaluators, self.alpha)


def sequential(rows: pd.DataFrame, rule: StoppingRule) -> Sequential | None:
    """Ask the stopping rule.

    ``rows``: the scored comparisons, in the order in which they were made. Gives None if
    the evaluators are unknown.

    The error rate is the arena's where every vote that it looked at is here: what a rule leaves out
    afterwards, such as evaluators who withdrew, the stopping rule had counted.
    """
    if "evaluator" not in rows:
        return None
    names, votes = tuple(map(str, rows["left"].cat.categories)), votes_of(rows, rule.images)
    looks = rule.looks(names)
    looked = tuple(separations(votes, looks, goal=rule.goal))
    last = looked[-1] if looked else None
    known = last if last is not None and last.settled else None
    later = [look.people for look in looks if look.people > votes.number]
    apart = np.argwhere(last.apart) if last else ()
    rule_now = Sequential(
        goal=rule.goal,
        images="fixed" if votes.items is None else rule.images,
        alpha=rule.alpha,
        planned=rule.evaluators,
        looks=tuple(separation.look.people for separation in looked),
        levels=tuple(separation.look.level for separation in looked),
        next_look=later[0] if later and known is None else None,
        reached=known is not None,
        top=None if known is None or known.top is None else names[known.top],
        order=None if known is None or known.order is None else _named(names, known.order),
        separated=len(apart),
        claims=tuple((names[better], names[worse]) for better, worse in apart),
        pairs=math.comb(len(names), 2),
        said="",
    )
    there: list[str] = []
    first = ""
    if known is None and last is not None and last.reached:
        there = [name for at, name in enumerate(names) if at not in last.look.without]
        first = names[last.order[0] if last.order else last.top or 0]
    return replace(rule_now, said=said(FOLDER, "arena", arena=rule_now, first=first, there=there))


def by_arena(pair: PairResult, arena: Sequential) -> PairResult:
    """Let the rule of an arena say whether two conditions differ, in place of the tests."""
    separable = (pair.a, pair.b) in arena.claims
    return replace(
        pair,
        p=None,
        p_adjusted=None,
        p_equivalent=None,
        powered=None,
        said="",
        separable=separable,
        verdict=verdict_of(separable),
    )


def votes_of(rows: pd.DataFrame, images: Images) -> FinishedVotes:
    """Take comparisons of a table; the order of last answers is the order of finishing."""
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


def _named(names: tuple[str, ...], order: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(names[place] for place in order)


MOST_MOMENTS: Final = 60
MOST_CONDITIONS: Final = 40
"""Beyond this number lines cannot be told apart, and fits take long."""


def course(votes: pd.DataFrame, score: PairwiseScore) -> ArenaCourse | None:
    """Follow an arena from its first vote to its last.

    ``votes``: the scored rows, in their order. Gives None for a study without a stopping rule, with
    more than forty conditions, or without strengths.
    """
    rule = score.sequential
    names = tuple(row.condition for row in score.conditions if row.strength is not None)
    if rule is None or not 2 <= len(names) <= MOST_CONDITIONS:
        return None
    people = votes_of(votes, "fixed").people
    ordered = votes.iloc[np.argsort(people, kind="stable")]
    ends = _thinned(np.cumsum(np.bincount(people)))
    return ArenaCourse(
        votes=ends,
        conditions=names,
        strengths=np.array(
            [_strengths(count(ordered.iloc[:end]), names, score.ties) for end in ends]
        ),
        known_at=int((people < rule.looks[-1]).sum()) if rule.reached else None,
    )


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
