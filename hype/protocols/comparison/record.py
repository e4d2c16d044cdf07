"""Comparisons in the record: their table, the way to it and back, what goes out, who looked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, Select, case, func, select

from hype.protocols.comparison.exclusion import is_enough
from hype.protocols.comparison.rows import ROW
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Choice
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.store.columns import Cells, RecordedAnswers, answer_table
from hype.store.schema import evaluators

if TYPE_CHECKING:
    from hype.protocols.comparison.settings import ComparisonStudy, ValidationSettings

IN_TABLE: Final = (
    *("task", "block", "trial", "prompt", "left_image", "left_sha256", "left"),
    *("right_image", "right_sha256", "right", "obvious", "answer", "correct", "hasty"),
    *("rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The order of the table."""
comparisons = answer_table(
    "comparisons",
    "evaluator_id",
    "block",
    "trial",
    "task",
    what="comparison",
    columns=map(ROW.__getitem__, IN_TABLE),
)


def comparison_cells(trial: ComparisonTrial, _shown: Presentation, response: Response) -> Cells:
    """Give the cells of a comparison that not all answers have."""
    return {
        "prompt": trial.prompt,
        "left_image": trial.left.path,
        "left_sha256": trial.left.sha256,
        "left": trial.left.condition,
        "right_image": trial.right.path,
        "right_sha256": trial.right.sha256,
        "right": trial.right.condition,
        "obvious": trial.obvious.value if trial.obvious else None,
        "correct": trial.correct(response.answer),
        "hasty": trial.hasty(response.answer, response.rt_ms),
    }


def shown_by(row: Row[Any]) -> str:
    return f"{row.left_sha256} {row.right_sha256}"


COMPARISONS: Final = RecordedAnswers(
    name="comparisons",
    trial=ComparisonTrial,
    table=comparisons,
    cells=comparison_cells,
    fingerprint=shown_by,
    exported=tuple(column.name for column in ROW.going_out),
    scored=(comparisons.c.task == ComparisonTask.COMPARISON.value)
    & (comparisons.c.answer != Choice.NONE.value),
)


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


KEPT: Final = COMPARISONS
