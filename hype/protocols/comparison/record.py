"""Comparisons in the record: their table, and the way to it, back and out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row as RecordRow

from hype.protocols.comparison.rows import ROW, SCORED_TASK
from hype.protocols.comparison.trial import ComparisonTrial
from hype.protocols.prompted.trial import Choice
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table

comparisons = answer_table(ROW, "evaluator_id", "block", "trial", "task")


def comparison_cells(trial: ComparisonTrial, _shown: Presentation, response: Response) -> Cells:
    """Give the cells of a comparison that not all answers have."""
    return {
        "prompt": trial.prompt,
        "left_image": trial.left.path,
        "left_sha256": trial.left.sha256,
        "left": trial.left.condition,
        "right_image": trial.right.path,
        "right_sha256": trial.right.sha256,
        "right": trial.right.condition,
        "obvious": trial.obvious.value if trial.obvious else None,
        "correct": trial.correct(response.answer),
        "hasty": trial.hasty(response.answer, response.rt_ms),
    }


def shown_by(row: RecordRow[Any]) -> str:
    return f"{row.left_sha256} {row.right_sha256}"


COMPARISONS: Final = RecordedAnswers(
    name="comparisons",
    declared=ROW,
    trial=ComparisonTrial,
    table=comparisons,
    cells=comparison_cells,
    fingerprint=shown_by,
    scored=(comparisons.c.task == SCORED_TASK) & (comparisons.c.answer != Choice.NONE.value),
)


KEPT: Final = COMPARISONS
