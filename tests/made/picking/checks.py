"""What is checked of a study of picking: before a session, and in its record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sqlalchemy import Row

from hype.check.findings import Preflight
from hype.protocols.facets import Checks
from hype.protocols.prompted.checks import ANYBODY, PromptedChecks, check_materials
from hype.session.steps import Response
from hype.study.assignment import Assignment
from hype.verify.case import Files
from picking.course import EVERYBODY, PickingCourse, PickingTrial
from picking.record import KEPT, images_in
from picking.settings import NAME, PickingStudy


def check_picking_study(study: PickingStudy) -> Preflight:
    flight = Preflight()
    course = flight.attempt("prompts-unfit", lambda: PickingCourse(study))
    if course and check_materials(flight, study, lambda _stimuli: course.pools):
        plan = course.plan(Assignment(evaluator=ANYBODY, cell=EVERYBODY))
        flight.facts |= {"rows": plan.blocks[0].size, "minutes": {NAME: plan.minutes}}
    return flight


class Picks(PromptedChecks):
    noun = "pick"
    storage = KEPT
    every = frozenset("123456789")
    study = PickingStudy
    given = ()
    planned: ClassVar = {"images": "image-unlike-plan", "prompt": "prompt-unlike-plan"}

    def usual(self, _trial: PickingTrial) -> Response:
        return Response("1")

    def possible(self, trial: PickingTrial, answer: object) -> bool:
        return answer in trial.keys

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        return Files(images={image for row in rows for image in images_in(row)})


CHECKS = Checks(
    study=check_picking_study, lines=lambda facts: iter([("rows", f"{facts.get('rows')} each")])
)
ANSWER_CHECKS = Picks()
