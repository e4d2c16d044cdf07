"""Declarations of the rows and columns of tables of answers.

The columns of a `Row` define the record's table, the exported table, its data dictionary, and how
tables are read. The reasons of a `Row` define which answers are not scored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError, few

if TYPE_CHECKING:
    import pandas as pd

    from hype.tables.reasons import Reason


class CellType(Enum):
    """The type of a cell in the record; a member's value describes it in a data dictionary."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    NUMBERS = "numbers, separated by spaces"


class Kind(Enum):
    """The allowed cells of a column; a member's value describes them in messages."""

    NAME = "a printable name"
    TEXT = "any text"
    WORD = "one of a few words"
    FLAG = "true or false"
    WHOLE = "a whole number, 0 or more"
    COUNT = "a whole number, 1 or more"
    POSITIVE = "a number above 0"
    NUMBER = "a number, 0 or more"
    SIGNED = "a number"
    NUMBERS = "numbers, 0 or more, separated by spaces"

    @property
    def is_number(self) -> bool:
        """Whether each cell is one number, so that the column becomes floats."""
        return self.cell_type in {CellType.WHOLE, CellType.NUMBER}

    @property
    def cell_type(self) -> CellType:
        return _CELL_TYPES.get(self, CellType.TEXT)

    @property
    def least(self) -> float:
        return {Kind.COUNT: 1.0, Kind.SIGNED: -math.inf}.get(self, 0.0)


_CELL_TYPES: Final = {
    Kind.FLAG: CellType.FLAG,
    Kind.WHOLE: CellType.WHOLE,
    Kind.COUNT: CellType.WHOLE,
    Kind.POSITIVE: CellType.NUMBER,
    Kind.NUMBER: CellType.NUMBER,
    Kind.SIGNED: CellType.NUMBER,
    Kind.NUMBERS: CellType.NUMBERS,
}


class Origin(Enum):
    """The origin of a column of answers."""

    ANSWER = "the record's table of these answers"
    OTHER = "another table of the record: facts about the evaluator, the session, the trial"
    STUDY = "the study file, when answers are exported"
    TABLE = "only tables of other programs"


class Read(Enum):
    """How scoring uses a column of a table.

    An optional column without any content counts as missing.
    """

    NO = "not at all"
    OPTIONAL = "the column may be missing, and cells may be empty"
    FULL = "the column may be missing; if it is there, no cell is empty"
    NEEDED = "the column is required, and no cell is empty"
    ANSWER = (
        "the column has the answers: one such column is required; an empty cell is not an answer"
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of answers."""

    name: str
    kind: Kind
    meaning: str
    _: KW_ONLY
    most: int | None = None  # maximum length of a text in the record; None: no maximum
    # How the record stores a missing value. null: the cell may be null; blank: its text may be
    # empty
    null: bool = False
    blank: bool = False
    # The possible values with their meanings, if there are few; for a `Kind.WORD` these are the
    # categories, in this order
    levels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin = Origin.ANSWER
    read: Read = Read.NO  # how scoring uses the column.
    # Whether cells in tables of other programs may be names; in the record, they are numbers
    takes_names: bool = False
    alias: str = ""  # another name of the column in tables
    hint: str = ""  # text added to messages about a wrong cell

    @property
    def is_text(self) -> bool:
        """Whether the column contains names or other free text."""
        return self.takes_names or self.kind in {Kind.NAME, Kind.TEXT}

    @property
    def gaps(self) -> bool:
        """Whether a single cell of a table may be empty."""
        return self.read in {Read.OPTIONAL, Read.ANSWER}

    @property
    def allowed(self) -> str:
        if self.kind is not Kind.WORD:
            return str((Kind.NAME if self.takes_names else self.kind).value)
        *words, last = [*self.levels, *(["nothing"] if self.read is Read.OPTIONAL else [])]
        return f"{', '.join(words)} or {last}" if words else last

    def allows(self, cell: Any) -> bool:
        """Return whether a typed cell of the record is an allowed value."""
        if cell is None or (self.blank and not cell):
            return True
        if self.levels:
            return cell in self.levels
        if self.kind is Kind.NAME:
            return bool(cell) and cell.isprintable()
        if self.kind.cell_type in {CellType.TEXT, CellType.FLAG}:
            return True
        try:
            numbers = [float(n) for n in cell.split()] if self.kind is Kind.NUMBERS else [cell]
        except ValueError:
            return False
        return all(n > 0 if self.kind is Kind.POSITIVE else n >= self.kind.least for n in numbers)


class Row:
    """The declaration of a table's rows: its columns, in the order of the export, and their use.

    ``answer``: the word for one answer. ``scored``: the tasks that are scored; if there is only
    one, rows without a task have it. ``reasons``: why an answer may not be scored; the first that
    applies counts. ``per_row``: the words after "one row per" in messages.
    """

    def __init__(
        self,
        answer: str,
        *columns: Column,
        scored: Sequence[str] = (),
        reasons: Sequence[Reason] = (),
        per_row: str = "",
    ) -> None:
        self.answer, self.answers, self.per_row = answer, f"{answer}s", per_row or answer
        self.columns, self.scored, self.reasons = columns, tuple(scored), tuple(reasons)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def read(self) -> tuple[Column, ...]:
        """The columns that scoring uses; others stay in the table, but are not read."""
        return tuple(column for column in self.columns if column.read is not Read.NO)

    @property
    def holding_answers(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.read is Read.ANSWER)

    @property
    def added(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.origin is Origin.STUDY)

    @property
    def recorded(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.origin is Origin.ANSWER)

    @property
    def exported(self) -> tuple[Column, ...]:
        """The columns that come from the record, from any of its tables."""
        of_record = {Origin.ANSWER, Origin.OTHER}
        return tuple(column for column in self.columns if column.origin in of_record)


def owners(evaluator: str, read: Read = Read.FULL) -> tuple[Column, ...]:
    """Declare the columns about evaluator and session; ``evaluator``: that column's explanation."""
    of_session = "session of the evaluator"
    status = "how far the evaluator got; if it is given, only complete evaluators are scored"
    simulated = "whether the evaluator is simulated; false if the column is missing"
    origin = Origin.OTHER
    return (
        Column("evaluator", Kind.NAME, evaluator, origin=origin, read=read),
        Column("session", Kind.NAME, of_session, origin=origin, read=Read.OPTIONAL),
        Column("status", Kind.NAME, status, origin=origin, read=Read.FULL),
        Column("simulated", Kind.FLAG, simulated, origin=origin, read=Read.FULL),
    )


def block(meaning: str, origin: Origin = Origin.ANSWER) -> Column:
    return Column("block", Kind.WHOLE, meaning, origin=origin, read=Read.OPTIONAL, takes_names=True)


def declare_answered(*, since: str, onset: str, read: Read = Read.OPTIONAL) -> tuple[Column, ...]:
    """Declare the columns for the key and the times of an answer.

    ``since``: when response times start. ``onset``: the moment recorded by the two onset columns.
    ``read``: how scoring uses response times.
    """
    pressed = "the pressed key, or mouse; empty if nothing was pressed"
    return (
        Column("rt_ms", Kind.NUMBER, f"response time, from when {since}", read=read),
        Column("key", Kind.NAME, pressed, most=16, blank=True),
        Column("onset_unix_s", Kind.NUMBER, f"{onset} by the wall clock"),
        Column("onset_monotonic_s", Kind.NUMBER, f"{onset} by the monotonic clock"),
    )


CONFIDENCE: Final = Column(
    "confidence",
    Kind.WHOLE,
    "confidence in the answer, in steps from 1 or on a slider from 0 to 100; empty if not asked",
    null=True,
    read=Read.OPTIONAL,
)
WHY: Final = Column(
    "why",
    Kind.TEXT,
    "the evaluator's reason in their own words; empty if not asked or not given",
    null=True,
    blank=True,
    read=Read.OPTIONAL,
)
FOLLOW_UPS: Final = (CONFIDENCE, WHY)
"""The columns for the two questions that may follow an answer."""


def declare_excluded(answer: str, reasons: Iterable[Reason]) -> tuple[Column, Column]:
    """Declare the columns excluded and careless.

    In tables of other programs, the column excluded may contain reasons other than ``reasons``.
    """
    common: Any = {"blank": True, "origin": Origin.STUDY, "read": Read.OPTIONAL}
    return (
        Column(
            "excluded",
            Kind.NAME,
            f"why the {answer} is not scored under the study's rules; empty if it is scored",
            levels={reason.name: reason.meaning for reason in reasons if reason.is_recorded},
            **common,
        ),
        Column(
            "careless",
            Kind.NAME,
            "the study's rules of exclusion that the evaluator's answers break, separated by "
            "spaces: speed, one-key, catch, run; empty if none",
            **common,
        ),
    )


def shorten(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def match_names(frame: pd.DataFrame, known: Iterable[str], where: object) -> pd.DataFrame:
    """Rename columns whose names differ from known ones only in case, spaces or punctuation.

    ``where``: the table's name in messages.
    Raises InputError: two columns of the table fit the same known name.
    """
    given = [str(name) for name in frame.columns]
    same_core: dict[str, list[str]] = {}
    for name in given:
        same_core.setdefault(core(name), []).append(name)
    names = {}
    for name in known:
        if given.count(name) > 1:
            raise InputError(where, f"the column {name!r} appears twice", "each column once")
        found = [] if name in given else same_core.get(core(name), [])
        if len(found) > 1:
            problem = f"each of the columns {list_columns(found)} could be {name!r}"
            raise InputError(where, problem, f"choose one with --columns {name}=THEIRS")
        names.update(dict.fromkeys(found, name))
    return frame.rename(columns=names) if names else frame


def use_known_names(
    frame: pd.DataFrame, row: Row, where: object, further: Iterable[str] = ()
) -> pd.DataFrame:
    """Give columns with an alias or a different spelling their known names.

    ``further``: known names besides those of the row. Raises InputError: see `match_names`.
    """
    names = [name for c in row.read for name in (c.name, c.alias) if name]
    table = match_names(frame, [*names, *further], where)
    aliases = {c.alias: c.name for c in row.read if c.alias in table and c.name not in table}
    return table.rename(columns=aliases) if aliases else table


def refuse_names(frame: pd.DataFrame, row: Row, where: object) -> None:
    """Refuse a table that lacks a needed column; ``where``: its name in messages."""
    given = [str(name) for name in frame.columns]
    needed = [column for column in row.read if column.read is Read.NEEDED]
    missing = [column.name for column in needed if column.name not in given]
    if row.holding_answers and set(row.holding_answers).isdisjoint(given):
        missing.append(row.holding_answers[0])
    if not missing:
        return
    said = [f"{c.name} (or {c.alias})" if c.alias else c.name for c in needed]
    said += [" or ".join(row.holding_answers)] if row.holding_answers else []
    allowed = f"required: {', '.join(said)}; found: {list_columns(given)}"
    raise InputError(where, missing_columns(missing), allowed)


def missing_columns(names: Sequence[str]) -> str:
    named = ", ".join(map(repr, names))
    return f"the column{'s' * (len(names) > 1)} {named} {'are' if len(names) > 1 else 'is'} missing"


def list_columns(given: Sequence[str]) -> str:
    return few([repr(shorten(name, 40)) for name in given], most=20)


def several(name: str, given: Any) -> tuple[Any, ...]:
    """Turn one value or a list into a tuple, and None into an empty tuple.

    Raises InputError: the value is neither text, a path nor a list.
    """
    if given is None:
        return ()
    if isinstance(given, str | PathLike):
        return (given,)
    if not isinstance(given, list | tuple):
        raise InputError(name, repr(given), "one value, or a list")
    return tuple(given)


def core(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
