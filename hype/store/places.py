"""Who has a place of the design: told by what the record has anyway, in the query that counts.

A place is taken with the consent. In a browser it is free again once nothing was heard of somebody
for so long; at a station once somebody frees it. Their answers stay.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from sqlalchemy import BindParameter, ColumnElement, Connection, bindparam, case, or_, select

from hype.session.steps import LEFT_OUT
from hype.store.people import Evaluator, change_evaluator, evaluator_of
from hype.store.schema import evaluators, sessions

IN_BROWSER: Final = {False: "web", True: "simulated-web"}
"""Modes of sessions in browsers, of people and of simulated evaluators."""
COMING: Final = "coming"
LEFT: Final = "left"
HAVE_PLACE: Final = ("complete", "active")
IN_DESIGN: Final = (*HAVE_PLACE, COMING)
GIVEN_ON: Final = (LEFT, LEFT_OUT)
"""Whose place goes on unchanged to the next who comes."""


PlaceRule = tuple[float, tuple[str, ...]]
"""After how many minutes of silence a place is free, and the codes of those who are left out."""


@lru_cache
def status_now(rule: PlaceRule) -> ColumnElement[str]:
    """Tell each evaluator's status, when it is asked for: a column, for queries of evaluators.

    Of those whose part goes on, only who has a place is "active". "coming" are those who may still
    consent, and "left" those who have no place any more, or did not consent for so long. Who is
    left out is `LEFT_OUT`, however far they came.
    """
    who, held = evaluators.c, sessions.c
    release_minutes, left_out = rule
    since_unix_s: BindParameter[float] = bindparam(
        "since", callable_=lambda: time.time() - 60 * release_minutes
    )
    is_there = held.mode.not_in(IN_BROWSER.values()) | (held.heard_unix_s > since_unix_s)
    latest = select(is_there).where(held.evaluator_id == who.id).order_by(held.id.desc()).limit(1)
    is_heard = or_(latest.scalar_subquery(), who.place_unix_s > since_unix_s)
    return case(
        (who.evaluator.in_(left_out), LEFT_OUT),
        (who.status != "active", who.status),
        (who.freed_unix_s.is_not(None), LEFT),
        (who.place_unix_s.is_not(None) & is_heard, "active"),
        (who.place_unix_s.is_(None) & (who.assigned_unix_s > since_unix_s), COMING),
        else_=LEFT,
    ).label("status")


def status_of(connection: Connection, rule: PlaceRule, evaluator_id: int) -> str:
    query = select(status_now(rule)).where(evaluators.c.id == evaluator_id)
    return str(connection.execute(query).scalar_one())


def take_place(connection: Connection, evaluator_id: object) -> None:
    """Give somebody their place, from now on."""
    change_evaluator(connection, evaluator_id, place_unix_s=time.time(), freed_unix_s=None)


def free_place(connection: Connection, evaluator_id: int) -> None:
    """Give somebody's place to the next who comes."""
    change_evaluator(connection, evaluator_id, freed_unix_s=time.time())


def first_who_left(
    connection: Connection, rule: PlaceRule, given: Collection[str], *, simulated: bool
) -> Evaluator | None:
    """Find the first who left a place, with pairs that an arena chose and that nobody else has."""
    who, status = evaluators.c, status_now(rule)
    among = (who.simulated == simulated, who.study.in_(given), who.pairs.is_not(None))
    others = select(who.pairs).where(*among, status.in_(IN_DESIGN))
    left = select(evaluators).where(*among, status.in_(GIVEN_ON), who.place_unix_s.is_not(None))
    query = left.where(who.pairs.not_in(others)).order_by(who.id).limit(1)
    row = connection.execute(query).first()
    return evaluator_of(row) if row else None
