"""The record's tables. Each column says what it holds; writer, reader, export and docs use it.

An evaluator is assigned once. Each time the program is started for them is a session; every
session of an evaluator goes on with the same plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from hype.protocol.comparison import Choice, ComparisonTask
from hype.protocol.steps import Ending, Task, Truth
from hype.protocol.timing import Verdict

VERSION: Final = 4
"""Version of this schema; `hype.store.migrations` leads to it from each one before."""

metadata = MetaData()


class Event(str, Enum):
    """What befalls a session beside the screens it shows.

    ``interrupted``: a trial was shown and not answered; it comes again. ``suspended``: the machine
    slept. ``clock-set``: its wall clock was set (seconds forward; negative: back).
    ``window-closed``, ``told-to-end``: why a session was quit without being paused.
    """

    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    SUSPENDED = "suspended"
    CLOCK_SET = "clock-set"
    WINDOW_CLOSED = "window-closed"
    TOLD_TO_END = "told-to-end"


TASKS: Final = {
    Task.PRACTICE.value: "to learn how it goes; never scored",
    Task.QUALIFICATION.value: "to find out who can go on; never scored",
    Task.TIME.value: "HYPE_time: the image is flashed as the staircase says, then masked",
    Task.INFINITY.value: "HYPE_∞: the image stays until the answer",
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
STATUSES: Final = {
    "active": "has begun and not come to an end",
    Ending.COMPLETE.value: "has answered every trial",
    Ending.UNQUALIFIED.value: "did not pass the qualification",
    Ending.DECLINED.value: "did not consent",
}


def column(
    name: str,
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    doc: str,
    *,
    null: bool = False,
    levels: Mapping[str, str] | None = None,
    blank: bool = False,
    numbers: bool = False,
) -> Column[Any]:
    """Declare one column.

    Parameters
    ----------
    name, kind, null
        As the database has it.
    doc
        What it holds; its documentation everywhere.
    levels
        Where its values are a closed set: each, and what it means.
    blank
        Whether its text may be empty, which then says that there is none.
    numbers
        Whether its text is several numbers, separated by spaces.
    """
    info = {"levels": levels or {}, "blank": blank, "numbers": numbers}
    return Column(name, kind, nullable=null, comment=doc, doc=doc, info=info)


def owned(what: str) -> Iterator[Column[Any]]:
    """Declare the columns that say whose an answer is; ``what`` is what the answer is called."""
    yield Column("id", Integer, primary_key=True, comment=f"number of the {what} in this record")
    yield Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False)
    session = "number of the session in this record"
    yield Column("session_id", ForeignKey("sessions.id"), nullable=False, comment=session)
    yield column("simulated", Boolean, "whether nobody real was asked")


studies = Table(
    "studies",
    metadata,
    Column("checksum", String(64), primary_key=True, comment="SHA-256 of the resolved study"),
    column("resolved", Text, "the study file with every default filled in, as JSON"),
)

evaluators = Table(
    "evaluators",
    metadata,
    Column("id", Integer, primary_key=True, comment="number of the evaluator in this record"),
    column("evaluator", String(64), "the evaluator's code"),
    column("simulated", Boolean, "whether nobody real was asked"),
    column(
        "condition",
        String(64),
        "the condition this evaluator judges; empty for one who compares all of them",
        blank=True,
    ),
    column("methods", String(64), "the methods, separated by spaces, in order"),
    column(
        "left_means",
        String(4),
        "what the left key answers: real or fake; empty where it is the left of two images",
        blank=True,
    ),
    column(
        "share",
        Integer,
        "which part of the comparisons they were given, from 1; empty where nothing is shared out",
        null=True,
    ),
    column(
        "pairs",
        Text,
        "the pairs of conditions that the arena chose for them when they came, as JSON",
        null=True,
    ),
    column("qualified_in", Text, "folder of the study where they had qualified before; or empty"),
    column("seed", String(40), "the study's seed, from which everything random follows"),
    column("study", String(64), "checksum of the study at the time of assignment"),
    column("plan", String(64), "SHA-256 of the session plan"),
    column(
        "mask_files",
        String(64),
        "SHA-256 over the plan's mask files; empty where it shows none, or before schema 3",
        null=True,
    ),
    column("status", String(16), "active, complete, unqualified or declined", levels=STATUSES),
    column("assigned_unix_s", Float, "when, by the wall clock"),
    UniqueConstraint("evaluator", "simulated"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True, comment="number of the session in this record"),
    Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False, index=True),
    column("study", String(64), "checksum of the study as it was used"),
    column("mode", String(16), "person, simulated-window or simulated"),
    column("observer_seed", String(40), "seed of the simulated evaluator's answers", null=True),
    column("versions", Text, "program and library versions, as JSON"),
    column("machine", Text, "host, operating system, processor, as JSON"),
    column("display", Text, "what was found out about the display, as JSON"),
    column("started_unix_s", Float, "when the session began, by the wall clock"),
    column("utc_offset_s", Float, "offset of local time from UTC at the start"),
    column(
        "ended_unix_s", Float, "when it ended; empty while it runs, or if it broke off", null=True
    ),
    column(
        "ended",
        String(16),
        "complete, unqualified, declined, quit or broke-off; empty while it runs, and until it is "
        "found to have broken off",
        null=True,
    ),
    column(
        "showing",
        String(64),
        "the trial that is being shown: task, block and trial; empty between trials",
        null=True,
    ),
    column("timing", Text, "the session's timing table, as JSON; empty while it runs", null=True),
)

judgements = Table(
    "judgements",
    metadata,
    *owned("judgement"),
    column("task", String(16), "practice, qualification, time or infinity", levels=TASKS),
    column("block", Integer, "block within the task, from 1"),
    column("trial", Integer, "trial within the block, from 1"),
    column("image", Text, "path of the image within the stimulus set"),
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
        "ok, late or dropped; empty if nothing was flashed",
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
    column("rt_ms", Float, "response time, from when the comparison could be answered"),
    column(
        "key",
        String(16),
        "the key that was pressed, or mouse; empty where there was none",
        blank=True,
    ),
    column("onset_unix_s", Float, "onset of the images by the wall clock"),
    column("onset_monotonic_s", Float, "onset of the images by the monotonic clock"),
    UniqueConstraint("evaluator_id", "block", "trial", "task"),
)

demographics = Table(
    "demographics",
    metadata,
    Column("id", Integer, primary_key=True, comment="number of the answer in this record"),
    Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False),
    column("question", String(64), "name of the question in the study file"),
    column("answer", Text, "the option that was chosen; empty where it was withheld", blank=True),
    UniqueConstraint("evaluator_id", "question"),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, comment="number of the event in this record"),
    Column("session_id", ForeignKey("sessions.id"), nullable=False),
    column("event", String(32), "a screen that was shown, or one of `Event`"),
    column("answer", String(8), "what was chosen on it, if anything"),
    column("task", String(16), "task of the trial that it befell", null=True),
    column("block", Integer, "block of that trial", null=True),
    column("trial", Integer, "number of that trial", null=True),
    column("seconds", Float, "how long the machine slept, or how far its clock was set", null=True),
    column("unix_s", Float, "when it came on or was found, by the wall clock"),
    column("monotonic_s", Float, "the same by the monotonic clock"),
    column("rt_ms", Float, "how long it stood"),
)

Index("events_of_session", events.c.session_id)

removals = Table(
    "removals",
    metadata,
    Column("id", Integer, primary_key=True, comment="number of the removal in this record"),
    column("simulated", Boolean, "whether nobody real had been asked"),
    column("condition", String(64), "the condition that the evaluator had judged"),
    column("methods", String(64), "the methods, separated by spaces, in order"),
    column("sessions", Integer, "how many sessions were removed"),
    column("judgements", Integer, "how many judgements or comparisons were removed"),
    column("removed_unix_s", Float, "when, by the wall clock"),
)
"""Notes that an evaluator's data were removed on request. They do not say whose."""
