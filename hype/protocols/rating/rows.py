"""The columns of answers, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from typing import Final

from hype.protocols.prompted.trial import SIDE_LEVELS
from hype.protocols.rating.trial import RatingTask
from hype.tables.columns import (
    BLOCK,
    AnswerColumn,
    Column,
    Kind,
    Prose,
    Row,
    WordColumn,
    answered,
    label,
    owners,
    text,
    whole,
)

TASKS: Final = ("rating", "practice")
"""The categories of task; the first alone is scored."""
SCORED_TASK: Final = TASKS[0]
SIDES: Final = ("", "left", "right")
"""Those of first_side."""
NEEDED: Final = ("item", "axis", "answer", "first")
"""Columns without which there is no rating."""
TASK_LEVELS: Final = {
    RatingTask.PRACTICE.value: "to learn how it goes; never scored",
    RatingTask.RATING.value: "a pair of images, or one, on one axis",
}
ROW: Final = Row(
    *owners(label("who answered; without it nothing is known of agreement", gaps=False)),
    AnswerColumn(
        "task",
        kept=text("practice or rating", most=16, levels=TASK_LEVELS),
        read=WordColumn(
            words=TASKS,
            meaning="rating, which is scored, or practice, which is not; rating where the column "
            "is missing",
        ),
    ),
    AnswerColumn("block", kept=whole("block within the task, from 1"), read=BLOCK),
    AnswerColumn(
        "trial",
        kept=whole("trial within the block, from 1: every axis of every item"),
        read=Column(kind=Kind.WHOLE, meaning="position of the rating in its block", gaps=True),
    ),
    AnswerColumn(
        "item",
        kept=text("name of what is rated: 12 digits of its prompt's and images' sum", most=16),
        read=label(
            "what was rated: a pair of images, or one; the same label is the same images; needed",
            gaps=False,
        ),
    ),
    AnswerColumn(
        "prompt",
        kept=text("what the images are to show, as it may stand above them"),
        read=Prose(meaning="what the images show"),
    ),
    AnswerColumn(
        "axis",
        kept=text("in which respect it is rated", most=64),
        read=label("what it was rated on, such as anatomy or overall; needed", gaps=False),
    ),
    AnswerColumn(
        "first",
        kept=text("condition that made the first image of the item", most=64),
        read=label(
            "the condition that made the first image; of single images also called condition; "
            "needed",
            gaps=False,
        ),
    ),
    AnswerColumn(
        "second",
        kept=text(
            "condition that made the second image; empty where one image is rated",
            most=64,
            null=True,
        ),
        read=label("the condition that made the second image; absent for single images"),
    ),
    AnswerColumn(
        "first_image",
        kept=text("path of the first image within the stimulus set"),
        read=label("path or name of the first image; also called image"),
    ),
    AnswerColumn(
        "second_image",
        kept=text("path of the second image within the stimulus set", null=True),
        read=label("path or name of the second image"),
    ),
    AnswerColumn("first_sha256", kept=text("SHA-256 of the file of the first image", most=64)),
    AnswerColumn(
        "second_sha256", kept=text("SHA-256 of the file of the second image", most=64, null=True)
    ),
    AnswerColumn(
        "first_side",
        kept=text(
            "where the first image stood; empty where one image is rated",
            most=8,
            null=True,
            levels=SIDE_LEVELS,
        ),
        read=WordColumn(words=SIDES, meaning="where the first image of a pair stood"),
    ),
    AnswerColumn(
        "answer",
        kept=text(
            "of a pair the level, from 1, the first image is much better, to the highest, the "
            "second is; of one image yes or no, or its place on the scale; or not-relevant",
            most=16,
        ),
        read=label(
            "of a pair a level, 1 where the first image is much better and the highest where the "
            "second is; of a single image a number of the scale, yes or no; or not-relevant, "
            "which is missing and never zero; needed",
            gaps=False,
        ),
    ),
    AnswerColumn(
        "truth",
        kept=text("what is right of a single image, where that is known", most=16, null=True),
        read=label(
            "of single images: the right answer, yes or no, or a number; empty where it is not "
            "known"
        ),
    ),
    *answered(since="the axis was asked", onset="onset of the question"),
    AnswerColumn(
        "excluded",
        kept=text(
            "why the rating is not scored under the study's rules; empty where it is",
            most=32,
            blank=True,
        ),
        is_added=True,
        read=label("why the rating is not scored; empty where it is"),
    ),
)
"""A rating: what it is in the record, going out, and in a table that is read."""
RATING_COLUMNS: Final = ROW.read(*NEEDED)
"""The columns that scoring looks at; any others pass through unread."""
ALIASES: Final = {"condition": "first", "image": "first_image"}
"""What single images, which have no second, call two of them."""
