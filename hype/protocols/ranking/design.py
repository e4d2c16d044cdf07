"""What a study of rankings is to find out, and the study files to start from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hype.protocols.facets import ALPHA, Json, StudyDesign
from hype.protocols.prompted.pools import taking_part
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate, prompted_text
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.status import STATUS
from hype.protocols.ranking.trial import MOST_RANKED

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
    status=STATUS,
)


MANY: Final = 9
"""Images of a group where there are more conditions than one can hold; as in the source's test."""
TEST: Final = 20
"""Groups of a test."""
SPARED: Final = 3
"""A test takes at most one group in this many."""


def ranking_text(name: str, shape: PromptedShape) -> str:
    """Write the commented study file."""
    return prompted_text(
        *(Path(__file__).parent, name, shape),
        method="ranking",
        done="ranked",
        together=shape.conditions <= MOST_RANKED,
        many=MANY,
        tested=shape.prompts * shape.images >= SPARED * TEST,
        groups=TEST,
    )


def remarks_on(shape: PromptedShape) -> Iterator[str]:
    """Say how many images are ranked together where it cannot be all."""
    if shape.conditions > MOST_RANKED:
        yield (
            f"{shape.conditions} conditions are too many to rank at once: they take turns in "
            f"groups of {MANY} (see study.toml)."
        )


TEMPLATES: Final = {
    "ranking": PromptedTemplate(
        words="put a group of images in order",
        wanted="rankings",
        of_each=" for each group of images",
        usual=PromptedShape(),
        shape=PromptedShape,
        text=ranking_text,
        remarks=remarks_on,
    )
}
