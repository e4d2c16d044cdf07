"""Where everybody stands who ranks, checkers too: what they did, and what is owed to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, select

from hype.protocols.prompted.evaluators import AskedStanding, of_anybody
from hype.protocols.ranking.trial import Act, RankingTask
from hype.protocols.studies import RankingStudy
from hype.session.plan import Due
from hype.session.standings import all_evaluators, number_of
from hype.store.answer_tables import placements


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the groups they were given; 0 for a checker, who has none.
    checker
        Whether they check others.
    trials, tested, checked
        Rankings that were accepted: those that are scored, those of the test, and a checker's of
        what others ranked.
    given
        Groups that a checker was given to rank again.
    seconds
        Time that a ranking took on average, practice apart; None without any.
    undone
        Acts that took something back, of all acts of these.
    """

    checker: bool
    tested: int
    checked: int
    given: int
    seconds: float | None
    acts: int
    undone: int


def rankers(connection: Connection, study: RankingStudy, *, simulated: bool) -> list[Ranker]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counted = rankings_counted(connection, simulated=simulated)
    theirs = {who: list(rows) for who, rows in groupby(counted, lambda row: row.evaluator_id)}
    found = all_evaluators(connection, simulated=simulated)
    return [ranker_of(row, study, theirs.get(row.id, [])) for row in found]


def rankings_counted(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count the acts of each ranking, accepted or not."""
    found = placements.c
    what = (found.evaluator_id, found.task, found.block, found.group)
    query = (
        select(
            *what,
            func.count().label("acts"),
            number_of(found.answer == Act.UNDO.value, "undone"),
            number_of(found.answer == Act.ACCEPT.value, "accepted"),
            func.sum(found.rt_ms).label("rt_ms"),
            func.max(found.onset_unix_s).label("last"),
        )
        .where(found.simulated == simulated)
        .group_by(*what)
        .order_by(found.evaluator_id)
    )
    return connection.execute(query).all()


def ranker_of(who: Row[Any], study: RankingStudy, rows: Sequence[Row[Any]]) -> Ranker:
    """Give the standing of a row of evaluators. The base is due once they ranked anything."""
    practice = RankingTask.PRACTICE.value
    done = [row for row in rows if row.accepted and row.task != practice]
    tasks = Counter(row.task for row in done)
    due = study.settings.pay.pay().parts(len(done)) if rows else Due()
    last = max((row.last for row in rows), default=None)
    return Ranker(
        **of_anybody(who, due, last),
        checker=study.settings.screening.is_checker(who.evaluator),
        trials=tasks[RankingTask.RANKING.value],
        tested=tasks[RankingTask.TEST.value],
        checked=tasks[RankingTask.CHECK.value],
        given=len((who.groups or "").split()),
        seconds=round(sum(row.rt_ms for row in done) / 1000 / len(done), 3) if done else None,
        acts=sum(row.acts for row in done),
        undone=sum(row.undone for row in done),
    )
