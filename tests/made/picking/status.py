"""How far a study of picking is."""

from __future__ import annotations

from dataclasses import asdict

from hype.status.money import due_object, lines_of_money
from rich.text import Text
from sqlalchemy import Connection, func, select

from hype.protocols.prompted.status import (
    AskedStanding,
    cells_by_share,
    of_anybody,
    shared_view,
    shares_object,
    study_object,
)
from hype.session.plan import Due
from hype.session.standings import all_evaluators
from hype.status.kit import Heading, Listing, Telling, View, counts
from hype.status.progress import remaining_of, together
from picking.conduct import EVERYBODY
from picking.record import picks
from picking.settings import PickingStudy

NUMBERS = ("Picks", "Base", "Bonus", "Pay")


def look_at_picks(connection: Connection, study: PickingStudy, *, simulated: bool) -> Telling:
    found = pickers(connection, study, simulated=simulated)
    cells = cells_by_share((EVERYBODY,), found, study.settings.picking.evaluators)
    whole, remaining = together([one.places for one in cells]), remaining_of(found, cells)

    def as_object() -> dict[str, object]:
        return {
            **study_object(study, simulated=simulated),
            **shares_object(cells, whole, "picks"),
            "remaining": asdict(remaining),
            "evaluators": [asdict(one) for one in found],
            **due_object(study, found),
        }

    def view() -> View:
        return shared_view(
            study,
            cells,
            whole,
            answers="picks",
            problem="",
            simulated=simulated,
            lines=lines_of_money(study, found, remaining, whole, simulated=simulated),
            people=listing(found) if found else None,
        )

    return Telling(found=found, as_object=as_object, view=view)


def pickers(connection: Connection, study: PickingStudy, *, simulated: bool) -> list[AskedStanding]:
    own, pay = picks.c, study.settings.pay.pay()
    query = select(own.evaluator_id, func.count(), func.max(own.onset_unix_s))
    rows = connection.execute(query.where(own.simulated == simulated).group_by(own.evaluator_id))
    known = {evaluator: (number, last) for evaluator, number, last in rows}

    def standing(who: object) -> AskedStanding:
        number, last_unix_s = known.get(who.id, (0, None))
        due = pay.parts(number) if number else Due()
        return AskedStanding(**of_anybody(who, due, last_unix_s), trials=number)

    return [standing(who) for who in all_evaluators(connection, simulated=simulated)]


def listing(found: list[AskedStanding]) -> Listing:
    return Listing(
        headings=(
            Heading(name="Evaluator", least=9),
            Heading(name="Status"),
            *(Heading(name=name, number=True) for name in NUMBERS),
        ),
        rows=tuple(
            (
                *(Text(one.evaluator), Text(one.status), *counts([one.trials])),
                *(f"{amount:.2f}" for amount in (one.base, one.bonus, one.pay)),
            )
            for one in found
        ),
    )
