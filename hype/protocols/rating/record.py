"""Ratings in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Integer, Row, String, Table, Text, UniqueConstraint

from hype.protocols.comparison.trial import Choice
from hype.protocols.rating.trial import RatingTask, RatingTrial, fingerprint_of
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import answered, column, metadata, owned
from hype.store.recorded import Cells, RecordedAnswers

RATING_TASKS: Final = {
    RatingTask.PRACTICE.value: "to learn how it goes; never scored",
    RatingTask.RATING.value: "a pair of images, or one, on one axis",
}
SIDES: Final = {Choice.LEFT.value: "the image on the left", Choice.RIGHT.value: "that on the right"}

ratings = Table(
    "ratings",
    metadata,
    *owned("rating"),
    column("task", String(16), "practice or rating", levels=RATING_TASKS),
    column("block", Integer, "block within the task, from 1"),
    column("trial", Integer, "trial within the block, from 1: every axis of every item"),
    column("item", String(16), "name of what is rated: 12 digits of its prompt's and images' sum"),
    column("prompt", Text, "what the images are to show, as it may stand above them"),
    column("axis", String(64), "in which respect it is rated"),
    column("first", String(64), "condition that made the first image of the item"),
    column("first_image", Text, "path of the first image within the stimulus set"),
    column("first_sha256", String(64), "SHA-256 of the file of the first image"),
    column(
        "second",
        String(64),
        "condition that made the second image; empty where one image is rated",
        null=True,
    ),
    column("second_image", Text, "path of the second image within the stimulus set", null=True),
    column("second_sha256", String(64), "SHA-256 of the file of the second image", null=True),
    column(
        "first_side",
        String(8),
        "where the first image stood; empty where one image is rated",
        null=True,
        levels=SIDES,
    ),
    column(
        "answer",
        String(16),
        "of a pair the level, from 1, the first image is much better, to the highest, the second "
        "is; of one image yes or no, or its place on the scale; or not-relevant",
    ),
    column("truth", String(16), "what is right of a single image, where that is known", null=True),
    *answered(since="the axis was asked", onset="onset of the question"),
    UniqueConstraint("evaluator_id", "task", "block", "trial"),
)


def rating_cells(trial: RatingTrial, _shown: Presentation, _response: Response) -> Cells:
    """Give the cells of a rating that not all answers have."""
    first, *others = trial.item.images
    second = others[0] if others else None
    side = Choice.RIGHT if trial.planned.swapped else Choice.LEFT
    return {
        "item": trial.item.name,
        "prompt": trial.item.prompt,
        "axis": trial.axis.name,
        "first": first.condition,
        "first_image": first.path,
        "first_sha256": first.sha256,
        "second": second.condition if second else None,
        "second_image": second.path if second else None,
        "second_sha256": second.sha256 if second else None,
        "first_side": side.value if second else None,
        "truth": trial.item.truth(trial.axis.name),
    }


def shown_by(row: Row[Any]) -> str:
    sums = [row.first_sha256, *([row.second_sha256] if row.second_sha256 else [])]
    seen = sums[::-1] if row.first_side == Choice.RIGHT.value else sums
    return fingerprint_of(*map(str, (row.axis, *seen)))  # a damaged cell may hold anything


RATED: Final = (
    *("simulated", "task", "block", "trial", "item", "prompt", "axis", "first", "second"),
    *("first_image", "second_image", "first_sha256", "second_sha256", "first_side", "answer"),
    *("truth", "rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The same of a rating."""
"""The columns of a rating in the order in which they go out: what was rated before the files."""
RATINGS: Final = RecordedAnswers(
    name="ratings",
    trial=RatingTrial,
    table=ratings,
    cells=rating_cells,
    fingerprint=shown_by,
    exported=("evaluator", "session", "status", *RATED),
)
