"""Judgements in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Float, Integer, Row, String, Table, Text, UniqueConstraint

from hype.protocols.hype.trial import SCORED_TASKS, JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.session.timing import Timing, Verdict
from hype.stimuli.manifest import Truth
from hype.store.columns import column, metadata, owned
from hype.store.recorded import Cells, RecordedAnswers, own_columns

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


def judgement_cells(trial: JudgementTrial, shown: Presentation, response: Response) -> Cells:
    """Give the cells of a judgement that not all answers have."""
    stimulus = trial.stimulus
    timed = trial.exposure_ms is not None
    return {
        "image": stimulus.path,
        "image_sha256": stimulus.sha256,
        "source": stimulus.condition,
        "truth": stimulus.truth.value,
        "repeats": trial.repeats,
        "exposure_ms": trial.exposure_ms,
        "mask_ms": trial.mask_ms if timed else None,
        "masks": " ".join(trial.masks) if timed else None,
        **(timing_cells(shown.timing) if shown.timing else {}),
        "correct": trial.correct(response.answer),
    }


def timing_cells(timing: Timing) -> Cells:
    """Give the cells of a row that say how long image and masks lasted."""
    image, masks = timing.image, timing.masks
    return {
        "exposure_frames": image.frames,
        "exposure_nominal_ms": round(image.nominal_ms, 3),
        "exposure_measured_ms": round(image.measured_ms, 3),
        "exposure_deviation_ms": round(image.deviation_ms, 3),
        "mask_frames": masks[0].frames if masks else None,
        "mask_nominal_ms": round(masks[0].nominal_ms, 3) if masks else None,
        "mask_measured_ms": " ".join(f"{m.measured_ms:.3f}" for m in masks) if masks else None,
        "flips_s": " ".join(f"{flip.at_s:.6f}" for flip in timing.flips),
        "flip_uncertainty_ms": round(timing.uncertainty_ms, 3),
        "missed_frames": timing.missed_frames,
        "verdict": timing.verdict.value,
    }


def shown_by(row: Row[Any]) -> str:
    return str(row.image_sha256)


def was_spoiled(row: Row[Any]) -> bool:
    return row.verdict not in (None, Verdict.OK.value)


JUDGEMENTS: Final = RecordedAnswers(
    name="judgements",
    trial=JudgementTrial,
    table=judgements,
    cells=judgement_cells,
    fingerprint=shown_by,
    spoiled=was_spoiled,
    exported=("evaluator", "session", "condition", "status", *own_columns(judgements)),
    is_timed=True,
    scored=judgements.c.task.in_(SCORED_TASKS),
)
