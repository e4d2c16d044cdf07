"""An arena as evaluators come: its votes so far, and the next one's pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, func, select

from hype.protocols.comparison.record import comparisons
from hype.protocols.comparison.settings import ArenaSettings, ComparisonStudy
from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.protocols.comparison.validation import failed_validation
from hype.statistics.arrays import IntArray
from hype.statistics.separation import (
    Pair,
    Separation,
    next_pairs,
    separation,
    separation_by_evaluator,
)
from hype.store.schema import evaluators


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteCounts:
    """Who was chosen over whom, by each evaluator, in the order of the conditions.

    ``wins``: (evaluators, K, K) numbers of votes, ``wins[e, i, j]`` for i over j. ``ties``:
    (evaluators, K, K) numbers of ties, each in ``[e, i, j]`` and in ``[e, j, i]``.
    """

    wins: IntArray
    ties: IntArray


def count_votes(
    connection: Connection,
    conditions: Sequence[str],
    *,
    simulated: bool,
    without: Collection[str] = (),
    given: Collection[str] | None = None,
) -> VoteCounts:
    """Count the votes of people, or of simulated evaluators.

    All votes count, also of those who are still at it: an arena lives on what there is. Evaluators
    whose code is in ``without`` and conditions that are not among ``conditions`` are passed over,
    and so is who was not ``given`` one of some studies, if their checksums are.
    """
    cells = comparisons.c
    what = (evaluators.c.evaluator, cells.left, cells.right, cells.answer)
    query = (
        select(*what, func.count())
        .join(evaluators, cells.evaluator_id == evaluators.c.id)
        .where(cells.simulated == simulated, cells.task == ComparisonTask.COMPARISON.value)
        .group_by(evaluators.c.id, *what)
        .order_by(evaluators.c.id)
    )
    if given is not None:
        query = query.where(evaluators.c.study.in_(given))
    rows = [row for row in connection.execute(query) if row[0] not in without]
    place = {name: at for at, name in enumerate(conditions)}
    number = {who: at for at, who in enumerate(dict.fromkeys(row[0] for row in rows))}
    wins = np.zeros((len(number), len(place), len(place)), dtype=np.int64)
    ties = np.zeros_like(wins)
    for who, left, right, answer, times in rows:
        if left not in place or right not in place:
            continue
        one, other = place[left], place[right]
        if answer == Choice.LEFT.value:
            wins[number[who], one, other] += times
        elif answer == Choice.RIGHT.value:
            wins[number[who], other, one] += times
        elif answer == Choice.TIE.value:
            ties[number[who], one, other] += times
            ties[number[who], other, one] += times
    return VoteCounts(wins=wins, ties=ties)


def votes_so_far(
    connection: Connection,
    study: ComparisonStudy,
    conditions: Sequence[str],
    *,
    simulated: bool,
    given: Collection[str] | None = None,
) -> VoteCounts:
    """Count the votes that an arena goes by: those of evaluators who do not fail the validation.

    ``given`` is as in `hype.protocols.comparison.arena.count_votes`.
    """
    failed = failed_validation(connection, study, simulated=simulated)
    return count_votes(connection, conditions, simulated=simulated, without=failed, given=given)


def known_so_far(arena: ArenaSettings, votes: VoteCounts) -> Separation:
    """Say what the votes tell, by votes or by evaluators as the study has it."""
    if arena.unit == "vote":
        return separation(votes.wins.sum(axis=0), goal=arena.goal, alpha=arena.alpha)
    pairs, shares = shares_of(votes)
    return separation_by_evaluator(
        pairs, shares, conditions=votes.wins.shape[1], goal=arena.goal, alpha=arena.alpha
    )


def shares_of(votes: VoteCounts) -> tuple[np.ndarray, np.ndarray]:
    """Give each evaluator's share of their votes of a pair that went to the first condition.

    Returns ``pairs``: (n, 2) conditions, the lower first; ``shares``: (n,) from 0 to 1, a tie half;
    evaluators in the order of their first vote.
    """
    cast = votes.wins + votes.wins.transpose(0, 2, 1) + votes.ties
    who, first, second = np.nonzero(np.triu(cast, k=1))
    won = votes.wins[who, first, second] + votes.ties[who, first, second] / 2
    return np.column_stack([first, second]), won / cast[who, first, second]


def chosen_pairs(arena: ArenaSettings, votes: VoteCounts, draws: Sequence[float]) -> list[Pair]:
    """Choose the pairs of a session, as many as there are ``draws``."""
    return next_pairs(
        votes.wins.sum(axis=0),
        votes.ties.sum(axis=0),
        rule=arena.pairs,
        draws=draws,
        goal=arena.goal,
        alpha=arena.alpha,
        known=known_so_far(arena, votes).beats,
    )


def why_enough(arena: ArenaSettings, votes: VoteCounts, conditions: Sequence[str]) -> str:
    """Say why nobody more is needed; nothing where somebody is."""
    cast = int(votes.wins.sum() + votes.ties.sum() // 2)
    result = known_so_far(arena, votes)
    if result.reached:
        places = result.order or (result.top,)
        names = ", ".join(conditions[place] for place in places if place is not None)
        what = "the ranking" if arena.goal == "ranking" else "the top"
        return f"{what} is known after {cast:,} votes: {names}"
    if cast >= arena.most_votes:
        return f"all {arena.most_votes:,} planned votes were given"
    return ""
