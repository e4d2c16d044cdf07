"""A judgement as a row: its columns, and the reasons why it is not scored."""

from __future__ import annotations

from functools import partial
from typing import Final

from hype.protocols.hype.staircase import QUEST_PLUS, STAIRCASE
from hype.protocols.hype.trial import Task
from hype.session.steps import NO_ANSWER
from hype.session.timing import Verdict
from hype.stimuli.manifest import Truth
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
from hype.tables.reasons import OF_PEOPLE, PRACTICE, TOO_LATE, Reason, reason_for, rule_of

SPOILED: Final = "spoiled"
SPOILED_VERDICTS: Final = (Verdict.LATE.value, Verdict.DROPPED.value, Verdict.SEEN.value)
REASONS: Final = (
    *OF_PEOPLE,
    PRACTICE,
    reason_for(
        "task",
        Task.QUALIFICATION.value,
        meaning="the qualification is never scored",
        said="in the qualification",
    ),
    reason_for(
        "task",
        Task.CATCH.value,
        meaning="catch trials, whose images are obvious, are never scored",
        said="in catch trials",
    ),
    TOO_LATE,
    Reason(
        SPOILED,
        of="is_spoiled",
        meaning="the screen spoiled the trial; the study leaves such trials out or repeats them",
        said="spoiled by the screen",
    ),
)
"""Why a judgement is not scored. Reasons about evaluators come before reasons about trials."""
why_excluded: Final = rule_of(REASONS)
TASK_LEVELS: Final = {
    Task.PRACTICE.value: "to learn the task; never scored",
    Task.QUALIFICATION.value: "to decide who takes part; never scored",
    Task.TIME.value: "HYPE_time: the image is flashed for the staircase's exposure, then masked",
    Task.INFINITY.value: "HYPE_∞: the image stays until the answer",
    Task.CATCH.value: "an obvious image among the others, to check attention; never scored",
}
TRUTH_LEVELS: Final = {
    Truth.FAKE.value: "a generated image, from the model that is the condition",
    Truth.REAL.value: "a real image",
}
ANSWER_LEVELS: Final = {
    Truth.FAKE.value: "taken for a fake",
    Truth.REAL.value: "taken for a real image",
    NO_ANSWER: "no answer within the time limit",
}
VERDICT_LEVELS: Final = {
    Verdict.OK.value: "image and masks were shown for the planned frames, within tolerance",
    Verdict.LATE.value: "the image's or a mask's duration may be wrong by less than a frame",
    Verdict.DROPPED.value: "the image's or a mask's duration may be wrong by a frame or more",
    Verdict.SEEN.value: "like ok, but the trial had been shown before without an answer",
}
RULE_LEVELS: Final = {
    STAIRCASE: "a staircase; a block is scored by its modal exposure",
    QUEST_PLUS: "QUEST+; a block is scored by the posterior mean of its threshold",
}


declare_timed: Final = partial(Column, null=True, read=Read.OPTIONAL)
"""Declares a column that only flashed trials have."""

EVALUATOR, SESSION, STATUS, SIMULATED = owners("who judged", Read.NEEDED)
ROW: Final = Row(
    "judgement",
    EVALUATOR,
    SESSION,
    Column(
        "condition",
        Kind.NAME,
        "the judged condition, if the evaluator judges several",
        most=64,
        null=True,
        read=Read.NEEDED,
        hint="; rows of real images also have the condition",
    ),
    STATUS,
    SIMULATED,
    Column(
        "task",
        Kind.WORD,
        "practice, qualification, time, infinity or catch",
        most=16,
        levels=TASK_LEVELS,
        read=Read.FULL,
    ),
    block("block within the task, from 1; catch trials count blocks of time and infinity together"),
    Column(
        "trial",
        Kind.WHOLE,
        "trial within the block, from 1, including catch trials",
        read=Read.OPTIONAL,
    ),
    Column(
        "image",
        Kind.NAME,
        "path of the image in its stimulus set; paths of obvious images start with catch/",
        read=Read.OPTIONAL,
    ),
    Column("image_sha256", Kind.NAME, "SHA-256 of the image file", most=64),
    Column(
        "source",
        Kind.NAME,
        "condition of the image; empty for a real image",
        most=64,
        blank=True,
    ),
    Column("truth", Kind.WORD, "real or fake", most=4, levels=TRUTH_LEVELS, read=Read.NEEDED),
    declare_timed("repeats", Kind.WHOLE, "the number of the trial that is repeated here"),
    declare_timed("exposure_ms", Kind.POSITIVE, "requested exposure: the staircase's level"),
    declare_timed("exposure_frames", Kind.COUNT, "planned number of frames of the image"),
    declare_timed(
        "exposure_nominal_ms", Kind.POSITIVE, "duration of exposure_frames at the refresh rate"
    ),
    declare_timed(
        "exposure_measured_ms",
        Kind.NUMBER,
        "measured exposure: from the image's first flip to the flip that hid it",
    ),
    declare_timed(
        "exposure_deviation_ms", Kind.SIGNED, "measured minus requested exposure", read=Read.NO
    ),
    declare_timed("mask_ms", Kind.NUMBER, "requested duration of each mask"),
    declare_timed("masks", Kind.TEXT, "the masks in order, separated by spaces", read=Read.NO),
    declare_timed("mask_frames", Kind.COUNT, "planned number of frames of each mask"),
    declare_timed("mask_nominal_ms", Kind.POSITIVE, "duration of mask_frames at the refresh rate"),
    declare_timed(
        "mask_measured_ms", Kind.NUMBERS, "measured durations of the masks, separated by spaces"
    ),
    declare_timed(
        "flips_s",
        Kind.NUMBERS,
        "monotonic times of the flips, separated by spaces: onset of the image, of each mask, and "
        "of the next screen",
        read=Read.NO,
    ),
    declare_timed(
        "flip_uncertainty_ms", Kind.NUMBER, "largest uncertainty of a flip's time", read=Read.NO
    ),
    declare_timed(
        "missed_frames", Kind.WHOLE, "largest deviation of a duration, in frames", read=Read.NO
    ),
    Column(
        "verdict",
        Kind.WORD,
        "ok, late, dropped or seen; empty if nothing was flashed",
        most=8,
        null=True,
        levels=VERDICT_LEVELS,
        read=Read.OPTIONAL,
    ),
    Column(
        "answer", Kind.WORD, "real, fake or none", most=4, levels=ANSWER_LEVELS, read=Read.ANSWER
    ),
    Column("correct", Kind.FLAG, "whether the answer is right"),
    *declare_answered(since="the trial could be answered", onset="onset of the image"),
    *FOLLOW_UPS,
    declare_timed(
        "floor_ms",
        Kind.POSITIVE,
        "shortest exposure that the study's staircase allows",
        origin=Origin.STUDY,
    ),
    declare_timed(
        "ceiling_ms",
        Kind.POSITIVE,
        "longest exposure that the study's staircase allows",
        origin=Origin.STUDY,
    ),
    Column(
        "exposure_rule",
        Kind.WORD,
        "what chose the exposures of the study: staircase or quest+",
        null=True,
        levels=RULE_LEVELS,
        origin=Origin.STUDY,
        read=Read.OPTIONAL,
    ),
    *declare_excluded("judgement", REASONS),
    reasons=REASONS,
    per_row="answered trial",
)
