"""The power of a planned study is the share of fresh studies that the analysis decides."""

import math
from pathlib import Path

import pytest
from builders import named_study

from hype.planning.evaluators_needed import scorer
from hype.planning.plan import SimulatedPlan, plan_study
from hype.planning.power import power
from hype.planning.sessions import sit
from hype.protocols.hype.separability import compare_conditions
from hype.session.steps import Ending

EVALUATORS = 10
FRESH = 80


def fresh_study(plan: SimulatedPlan, number: int) -> dict[str, list[float]]:
    """Let other people come, in each condition others, until there are enough of them."""
    found: dict[str, list[float]] = {}
    for place, condition in enumerate(plan.groups):
        coming = iter(range(10_000 * (1 + place) + 100 * number, 100_000))
        sittings = (sit(plan.design, condition, who) for who in coming)
        complete = (each for each in sittings if each.ending is Ending.COMPLETE)
        found[condition] = [scorer()(next(complete)) for _ in range(EVALUATORS)]
    return found


@pytest.mark.long
def test_fresh_studies_are_decided_as_often_as_was_said(tmp_path: Path) -> None:
    study = named_study(
        tmp_path,
        {"": 40, "fair": 40, "good": 40, "crude": 40},
        study={"methods": ["infinity"]},
        practice={"trials": 0},
        qualification={"trials": 12, "pass_rate": 0.65},
        infinity={"trials": 20},
        observers={"fair": {"ceiling": 0.85}, "good": {"ceiling": 0.78}},
    )
    plan = plan_study(
        study, 12, score=scorer(), condition="fair", people=120, progress=lambda *_: None
    )
    people = [[scorer()(each) for each in group.complete] for group in plan.groups.values()]

    said = power(people, EVALUATORS, studies=2000, seed=0)
    shown = [compare_conditions(fresh_study(plan, n)).pairwise[0].separable for n in range(FRESH)]

    error = math.hypot(said.power_se, 0.5 / math.sqrt(FRESH))
    assert 0.3 < said.power < 0.95
    assert abs(sum(shown) / FRESH - said.power) < 3 * error
