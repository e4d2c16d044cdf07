"""Picks in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Row

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, Gathered, RecordedAnswers, answer_table, column_of, json_in
from picking.rows import PICK, ROW
from picking.trial import PickingTrial

picks = answer_table(
    "picks", "evaluator_id", "task", "block", "trial", what="pick", columns=PICK.recorded
)


def pick_cells(trial: PickingTrial, _shown: Presentation, _response: Response) -> Cells:
    images = [[one.path, one.sha256, one.condition] for one in trial.images]
    return {"prompt": trial.prompt, "shown": json.dumps(images)}


def images_in(row: Row[Any]) -> list[tuple[str, str, str]]:
    """Give path, checksum and condition of each image of a row; none of a damaged one."""
    return [tuple(one) for one in json_in(row.shown) or ()]


def shown_by(row: Row[Any]) -> str:
    return " ".join(sha256 for _, sha256, _ in images_in(row))


SAME = ("evaluator", "session", "status", "simulated", "task", "block", "trial", "prompt")
TIMES = ("rt_ms", "key", "onset_unix_s", "onset_monotonic_s", "interruptions")
EXPORTED = tuple(column_of(one) if one.kept else one.name for one in ROW.going_out)


def spread(rows: Iterable[Row[Any]]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        before, after = ([getattr(row, name) for name in some] for some in (SAME, TIMES))
        for place, (path, sha256, condition) in enumerate(images_in(row), start=1):
            yield (*before, condition, path, sha256, place, row.answer == str(place), *after)


PICKS = RecordedAnswers(
    name="picks",
    trial=PickingTrial,
    table=picks,
    cells=pick_cells,
    fingerprint=shown_by,
    exported=(*SAME, "shown", "answer", *TIMES[:-1]),
    gathered=Gathered(declared=EXPORTED, rows=spread),
)

KEPT = PICKS
