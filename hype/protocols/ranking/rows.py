"""The columns of answers, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from typing import Final

from hype.protocols.ranking.trial import RankingTask
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
    WordColumn,
    answered,
    flag,
    label,
    number,
    text,
    whole,
)

TASKS: Final = ("ranking", "test", "check", "practice")
"""The categories of the column task; the first alone is scored."""
SPLITS: Final = ("", "train", "test")
"""Those of split."""
SCORED_TASK: Final = TASKS[0]
NEEDED: Final = ("group", "condition", "rank")


TASK_LEVELS: Final = {
    RankingTask.PRACTICE.value: "to learn how it goes; never scored",
    RankingTask.TEST.value: "ranked by everybody first, checkers too; never scored",
    RankingTask.RANKING.value: "images of one prompt by several conditions",
    RankingTask.CHECK.value: "ranked by a checker, after somebody else; never scored",
}

ACT: Final = Row(
    AnswerColumn(
        "task", kept=text("practice, test, ranking or check", most=16, levels=TASK_LEVELS)
    ),
    AnswerColumn("block", kept=whole("block within the task, from 1")),
    AnswerColumn("trial", kept=whole("act within the block, from 1")),
    AnswerColumn(
        "group", kept=text("name of the group: 12 digits of its prompt's and images' sum", most=16)
    ),
    AnswerColumn("prompt", kept=text("what the images are to show, as it may stand above them")),
    AnswerColumn(
        "shown_sha256",
        kept=text("SHA-256 over the images' sums in the order of the screen", most=64),
    ),
    AnswerColumn(
        "standing",
        kept=text(
            "what had a place before: the letters of images, the best first, equals together; = at "
            "the end says that the next one shares the last place",
            most=32,
            blank=True,
        ),
    ),
    AnswerColumn(
        "answer",
        kept=text(
            "the letter of the image that is placed next, from A, in the order of the screen; or "
            "tie, undo or accept",
            most=8,
        ),
    ),
    AnswerColumn("image", kept=text("path of that image within the stimulus set", null=True)),
    AnswerColumn(
        "image_sha256", kept=text("SHA-256 of the file of that image", most=64, null=True)
    ),
    AnswerColumn("condition", kept=text("condition that made that image", most=64, null=True)),
    *answered(since="the act before was kept", onset="when the act could be made,", read=None),
)
"""An act of which rankings are made, in the record."""
ROW: Final = Row(
    AnswerColumn(
        "evaluator",
        is_owner=True,
        read=label(
            "who put the images in order; without it nothing is known of agreement", gaps=False
        ),
    ),
    AnswerColumn(
        "session",
        kept=whole("number of the session in this record in which it ended"),
        read=SESSION,
    ),
    AnswerColumn("status", is_owner=True, read=STATUS),
    AnswerColumn("simulated", kept=flag("whether nobody real was asked"), read=SIMULATED),
    AnswerColumn(
        "task",
        is_owner=True,
        read=WordColumn(
            words=TASKS,
            meaning="ranking, which is scored, or test, check or practice, which are not; ranking "
            "where the column is missing",
        ),
    ),
    AnswerColumn("block", is_owner=True, read=BLOCK),
    AnswerColumn("trial", kept=whole("group within the block, from 1")),
    AnswerColumn(
        "group",
        is_owner=True,
        read=label(
            "which images were put in order: the same name, the same images; needed", gaps=False
        ),
    ),
    AnswerColumn("prompt", is_owner=True, read=Prose(meaning="what all images of the group show")),
    AnswerColumn(
        "condition",
        kept=text("condition that made the image", most=64),
        read=label("what made the image; needed", gaps=False),
    ),
    AnswerColumn(
        "image",
        kept=text("path of the image within the stimulus set"),
        read=label("path or name of the image; without it a condition has one image a group"),
    ),
    AnswerColumn("image_sha256", kept=text("SHA-256 of the image file", most=64)),
    AnswerColumn(
        "rank",
        kept=whole(
            "place of the image, 1 is the best, equals share one and the next waits; empty where "
            "the ranking was not accepted",
            null=True,
        ),
        read=Column(
            kind=Kind.COUNT,
            meaning="1 is the best, equal ranks are a tie (1, 1, 2 and 1, 1, 3 mean the same), "
            "empty where the image was not placed, which leaves the whole ranking out; needed",
            gaps=True,
        ),
    ),
    AnswerColumn("position", kept=whole("where the image stood: its letter on the screen, A is 1")),
    AnswerColumn("acts", kept=whole("acts of which the ranking was made")),
    AnswerColumn("undone", kept=whole("how many of them took something back")),
    AnswerColumn("rt_ms", kept=number("how long all of them took together")),
    AnswerColumn("onset_unix_s", kept=number("when the first could be made, by the wall clock")),
    AnswerColumn(
        "onset_monotonic_s", kept=number("when the first could be made, by the monotonic clock")
    ),
    AnswerColumn("interruptions", kept=whole("how often an act of it was cut off and came again")),
    AnswerColumn(
        "checker",
        kept=flag("whether a checker ranked it"),
        is_added=True,
        read=Column(
            kind=Kind.FLAG,
            meaning="whether the ranking is a checker's, whom others are screened against; such "
            "rankings are not scored; false where the column is missing",
        ),
    ),
    AnswerColumn(
        "split",
        kept=text(
            "what the prompt may be used for; empty where none is held out", most=8, blank=True
        ),
        is_added=True,
        read=WordColumn(
            words=SPLITS,
            meaning="train or test; where the column is there, only test counts for preference "
            "models",
        ),
    ),
    AnswerColumn(
        "excluded",
        kept=text(
            "why the ranking is not scored under the study's rules; empty where it is",
            most=32,
            blank=True,
        ),
        is_added=True,
        read=label("why the ranking is not scored; empty where it is"),
    ),
)
"""A image of a ranking: what it is in the record, going out, and in a table that is read."""
RANKING_COLUMNS: Final = ROW.read(*NEEDED)
"""The columns that scoring looks at; any others pass through unread."""
