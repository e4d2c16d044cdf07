"""All figures of a report on rankings, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report.figures.preference_models import model_drawing
from hype.report.figures.ranking_agreement import agreement_drawing
from hype.report.figures.ranking_places import place_drawing
from hype.report.figures.ranking_screening import screening_drawing
from hype.report.figures.ranking_strengths import strength_drawing
from hype.report.tables.ranking_catalogue import models_of

if TYPE_CHECKING:
    from hype.analysis.rankings.scores import RankingScore
    from hype.report.figures.drawing import Drawing


def ranking_drawings(score: RankingScore) -> tuple[Drawing, ...]:
    """Prepare the figures of rankings; those that lack their data are left out."""
    found = (
        strength_drawing(score),
        place_drawing(score),
        agreement_drawing(score),
        model_drawing(models_of(score), score.agreement),
        screening_drawing(score),
    )
    return tuple(drawing for drawing in found if drawing is not None)
