"""How answers are stored in the record: documented columns, and how to write and read them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Identity,
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
from hype.session.steps import NO_ANSWER, Response, Trial, TrialName
from hype.study.exclusion import GivenAnswer
from hype.tables.columns import FOLLOW_UPS, CellType
from hype.tables.columns import Column as AnswerColumn
from hype.tables.columns import Row as DeclaredRow

metadata = MetaData()
PRACTICE: Final = "practice"
CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The pattern of an evaluator's code; names of files and columns can contain this code."""


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

    ``name``, ``kind``, ``null``: as in the database. ``doc``: its meaning. ``levels``: the possible
    values with their meanings. ``blank``: whether an empty text may stand for a missing value.
    ``numbers``: whether a text contains several numbers, separated by spaces.
    """
    info = {"levels": levels or {}, "blank": blank, "numbers": numbers}
    return Column(name, kind, nullable=null, comment=doc, doc=doc, info=info)


def numbering(what: str) -> Column[Any]:
    """Declare the column with the number of each row; the database fills it."""
    comment = f"number of the {what} in this record"
    return Column("id", Integer, Identity(), primary_key=True, comment=comment)


SQL: Final[Mapping[CellType, type[TypeEngine[Any]]]] = {
    CellType.TEXT: Text,
    CellType.NUMBERS: Text,
    CellType.WHOLE: Integer,
    CellType.NUMBER: Float,
    CellType.FLAG: Boolean,
}


def column_of(declared: AnswerColumn) -> Column[Any]:
    cells = declared.kind.cell_type
    return column(
        declared.name,
        String(declared.most) if declared.most else SQL[cells],
        declared.meaning,
        null=declared.null,
        blank=declared.blank,
        numbers=cells is CellType.NUMBERS,
        levels=declared.levels,
    )


def answer_table(row: DeclaredRow, *unique: str) -> Table:
    """Declare the table of a kind of answers; the columns ``unique`` jointly identify an answer."""
    session = "number of the session in this record"
    return Table(
        row.answers,
        metadata,
        numbering(row.answer),
        Column("evaluator_id", ForeignKey("evaluators.id"), nullable=False),
        Column("session_id", ForeignKey("sessions.id"), nullable=False, comment=session),
        column("simulated", Boolean, "whether evaluators were simulated"),
        *map(column_of, row.recorded),
        UniqueConstraint(*unique),
    )


def object_in(cell: str | None) -> dict[str, Any]:
    """Read a cell that contains a JSON object; return an empty object if it contains none."""
    value = json_in(cell)
    return value if isinstance(value, dict) else {}


def json_in(cell: str | None) -> Any:
    """Read a cell that contains JSON; return None if it is not valid JSON."""
    try:
        return json.loads(cell or "null")
    except (ValueError, TypeError, RecursionError):  # another program wrote it
        return None


Cells = dict[str, object]


def never(_row: Row[Any]) -> bool:
    return False


def give_all(rows: Iterable[Row[Any]], _study: object) -> Iterator[GivenAnswer]:
    """Return all answers except practice and answers that came too late."""
    for row in rows:
        if row.task != PRACTICE and row.answer != NO_ANSWER:
            yield GivenAnswer(row.trial, row.answer, row.rt_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """The answers of one protocol: how they are written, read and exported."""

    name: str  # the name of the answers.
    # The columns of the answers; an export reads those that the record has. The last column tells
    # how often the trial was interrupted
    declared: DeclaredRow
    trial: type[Trial]  # the kind of trial that is answered
    table: Table  # the table in the record.
    # Makes the protocol's own cells from the trial, its presentation and the answer
    cells: Callable[[Any, Presentation, Response], Cells]
    # Returns a row's `Trial.fingerprint`
    fingerprint: Callable[[Row[Any]], str]
    # Returns whether a display error spoiled the trial of a row
    spoiled: Callable[[Row[Any]], bool] = never
    # gather, gathered: the function that makes an exported row from several rows of an evaluator,
    # and the columns of that row. If None, rows are exported as they are
    gather: Callable[[Iterable[Row[Any]]], Iterator[tuple[object, ...]]] | None = None
    gathered: DeclaredRow | None = None
    # Returns the data for rules of exclusion, from an evaluator's rows and the study
    given: Callable[[Iterable[Row[Any]], Any], Iterator[GivenAnswer]] = give_all
    is_timed: bool = False  # whether rows contain how long a flash lasted.
    # What a backup's message counts: by name, an SQL condition for the rows (empty: all). The first
    # name is the answers' name; other counts follow in brackets. By default it counts all rows
    counted: Mapping[str, str] = field(default_factory=dict)

    @property
    def exported(self) -> DeclaredRow:
        """The columns of an exported row."""
        return self.gathered or self.declared

    @property
    def held(self) -> Mapping[str, str]:
        return self.counted or {self.name: ""}

    def row(self, trial: Trial, shown: Presentation, response: Response) -> Cells:
        """Return the row of one answer, without the evaluator's cells."""
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

    def read_answer(self, row: Row[Any]) -> Answered:
        """Return a recorded answer in the form in which a continued session replays it."""
        return Answered(
            TrialName(row.task, row.block, row.trial),
            self.fingerprint(row),
            Response(row.answer, row.key, row.rt_ms, getattr(row, "confidence", None)),
            spoiled=self.spoiled(row),
            follow_ups=tuple(
                column.name for column in FOLLOW_UPS if getattr(row, column.name, None) is not None
            ),
        )
