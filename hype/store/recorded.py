"""How the answers of a protocol are kept in the record, come back from it, and go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Row, Table

from hype.session.loop import Answered, Presentation
from hype.session.steps import Response, Trial, TrialName

Cells = dict[str, object]
WHOSE: Final = ("id", "evaluator_id", "session_id")
"""Numbers of rows, which go out as codes and sessions."""


def own_columns(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.c if column.name not in WHOSE)


def never(_row: Row[Any]) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """How exported rows are made of several rows of the record.

    Attributes
    ----------
    declared
        The columns of an exported row, in order; those that stay what they were by their names.
    rows
        Makes them.
    """

    declared: tuple[Column[Any] | str, ...]
    rows: Callable[[Iterable[Row[Any]]], Iterator[tuple[object, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """The answers of one protocol: the way to the record, back, and out.

    Attributes
    ----------
    name
        What they are called.
    trial
        The kind of trial that they are answers to.
    table
        Where the record has them.
    cells
        Makes of a trial, what was shown and the answer the cells that not all answers have.
    fingerprint
        Reads from a row what was shown, as `Trial.fingerprint` says it.
    spoiled
        Reads from a row whether the screen spoiled the trial.
    exported
        The columns that are read for going out, in order: those of the table, and what is known of
        the evaluator. How often the trial was interrupted comes last.
    gathered
        Where an exported row is made of several of the record, which come evaluator by evaluator.
        Without it the columns that are read go out as they are.
    scored
        Which of the rows a report counts among those that are scored; None where it counts none.
    is_timed
        Whether the rows say how long something was flashed.
    """

    name: str
    trial: type[Trial]
    table: Table
    cells: Callable[[Any, Presentation, Response], Cells]
    fingerprint: Callable[[Row[Any]], str]
    spoiled: Callable[[Row[Any]], bool] = never
    exported: tuple[str, ...]
    gathered: Gathered | None = None
    scored: ColumnElement[bool] | None = None
    is_timed: bool = False

    def row(self, trial: Trial, shown: Presentation, response: Response) -> Cells:
        """Give the row of one answer, without whose it is."""
        task, block, number = trial.name
        return {
            "task": task,
            "block": block,
            "trial": number,
            **self.cells(trial, shown, response),
            "answer": response.answer,
            "rt_ms": response.rt_ms,
            "key": response.key,
            "onset_unix_s": shown.onset_unix_s,
            "onset_monotonic_s": shown.onset_monotonic_s,
        }

    def answered(self, row: Row[Any]) -> Answered:
        """Give a recorded answer as replaying needs it."""
        return Answered(
            TrialName(row.task, row.block, row.trial),
            self.fingerprint(row),
            Response(row.answer, row.key, row.rt_ms),
            spoiled=self.spoiled(row),
        )
