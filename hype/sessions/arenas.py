"""An arena as evaluators come: which pairs the next one is given, and whether anybody is needed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from sqlalchemy import Connection

from hype.protocol.arena import Pair, next_pairs
from hype.protocol.separation import Separation, separation, separation_by_evaluator
from hype.sessions.exported_comparisons import failed_validation, validated
from hype.store.votes import VoteCounts, count_votes
from hype.study.comparison_settings import ArenaSettings
from hype.study.studies import ComparisonStudy


def votes_so_far(
    connection: Connection,
    study: ComparisonStudy,
    conditions: Sequence[str],
    *,
    simulated: bool,
    given: Collection[str] | None = None,
) -> VoteCounts:
    """Count the votes that an arena goes by: those of evaluators who do not fail the validation.

    ``given`` is as in `hype.store.votes.count_votes`.
    """
    failed = failed_validation(study, validated(connection, simulated=simulated))
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

    Returns
    -------
    pairs
        (n, 2) conditions, the lower first.
    shares
        (n,) from 0 to 1, a tie half; evaluators in the order of their first vote.
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
    found = known_so_far(arena, votes)
    if found.reached:
        known = found.order or (found.top,)
        names = ", ".join(conditions[place] for place in known if place is not None)
        what = "the ranking" if arena.goal == "ranking" else "the top"
        return f"{what} is known after {cast:,} votes: {names}"
    if cast >= arena.most_votes:
        return f"all {arena.most_votes:,} planned votes were given"
    return ""
