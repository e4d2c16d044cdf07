"""What a study of rankings is to find out."""

from __future__ import annotations

from typing import Final

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.status import look_at_rankings

TESTS: Final = (
    "strengths: Plackett and Luce's model, and Bradley and Terry's of the pairs that a ranking "
    "comes to, for other evaluators and other images, 95%",
    "pairs: differences of strengths, max-|t| over all pairs stepping down, or Holm's rule where "
    "people or prompts are few",
    "agreement: of two people, and of one with the others' mean",
    "annotators against checkers: recall@2, Wilson's interval, 95%",
)


def planned_analysis(study: RankingStudy) -> Json:
    settings = study.settings
    asked, rule = settings.ranking, settings.screening
    bound = rule.min_recall
    below = f"evaluators below {bound or 0:.0%} of recall@2 in the test"
    return {
        "methods": list(settings.study.methods),
        "seed": settings.study.seed,
        "question": asked.question,
        "rankings": asked.rankings,
        "ties": asked.ties,
        "held_out": asked.held_out,
        "screening": rule.model_dump(mode="json"),
        "alpha": ALPHA,
        "margin": settings.analysis.margin,
        "judge_margin": settings.analysis.judge_margin,
        "not_scored": [
            "evaluators who declined or did not finish",
            *([below] if bound is not None else []),
            "practice, the test, and what checkers rank",
            "rankings that were not accepted",
        ],
        "tests": list(TESTS),
    }


DESIGN: Final = StudyDesign(
    conditions=taking_part,
    planned_analysis=planned_analysis,
    look=look_at_rankings,
)
