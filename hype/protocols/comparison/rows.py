"""The columns of answers, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from typing import Final

from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import SIDE_LEVELS, Choice
from hype.tables.columns import (
    BLOCK,
    AnswerColumn,
    Column,
    Kind,
    Prose,
    Row,
    WordColumn,
    answered,
    flag,
    label,
    owners,
    text,
    whole,
)

ANSWERS: Final = ("left", "right", "tie", "none")
"""The categories of the column answer, in this order; none: the time limit passed."""
TASKS: Final = ("comparison", "validation", "practice")
"""Those of task; the first alone is scored."""
OBVIOUS: Final = ("", "left", "right")
"""Those of obvious."""
SCORED_TASK: Final = TASKS[0]
NEEDED: Final = ("left", "right")
"""Columns without which there is no comparison; and answer, or chosen instead of it."""
TASK_LEVELS: Final = {
    ComparisonTask.PRACTICE.value: "to learn how it goes; never scored",
    ComparisonTask.COMPARISON.value: "two images of one prompt by two conditions",
    ComparisonTask.VALIDATION.value: "one image is obviously right; says whether somebody looked",
}
ANSWER_LEVELS: Final = SIDE_LEVELS | {
    Choice.TIE.value: "neither: the third answer, where the study has one",
    Choice.NONE.value: "nothing: the time limit passed",
}
ROW: Final = Row(
    *owners(label("who answered; without it nothing is known of agreement", gaps=False)),
    AnswerColumn(
        "task",
        kept=text("practice, comparison or validation", most=16, levels=TASK_LEVELS),
        read=WordColumn(
            words=TASKS,
            meaning="comparison, which is scored, or validation or practice, which are not; "
            "comparison where the column is missing",
        ),
    ),
    AnswerColumn(
        "block",
        kept=whole("block within the task, from 1; validation has that of its place"),
        read=BLOCK,
    ),
    AnswerColumn(
        "trial",
        kept=whole("trial within the block, from 1, those of all its tasks together"),
        read=Column(kind=Kind.WHOLE, meaning="position of the comparison in its block", gaps=True),
    ),
    AnswerColumn(
        "prompt",
        kept=text("what both images are to show, as it may stand above them"),
        read=Prose(meaning="what both images show"),
    ),
    AnswerColumn(
        "left",
        kept=text("condition that made the image on the left", most=64),
        read=label("the condition whose image was on the left; needed", gaps=False),
    ),
    AnswerColumn(
        "right",
        kept=text("condition that made the image on the right", most=64),
        read=label("the condition whose image was on the right; needed", gaps=False),
    ),
    AnswerColumn(
        "left_image",
        kept=text("path of the image on the left within the stimulus set"),
        read=label("path or name of the image on the left"),
    ),
    AnswerColumn(
        "right_image",
        kept=text("path of the image on the right within the stimulus set"),
        read=label("path or name of the image on the right"),
    ),
    AnswerColumn("left_sha256", kept=text("SHA-256 of the file of the image on the left", most=64)),
    AnswerColumn(
        "right_sha256", kept=text("SHA-256 of the file of the image on the right", most=64)
    ),
    AnswerColumn(
        "obvious",
        kept=text(
            "the side that is obviously right, if one is", most=8, null=True, levels=SIDE_LEVELS
        ),
        read=WordColumn(
            words=OBVIOUS, meaning="the obviously right side of a validation comparison"
        ),
    ),
    AnswerColumn(
        "answer",
        kept=text("left, right, tie or none", most=8, levels=ANSWER_LEVELS),
        read=WordColumn(
            words=ANSWERS,
            meaning="the side that was chosen, tie, or none where the time limit passed; needed, "
            "or chosen instead of it",
        ),
    ),
    AnswerColumn(
        "correct", kept=flag("whether the answer is the obvious one, if one is", null=True)
    ),
    AnswerColumn(
        "hasty",
        kept=flag("whether it came faster than the study allows"),
        read=Column(
            kind=Kind.FLAG, meaning="whether the answer came faster than the study's minimum"
        ),
    ),
    *answered(since="the comparison could be answered", onset="onset of the images"),
    AnswerColumn(
        "excluded",
        kept=text(
            "why the comparison is not scored under the study's rules; empty where it is",
            most=32,
            blank=True,
        ),
        is_added=True,
        read=label("why the comparison is not scored; empty where it is"),
    ),
    AnswerColumn(
        "chosen",
        read=label(
            "the condition that was chosen, tie or none; where answer is there as well, both must "
            "say the same",
            gaps=False,
        ),
    ),
    AnswerColumn(
        "criterion", read=label("the question that was asked, the same in every row", gaps=False)
    ),
)
"""A comparison: what it is in the record, going out, and in a table that is read."""
VOTE_COLUMNS: Final = ROW.read(*NEEDED, "answer", "chosen")
"""The columns that scoring looks at; any others pass through unread."""
ALIASES: Final = {"left_source": "left", "right_source": "right"}
"""What a study's record calls two of them."""
