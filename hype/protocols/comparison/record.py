"""Comparisons in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Integer, Row, String, Table, Text, UniqueConstraint

from hype.protocols.comparison.trial import Choice, ComparisonTask, ComparisonTrial
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import answered, column, metadata, owned
from hype.store.recorded import Cells, RecordedAnswers

COMPARISON_TASKS: Final = {
    ComparisonTask.PRACTICE.value: "to learn how it goes; never scored",
    ComparisonTask.COMPARISON.value: "two images of one prompt by two conditions",
    ComparisonTask.VALIDATION.value: "one image is obviously right; says whether somebody looked",
}
SIDES: Final = {Choice.LEFT.value: "the image on the left", Choice.RIGHT.value: "that on the right"}
CHOICES: Final = SIDES | {
    Choice.TIE.value: "neither: the third answer, where the study has one",
    Choice.NONE.value: "nothing: the time limit passed",
}

comparisons = Table(
    "comparisons",
    metadata,
    *owned("comparison"),
    column("task", String(16), "practice, comparison or validation", levels=COMPARISON_TASKS),
    column("block", Integer, "block within the task, from 1; validation has that of its place"),
    column("trial", Integer, "trial within the block, from 1, those of all its tasks together"),
    column("prompt", Text, "what both images are to show, as it may stand above them"),
    column("left_image", Text, "path of the image on the left within the stimulus set"),
    column("left_sha256", String(64), "SHA-256 of the file of the image on the left"),
    column("left", String(64), "condition that made the image on the left"),
    column("right_image", Text, "path of the image on the right within the stimulus set"),
    column("right_sha256", String(64), "SHA-256 of the file of the image on the right"),
    column("right", String(64), "condition that made the image on the right"),
    column(
        "obvious", String(8), "the side that is obviously right, if one is", null=True, levels=SIDES
    ),
    column("answer", String(8), "left, right, tie or none", levels=CHOICES),
    column("correct", Boolean, "whether the answer is the obvious one, if one is", null=True),
    column("hasty", Boolean, "whether it came faster than the study allows"),
    *answered(since="the comparison could be answered", onset="onset of the images"),
    UniqueConstraint("evaluator_id", "block", "trial", "task"),
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


COMPARED: Final = (
    *("simulated", "task", "block", "trial", "prompt", "left", "right", "left_image"),
    *("right_image", "left_sha256", "right_sha256", "obvious", "answer", "correct", "hasty"),
    *("rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The columns of a comparison in the order in which they go out: what met before the files."""
COMPARISONS: Final = RecordedAnswers(
    name="comparisons",
    trial=ComparisonTrial,
    table=comparisons,
    cells=comparison_cells,
    fingerprint=shown_by,
    exported=("evaluator", "session", "status", *COMPARED),
    scored=(comparisons.c.task == ComparisonTask.COMPARISON.value)
    & (comparisons.c.answer != Choice.NONE.value),
)
