"""Checks of a study of picking before a session."""

from hype.check.findings import Preflight
from hype.protocols.facets import Checks
from hype.protocols.prompted.checks import ANYBODY, check_materials
from hype.study.assignment import Assignment
from picking.course import EVERYBODY, PickingCourse
from picking.settings import NAME, PickingStudy


def check_picking_study(study: PickingStudy) -> Preflight:
    flight = Preflight()
    course = flight.attempt("prompts-unfit", lambda: PickingCourse(study))
    if course and check_materials(flight, study, lambda _stimuli: course.pools):
        plan = course.plan(Assignment(evaluator=ANYBODY, cell=EVERYBODY))
        flight.facts |= {"rows": len(plan.blocks[0].items), "minutes": {NAME: plan.minutes}}
    return flight


CHECKS = Checks(
    study=check_picking_study, lines=lambda facts: iter([("rows", f"{facts.get('rows')} each")])
)
