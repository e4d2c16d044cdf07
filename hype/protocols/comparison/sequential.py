"""What an arena's stopping rule says of a table of comparisons."""

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
from hype.statistics.crossed import Images
from hype.statistics.paired_counts import Counts, answers_of, count
from hype.statistics.pairs import verdict_of
from hype.statistics.separation import FinishedVotes, Goal, Look, looks_of, separations
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


Claims = tuple[tuple[str, str], ...]
"""Pairs whose winner the last look knew, the better one first.

All pairs together err with alpha at most, and so does the goal, where it is reached.
"""


def sequential(rows: pd.DataFrame, rule: StoppingRule) -> tuple[Row | None, Sequence[Look], Claims]:
    """Ask the stopping rule; its error rate holds however often one looks.

    ``rows``: the scored comparisons, in the order in which they were made. Gives what is known,
    None if the evaluators are unknown; after how many evaluators the rule looked; and the claims.

    `images`: whether claims are for other images and prompts too: not where these are few.
    `planned`: evaluators. `next_look`: after how many the rule looks again; None if it does not.
    `reached`: whether the goal is. `top`: the condition that is known to be the best; None if that
    is open. `separated`: how many of the `pairs` are claimed.

    The error rate is the arena's where every vote that it looked at is here: what a rule leaves out
    afterwards, such as evaluators who withdrew, the stopping rule had counted.
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
    """Let the rule of an arena say whether two conditions differ, in place of the tests."""
    separable = (pair["a"], pair["b"]) in claims
    untested = dict.fromkeys(("p", "p_adjusted", "p_equivalent", "powered"))
    verdict = {"said": "", "separable": separable, "verdict": verdict_of(separable)}
    return pair | untested | verdict


def looks_table(looks: Sequence[Look]) -> Table:
    return tabulate(
        [{"evaluators": look.people, "level": look.level} for look in looks],
        name="comparison-looks",
        title="When the rule of the arena looked",
        columns=(tabular.name("Evaluators", "evaluators"), tabular.number("Level", "level", 4)),
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


MOST_MOMENTS: Final = 60
MOST_CONDITIONS: Final = 40
"""Beyond this number lines cannot be told apart, and fits take long."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArenaCourse:
    """The course of an arena."""

    votes: IntArray  # how many there were at each moment, ascending; shape (moments,)
    conditions: tuple[str, ...]  # those with a strength at the end, the strongest first
    # Log-strengths at each moment, shape (moments, conditions); NaN while they are not finite
    strengths: FloatArray
    # Votes after which what the rule knows at the end was known for the first time; None if it
    # does not know its goal
    known_at: int | None


def course(
    votes: pd.DataFrame, names: tuple[str, ...], ties: Ties, known_since: int | None
) -> ArenaCourse | None:
    """Follow an arena from its first vote to its last.

    ``votes``: the scored rows, in their order. ``names``: the conditions that have a strength at
    the end, the strongest first. ``known_since``: at how many evaluators the rule knew its goal;
    None if it does not. Gives None of more than forty conditions, or of fewer than two.
    """
    if not 2 <= len(names) <= MOST_CONDITIONS:
        return None
    people = votes_of(votes, "fixed").people
    ordered = votes.iloc[np.argsort(people, kind="stable")]
    ends = np.cumsum(np.bincount(people))
    if len(ends) > MOST_MOMENTS:  # evenly spread, the last one among them
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
