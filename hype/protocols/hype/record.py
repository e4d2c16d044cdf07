"""Judgements in the record: their table, the way to it and back; and who judged carelessly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Connection, select
from sqlalchemy import Row as RecordRow

from hype.protocols.hype.rows import ROW
from hype.protocols.hype.trial import SCORED_TASKS, JudgementTrial, Task
from hype.session.loop import Presentation
from hype.session.steps import Ending, Response
from hype.session.timing import Timing, Verdict
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.store.schema import evaluators

if TYPE_CHECKING:  # records of every protocol are opened: their settings take long to load
    from hype.protocols.hype.settings import ExclusionSettings, Study

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


def seen_hash(row: RecordRow[Any]) -> str:
    return str(row.image_sha256)


def was_spoiled(row: RecordRow[Any]) -> bool:  # no lambda: what processes send must be named
    return row.verdict not in (None, Verdict.OK.value)


KEPT: Final = RecordedAnswers(
    name="judgements",
    declared=ROW,
    trial=JudgementTrial,
    table=judgements,
    cells=judgement_cells,
    fingerprint=seen_hash,
    spoiled=was_spoiled,
    is_timed=True,
    scored=judgements.c.task.in_(SCORED_TASKS),
)


class GivenAnswer(NamedTuple):
    """One answer of a block that is scored, or of a catch trial in it."""

    task: str
    trial: int
    answer: str
    correct: bool
    rt_ms: float


def find_broken_rules(given: Iterable[GivenAnswer], rules: ExclusionSettings) -> dict[str, str]:
    """Give the rules that one evaluator's answers break, by their names in exports, and how.

    The answers come in the order in which they were given. Keys keep their meaning in a session, so
    that the same answer is the same key.
    """
    rows = list(given)
    fast = sum(row.rt_ms < rules.fast_ms for row in rows)
    reals = sum(row.answer == "real" for row in rows)
    same = max(reals, len(rows) - reals)
    catch = [row.correct for row in rows if row.task == Task.CATCH.value]
    missed = catch.count(False)
    shares = (
        ("speed", fast, rows, rules.fast_share, f"answers are faster than {rules.fast_ms:g} ms"),
        ("one-key", same, rows, rules.one_key_share, "answers are the same"),
        ("catch", missed, catch, rules.catch_error, "catch trials are wrong"),
    )
    broken = {}
    for name, number, every, most, what in shares:
        if most is not None and every and (share := number / len(every)) > most:
            broken[name] = f"{number} of {len(every)} {what} ({share:.0%}; at most {most:.0%})"
    if rules.longest_run is not None and (run := longest_run(rows)) > rules.longest_run:
        broken["run"] = f"{run} equal answers in a row (at most {rules.longest_run})"
    return broken


def longest_run(rows: Iterable[GivenAnswer]) -> int:
    """Give how often at most one answer came in a row; trials are numbered anew in each block."""
    longest = run = 0
    before: GivenAnswer | None = None
    for row in rows:
        goes_on = before is not None and row.trial > before.trial and row.answer == before.answer
        run = run + 1 if goes_on else 1
        longest, before = max(longest, run), row
    return longest


PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


def careless_evaluators(
    connection: Connection, study: Study, *, simulated: bool
) -> Mapping[str, Mapping[str, str]]:
    """Return the exclusion rules that each finished evaluator broke, by evaluator code.

    Evaluators who broke none are omitted.

    Each rule by its name, with how it is broken in words.

    Evaluators who are not done are never called careless: a share of few answers says little.
    """
    rules = study.settings.exclusion
    if not rules.in_words:
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
        code: find_broken_rules((GivenAnswer(*row[1:]) for row in own), rules)
        for code, own in theirs
    }
    return {code: each for code, each in broken.items() if each}
