"""The pre-flight of a study of picking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hype.check.findings import Preflight
from hype.protocols.facets import Checks
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


def lines_of_picking(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "rows" in facts:
        yield "rows", f"{facts['rows']} of {len(facts['conditions'])} images"
        yield "evaluators", str(facts["evaluators"])


CHECKS = Checks(study=check_picking_study, lines=lines_of_picking)
