"""Picks in the record: their columns, and the reasons why a pick is not scored."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Row as RecordRow

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table, json_in
from hype.tables.columns import (
    Column,
    Kind,
    Read,
    Row,
    block,
    declare_answered,
    declare_excluded,
    owners,
)
from hype.tables.reasons import OF_PEOPLE, rule_of
from picking.course import PickingTask, PickingTrial

REASONS = OF_PEOPLE
why_excluded = rule_of(REASONS)
TASKS = {PickingTask.PICK.value: "the best of a row"}
ROW = Row(
    "pick",
    *owners("who answered"),
    Column("task", Kind.WORD, "what it is for", most=16, levels=TASKS),
    block("1: there is one block"),
    Column("trial", Kind.WHOLE, "trial within the block, from 1", read=Read.OPTIONAL),
    Column("prompt", Kind.TEXT, "what the images are to show", read=Read.OPTIONAL),
    Column("images", Kind.TEXT, "path and SHA-256 of each image, as JSON"),
    Column("answer", Kind.NAME, "place of the image that was picked, from 1", most=8),
    Column("picked", Kind.NAME, "condition that was picked", most=64, read=Read.NEEDED),
    *declare_answered(since="the images came on", onset="onset of the images"),
    *declare_excluded("pick", REASONS),
    scored=tuple(TASKS),
    reasons=REASONS,
)
picks = answer_table(ROW, "evaluator_id", "task", "block", "trial")


def pick_cells(trial: PickingTrial, _shown: Presentation, response: Response) -> Cells:
    return {
        "prompt": trial.prompt,
        "images": json.dumps([[image.path, image.sha256] for image in trial.images]),
        "picked": trial.images[int(response.answer) - 1].condition,
    }


def shown_by(row: RecordRow[Any]) -> str:
    """Return the checksums of a row's images; none if the row is damaged."""
    return " ".join(sha256 for _, sha256 in json_in(row.images) or ())


KEPT = RecordedAnswers(
    name="picks",
    declared=ROW,
    trial=PickingTrial,
    table=picks,
    cells=pick_cells,
    fingerprint=shown_by,
)
