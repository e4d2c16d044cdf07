"""How far a study of picking is."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, func, select

from hype.protocols.prompted.status import (
    AskedStanding,
    in_money,
    listing,
    of_anybody,
    shared_progress,
    standing_object,
    telling,
)
from hype.session.participation import all_evaluators
from hype.session.steps import Due
from hype.status.progress import Telling, counts
from picking.course import EVERYBODY
from picking.rows import picks
from picking.settings import PickingStudy

PICKS = "picks"


def look_at_picks(connection: Connection, study: PickingStudy, *, simulated: bool) -> Telling:
    found = pickers(connection, study, simulated=simulated)
    rows = ((one, (*counts([one.trials]), *in_money(one.pay))) for one in found)
    progress = shared_progress((EVERYBODY,), found, study.settings.picking.evaluators)
    return telling(
        study,
        found,
        progress,
        answers=PICKS,
        problem="",
        simulated=simulated,
        standing=lambda one: standing_object(one, PICKS),
        people=lambda: listing(rows, ("Picks", "Pay"), None),
    )


def pickers(connection: Connection, study: PickingStudy, *, simulated: bool) -> list[AskedStanding]:
    own, pay = picks.c, study.settings.pay.pay()
    query = select(own.evaluator_id, func.count(), func.max(own.onset_unix_s))
    rows = connection.execute(query.where(own.simulated == simulated).group_by(own.evaluator_id))
    known = {evaluator: (number, last) for evaluator, number, last in rows}

    def standing(who: Row[Any]) -> AskedStanding:
        number, last_unix_s = known.get(who.id, (0, None))
        due = pay.parts(number) if number else Due()
        return AskedStanding(**of_anybody(who, due, last_unix_s), trials=number)

    return [standing(who) for who in all_evaluators(connection, study, simulated=simulated)]
