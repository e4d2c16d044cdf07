"""Whether evaluators got the comparisons with an obvious answer right, as the record has it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Select, case, func, select

from hype.protocols.comparison.record import comparisons
from hype.protocols.comparison.trial import ComparisonTask
from hype.store.schema import evaluators

if TYPE_CHECKING:
    from hype.protocols.comparison.settings import ComparisonStudy, ValidationSettings

ROUNDING: Final = 1e-9
"""A share such as 0.7 is no sum of powers of two: 0.7 of 10 is to be 7."""


def is_enough(correct: int, shown: int, min_correct: float) -> bool:
    """Tell whether somebody got enough comparisons with an obvious answer right; none is enough."""
    return correct >= min_correct * shown - ROUNDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """How many comparisons with an obvious answer somebody met, and answered correctly."""

    met: int = 0
    correct: int = 0

    def passes(self, rule: ValidationSettings) -> bool:
        """Tell whether that is enough under the study's rule; nothing met is nothing failed."""
        return rule.kind == "off" or is_enough(self.correct, self.met, rule.min_correct)


def validated(connection: Connection, *, simulated: bool) -> dict[str, Validated]:
    """Count the validation comparisons of each evaluator who met any, by their code."""
    return {
        row.evaluator: Validated(met=row.met, correct=row.correct)
        for row in connection.execute(validation_query(simulated=simulated))
    }


def validation_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    """Select those counts. Where no answer came in time, none was correct."""
    cells = comparisons.c
    return (
        select(
            evaluators.c.evaluator,
            func.count().label("met"),
            func.sum(case((cells.correct, 1), else_=0)).label("correct"),
        )
        .join(evaluators, cells.evaluator_id == evaluators.c.id)
        .where(cells.simulated == simulated, cells.task == ComparisonTask.VALIDATION.value)
        .group_by(evaluators.c.id, evaluators.c.evaluator)
    )


def failed_validation(
    connection: Connection, study: ComparisonStudy, *, simulated: bool
) -> Collection[str]:
    """Name the evaluators who failed the validation."""
    rule = study.settings.validation
    counted = validated(connection, simulated=simulated)
    return frozenset(name for name, counts in counted.items() if not counts.passes(rule))
