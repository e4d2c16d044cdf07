"""What a study of picking is to find out, how far it is, and a study file to start from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sqlalchemy import Connection, func, select

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted import status
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, prompted_text
from hype.session.participation import all_evaluators
from hype.session.steps import Due
from hype.status.progress import Telling, counts
from picking.course import EVERYBODY
from picking.record import MEANINGS, picks
from picking.settings import NAME, PickingStudy


def planned_analysis(_study: PickingStudy) -> Json:
    tests = ["shares: Wilson's interval, 95%"]
    return {"methods": [NAME], "not_scored": list(MEANINGS), "alpha": ALPHA, "tests": tests}


def look_at_picks(connection: Connection, study: PickingStudy, *, simulated: bool) -> Telling:
    own, pay = picks.c, study.settings.pay.pay()
    query = select(own.evaluator_id, func.count(), func.max(own.onset_unix_s))
    rows = connection.execute(query.where(own.simulated == simulated).group_by(own.evaluator_id))
    known = {evaluator: (number, last) for evaluator, number, last in rows}
    found = []
    for who in all_evaluators(connection, study, simulated=simulated):
        number, last_unix_s = known.get(who.id, (0, None))
        due = pay.parts(number) if number else Due()
        found.append(
            status.AskedStanding(**status.of_anybody(who, due, last_unix_s), trials=number)
        )
    people = [(one, (*counts([one.trials]), *status.in_money(one.pay))) for one in found]
    return status.telling(
        study,
        found,
        status.shared_progress((EVERYBODY,), found, study.settings.picking.evaluators),
        answers="picks",
        problem="",
        simulated=simulated,
        standing=lambda one: status.standing_object(one, "picks"),
        people=lambda: status.listing(people, ("Picks", "Pay"), None),
    )


DESIGN = StudyDesign(conditions=taking_part, planned_analysis=planned_analysis, look=look_at_picks)
TEMPLATE = partial(prompted_text, Path(__file__).parent, method=NAME, done="shown")
TEMPLATES = {
    NAME: PromptedTemplate(
        usual=PromptedShape(images=2), shape=PromptedShape, text=TEMPLATE, complete=True
    )
}
