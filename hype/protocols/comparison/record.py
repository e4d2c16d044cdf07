"""Comparisons in the record: their table, writing and reading it, and failed validation."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, case, func, select
from sqlalchemy import Row as RecordRow

from hype.protocols.comparison.rows import ROW
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import ROUNDING
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.store.schema import evaluators

if TYPE_CHECKING:  # imported only for types, since settings take long to load
    from hype.protocols.comparison.settings import ComparisonStudy

comparisons = answer_table(ROW, "evaluator_id", "block", "trial", "task")


def comparison_cells(trial: ComparisonTrial, _shown: Presentation, response: Response) -> Cells:
    return {
        "prompt": trial.prompt,
        "criterion": trial.criterion,
        "left_image": trial.left.path,
        "left_sha256": trial.left.sha256,
        "left": trial.left.condition,
        "right_image": trial.right.path,
        "right_sha256": trial.right.sha256,
        "right": trial.right.condition,
        "obvious": trial.obvious.value if trial.obvious else None,
        "correct": trial.correct(response.answer),
        "hasty": trial.hasty(response.answer, response.rt_ms),
        "confidence": None,
        "why": None,
    }


def seen_hash(row: RecordRow[Any]) -> str:
    return f"{row.criterion} {row.left_sha256} {row.right_sha256}"


KEPT: Final = RecordedAnswers(
    name="comparisons",
    declared=ROW,
    trial=ComparisonTrial,
    table=comparisons,
    cells=comparison_cells,
    fingerprint=seen_hash,
)


def is_enough(correct: int, shown: int, min_correct: float) -> bool:
    """Return whether an evaluator got enough obvious comparisons right; true if none was shown."""
    return correct >= min_correct * shown - ROUNDING


def count_validation(connection: Connection, *, simulated: bool) -> dict[str, tuple[int, int]]:
    """Count the comparisons with an obvious answer, and the correct answers, by evaluator.

    A missed comparison is not correct.
    """
    cells = comparisons.c
    met, correct = func.count(), func.sum(case((cells.correct, 1), else_=0))
    query = (
        select(evaluators.c.evaluator, met.label("met"), correct.label("correct"))
        .join(evaluators, cells.evaluator_id == evaluators.c.id)
        .where(cells.simulated == simulated, cells.task == ComparisonTask.VALIDATION.value)
        .group_by(evaluators.c.id, evaluators.c.evaluator)
    )
    return {row.evaluator: (row.met, row.correct) for row in connection.execute(query)}


def find_failed(
    connection: Connection, study: ComparisonStudy, *, simulated: bool
) -> Collection[str]:
    """List the evaluators who failed the validation."""
    rule = study.settings.validation
    if rule.kind == "off":
        return frozenset()
    counted = count_validation(connection, simulated=simulated).items()
    enough = rule.min_correct
    return frozenset(who for who, (met, correct) in counted if not is_enough(correct, met, enough))
