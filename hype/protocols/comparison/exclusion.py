"""Comparisons as they leave a study: why one is not scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from sqlalchemy import Connection, Engine, Select, String, case, func, select

from hype.protocols.comparison.settings import ValidationSettings
from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.protocols.studies import ComparisonStudy
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.store.answer_tables import comparisons
from hype.store.columns import column
from hype.store.reading import COMPARISONS
from hype.store.schema import evaluators


class NotCounted(str, Enum):
    """Why a comparison is not scored; where several hold, the first.

    What is so of an evaluator comes before what is so of a comparison. An answer that came hastily
    is none of these: it is marked (``hasty``) and counts.
    """

    UNFINISHED = "unfinished"
    DECLINED = "declined"
    FAILED_VALIDATION = "failed-validation"
    PRACTICE = "practice"
    VALIDATION = "validation"
    NO_ANSWER = "no-answer"


REASONS: Final = {
    NotCounted.UNFINISHED.value: "the evaluator has begun and not finished",
    NotCounted.DECLINED.value: "the evaluator did not consent",
    NotCounted.FAILED_VALIDATION.value: "the evaluator answered too few comparisons correctly "
    "whose answer is obvious, by the study's rule",
    NotCounted.PRACTICE.value: "practice is never scored",
    NotCounted.VALIDATION.value: "comparisons whose answer is obvious are never scored",
    NotCounted.NO_ANSWER.value: "the time limit passed",
}

ADDED: Final = (
    column(
        "excluded",
        String(32),
        "why the comparison is not scored under the study's rules; empty where it is",
        blank=True,
        levels=REASONS,
    ),
)
"""The column that the study file makes."""

BY_STATUS: Final = {
    "active": NotCounted.UNFINISHED.value,
    "declined": NotCounted.DECLINED.value,
}
BY_TASK: Final = {
    ComparisonTask.PRACTICE.value: NotCounted.PRACTICE.value,
    ComparisonTask.VALIDATION.value: NotCounted.VALIDATION.value,
}
ROUNDING: Final = 1e-9
"""A share such as 0.7 is no sum of powers of two: 0.7 of 10 is to be 7."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """How many comparisons with an obvious answer somebody met, and answered correctly."""

    met: int = 0
    correct: int = 0

    def passes(self, rule: ValidationSettings) -> bool:
        """Tell whether that is enough under the study's rule; nothing met is nothing failed."""
        return rule.kind == "off" or self.correct >= rule.min_correct * self.met - ROUNDING


def validated(connection: Connection, *, simulated: bool) -> dict[str, Validated]:
    """Count the validation comparisons of each evaluator who met any, by their code."""
    return {
        row.evaluator: Validated(met=row.met, correct=row.correct)
        for row in connection.execute(validation_query(simulated=simulated))
    }


def validation_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    """Select those counts. Where no answer came in time, none was correct."""
    found = comparisons.c
    return (
        select(
            evaluators.c.evaluator,
            func.count().label("met"),
            func.sum(case((found.correct, 1), else_=0)).label("correct"),
        )
        .join(evaluators, found.evaluator_id == evaluators.c.id)
        .where(found.simulated == simulated, found.task == ComparisonTask.VALIDATION.value)
        .group_by(evaluators.c.id, evaluators.c.evaluator)
    )


def why_not_counted(engine: Engine, study: ComparisonStudy, simulated: bool) -> Adding:
    """Give what says why a comparison is not scored; "" if it is."""
    with engine.connect() as connection:
        failed = failed_validation(study, validated(connection, simulated=simulated))

    def added(evaluator: object, status: object, task: object, answer: object) -> Cells:
        reason = BY_STATUS.get(str(status)) or failed.get(str(evaluator))
        reason = reason or BY_TASK.get(str(task))
        none = NotCounted.NO_ANSWER.value if answer == Choice.NONE.value else ""
        return (reason or none,)

    return added


def failed_validation(
    study: ComparisonStudy, counted: Mapping[str, Validated]
) -> Mapping[str, str]:
    """Give the reason for each evaluator who failed the validation."""
    rule = study.settings.validation
    return {
        evaluator: NotCounted.FAILED_VALIDATION.value
        for evaluator, one in counted.items()
        if not one.passes(rule)
    }


COMPARED: Final = Outgoing(
    answers=COMPARISONS,
    added=ADDED,
    needed=("evaluator", "status", "task", "answer"),
    adding=why_not_counted,
)
"""How comparisons leave a study."""
