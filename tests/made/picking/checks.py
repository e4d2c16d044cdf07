"""The pre-flight of a study of picking."""

from __future__ import annotations

from hype.check.findings import Preflight
from hype.protocols.prompted.checks import ANYBODY, check_materials
from hype.study.assignment import Assignment
from picking.course import PickingCourse
from picking.settings import PickingStudy


def check_picking_study(study: PickingStudy) -> Preflight:
    flight = Preflight()
    course = flight.attempt("prompts-unfit", lambda: PickingCourse(study))
    if course and check_materials(flight, study, lambda _stimuli: course.pools):
        plan = course.plan(Assignment(evaluator=ANYBODY, cell=course.cells[0]))
        flight.facts |= {
            "conditions": list(course.pools.conditions),
            "prompts": len(course.pools.prompts),
            "rows": len(plan.trials),
            "evaluators": course.evaluators_per_cell,
            "cells": len(course.cells),
            "minutes": {"picking": plan.minutes},
        }
    return flight
