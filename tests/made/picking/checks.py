"""The pre-flight of a study of picking."""

from __future__ import annotations

from hype.check.findings import Preflight
from hype.protocols.prompted.checks import ANYBODY, check_materials
from hype.study.assignment import Assignment
from picking.conduct import PickingConduct
from picking.settings import PickingStudy


def check_picking_study(study: PickingStudy) -> Preflight:
    flight = Preflight()
    conduct = flight.attempt("prompts-unfit", lambda: PickingConduct(study))
    if conduct and check_materials(flight, study, lambda _stimuli: conduct.pools):
        plan = conduct.plan(Assignment(evaluator=ANYBODY, cell=conduct.cells[0]))
        flight.facts |= {
            "conditions": list(conduct.pools.conditions),
            "prompts": len(conduct.pools.prompts),
            "rows": len(plan.trials),
            "evaluators": conduct.evaluators_per_cell,
            "cells": len(conduct.cells),
            "minutes": {"picking": plan.minutes},
        }
    return flight
