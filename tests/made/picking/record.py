"""Picks: their columns, each declared once, and the way to the record and back."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Row as Recorded

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table, json_in
from hype.tables.columns import AnswerColumn, Row, answered, label, owners, text, whole
from hype.tables.reasons import BY_PEOPLE
from picking.course import PickingTask, PickingTrial

MEANINGS = BY_PEOPLE
"""Why a pick is not scored."""
TASKS = {PickingTask.PICK.value: "the best of a row"}
ROW = Row(
    *owners(label("who answered", gaps=False)),
    AnswerColumn("task", kept=text("what it is for", most=16, levels=TASKS)),
    AnswerColumn("block", kept=whole("1: there is one block")),
    AnswerColumn("trial", kept=whole("trial within the block, from 1")),
    AnswerColumn("prompt", kept=text("what the images are to show")),
    AnswerColumn("images", kept=text("path and SHA-256 of each image, as JSON")),
    AnswerColumn("answer", kept=text("place of the image that was picked, from 1", most=8)),
    AnswerColumn(
        "picked",
        kept=text("condition of the image that was picked", most=64),
        read=label("the condition whose image was picked; needed", gaps=False),
    ),
    *answered(since="the images came on", onset="onset of the images", read=None),
    AnswerColumn(
        "excluded",
        kept=text("why it is not scored; or empty", most=32, blank=True, levels=MEANINGS),
        is_added=True,
        read=label("why the pick is not scored; empty where it is"),
    ),
)
"""A pick: in the record, going out, and in a table that is read."""
KEY = ("evaluator_id", "task", "block", "trial")
picks = answer_table("picks", *KEY, what="pick", columns=ROW.recorded)


def pick_cells(trial: PickingTrial, _shown: Presentation, response: Response) -> Cells:
    return {
        "prompt": trial.prompt,
        "images": json.dumps([[image.path, image.sha256] for image in trial.images]),
        "picked": trial.images[int(response.answer) - 1].condition,
    }


def images_in(row: Recorded[Any]) -> list[tuple[str, str]]:
    """Give path and checksum of each image of a row; none of a damaged one."""
    return [tuple(image) for image in json_in(row.images) or ()]


KEPT = RecordedAnswers(
    name="picks",
    trial=PickingTrial,
    table=picks,
    cells=pick_cells,
    fingerprint=lambda row: " ".join(sha256 for _, sha256 in images_in(row)),
    exported=tuple(column.name for column in ROW.going_out),
)
