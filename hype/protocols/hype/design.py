"""What a study of HYPE's methods is to find out (Zhou et al. 2019)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.hype.pools import conditions_of
from hype.protocols.hype.settings import ExclusionSettings, Study
from hype.protocols.hype.status import look_at_judgements

TESTS: Final = (
    "scores: 95% intervals for other evaluators and other images",
    "pairs of conditions: t-test for other evaluators and other images, the studentised range of "
    "three conditions or more",
    "beside these, over evaluators alone: percentile bootstrap, one-way ANOVA, Tukey's HSD or "
    "Student's t-test",
)


def planned_analysis(study: Study) -> Json:
    settings = study.settings
    rule = settings.rule
    timed = "time" in settings.study.methods
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "staircase": asdict(rule) | {"settles_at": rule.settles_at} if timed else None,
        "not_scored": not_scored(study),
        "spoiled_trials": settings.timing.spoiled_trials,
        **({"conditions_each": settings.study.conditions_each} if settings.within else {}),
        **careless_plan(settings.exclusion),
        "alpha": ALPHA,
        "tests": list(TESTS),
    }


def careless_plan(exclusion: ExclusionSettings) -> Json:
    """Give who is called careless, and what becomes of them; nothing where there is no rule."""
    rules = list(exclusion.rules.said)
    return {"careless": rules, "careless_left_out": exclusion.leave_out} if rules else {}


def not_scored(study: Study) -> list[str]:
    """List who and what is not scored."""
    qualification = study.settings.qualification
    unqualified = f"evaluators below {qualification.pass_rate:.0%} in the qualification"
    return [
        "evaluators who declined or did not finish",
        *([unqualified] if qualification.enabled else []),
        *(["careless evaluators"] if study.settings.exclusion.leave_out else []),
        "practice, qualification and catch trials"
        if study.settings.catch.trials
        else "practice and qualification",
    ]


DESIGN: Final = StudyDesign(
    conditions=conditions_of,
    planned_analysis=planned_analysis,
    look=look_at_judgements,
)
