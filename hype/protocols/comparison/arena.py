"""An arena as evaluators come: its votes so far, and the next one's pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from hype.protocols.comparison.record import comparisons, failed_validation
from hype.protocols.comparison.settings import ComparisonSettings, ComparisonStudy
from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import Images
from hype.statistics.separation import (
    Pair,
    Separation,
    Votes,
    items_of,
    looks_of,
    next_pairs,
    separations,
)
from hype.store.schema import evaluators
from hype.tables.reasons import COMPLETE


@dataclass(frozen=True, kw_only=True, eq=False)
class ArenaVotes:
    """Votes of an arena, over the conditions in their order.

    ``points``: those of everybody, which the next pairs are chosen by; as `Votes.points` counts
    them. ``finished``: those of people who have finished, which the stopping rule looks at.
    """

    points: FloatArray
    finished: Votes


def count_votes(
    connection: Connection,
    conditions: Sequence[str],
    *,
    simulated: bool,
    images: Images = "sample",
    without: Collection[str] = (),
    given: Collection[str] | None = None,
) -> ArenaVotes:
    """Read the votes of people, or of simulated evaluators.

    Evaluators whose code is in ``without`` and conditions that are not among ``conditions`` are
    passed over, and so is who was not ``given`` one of some studies, if their checksums are.
    ``images`` says whether claims are to hold for others too.
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
    """Count the votes that an arena goes by: those of evaluators who do not fail the validation.

    ``given`` is as in `hype.protocols.comparison.arena.count_votes`.
    """
    arena = study.settings.comparison.arena
    return count_votes(
        connection,
        conditions,
        simulated=simulated,
        images=arena.images if arena else "sample",
        without=failed_validation(connection, study, simulated=simulated),
        given=given,
    )


def votes_in(rows: Sequence[Any], conditions: Sequence[str], images: Images) -> Votes:
    """Number votes, which come in the order in which they were given."""
    left, right = (
        np.array([conditions.index(name) for name in names], dtype=np.int64)
        for names in ([row.left for row in rows], [row.right for row in rows])
    )
    answers = np.array([row.answer for row in rows], dtype=object)
    is_left = answers != Choice.RIGHT.value
    # Who answered last of all finished last.
    last = list(dict.fromkeys(row.evaluator for row in reversed(rows)))
    number = {who: at for at, who in enumerate(reversed(last))}
    return Votes(
        conditions=len(conditions),
        chosen=np.where(is_left, left, right),
        other=np.where(is_left, right, left),
        tied=answers == Choice.TIE.value,
        people=np.array([number[row.evaluator] for row in rows], dtype=np.int64),
        items=items_of(
            [row.prompt for row in rows],
            np.array([(row.left_image, row.right_image) for row in rows], dtype=str),
            images,
        ),
    )


def latest_separation(asked: ComparisonSettings, votes: ArenaVotes) -> Separation | None:
    """Say what the last look tells; None before the first."""
    arena = asked.arena
    if arena is None:
        return None
    looks = looks_of(asked.evaluators_planned, arena.alpha)
    *_, last = (None, *separations(votes.finished, looks, goal=arena.goal))
    return last


def next_look(asked: ComparisonSettings, votes: ArenaVotes) -> int | None:
    """Give how many evaluators must have finished at the next look; None where there is none."""
    numbers = [look.people for look in looks_of(asked.evaluators_planned)]
    return next((number for number in numbers if number > votes.finished.number), None)


def chosen_pairs(
    asked: ComparisonSettings, votes: ArenaVotes, draws: Sequence[float]
) -> list[Pair]:
    """Choose the pairs of a session, as many as there are ``draws``."""
    arena = asked.arena
    if arena is None:
        return []
    known = latest_separation(asked, votes)
    return next_pairs(
        votes.points,
        rule=arena.pairs,
        draws=draws,
        known=np.zeros(votes.points.shape, dtype=bool) if known is None else known.beats,
        goal=arena.goal,
    )


def why_enough(asked: ComparisonSettings, votes: ArenaVotes, conditions: Sequence[str]) -> str:
    """Say why nobody more is needed; nothing where somebody is."""
    known = latest_separation(asked, votes)
    if known is not None and known.reached:
        places = known.order or (known.top,)
        names = ", ".join(conditions[place] for place in places if place is not None)
        what = "the ranking" if known.goal == "ranking" else "the top"
        return f"{what} is known after {known.votes:,} votes: {names}"
    if votes.finished.number >= asked.evaluators_planned:
        return f"all {asked.evaluators_planned:,} planned evaluators have finished"
    return ""
