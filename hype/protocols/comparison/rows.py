"""A comparison as a row: its columns, and the reasons why it is not scored."""

from __future__ import annotations

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
from hype.tables.reasons import OF_PEOPLE, PRACTICE, TEST, TOO_LATE, Reason, reason_for, rule_of

SCORED_TASK: Final = ComparisonTask.COMPARISON.value
OF_EVALUATORS: Final = (
    *OF_PEOPLE,
    Reason(
        "failed-validation",
        of="failed",
        meaning="by the study's rule, the evaluator got too few obvious comparisons right",
        said="by people who failed the comparisons with an obvious answer",
    ),
)
"""Reasons that exclude all answers of an evaluator."""
REASONS: Final = (
    *OF_EVALUATORS,
    reason_for(
        "task",
        ComparisonTask.VALIDATION.value,
        meaning="comparisons whose answer is obvious are never scored",
        said="with an obvious answer",
    ),
    TEST,
    PRACTICE,
    TOO_LATE,
    reason_for(
        "answer",
        Choice.BOTH_BAD.value,
        meaning="both images are bad, so none is better; counted separately",
        said="answered with “both are bad”",
    ),
)
"""Why a comparison is not scored. A hasty answer is marked (``hasty``), but still scored."""
why_excluded: Final = rule_of(REASONS)
TASK_LEVELS: Final = {
    SCORED_TASK: "two images of one prompt, from two conditions",
    ComparisonTask.VALIDATION.value: "one image is obviously right, to check attention",
    ComparisonTask.TEST.value: "one image is known to be better; the test is at the start",
    ComparisonTask.PRACTICE.value: "to learn the task; never scored",
}
ANSWER_LEVELS: Final = SIDE_LEVELS | {
    Choice.TIE.value: "no difference: a third answer, if the study allows it",
    Choice.BOTH_BAD.value: "both are bad: a separate answer, if the study allows it",
    Choice.NONE.value: "no answer within the time limit",
}
ROW: Final = Row(
    "comparison",
    *owners("code of the evaluator; needed for agreement"),
    Column(
        "task",
        Kind.WORD,
        "practice, test, comparison or validation",
        most=16,
        levels=TASK_LEVELS,
        read=Read.FULL,
    ),
    block(
        "block within the task, from 1; validation trials have the number of the block they are in"
    ),
    Column(
        "trial",
        Kind.WHOLE,
        "trial within the block, from 1; comparisons and validation trials are numbered together",
        read=Read.OPTIONAL,
    ),
    Column(
        "prompt",
        Kind.TEXT,
        "what both images should show; studies can show it above them",
        read=Read.OPTIONAL,
    ),
    Column(
        "criterion",
        Kind.NAME,
        "what was asked; each criterion has its own scores",
        most=64,
        read=Read.FULL,
    ),
    *(
        Column(
            side,
            Kind.NAME,
            f"condition of {image}",
            most=64,
            read=Read.NEEDED,
            alias=f"{side}_source",
        )
        for side, image in SIDE_LEVELS.items()
    ),
    *(
        Column(
            f"{side}_image",
            Kind.NAME,
            f"path of {image} within the stimulus set",
            read=Read.OPTIONAL,
        )
        for side, image in SIDE_LEVELS.items()
    ),
    *(
        Column(f"{side}_sha256", Kind.NAME, f"SHA-256 of the file of {image}", most=64)
        for side, image in SIDE_LEVELS.items()
    ),
    Column(
        "obvious",
        Kind.WORD,
        "the obviously right side, if there is one",
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
        hint="; --values answer=THEIRS:left,THEIRS:right translates other words",
    ),
    Column("correct", Kind.FLAG, "whether the obviously right side was chosen", null=True),
    Column(
        "hasty",
        Kind.FLAG,
        "whether the answer was faster than the study's minimum time",
        read=Read.FULL,
    ),
    *declare_answered(since="the comparison could be answered", onset="onset of the images"),
    *FOLLOW_UPS,
    *declare_excluded("comparison", REASONS),
    Column(
        "chosen",
        Kind.NAME,
        "the chosen condition, tie, both-bad or none; replaces 'answer', or must agree with it",
        origin=Origin.TABLE,
        read=Read.ANSWER,
    ),
    scored=(SCORED_TASK,),
    reasons=REASONS,
)
