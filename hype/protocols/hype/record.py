"""Judgements in the record: their table, and how to write and read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Row as RecordRow

from hype.protocols.hype.rows import ROW
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.steps import NO_ANSWER, Response
from hype.session.timing import Timing, Verdict
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.study.exclusion import GivenAnswer

judgements = answer_table(ROW, "evaluator_id", "task", "block", "trial")


def judgement_cells(trial: JudgementTrial, shown: Presentation, response: Response) -> Cells:
    stimulus = trial.stimulus
    timed = trial.exposure_ms is not None
    return {
        "condition": trial.condition or None,
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
        "confidence": response.confidence if trial.steps else None,
        "why": None,
    }


def timing_cells(timing: Timing) -> Cells:
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


def seen_hash(row: RecordRow[Any]) -> str:
    return str(row.image_sha256)


# Not a lambda: only named functions can be sent to other processes
def was_spoiled(row: RecordRow[Any]) -> bool:
    return row.verdict not in (None, Verdict.OK.value)


PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


def give_paid(rows: Iterable[RecordRow[Any]], _study: object) -> Iterator[GivenAnswer]:
    """Yield the judgements of scored blocks, including their catch trials."""
    for row in rows:
        if row.task in PAID_TASKS and row.answer != NO_ANSWER:
            caught = row.correct if row.task == Task.CATCH.value else None
            yield GivenAnswer(row.trial, row.answer, row.rt_ms, caught)


KEPT: Final = RecordedAnswers(
    name="judgements",
    declared=ROW,
    trial=JudgementTrial,
    table=judgements,
    cells=judgement_cells,
    fingerprint=seen_hash,
    spoiled=was_spoiled,
    given=give_paid,
    is_timed=True,
)
