"""The columns of answers, each declared once: in the record, going out, in tables that are read."""

from __future__ import annotations

from typing import Final

from hype.protocols.hype.trial import Task
from hype.session.timing import Verdict
from hype.stimuli.manifest import Truth
from hype.tables.columns import (
    SIMULATED,
    STATUS,
    AnswerColumn,
    Column,
    Kind,
    Row,
    flag,
    label,
    number,
    numbers,
    text,
    whole,
)

TASK_LEVELS: Final = {
    Task.PRACTICE.value: "to learn how it goes; never scored",
    Task.QUALIFICATION.value: "to find out who can go on; never scored",
    Task.TIME.value: "HYPE_time: the image is flashed as the staircase says, then masked",
    Task.INFINITY.value: "HYPE_∞: the image stays until the answer",
    Task.CATCH.value: "an obvious image among those; says whether somebody looked, never scored",
}
TRUTH_LEVELS: Final = {
    Truth.REAL.value: "a real image",
    Truth.FAKE.value: "an image that a condition made",
}
ANSWER_LEVELS: Final = {
    Truth.REAL.value: "taken for a real image",
    Truth.FAKE.value: "taken for a fake",
}
VERDICT_LEVELS: Final = {
    Verdict.OK.value: "image and masks each lasted as their frames do, within tolerance",
    Verdict.LATE.value: "one of them may not have, by less than a frame",
    Verdict.DROPPED.value: "one of them may have been off by a frame or more",
    Verdict.SEEN.value: "they did, and the trial had been shown before and was not answered then",
}
ROW: Final = Row(
    AnswerColumn(
        "evaluator",
        is_owner=True,
        read=Column(kind=Kind.LABEL, meaning="who judged", required=True),
    ),
    AnswerColumn("session", is_owner=True),
    AnswerColumn(
        "condition",
        is_owner=True,
        kept=text(
            "the condition that was judged, where its evaluator serves several",
            most=64,
            null=True,
        ),
        read=Column(
            kind=Kind.LABEL,
            meaning="what the evaluator was judging, usually a generative model; rows of real "
            "images carry it too",
            required=True,
        ),
    ),
    AnswerColumn("status", is_owner=True, read=STATUS),
    AnswerColumn("simulated", is_owner=True, read=SIMULATED),
    AnswerColumn(
        "task",
        kept=text("practice, qualification, time, infinity or catch", most=16, levels=TASK_LEVELS),
        read=Column(
            kind=Kind.TASK,
            meaning="which protocol the trial belongs to; where the column is missing, time if any "
            "exposure is given, else infinity",
        ),
    ),
    AnswerColumn(
        "block",
        kept=whole(
            "block within the task, from 1; of a catch trial among all blocks of time and infinity"
        ),
        read=label("which staircase of the evaluator; where missing, all trials form one block"),
    ),
    AnswerColumn(
        "trial",
        kept=whole("trial within the block, from 1, catch trials among the others"),
        read=Column(kind=Kind.WHOLE, meaning="position of the trial in its block", gaps=True),
    ),
    AnswerColumn(
        "image",
        kept=text(
            "path of the image within the stimulus set; after catch/ within that of obvious images"
        ),
        read=label(
            "path or name of the image; a name that stands for real images of two conditions is "
            "one image, and fakes of two conditions are never the same"
        ),
    ),
    AnswerColumn("image_sha256", kept=text("SHA-256 of the image file", most=64)),
    AnswerColumn(
        "source",
        kept=text("condition that made the image; empty for a real one", most=64, blank=True),
    ),
    AnswerColumn(
        "truth",
        kept=text("real or fake", most=4, levels=TRUTH_LEVELS),
        read=Column(kind=Kind.KIND, meaning="what the image was", required=True),
    ),
    AnswerColumn(
        "repeats",
        kept=whole("the trial of the block that is shown again here", null=True),
        read=Column(
            kind=Kind.WHOLE,
            meaning="the trial of the block, spoiled by the screen, that is shown again here",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "exposure_ms",
        kept=number("requested exposure: the staircase's level", null=True),
        read=Column(
            kind=Kind.POSITIVE,
            meaning="requested exposure (the level of the staircase) in ms",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "exposure_frames",
        kept=whole("frames for which the image was to be shown", null=True),
        read=Column(
            kind=Kind.COUNT, meaning="frames for which the image was to be shown", gaps=True
        ),
    ),
    AnswerColumn(
        "exposure_nominal_ms",
        kept=number("what those frames last at the refresh rate", null=True),
        read=Column(kind=Kind.POSITIVE, meaning="what those frames last, in ms", gaps=True),
    ),
    AnswerColumn(
        "exposure_measured_ms",
        kept=number("from its first flip to the flip that hid it", null=True),
        read=Column(kind=Kind.NUMBER, meaning="how long the image was shown, in ms", gaps=True),
    ),
    AnswerColumn(
        "exposure_deviation_ms", kept=number("measured minus requested exposure", null=True)
    ),
    AnswerColumn(
        "mask_ms",
        kept=number("requested duration of each mask", null=True),
        read=Column(kind=Kind.NUMBER, meaning="duration requested of each mask, in ms", gaps=True),
    ),
    AnswerColumn("masks", kept=text("the masks in order, separated by spaces", null=True)),
    AnswerColumn(
        "mask_frames",
        kept=whole("frames for which each mask was to be shown", null=True),
        read=Column(
            kind=Kind.COUNT, meaning="frames for which each mask was to be shown", gaps=True
        ),
    ),
    AnswerColumn(
        "mask_nominal_ms",
        kept=number("what those frames last at the refresh rate", null=True),
        read=Column(kind=Kind.POSITIVE, meaning="what those frames last, in ms", gaps=True),
    ),
    AnswerColumn(
        "mask_measured_ms",
        kept=numbers("their measured durations, separated by spaces", null=True),
        read=Column(kind=Kind.NUMBERS, meaning="how long each mask was shown, in ms", gaps=True),
    ),
    AnswerColumn(
        "flips_s",
        kept=numbers(
            "monotonic times of the flips, separated by spaces: onset of the image, of each mask, "
            "and of what came after",
            null=True,
        ),
    ),
    AnswerColumn(
        "flip_uncertainty_ms", kept=number("widest bounds between which a flip was", null=True)
    ),
    AnswerColumn(
        "missed_frames", kept=whole("most frames by which image or masks were off", null=True)
    ),
    AnswerColumn(
        "verdict",
        kept=text(
            "ok, late, dropped or seen; empty if nothing was flashed",
            most=8,
            null=True,
            levels=VERDICT_LEVELS,
        ),
        read=Column(
            kind=Kind.VERDICT,
            meaning="whether image and masks lasted as long as they should: ok, late (off by less "
            "than a frame) or dropped (by a frame or more); or seen, where they did and the "
            "trial had been shown before; empty where nothing was measured",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "answer",
        kept=text("real or fake", most=4, levels=ANSWER_LEVELS),
        read=Column(
            kind=Kind.KIND,
            meaning="what the evaluator called it; a row that says nothing is left out, and named",
            required=True,
            gaps=True,
        ),
    ),
    AnswerColumn("correct", kept=flag("whether the answer is the truth")),
    AnswerColumn(
        "rt_ms",
        kept=number("response time, from when the trial could be answered"),
        read=Column(kind=Kind.NUMBER, meaning="response time in ms", gaps=True),
    ),
    AnswerColumn(
        "key",
        kept=text("the key that was pressed; empty where there was none", most=16, blank=True),
    ),
    AnswerColumn("onset_unix_s", kept=number("onset of the image by the wall clock")),
    AnswerColumn("onset_monotonic_s", kept=number("onset of the image by the monotonic clock")),
    AnswerColumn(
        "floor_ms",
        kept=number("shortest exposure that the study's staircase allows", null=True),
        is_added=True,
        read=Column(
            kind=Kind.POSITIVE,
            meaning="the shortest exposure that the staircase allows, in ms",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "ceiling_ms",
        kept=number("longest exposure that the study's staircase allows", null=True),
        is_added=True,
        read=Column(
            kind=Kind.POSITIVE,
            meaning="the longest exposure that the staircase allows, in ms",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "exposure_rule",
        kept=text(
            "what chose the exposures of the study: staircase or quest+",
            most=16,
            null=True,
        ),
        is_added=True,
        read=Column(
            kind=Kind.RULE,
            meaning="what chose the exposures: quest+, whose blocks are scored by the posterior "
            "mean of their thresholds, or a staircase, also where the column is missing",
            gaps=True,
        ),
    ),
    AnswerColumn(
        "excluded",
        kept=text(
            "why the judgement is not scored under the study's rules; empty where it is",
            most=16,
            blank=True,
        ),
        is_added=True,
        read=label(
            "why the judgement is not scored under its study's rules; where any says spoiled, the "
            "program leaves out what the screen spoiled unless it is told not to; what says "
            "careless is left out; nothing else in the column is read"
        ),
    ),
    AnswerColumn(
        "careless",
        kept=text(
            "the study's rules of exclusion that the evaluator's answers break, separated by "
            "spaces: speed, one-key, catch, run; empty where they break none",
            most=32,
            blank=True,
        ),
        is_added=True,
        read=label(
            "the study's rules of exclusion that the evaluator's answers break, separated by "
            "spaces (speed, one-key, catch, run); such evaluators are named, and scores are "
            "given with and without them"
        ),
    ),
)
"""A judgement: what it is in the record, going out, and in a table that is read."""
COLUMNS: Final = tuple(
    column
    for column in ROW.read("evaluator", "condition", "truth", "answer")
    if isinstance(column, Column)
)
"""The columns that scoring looks at; any others pass through unread."""
