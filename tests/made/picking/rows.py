"""The columns of picks, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from hype.tables.columns import (
    BLOCK,
    AnswerColumn,
    Column,
    Kind,
    Prose,
    Row,
    answered,
    flag,
    label,
    owners,
    text,
    whole,
)
from hype.tables.reasons import BY_PEOPLE
from picking.trial import PickingTask

MEANINGS = BY_PEOPLE
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
    *answered(since="the images came on", onset="onset of the images", read=None),
)
"""A pick, in the record."""
ROW = Row(
    *owners(label("who answered", gaps=False)),
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
    *(
        AnswerColumn(name, is_owner=True)
        for name in ("rt_ms", "key", "onset_unix_s", "onset_monotonic_s", "interruptions")
    ),
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
