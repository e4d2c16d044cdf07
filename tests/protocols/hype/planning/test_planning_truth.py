"""The power of a planned study is the share of fresh studies that the analysis decides."""

import math
from pathlib import Path

import numpy as np
import pytest
from builders import named_study

from hype.protocols.hype.planning.evaluators_needed import crossed_of, scorer, simulated_pair
from hype.protocols.hype.planning.plan import SimulatedPlan, plan_study
from hype.protocols.hype.planning.power import exact_critical, power
from hype.protocols.hype.planning.sessions import SimulatedSession, sit
from hype.session.steps import Ending

EVALUATORS = 12
FRESH = 80


def fresh_study(plan: SimulatedPlan, number: int) -> list[list[SimulatedSession]]:
    """Let other people come, to each condition others but for those who serve both."""
    both = round(EVALUATORS * (plan.each - 1) / (len(plan.conditions) - 1))
    found = []
    for place, condition in enumerate(plan.conditions[:2]):
        shared = iter(range(1_000_000 + 100 * number, 2_000_000))
        own = iter(range(10_000 * (1 + place) + 100 * number, 100_000))
        sittings = [complete(plan, condition, shared) for _ in range(both)]
        sittings += [complete(plan, condition, own) for _ in range(EVALUATORS - both)]
        found.append(sittings)
    return found


def complete(plan: SimulatedPlan, condition: str, coming: object) -> SimulatedSession:
    sittings = (sit(plan.design, condition, who) for who in coming)  # type: ignore[attr-defined]
    return next(each for each in sittings if each.ending is Ending.COMPLETE)


def is_separable(groups: list[list[SimulatedSession]], conditions: int) -> bool:
    """Put a study to the test of scoring."""
    error = crossed_of(groups).error_of_difference(0, 1)
    means = [np.mean([scorer()(one) for one in group]) for group in groups]
    limit = float(exact_critical(conditions, error.freedom, 0.05))
    return bool(abs(means[1] - means[0]) > limit * error.standard)


@pytest.mark.long
@pytest.mark.parametrize("each", [1, 2, 3])
def test_fresh_studies_are_decided_as_often_as_was_said(tmp_path: Path, each: int) -> None:
    """All fresh studies show the same images, so that these must not differ here."""
    study = named_study(
        tmp_path,
        {"": 400, "fair": 200, "good": 200, "crude": 200},
        study={"methods": ["infinity"], "conditions_each": each},
        practice={"trials": 0},
        qualification={"enabled": False},
        infinity={"trials": 20},
        observers={"fair": {"ceiling": 0.85}, "good": {"ceiling": 0.78}},
        people={"ceiling_spread": 0.5},
    )
    plan = plan_study(
        study, 14, score=scorer(), condition="fair", people=120, progress=lambda *_: None
    )

    said = power(simulated_pair(plan), EVALUATORS, studies=2000, seed=0)
    shown = [is_separable(fresh_study(plan, n), 3) for n in range(FRESH)]

    error = math.hypot(said.power_se, 0.5 / math.sqrt(FRESH))
    assert 0.3 < said.power < 0.97
    assert abs(sum(shown) / FRESH - said.power) < 3 * error
