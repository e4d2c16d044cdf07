"""Who has a place of the design: told by what the record has anyway, in the query that counts.

A place is taken with the consent. In a browser it is free again once nothing was heard of somebody
for so long; at a station once somebody frees it. Their answers stay.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from hype.session.steps import Ending
from hype.store.people import TURNED_AWAY, change_evaluator
from hype.store.schema import ANSWER_TABLES, evaluators, events, sessions

IN_BROWSER: Final = {False: "web", True: "simulated-web"}
"""Modes of sessions in browsers, of people and of simulated evaluators."""


class PlaceStanding(str, Enum):
    """What an evaluator is to the design.

    ``coming``: they may still consent. ``left``: they have not finished and have no place.
    """

    HAS_PLACE = "has-place"
    COMING = "coming"
    LEFT = "left"
    TURNED_AWAY = "turned-away"


IN_DESIGN: Final = (PlaceStanding.HAS_PLACE.value, PlaceStanding.COMING.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRule:
    """When somebody must have been heard of, by the wall clock, to have their place still."""

    since_unix_s: float

    @property
    def standing(self) -> ColumnElement[str]:
        """Tell what each evaluator is to the design: a column, for queries of evaluators."""
        who = evaluators.c
        has_taken = who.place_unix_s > func.coalesce(who.freed_unix_s, 0.0)
        comes = who.place_unix_s.is_(None) & (who.assigned_unix_s > self.since_unix_s)
        return case(
            (who.status.in_(TURNED_AWAY), PlaceStanding.TURNED_AWAY.value),
            (who.status == Ending.COMPLETE.value, PlaceStanding.HAS_PLACE.value),
            (and_(has_taken, self._is_heard), PlaceStanding.HAS_PLACE.value),
            (comes, PlaceStanding.COMING.value),
            else_=PlaceStanding.LEFT.value,
        ).label("standing")

    @property
    def _is_heard(self) -> ColumnElement[bool]:
        """Whether somebody sits at a station, or was heard of in their browser since then."""
        who, held = evaluators.c, sessions.c
        theirs = select(held.mode).where(held.evaluator_id == who.id).order_by(held.id.desc())
        answers = (table.c for table in ANSWER_TABLES)
        signs = [
            select(each.onset_unix_s + each.rt_ms / 1000)
            .where(each.evaluator_id == who.id)
            .order_by(each.id.desc())
            for each in answers
        ]
        signs.append(
            select(events.c.unix_s + events.c.rt_ms / 1000)
            .join(sessions, events.c.session_id == held.id)
            .where(held.evaluator_id == who.id)
            .order_by(events.c.id.desc())
        )
        return or_(
            theirs.limit(1).scalar_subquery().not_in(IN_BROWSER.values()),
            who.place_unix_s > self.since_unix_s,
            *(sign.limit(1).scalar_subquery() > self.since_unix_s for sign in signs),
        )


class Counted(NamedTuple):
    """What evaluators are counted by."""

    condition: str
    methods: tuple[str, ...]
    share: int
    left_means: str
    status: str
    standing: PlaceStanding


def count_places(
    connection: Connection, rule: PlaceRule, given: Collection[str], *, simulated: bool
) -> Counter[Counted]:
    """Count who was given one of some studies, by their checksums."""
    who = evaluators.c
    by = (who.condition, who.methods, who.share, who.left_means, who.status, rule.standing)
    query = select(*by, func.count()).where(who.simulated == simulated, who.study.in_(given))
    counts: Counter[Counted] = Counter()
    for *place, means, status, standing, number in connection.execute(query.group_by(*by)):
        condition, methods, share = place
        counted = (condition, tuple(methods.split()), share or 0, means, status)
        counts[Counted(*counted, PlaceStanding(standing))] = number
    return counts


def standing_of(connection: Connection, rule: PlaceRule, evaluator_id: int) -> PlaceStanding:
    query = select(rule.standing).where(evaluators.c.id == evaluator_id)
    return PlaceStanding(connection.execute(query).scalar_one())


def take_place(connection: Connection, evaluator_id: object) -> None:
    """Give somebody their place, from now on."""
    change_evaluator(connection, evaluator_id, place_unix_s=time.time())


def free_place(connection: Connection, evaluator_id: int) -> None:
    """Give somebody's place to the next who comes."""
    change_evaluator(connection, evaluator_id, freed_unix_s=time.time())


def pairs_left(
    connection: Connection, rule: PlaceRule, given: Collection[str], *, simulated: bool
) -> Iterator[str]:
    """Yield what an arena chose for those who left their place, and nobody else has, in order."""
    who = evaluators.c
    query = select(who.pairs, who.place_unix_s, rule.standing).where(
        who.simulated == simulated, who.study.in_(given), who.pairs.is_not(None)
    )
    rows = connection.execute(query.order_by(who.id)).all()
    kept = {row.pairs for row in rows if row.standing in IN_DESIGN}
    for row in rows:
        had_place = row.standing == PlaceStanding.LEFT.value and row.place_unix_s is not None
        if had_place and row.pairs not in kept:
            yield row.pairs
