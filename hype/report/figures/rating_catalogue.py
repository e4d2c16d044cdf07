"""All figures of a report on ratings, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report.figures.judge_agreement import judge_drawing
from hype.report.figures.rating_agreement import agreement_drawing
from hype.report.figures.rating_answers import answer_drawing
from hype.report.figures.rating_correlations import correlation_drawing
from hype.report.figures.rating_leaderboard import leaderboard_drawing
from hype.report.figures.rating_strengths import strength_drawings
from hype.report.tables.rating_catalogue import rating_judges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.analysis.ratings.scores import RatingScore
    from hype.report.figures.drawing import Drawing


def rating_drawings(score: RatingScore, leaderboard: Mapping[str, float]) -> tuple[Drawing, ...]:
    """Prepare the figures of ratings; those that lack their data are left out.

    Parameters
    ----------
    score
        What was scored.
    leaderboard
        The scores of a leaderboard by condition; empty where there is none.
    """
    found = (
        *strength_drawings(score),
        correlation_drawing(score),
        answer_drawing(score),
        agreement_drawing(score),
        leaderboard_drawing(score, leaderboard),
        judge_drawing(rating_judges(score)),
    )
    return tuple(drawing for drawing in found if drawing is not None)
