"""The record's tables of answers: one for each kind of trial."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Float,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.protocols.hype.trial import Task
from hype.protocols.ranking.trial import RankingTask
from hype.protocols.rating.trial import RatingTask
from hype.session.timing import Verdict
from hype.stimuli.manifest import Truth
from hype.store.columns import answered, column, metadata, owned

TASKS: Final = {
    Task.PRACTICE.value: "to learn how it goes; never scored",
    Task.QUALIFICATION.value: "to find out who can go on; never scored",
    Task.TIME.value: "HYPE_time: the image is flashed as the staircase says, then masked",
    Task.INFINITY.value: "HYPE_∞: the image stays until the answer",
    Task.CATCH.value: "an obvious image among those; says whether somebody looked, never scored",
}
TRUTHS: Final = {
    Truth.REAL.value: "a real image",
    Truth.FAKE.value: "an image that a condition made",
}
ANSWERS: Final = {Truth.REAL.value: "taken for a real image", Truth.FAKE.value: "taken for a fake"}
VERDICTS: Final = {
    Verdict.OK.value: "image and masks each lasted as their frames do, within tolerance",
    Verdict.LATE.value: "one of them may not have, by less than a frame",
    Verdict.DROPPED.value: "one of them may have been off by a frame or more",
    Verdict.SEEN.value: "they did, and the trial had been shown before and was not answered then",
}
COMPARISON_TASKS: Final = {
    ComparisonTask.PRACTICE.value: "to learn how it goes; never scored",
    ComparisonTask.COMPARISON.value: "two images of one prompt by two conditions",
    ComparisonTask.VALIDATION.value: "one image is obviously right; says whether somebody looked",
}
SIDES: Final = {Choice.LEFT.value: "the image on the left", Choice.RIGHT.value: "that on the right"}
CHOICES: Final = SIDES | {
    Choice.TIE.value: "neither: the third answer, where the study has one",
    Choice.NONE.value: "nothing: the time limit passed",
}
RATING_TASKS: Final = {
    RatingTask.PRACTICE.value: "to learn how it goes; never scored",
    RatingTask.RATING.value: "a pair of images, or one, on one axis",
}
RANKING_TASKS: Final = {
    RankingTask.PRACTICE.value: "to learn how it goes; never scored",
    RankingTask.TEST.value: "ranked by everybody first, checkers too; never scored",
    RankingTask.RANKING.value: "images of one prompt by several conditions",
    RankingTask.CHECK.value: "ranked by a checker, after somebody else; never scored",
}

judgements = Table(
    "judgements",
    metadata,
    *owned("judgement"),
    column("task", String(16), "practice, qualification, time, infinity or catch", levels=TASKS),
    column(
        "block",
        Integer,
        "block within the task, from 1; of a catch trial among all blocks of time and infinity",
    ),
    column("trial", Integer, "trial within the block, from 1, catch trials among the others"),
    column(
        "image",
        Text,
        "path of the image within the stimulus set; after catch/ within that of obvious images",
    ),
    column("image_sha256", String(64), "SHA-256 of the image file"),
    column("source", String(64), "condition that made the image; empty for a real one", blank=True),
    column("truth", String(4), "real or fake", levels=TRUTHS),
    column("repeats", Integer, "the trial of the block that is shown again here", null=True),
    column("exposure_ms", Float, "requested exposure: the staircase's level", null=True),
    column("exposure_frames", Integer, "frames for which the image was to be shown", null=True),
    column("exposure_nominal_ms", Float, "what those frames last at the refresh rate", null=True),
    column("exposure_measured_ms", Float, "from its first flip to the flip that hid it", null=True),
    column("exposure_deviation_ms", Float, "measured minus requested exposure", null=True),
    column("mask_ms", Float, "requested duration of each mask", null=True),
    column("masks", Text, "the masks in order, separated by spaces", null=True),
    column("mask_frames", Integer, "frames for which each mask was to be shown", null=True),
    column("mask_nominal_ms", Float, "what those frames last at the refresh rate", null=True),
    column(
        "mask_measured_ms",
        Text,
        "their measured durations, separated by spaces",
        null=True,
        numbers=True,
    ),
    column(
        "flips_s",
        Text,
        "monotonic times of the flips, separated by spaces: onset of the image, of each mask, and "
        "of what came after",
        null=True,
        numbers=True,
    ),
    column("flip_uncertainty_ms", Float, "widest bounds between which a flip was", null=True),
    column("missed_frames", Integer, "most frames by which image or masks were off", null=True),
    column(
        "verdict",
        String(8),
        "ok, late, dropped or seen; empty if nothing was flashed",
        null=True,
        levels=VERDICTS,
    ),
    column("answer", String(4), "real or fake", levels=ANSWERS),
    column("correct", Boolean, "whether the answer is the truth"),
    column("rt_ms", Float, "response time, from when the trial could be answered"),
    column("key", String(16), "the key that was pressed; empty where there was none", blank=True),
    column("onset_unix_s", Float, "onset of the image by the wall clock"),
    column("onset_monotonic_s", Float, "onset of the image by the monotonic clock"),
    UniqueConstraint("evaluator_id", "task", "block", "trial"),
)

comparisons = Table(
    "comparisons",
    metadata,
    *owned("comparison"),
    column("task", String(16), "practice, comparison or validation", levels=COMPARISON_TASKS),
    column("block", Integer, "block within the task, from 1; validation has that of its place"),
    column("trial", Integer, "trial within the block, from 1, those of all its tasks together"),
    column("prompt", Text, "what both images are to show, as it may stand above them"),
    column("left_image", Text, "path of the image on the left within the stimulus set"),
    column("left_sha256", String(64), "SHA-256 of the file of the image on the left"),
    column("left", String(64), "condition that made the image on the left"),
    column("right_image", Text, "path of the image on the right within the stimulus set"),
    column("right_sha256", String(64), "SHA-256 of the file of the image on the right"),
    column("right", String(64), "condition that made the image on the right"),
    column(
        "obvious", String(8), "the side that is obviously right, if one is", null=True, levels=SIDES
    ),
    column("answer", String(8), "left, right, tie or none", levels=CHOICES),
    column("correct", Boolean, "whether the answer is the obvious one, if one is", null=True),
    column("hasty", Boolean, "whether it came faster than the study allows"),
    *answered(since="the comparison could be answered", onset="onset of the images"),
    UniqueConstraint("evaluator_id", "block", "trial", "task"),
)

ratings = Table(
    "ratings",
    metadata,
    *owned("rating"),
    column("task", String(16), "practice or rating", levels=RATING_TASKS),
    column("block", Integer, "block within the task, from 1"),
    column("trial", Integer, "trial within the block, from 1: every axis of every item"),
    column("item", String(16), "name of what is rated: 12 digits of its prompt's and images' sum"),
    column("prompt", Text, "what the images are to show, as it may stand above them"),
    column("axis", String(64), "in which respect it is rated"),
    column("first", String(64), "condition that made the first image of the item"),
    column("first_image", Text, "path of the first image within the stimulus set"),
    column("first_sha256", String(64), "SHA-256 of the file of the first image"),
    column(
        "second",
        String(64),
        "condition that made the second image; empty where one image is rated",
        null=True,
    ),
    column("second_image", Text, "path of the second image within the stimulus set", null=True),
    column("second_sha256", String(64), "SHA-256 of the file of the second image", null=True),
    column(
        "first_side",
        String(8),
        "where the first image stood; empty where one image is rated",
        null=True,
        levels=SIDES,
    ),
    column(
        "answer",
        String(16),
        "of a pair the level, from 1, the first image is much better, to the highest, the second "
        "is; of one image yes or no, or its place on the scale; or not-relevant",
    ),
    column("truth", String(16), "what is right of a single image, where that is known", null=True),
    *answered(since="the axis was asked", onset="onset of the question"),
    UniqueConstraint("evaluator_id", "task", "block", "trial"),
)

placements = Table(
    "placements",
    metadata,
    *owned("placement"),
    column("task", String(16), "practice, test, ranking or check", levels=RANKING_TASKS),
    column("block", Integer, "block within the task, from 1"),
    column("trial", Integer, "act within the block, from 1"),
    column("group", String(16), "name of the group: 12 digits of its prompt's and images' sum"),
    column("prompt", Text, "what the images are to show, as it may stand above them"),
    column("shown_sha256", String(64), "SHA-256 over the images' sums in the order of the screen"),
    column(
        "standing",
        String(32),
        "what had a place before: the letters of images, the best first, equals together; = at "
        "the end says that the next one shares the last place",
        blank=True,
    ),
    column(
        "answer",
        String(8),
        "the letter of the image that is placed next, from A, in the order of the screen; or tie, "
        "undo or accept",
    ),
    column("image", Text, "path of that image within the stimulus set", null=True),
    column("image_sha256", String(64), "SHA-256 of the file of that image", null=True),
    column("condition", String(64), "condition that made that image", null=True),
    *answered(since="the act before was kept", onset="when the act could be made,"),
    UniqueConstraint("evaluator_id", "task", "block", "trial"),
)
