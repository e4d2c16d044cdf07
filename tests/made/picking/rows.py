"""The columns of picks, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from hype.tables.columns import (
    BLOCK,
    SESSION,
    SIMULATED,
    STATUS,
    AnswerColumn,
    Column,
    Kind,
    Prose,
    Row,
    flag,
    label,
    number,
    text,
    whole,
)
from picking.trial import PickingTask

MEANINGS = {
    "declined": "by somebody who declined",
    "unfinished": "by somebody who has not finished",
}
"""Why a pick is not scored."""
PICK = Row(
    AnswerColumn(
        "task",
        kept=text("what it is for", most=16, levels={PickingTask.PICK.value: "the best of a row"}),
    ),
    AnswerColumn("block", kept=whole("1: there is one block")),
    AnswerColumn("trial", kept=whole("trial within the block, from 1")),
    AnswerColumn("prompt", kept=text("what the images are to show")),
    AnswerColumn("shown", kept=text("path, SHA-256 and condition of each image, as JSON")),
    AnswerColumn("answer", kept=text("place of the image that was picked, from 1", most=8)),
    AnswerColumn("rt_ms", kept=number("response time, from when the images came on")),
    AnswerColumn("key", kept=text("the key that was pressed, or mouse", most=16, blank=True)),
    AnswerColumn("onset_unix_s", kept=number("onset of the images by the wall clock")),
    AnswerColumn("onset_monotonic_s", kept=number("the same by the monotonic clock")),
)
"""A pick, in the record."""
ROW = Row(
    AnswerColumn("evaluator", is_owner=True, read=label("who answered", gaps=False)),
    AnswerColumn("session", is_owner=True, read=SESSION),
    AnswerColumn("status", is_owner=True, read=STATUS),
    AnswerColumn("simulated", is_owner=True, read=SIMULATED),
    AnswerColumn("task", is_owner=True),
    AnswerColumn("block", is_owner=True, read=BLOCK),
    AnswerColumn(
        "trial", is_owner=True, read=Column(kind=Kind.WHOLE, gaps=True, meaning="which row it was")
    ),
    AnswerColumn("prompt", is_owner=True, read=Prose(meaning="what the images show")),
    AnswerColumn(
        "condition",
        kept=text("condition that made the image", most=64),
        read=label("the condition that made the image; needed", gaps=False),
    ),
    AnswerColumn(
        "image",
        kept=text("path of the image within the stimulus set"),
        read=label("path or name of the image"),
    ),
    AnswerColumn("image_sha256", kept=text("SHA-256 of the image file", most=64)),
    AnswerColumn("position", kept=whole("place of the image in its row, from 1 at the left")),
    AnswerColumn(
        "picked",
        kept=flag("whether it was picked"),
        read=Column(kind=Kind.FLAG, meaning="whether the image was picked; needed"),
    ),
    AnswerColumn("rt_ms", is_owner=True),
    AnswerColumn("key", is_owner=True),
    AnswerColumn("onset_unix_s", is_owner=True),
    AnswerColumn("onset_monotonic_s", is_owner=True),
    AnswerColumn("interruptions", is_owner=True),
    AnswerColumn(
        "excluded",
        kept=text("why it is not scored; or empty", most=32, blank=True, levels=MEANINGS),
        is_added=True,
        read=label("why the pick is not scored; empty where it is"),
    ),
)
"""An image of a row that was shown: what goes out, and what is read from a table."""
NEEDED = ("condition", "picked")
PICK_COLUMNS = ROW.read(*NEEDED)
NAMES = tuple(column.name for column in PICK_COLUMNS)
