"""How answers are kept in the record: columns that say what they hold, and the way in and out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from hype.session.loop import Answered, Presentation
from hype.session.steps import Response, Trial, TrialName
from hype.tables.columns import AnswerColumn, CellType
from hype.tables.columns import Row as DeclaredRow

metadata = MetaData()
CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What an evaluator's code is: it names rows, files and columns."""


def column(
    name: str,
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    doc: str,
    *,
    null: bool = False,
    levels: Mapping[str, str] | None = None,
    blank: bool = False,
    numbers: bool = False,
) -> Column[Any]:
    """Declare one column.

    Parameters
    ----------
    name, kind, null
        As the database has it.
    doc
        What it holds; its documentation everywhere.
    levels
        Where its values are a closed set: each, and what it means.
    blank
        Whether its text may be empty, which then says that there is none.
    numbers
        Whether its text is several numbers, separated by spaces.
    """
    info = {"levels": levels or {}, "blank": blank, "numbers": numbers}
    return Column(name, kind, nullable=null, comment=doc, doc=doc, info=info)


def owned(what: str) -> Iterator[Column[Any]]:
    """Declare the columns that say whose an answer is; ``what`` is what the answer is called."""
    yield Column("id", Integer, primary_key=True, comment=f"number of the {what} in this record")
    yield Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False)
    session = "number of the session in this record"
    yield Column("session_id", ForeignKey("sessions.id"), nullable=False, comment=session)
    yield column("simulated", Boolean, "whether nobody real was asked")


SQL: Final[Mapping[CellType, type[TypeEngine[Any]]]] = {
    CellType.TEXT: Text,
    CellType.NUMBERS: Text,
    CellType.WHOLE: Integer,
    CellType.NUMBER: Float,
    CellType.FLAG: Boolean,
}


def column_of(declared: AnswerColumn, levels: Mapping[str, str] | None = None) -> Column[Any]:
    """Make a column of one that is declared; ``levels``, where who makes it knows them better."""
    kept = declared.kept
    if kept is None:
        raise ValueError(f"{declared.name} is not kept")
    return column(
        declared.name,
        String(kept.most) if kept.most else SQL[kept.type],
        kept.meaning,
        null=kept.null,
        blank=kept.blank,
        numbers=kept.type is CellType.NUMBERS,
        levels=levels or kept.levels,
    )


def added_columns(row: DeclaredRow, **levels: Mapping[str, str]) -> tuple[Column[Any], ...]:
    """Make the columns that the study file adds as answers go out, some with their levels."""
    return tuple(column_of(added, levels.get(added.name)) for added in row.added)


def answer_table(name: str, *unique: str, what: str, columns: Iterable[AnswerColumn]) -> Table:
    """Declare a table of answers, each there once by ``unique``; ``what`` is one of them."""
    return Table(name, metadata, *owned(what), *map(column_of, columns), UniqueConstraint(*unique))


def object_in(cell: str | None) -> dict[str, Any]:
    """Read a cell that holds an object as JSON; nothing where it does not."""
    value = json_in(cell)
    return value if isinstance(value, dict) else {}


def json_in(cell: str | None) -> Any:
    """Read a cell that holds JSON; None where it does not."""
    try:
        return json.loads(cell or "null")
    except (ValueError, TypeError, RecursionError):  # somebody wrote it who is not this program
        return None


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
    counted
        What a backup counts of them, each with a condition in SQL or none; the rows, unless it is
        said. The first is what they are called; any others follow it in brackets.
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
    counted: Mapping[str, str] = field(default_factory=dict)

    @property
    def held(self) -> Mapping[str, str]:
        return self.counted or {self.name: ""}

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
