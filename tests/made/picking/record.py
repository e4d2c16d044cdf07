"""Picks in the record: their table, and the way to it and back."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Row as RecordRow

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table, json_in
from picking.course import PickingTrial
from picking.rows import ROW

picks = answer_table(ROW, "evaluator_id", "task", "block", "trial")


def pick_cells(trial: PickingTrial, _shown: Presentation, response: Response) -> Cells:
    return {
        "prompt": trial.prompt,
        "images": json.dumps([[image.path, image.sha256] for image in trial.images]),
        "picked": trial.images[int(response.answer) - 1].condition,
    }


def shown_by(row: RecordRow[Any]) -> str:
    """Give the checksums of a row's images; none of a damaged one."""
    return " ".join(sha256 for _, sha256 in json_in(row.images) or ())


KEPT = RecordedAnswers(
    name="picks",
    declared=ROW,
    trial=PickingTrial,
    table=picks,
    cells=pick_cells,
    fingerprint=shown_by,
)
