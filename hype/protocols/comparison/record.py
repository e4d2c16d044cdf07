"""Comparisons in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row

from hype.protocols.comparison.rows import ROW
from hype.protocols.comparison.trial import Choice, ComparisonTask, ComparisonTrial
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table

IN_TABLE: Final = (
    *("task", "block", "trial", "prompt", "left_image", "left_sha256", "left"),
    *("right_image", "right_sha256", "right", "obvious", "answer", "correct", "hasty"),
    *("rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The order of the table."""
comparisons = answer_table(
    "comparisons",
    "evaluator_id",
    "block",
    "trial",
    "task",
    what="comparison",
    columns=map(ROW.__getitem__, IN_TABLE),
)


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


def shown_by(row: Row[Any]) -> str:
    return f"{row.left_sha256} {row.right_sha256}"


COMPARISONS: Final = RecordedAnswers(
    name="comparisons",
    trial=ComparisonTrial,
    table=comparisons,
    cells=comparison_cells,
    fingerprint=shown_by,
    exported=tuple(column.name for column in ROW.going_out),
    scored=(comparisons.c.task == ComparisonTask.COMPARISON.value)
    & (comparisons.c.answer != Choice.NONE.value),
)
