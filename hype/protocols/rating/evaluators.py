"""Where everybody stands who rates: what they answered, and what is owed to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.protocols.comparison.trial import Choice
from hype.protocols.prompted.evaluators import AskedStanding, of_anybody
from hype.protocols.rating.trial import NOT_RELEVANT, RatingTask
from hype.protocols.studies import RatingStudy
from hype.session.plan import Due
from hype.session.standings import all_evaluators
from hype.store.answer_tables import ratings

ALL_BUT_NONE: Final = 0.95
"""Who gives one answer to so much of what is asked may not have looked."""
ENOUGH: Final = 20
"""With fewer answers nobody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the items they were given.
    trials, not_relevant
        Answers that count, and those of them that say that an axis does not apply.
    same
        Share of the answers that are the one that they gave most on its axis, as it stood on the
        screen; None without answers.
    one_level
        Whether that is nearly everything; None where there is too little to tell.
    """

    not_relevant: int
    same: float | None
    one_level: bool | None


def answers_counted(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count answers by who gave them, to what, and where the first image stood."""
    found = ratings.c
    what = (found.evaluator_id, found.task, found.axis, found.answer, found.first_side)
    query = (
        select(*what, func.count().label("times"), func.max(found.onset_unix_s).label("last"))
        .where(found.simulated == simulated)
        .group_by(*what)
        .order_by(found.evaluator_id)
    )
    return connection.execute(query).all()


def raters(
    connection: Connection, study: RatingStudy, counted: Iterable[Row[Any]], *, simulated: bool
) -> list[Rater]:
    theirs = {who: list(rows) for who, rows in groupby(counted, lambda row: row.evaluator_id)}
    found = all_evaluators(connection, simulated=simulated)
    return [rater_of(row, study, theirs.get(row.id, [])) for row in found]


def rater_of(who: Row[Any], study: RatingStudy, rows: Sequence[Row[Any]]) -> Rater:
    """Give the standing of a row of evaluators. The base is due once they rated anything."""
    scored = [row for row in rows if row.task == RatingTask.RATING.value]
    answers = sum(row.times for row in scored)
    due = study.settings.pay.pay().parts(answers) if rows else Due()
    same = sameness(scored, study.settings.rating.levels)
    last = max((row.last for row in rows), default=None)
    return Rater(
        **of_anybody(who, due, last),
        trials=answers,
        not_relevant=sum(row.times for row in scored if row.answer == NOT_RELEVANT),
        same=same,
        one_level=None if same is None or answers < ENOUGH else same >= ALL_BUT_NONE,
    )


def sameness(rows: Iterable[Row[Any]], levels: int) -> float | None:
    """Give the share of answers that are the commonest on their axis, as people saw them.

    Answers of pairs are about the first image; whoever always presses one key says one thing of it
    where it stands on the left, and the opposite where it stands on the right.
    """
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.axis, Counter())[on_screen(row, levels)] += row.times
    total = sum(map(Counter.total, counts.values())) if counts else 0
    return sum(max(one.values()) for one in counts.values()) / total if total else None


def on_screen(row: Row[Any], levels: int) -> str:
    """Say which of the answers it was from left to right, of a pair; otherwise the answer."""
    answer = str(row.answer)
    mirrored = row.first_side == Choice.RIGHT.value and answer.isdecimal()
    return str(levels + 1 - int(answer)) if mirrored else answer


def by_axis(rows: Iterable[Row[Any]]) -> Mapping[str, Counter[bool]]:
    """Count the answers of each axis that count, by whether they say that it does not apply."""
    counts: dict[str, Counter[bool]] = {}
    for row in rows:
        if row.task == RatingTask.RATING.value:
            counts.setdefault(row.axis, Counter())[row.answer == NOT_RELEVANT] += row.times
    return counts
