"""A comparison as a row: its columns, why one is not scored, and how the record keeps it."""

from __future__ import annotations

from functools import partial
from operator import eq
from typing import Final

from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import SIDE_LEVELS, Choice
from hype.tables.columns import (
    FOLLOW_UPS,
    Column,
    Kind,
    Origin,
    Read,
    Row,
    block,
    declare_answered,
    declare_excluded,
    owners,
)
from hype.tables.reasons import (
    PRACTICE,
    TEST,
    TOO_LATE,
    Reason,
    reason_of_task,
    reasons_of_people,
    rule_of,
)

SCORED_TASK: Final = ComparisonTask.COMPARISON.value
OF_EVALUATORS: Final = (
    *reasons_of_people(),
    Reason(
        "failed-validation",
        of="failed",
        meaning="the evaluator answered too few comparisons correctly whose answer is obvious, by "
        "the study's rule",
        said="by people who failed the comparisons with an obvious answer",
    ),
)
"""Reasons that hold of all that an evaluator answered."""
REASONS: Final = (
    *OF_EVALUATORS,
    reason_of_task(
        ComparisonTask.VALIDATION.value,
        meaning="comparisons whose answer is obvious are never scored",
        said="with an obvious answer",
    ),
    TEST,
    PRACTICE,
    TOO_LATE,
    Reason(
        Choice.BOTH_BAD.value,
        of="answer",
        holds=partial(eq, Choice.BOTH_BAD.value),
        meaning="both images are bad, which does not say which is better; counted by itself",
        said="answered with “both are bad”",
    ),
)
"""Why a comparison is not scored. A hasty answer is marked (``hasty``) and counts."""
why_excluded: Final = rule_of(REASONS)
TASK_LEVELS: Final = {
    SCORED_TASK: "two images of one prompt by two conditions",
    ComparisonTask.VALIDATION.value: "one image is obviously right; says whether somebody looked",
    ComparisonTask.TEST.value: "one image is known to be better; everybody compares these first",
    ComparisonTask.PRACTICE.value: "to learn how it goes; never scored",
}
SIDES: Final = {"left": "the image on the left", "right": "the image on the right"}
ANSWER_LEVELS: Final = SIDE_LEVELS | {
    Choice.TIE.value: "neither: the third answer, where the study has one",
    Choice.BOTH_BAD.value: "both are bad: an answer of its own, where the study has it",
    Choice.NONE.value: "nothing: the time limit passed",
}
ROW: Final = Row(
    "comparison",
    *owners("who answered; without it nothing is known of agreement"),
    Column(
        "task",
        Kind.WORD,
        "practice, test, comparison or validation",
        most=16,
        levels=TASK_LEVELS,
        read=Read.FULL,
    ),
    block("block within the task, from 1; validation has that of its place"),
    Column(
        "trial",
        Kind.WHOLE,
        "trial within the block, from 1, those of all its tasks together",
        read=Read.OPTIONAL,
    ),
    Column(
        "prompt",
        Kind.TEXT,
        "what both images are to show, as it may stand above them",
        read=Read.OPTIONAL,
    ),
    Column(
        "criterion",
        Kind.NAME,
        "what was asked; where there are several, each has scores of its own",
        most=64,
        read=Read.FULL,
    ),
    *(
        Column(
            side,
            Kind.NAME,
            f"condition that made {image}",
            most=64,
            read=Read.NEEDED,
            alias=f"{side}_source",
        )
        for side, image in SIDES.items()
    ),
    *(
        Column(
            f"{side}_image",
            Kind.NAME,
            f"path of {image} within the stimulus set",
            read=Read.OPTIONAL,
        )
        for side, image in SIDES.items()
    ),
    *(
        Column(f"{side}_sha256", Kind.NAME, f"SHA-256 of the file of {image}", most=64)
        for side, image in SIDES.items()
    ),
    Column(
        "obvious",
        Kind.WORD,
        "the side that is obviously right, if one is",
        most=8,
        null=True,
        levels=SIDE_LEVELS,
        read=Read.OPTIONAL,
    ),
    Column(
        "answer",
        Kind.WORD,
        "left, right, tie, both-bad or none",
        most=8,
        levels=ANSWER_LEVELS,
        read=Read.ANSWER,
        hint="; --values answer=THEIRS:left,THEIRS:right says what other words mean",
    ),
    Column("correct", Kind.FLAG, "whether the answer is the obvious one, if one is", null=True),
    Column("hasty", Kind.FLAG, "whether it came faster than the study allows", read=Read.FULL),
    *declare_answered(since="the comparison could be answered", onset="onset of the images"),
    *FOLLOW_UPS,
    *declare_excluded("comparison", REASONS),
    Column(
        "chosen",
        Kind.NAME,
        "the condition that was chosen, tie, both-bad or none, instead of answer; both must say "
        "the same",
        origin=Origin.TABLE,
        read=Read.ANSWER,
    ),
    scored=(SCORED_TASK,),
    reasons=REASONS,
)
