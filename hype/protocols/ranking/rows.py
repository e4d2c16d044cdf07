"""The rows of a ranking: its steps in the record, its images in exports, reasons for exclusion."""

from __future__ import annotations

from operator import not_
from typing import Final

from hype.protocols.ranking.trial import RankingTask
from hype.tables.columns import (
    WHY,
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
from hype.tables.reasons import OF_PEOPLE, PRACTICE, TEST, Reason, reason_for, rule_of

SCORED_TASK: Final = RankingTask.RANKING.value
CHECKER: Final = Reason(
    "checker",
    of="checker",
    meaning="rankings by checkers are not scored; other evaluators are compared with them",
    said="by a checker",
    is_recorded=False,
)
FAILED_SCREENING: Final = Reason(
    "failed-screening",
    of="failed",
    meaning="by the study's rule, the evaluator's first choices were too rarely among a "
    "checker's first two",
    said="by people whose first choices were too rarely among a checker's first two",
)
OF_EVALUATORS: Final = (*OF_PEOPLE, CHECKER, FAILED_SCREENING)
"""Reasons that exclude all rankings of an evaluator."""
REASONS: Final = (
    *OF_PEOPLE,
    CHECKER,
    TEST,
    reason_for(
        "task",
        RankingTask.CHECK.value,
        meaning="cross-checks by checkers are never scored",
        said="in a check",
    ),
    PRACTICE,
    FAILED_SCREENING,
    Reason(
        "unfinished-ranking",
        of="finished",
        holds=not_,
        meaning="the order was not accepted",
        said="without a place for every image",
    ),
)
"""Why a ranking is not scored."""
why_excluded: Final = rule_of(REASONS)
TASK_LEVELS: Final = {
    SCORED_TASK: "images of one prompt, from several conditions",
    RankingTask.TEST.value: "ranked by everyone first, including checkers; never scored",
    RankingTask.CHECK.value: "ranked again by a checker; never scored",
    RankingTask.PRACTICE.value: "to learn the task; never scored",
}
SPLITS: Final = {
    "train": "for training preference models",
    "test": "held out, for testing preference models",
}
EVALUATOR, SESSION, STATUS, SIMULATED = owners(
    "code of the evaluator who put the images in order; needed for agreement"
)
ACT: Final = Row(
    "placement",
    EVALUATOR,
    SESSION,
    STATUS,
    SIMULATED,
    Column("task", Kind.WORD, "practice, test, ranking or check", most=16, levels=TASK_LEVELS),
    block("block within the task, from 1"),
    Column("trial", Kind.WHOLE, "step within the block, from 1"),
    Column(
        "group",
        Kind.NAME,
        ("name of the group: 12 digits of the checksum of the group's prompt and images"),
        most=16,
    ),
    Column("prompt", Kind.TEXT, "what the images should show; may appear above them"),
    Column(
        "shown_sha256",
        Kind.NAME,
        "SHA-256 over the images' checksums in the order on the screen",
        most=64,
    ),
    Column(
        "standing",
        Kind.TEXT,
        "the places before this step: the letters of images, the best first, equal ones together; "
        "= at the end means that the next image shares the last place",
        most=32,
        blank=True,
    ),
    Column(
        "answer",
        Kind.NAME,
        "the letter of the image placed next (A is the first on the screen); a letter and a place, "
        "such as B2, if an image moves to another place; or tie, undo or accept",
        most=8,
    ),
    Column("image", Kind.NAME, "path of the placed image within the stimulus set", null=True),
    Column(
        "image_sha256", Kind.NAME, "SHA-256 of the file of the placed image", most=64, null=True
    ),
    Column("condition", Kind.NAME, "condition of the placed image", most=64, null=True),
    *declare_answered(since="the step before was stored", onset="when the step was possible,"),
    WHY,
)
"""One step of a ranking in the record: an image placed or moved, a tie, an undo, the acceptance."""
ROW: Final = Row(
    "ranking",
    EVALUATOR,
    Column(
        "session",
        Kind.WHOLE,
        "number (in this record) of the session in which the ranking ended",
        read=Read.OPTIONAL,
        takes_names=True,
    ),
    STATUS,
    Column("simulated", Kind.FLAG, "whether the evaluator is simulated", read=Read.FULL),
    Column(
        "task",
        Kind.WORD,
        "practice, test, ranking or check",
        levels=TASK_LEVELS,
        origin=Origin.OTHER,
        read=Read.FULL,
    ),
    block("block within the task, from 1", origin=Origin.OTHER),
    Column("trial", Kind.WHOLE, "group within the block, from 1"),
    Column(
        "group",
        Kind.NAME,
        "name of the group; the same name means the same images",
        origin=Origin.OTHER,
        read=Read.NEEDED,
    ),
    Column(
        "prompt", Kind.TEXT, "what the images should show", origin=Origin.OTHER, read=Read.OPTIONAL
    ),
    Column("condition", Kind.NAME, "condition of the image", most=64, read=Read.NEEDED),
    Column("image", Kind.NAME, "path of the image within the stimulus set", read=Read.OPTIONAL),
    Column("image_sha256", Kind.NAME, "SHA-256 of the image file", most=64),
    Column(
        "rank",
        Kind.COUNT,
        "rank of the image (1 is the best); equal images share a rank, and the next ranks are "
        "skipped; empty if the ranking was not accepted",
        null=True,
        read=Read.ANSWER,
    ),
    Column("position", Kind.WHOLE, "place of the image on the screen: letter A is 1"),
    Column("acts", Kind.WHOLE, "number of steps: placements, ties, undos and acceptance"),
    Column("undone", Kind.WHOLE, "number of undos"),
    Column("rt_ms", Kind.NUMBER, "total time of all steps"),
    Column("onset_unix_s", Kind.NUMBER, "when the first step was possible, by the wall clock"),
    Column(
        "onset_monotonic_s", Kind.NUMBER, "when the first step was possible, by the monotonic clock"
    ),
    Column("interruptions", Kind.WHOLE, "how often a step was interrupted and repeated"),
    WHY,
    Column(
        "checker",
        Kind.FLAG,
        "whether a checker made the ranking",
        origin=Origin.STUDY,
        read=Read.FULL,
    ),
    Column(
        "split",
        Kind.WORD,
        "permitted use of the prompt; empty if no prompt is held out",
        blank=True,
        levels=SPLITS,
        origin=Origin.STUDY,
        read=Read.OPTIONAL,
    ),
    *declare_excluded("ranking", REASONS),
    scored=(SCORED_TASK,),
    reasons=REASONS,
    per_row="image of a ranking",
)
"""An image of a ranking, in exports and tables."""
