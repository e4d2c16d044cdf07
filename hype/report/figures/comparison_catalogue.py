"""All figures of a report on comparisons, in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.analysis.pairwise.courses import course
from hype.analysis.pairwise.evaluator_rates import evaluator_rates
from hype.report.figures.comparison_course import course_drawings
from hype.report.figures.comparison_evaluators import evaluator_drawing
from hype.report.figures.comparison_people import demographic_drawing
from hype.report.figures.comparison_ranking import ranking_drawing
from hype.report.figures.comparison_times import answer_time_drawing

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.report.figures.drawing import Drawing

MOST_PAIRS: Final = 6
"""Whose evaluators are drawn."""


def comparison_drawings(score: PairwiseScore, rows: pd.DataFrame) -> tuple[Drawing, ...]:
    """Prepare the figures of comparisons; those that lack their data are left out.

    Parameters
    ----------
    score
        What was scored.
    rows
        The rows that were, as `hype.analysis.pairwise.scored_rows` returns them.
    """
    found = (
        ranking_drawing(score),
        *course_drawings(course(rows, score), score.sequential),
        evaluator_drawing(evaluator_rates(rows, told_pairs(score))),
        answer_time_drawing(rows),
        demographic_drawing(score.demographics),
    )
    return tuple(drawing for drawing in found if drawing is not None)


def told_pairs(score: PairwiseScore) -> tuple[tuple[str, str], ...]:
    """Choose the pairs whose evaluators are drawn: of many the first, and where these differ."""
    every = [(pair.a, pair.b) for pair in score.pairs]
    if len(every) <= MOST_PAIRS:
        return tuple(every)
    unlike = {
        frozenset((pair.a, pair.b))
        for pair in (score.camps.pairs if score.camps else ())
        if pair.verdict in ("camps", "differ")
    }
    told = [pair for pair in every[1:] if frozenset(pair) in unlike]
    return (every[0], *told[: MOST_PAIRS - 1])
