"""Judgements in the record: their table, the way to it and back, and what of it goes out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from hype.protocols.hype.exclusion import Broken, GivenAnswer, broken_rules, habits_of
from hype.protocols.hype.rows import ROW
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import SCORED_TASKS, JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.steps import Ending, Response
from hype.session.timing import Timing, Verdict
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.store.schema import evaluators

judgements = answer_table(
    "judgements", "evaluator_id", "task", "block", "trial", what="judgement", columns=ROW.recorded
)


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
    exported=tuple(column.name for column in ROW.going_out),
    is_timed=True,
    scored=judgements.c.task.in_(SCORED_TASKS),
)


KEPT: Final = JUDGEMENTS


PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


def careless_evaluators(
    connection: Connection, study: Study, *, simulated: bool
) -> Mapping[str, tuple[Broken, ...]]:
    """Give the rules that evaluators break who are done, by their codes; not those who break none.

    Evaluators who are not done are never called careless: a share of few answers says little.
    """
    rules = study.settings.exclusion.rules
    if not rules.asked:
        return {}
    answers, who = judgements.c, evaluators.c
    columns = (answers.task, answers.trial, answers.answer, answers.correct, answers.rt_ms)
    query = (
        select(who.evaluator, *columns)
        .join(evaluators, answers.evaluator_id == who.id)
        .where(answers.simulated == simulated, who.status == Ending.COMPLETE.value)
        .where(answers.task.in_(PAID_TASKS))
        .order_by(answers.evaluator_id, answers.id)
    )
    rows = (
        row
        for row in connection.execute(query)
        # A damaged answer is for `hype verify`, and for who reads it
        if isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)
    )
    theirs = groupby(rows, key=lambda row: row[0])
    broken = {
        code: broken_rules(habits_of((GivenAnswer(*row[1:]) for row in own), rules.fast_ms), rules)
        for code, own in theirs
    }
    return {code: rules_broken for code, rules_broken in broken.items() if rules_broken}
