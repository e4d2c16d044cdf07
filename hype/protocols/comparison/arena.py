"""A running arena: the votes so far, and the next evaluator's pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, select

from hype.errors import InputError
from hype.protocols.comparison.record import KEPT, comparisons, find_failed
from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import Choice
from hype.session.outgoing import find_careless
from hype.statistics.arrays import FloatArray
from hype.statistics.estimate import Images
from hype.statistics.separation import (
    FinishedVotes,
    Pair,
    Separation,
    items_of,
    next_pairs,
    separations,
)
from hype.store.schema import evaluators
from hype.tables.reasons import COMPLETE


@dataclass(frozen=True, kw_only=True, eq=False)
class ArenaVotes:
    """The votes of an arena; arrays follow the order of the conditions.

    ``points``: counts of all votes, which decide the next pairs (`FinishedVotes.points`).
    ``finished``: the votes of people who have finished, for the stopping rule.
    """

    points: FloatArray
    finished: FinishedVotes


def count_votes(
    connection: Connection,
    conditions: Sequence[str],
    *,
    simulated: bool,
    images: Images = "sample",
    without: Collection[object] = (),
    given: Collection[str] | None = None,
) -> ArenaVotes:
    """Read the votes of people, or of simulated evaluators.

    Skips the votes of evaluators in ``without``, and votes with a condition outside ``conditions``.
    ``given``: only evaluators of studies with these checksums count. ``images``: "sample" if the
    result should apply to other images too.
    """
    cells = comparisons.c
    what = (
        cells.left,
        cells.right,
        cells.answer,
        cells.prompt,
        cells.left_image,
        cells.right_image,
    )
    answered = (Choice.LEFT.value, Choice.RIGHT.value, Choice.TIE.value)
    query = (
        select(evaluators.c.evaluator, evaluators.c.status, *what)
        .join(evaluators, cells.evaluator_id == evaluators.c.id)
        .where(cells.simulated == simulated, cells.task == ComparisonTask.COMPARISON.value)
        .where(cells.answer.in_(answered))
        .where(cells.left.in_([*conditions]), cells.right.in_([*conditions]))
        .order_by(cells.id)
    )
    if given is not None:
        query = query.where(evaluators.c.study.in_(given))
    rows = [row for row in connection.execute(query) if row.evaluator not in without]
    return ArenaVotes(
        points=votes_in(rows, conditions, images).points(),
        finished=votes_in([row for row in rows if row.status == COMPLETE], conditions, images),
    )


def arena_votes(
    connection: Connection,
    study: ComparisonStudy,
    conditions: Sequence[str],
    *,
    simulated: bool,
    given: Collection[str] | None = None,
) -> ArenaVotes:
    """Count an arena's votes, except those of evaluators excluded by the study's rules.

    ``given``: as in `count_votes`.
    """
    arena = study.settings.comparison.arena
    without: set[object] = {
        *find_failed(connection, study, simulated=simulated),
        *study.settings.study.left_out,
    }
    if study.settings.exclusion.leave_out:
        without |= find_careless(connection, study, KEPT, simulated=simulated).keys()
    return count_votes(
        connection,
        conditions,
        simulated=simulated,
        images=arena.images if arena else "sample",
        without=without,
        given=given,
    )


def votes_in(rows: Sequence[Any], conditions: Sequence[str], images: Images) -> FinishedVotes:
    """Encode votes as numbers; the votes are sorted by time."""
    left, right = (
        np.array([conditions.index(name) for name in names], dtype=np.int64)
        for names in ([row.left for row in rows], [row.right for row in rows])
    )
    answers = np.array([row.answer for row in rows], dtype=object)
    is_left = answers != Choice.RIGHT.value
    # Order people by the time of their last answer.
    last = list(dict.fromkeys(row.evaluator for row in reversed(rows)))
    number = {who: at for at, who in enumerate(reversed(last))}
    return FinishedVotes(
        conditions=len(conditions),
        chosen=np.where(is_left, left, right),
        other=np.where(is_left, right, left),
        tied=answers == Choice.TIE.value,
        people=np.array([number[row.evaluator] for row in rows], dtype=np.int64),
        items=items_of(
            [row.prompt for row in rows],
            np.array([(row.left_image, row.right_image) for row in rows], dtype=str),
            images,
            conditions=len(conditions),
        ),
    )


def latest_separation(
    settings: ComparisonFile, votes: ArenaVotes, conditions: Sequence[str]
) -> Separation | None:
    """Return the stopping rule's result at its last look; None before the first look."""
    arena = settings.comparison.arena
    if arena is None:
        return None
    *_, last = (None, *separations(votes.finished, settings.looks(conditions), goal=arena.goal))
    return last


def choose_pairs(
    settings: ComparisonFile, votes: ArenaVotes, conditions: Sequence[str], draws: Sequence[float]
) -> list[Pair]:
    """Choose a session's pairs, one for each random number in ``draws``; new models come first."""
    arena = settings.comparison.arena
    if arena is None:
        return []
    known = latest_separation(settings, votes, conditions)
    return next_pairs(
        votes.points,
        rule=arena.pairs,
        draws=draws,
        known=np.zeros(votes.points.shape, dtype=bool) if known is None else known.beats,
        goal=arena.goal,
        joined=[conditions.index(name) for name in settings.added if name in conditions],
    )


def why_enough(settings: ComparisonFile, votes: ArenaVotes, conditions: Sequence[str]) -> str:
    """Return why no more evaluators are needed; empty if more are needed."""
    known = latest_separation(settings, votes, conditions)
    if known is not None and known.settled:
        places = known.order or (known.top,)
        names = ", ".join(conditions[place] for place in places if place is not None)
        what = "the ranking" if known.goal == "ranking" else "the best condition"
        return f"{what} is known after {known.votes:,} votes: {names}"
    if votes.finished.number >= settings.evaluators_planned:
        return f"all {settings.evaluators_planned:,} planned evaluators have finished"
    return ""


def arena_facts(
    connection: Connection, study: ComparisonStudy, conditions: Sequence[str], *, simulated: bool
) -> Mapping[str, object] | None:
    """Return the state of an arena; None if there is no arena, or only one condition.

    ``most_votes``: the maximum number of votes; then the arena ends. ``next_look``: how many
    finished evaluators the stopping rule's next look needs; None if no look is left.
    ``top``, ``order``: the best condition, and all conditions from best to worst; None if unknown.
    ``enough``: why no more evaluators are needed; empty if more are needed.
    """
    settings = study.settings
    arena = settings.comparison.arena
    if arena is None or len(conditions) < 2:
        return None
    votes = arena_votes(connection, study, conditions, simulated=simulated)
    known = latest_separation(settings, votes, conditions)
    enough = why_enough(settings, votes, conditions)
    reached = known is not None and known.settled
    finished = votes.finished.number
    looks = (look.people for look in settings.looks(conditions) if look.people > finished)
    top, order = (known.top, known.order) if known and reached else (None, None)
    return {
        "votes": int(votes.points.sum()),
        "most_votes": settings.most_votes,
        "evaluators": finished,
        "next_look": None if enough else next(looks, None),
        "goal": arena.goal,
        "reached": reached,
        "top": None if top is None else conditions[top],
        "order": None if order is None else [conditions[place] for place in order],
        "enough": enough,
    }


def joining(
    connection: Connection | None,
    study: ComparisonStudy,
    conditions: Sequence[str],
    votes: int | None,
) -> dict[str, int]:
    """Return what to record when a model joins: how many people finished, and the new vote limit.

    ``votes``: how many votes the model adds; None means the planned votes per condition. Raises
    InputError: earlier looks used up the arena's error rate.
    """
    settings, arena = study.settings, study.settings.comparison.arena
    if arena is None:
        return {}
    finished = 0
    if connection is not None:
        came = arena_votes(connection, study, conditions, simulated=False)
        finished = came.finished.number
    spent = sum(look.level for look in settings.looks(conditions) if look.people <= finished)
    if arena.alpha - spent < LEAST_LEFT * arena.alpha:
        raise InputError(
            study.path,
            f"the arena's tests on the {finished:,} evaluators who finished have used up its error "
            f"rate of {arena.alpha:.0%}, so results about another model would be unreliable",
            "start another arena, and set its comparison.arena.reserve for models that join later",
        )
    more = votes or math.ceil(settings.most_votes / len(conditions))
    each = settings.comparison.blocks * settings.comparison.trials
    return {"finished": finished, "votes": max(settings.most_votes, finished * each) + more}


LEAST_LEFT: Final = 0.001
"""Models can join an arena while at least this share of its error rate is left."""
