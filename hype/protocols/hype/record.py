"""Judgements in the record: their table, and the way to it, back and out."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row as RecordRow

from hype.protocols.hype.rows import ROW
from hype.protocols.hype.trial import SCORED_TASKS, JudgementTrial
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.session.timing import Timing, Verdict
from hype.store.columns import Cells, RecordedAnswers, answer_table

judgements = answer_table(ROW, "evaluator_id", "task", "block", "trial")


def judgement_cells(trial: JudgementTrial, shown: Presentation, response: Response) -> Cells:
    """Give the cells of a judgement that not all answers have."""
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


def shown_by(row: RecordRow[Any]) -> str:
    return str(row.image_sha256)


def was_spoiled(row: RecordRow[Any]) -> bool:
    return row.verdict not in (None, Verdict.OK.value)


JUDGEMENTS: Final = RecordedAnswers(
    name="judgements",
    declared=ROW,
    trial=JudgementTrial,
    table=judgements,
    cells=judgement_cells,
    fingerprint=shown_by,
    spoiled=was_spoiled,
    is_timed=True,
    scored=judgements.c.task.in_(SCORED_TASKS),
)


KEPT: Final = JUDGEMENTS
