"""A pick as rows: as the record has it, an image each as it goes out, why one is not scored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Row as RecordRow

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table, json_in
from hype.tables.columns import (
    Column,
    Kind,
    Origin,
    Read,
    Row,
    answered,
    block,
    excluded,
    owners,
)
from hype.tables.reasons import of_people, rule_of
from picking.trial import PickingTask, PickingTrial

REASONS = of_people()
why_excluded = rule_of(REASONS)
OWNERS = owners("who answered")
TASKS = {PickingTask.PICK.value: "the best of a row"}
PICK = Row(
    "pick",
    *OWNERS,
    Column("task", Kind.WORD, "what it is for", most=16, levels=TASKS),
    block("1: there is one block"),
    Column("trial", Kind.WHOLE, "trial within the block, from 1"),
    Column("prompt", Kind.TEXT, "what the images are to show"),
    Column("shown", Kind.TEXT, "path, SHA-256 and condition of each image, as JSON"),
    Column("answer", Kind.NAME, "place of the image that was picked, from 1", most=8),
    *answered(since="the images came on", onset="onset of the images"),
)
"""A pick, in the record."""
SAME = ("evaluator", "session", "status", "simulated", "task", "block", "trial", "prompt")
TIMES = ("rt_ms", "key", "onset_unix_s", "onset_monotonic_s", "interruptions")
ROW = Row(
    "pick",
    *OWNERS,
    Column("task", Kind.WORD, "what it is for", levels=TASKS, origin=Origin.OTHER),
    block("which block of the session", origin=Origin.OTHER),
    Column("trial", Kind.WHOLE, "which row it was", origin=Origin.OTHER, read=Read.OPTIONAL),
    Column("prompt", Kind.TEXT, "what it shows", origin=Origin.OTHER, read=Read.OPTIONAL),
    Column("condition", Kind.NAME, "condition that made it", most=64, read=Read.NEEDED),
    Column("image", Kind.NAME, "path of the image in the stimulus set", read=Read.OPTIONAL),
    Column("image_sha256", Kind.NAME, "SHA-256 of the image file", most=64),
    Column("position", Kind.WHOLE, "place of the image in its row, from 1 at the left"),
    Column("picked", Kind.FLAG, "whether it was picked", read=Read.NEEDED),
    *(Column(name, Kind.NUMBER, "as in the record", origin=Origin.OTHER) for name in TIMES),
    excluded("pick", REASONS),
    scored=(PickingTask.PICK.value,),
    reasons=REASONS,
    per_row="image",
)
"""An image of a row that was shown: what goes out, and what is read from a table."""
picks = answer_table(PICK, "evaluator_id", "task", "block", "trial")


def pick_cells(trial: PickingTrial, _shown: Presentation, _response: Response) -> Cells:
    images = [[one.path, one.sha256, one.condition] for one in trial.images]
    return {"prompt": trial.prompt, "shown": json.dumps(images)}


def images_in(row: RecordRow[Any]) -> list[tuple[str, str, str]]:
    """Give path, checksum and condition of each image of a row; none of a damaged one."""
    return [tuple(one) for one in json_in(row.shown) or ()]


def shown_by(row: RecordRow[Any]) -> str:
    return " ".join(sha256 for _, sha256, _ in images_in(row))


def spread(rows: Iterable[RecordRow[Any]]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        before, after = ([getattr(row, name) for name in some] for some in (SAME, TIMES))
        for place, (path, sha256, condition) in enumerate(images_in(row), start=1):
            yield (*before, condition, path, sha256, place, row.answer == str(place), *after)


PICKS = RecordedAnswers(
    name="picks",
    declared=PICK,
    trial=PickingTrial,
    table=picks,
    cells=pick_cells,
    fingerprint=shown_by,
    gather=spread,
    gathered=ROW,
)

KEPT = PICKS
