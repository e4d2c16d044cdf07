"""A rating as a row: its columns, and the reasons why it is not scored."""

from __future__ import annotations

from typing import Final

from hype.protocols.prompted.trial import SIDE_LEVELS
from hype.protocols.rating.trial import RatingTask
from hype.tables.columns import (
    WHY,
    Column,
    Kind,
    Read,
    Row,
    block,
    declare_answered,
    declare_excluded,
    owners,
)
from hype.tables.reasons import OF_PEOPLE, PRACTICE, TEST, rule_of

SCORED_TASK: Final = RatingTask.RATING.value
REASONS: Final = (
    *OF_PEOPLE,
    TEST,
    PRACTICE,
)
"""Why a rating is not scored."""
why_excluded: Final = rule_of(REASONS)
TASK_LEVELS: Final = {
    SCORED_TASK: "a pair of images, or a single image, on one axis",
    RatingTask.TEST.value: "items with known right answers, rated first by everybody; never scored",
    RatingTask.PRACTICE.value: "practice, to learn the task; never scored",
}
ROW: Final = Row(
    "rating",
    *owners("code of the evaluator; needed for agreement"),
    Column(
        "task", Kind.WORD, "practice, test or rating", most=16, levels=TASK_LEVELS, read=Read.FULL
    ),
    block("block within the task, from 1"),
    Column(
        "trial",
        Kind.WHOLE,
        "trial within the block, from 1; each axis of an item is one trial",
        read=Read.OPTIONAL,
    ),
    Column(
        "item",
        Kind.NAME,
        "name of the item: 12 digits of a checksum of its prompt and images",
        most=16,
        read=Read.NEEDED,
    ),
    Column(
        "prompt",
        Kind.TEXT,
        "what the images should show; may appear above them",
        read=Read.OPTIONAL,
    ),
    Column("axis", Kind.NAME, "the axis of the rating", most=64, read=Read.NEEDED),
    Column(
        "first",
        Kind.NAME,
        "condition of the first image of the item",
        most=64,
        read=Read.NEEDED,
        alias="condition",
    ),
    Column(
        "second",
        Kind.NAME,
        "condition of the second image; empty for a single image",
        most=64,
        null=True,
        read=Read.FULL,
        hint="; pairs and single images need separate tables",
    ),
    Column(
        "first_image",
        Kind.NAME,
        "path of the first image within the stimulus set",
        read=Read.OPTIONAL,
        alias="image",
    ),
    Column(
        "second_image",
        Kind.NAME,
        "path of the second image within the stimulus set",
        null=True,
        read=Read.OPTIONAL,
    ),
    Column("first_sha256", Kind.NAME, "SHA-256 of the file of the first image", most=64),
    Column(
        "second_sha256", Kind.NAME, "SHA-256 of the file of the second image", most=64, null=True
    ),
    Column(
        "first_side",
        Kind.WORD,
        "side of the first image; empty for a single image",
        most=8,
        null=True,
        levels=SIDE_LEVELS,
        read=Read.OPTIONAL,
    ),
    Column(
        "answer",
        Kind.TEXT,
        "for a pair the level, from 1 (the first image is much better) to the highest (the "
        "second is much better); for a single image yes or no, or a number of the scale; or "
        "not-relevant",
        most=16,
        read=Read.ANSWER,
    ),
    Column(
        "truth",
        Kind.NAME,
        "the right answer, if known; only single images and pairs of a test can have one",
        most=16,
        null=True,
        read=Read.OPTIONAL,
    ),
    *declare_answered(since="the axis was asked", onset="onset of the question"),
    WHY,
    *declare_excluded("rating", REASONS),
    scored=(SCORED_TASK,),
    reasons=REASONS,
)
