"""How the columns of answers are declared, once for all, and how the names in a table are checked.

A row of answers is kept in the record and goes out from there (`StoredAs`), and comes in as a
table, of this program or of another (`Column`, `WordColumn`, `Prose`). An `AnswerColumn` says both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hype.errors import InputError, few

if TYPE_CHECKING:
    import pandas as pd


class Kind(Enum):
    """What the cells of a column may hold; the value is how a message says it."""

    LABEL = "a printable name"
    KIND = "real or fake"
    TASK = "practice, qualification, time, infinity or catch"
    FLAG = "true or false"
    VERDICT = "ok, late, dropped, seen or nothing"
    RULE = "staircase, quest+ or nothing"
    WHOLE = "a whole number, 0 or more"
    COUNT = "a whole number, 1 or more"
    POSITIVE = "a number above 0"
    NUMBER = "a number, 0 or more"
    NUMBERS = "numbers, 0 or more, separated by spaces"

    @property
    def is_number(self) -> bool:
        """Whether each cell is one number, so that a column of them becomes one of floats."""
        return self in {Kind.WHOLE, Kind.COUNT, Kind.POSITIVE, Kind.NUMBER}

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it lists, where a cell may hold nothing else."""
        return tuple(re.split(", | or ", self.value))

    @property
    def is_text(self) -> bool:
        return not self.is_number and self is not Kind.FLAG


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table of answers: a name, a number, or one of a few words."""

    kind: Kind
    meaning: str
    required: bool = False
    name: str = ""
    gaps: bool = False
    """Whether a single cell may be empty. An optional column that is empty from top to bottom
    always counts as absent."""


LONGEST: Final = 60


def shortened(text: str, longest: int = LONGEST) -> str:
    """Give a text, or its beginning and a sign that it goes on."""
    return text if len(text) <= longest else f"{text[:longest]}…"


_MOST_SHOWN = 20

_LONGEST_SHOWN = 40


def matched(frame: pd.DataFrame, known: Iterable[str], where: object) -> pd.DataFrame:
    """Give columns whose names differ from known ones in case, spaces and signs alone these names.

    ``known``: the names that are looked at.
    ``where``: what a message calls the table.

    Raises InputError: two columns of the table could be the same one.
    """
    given = [str(name) for name in frame.columns]
    alike: dict[str, list[str]] = {}
    for name in given:
        alike.setdefault(core(name), []).append(name)
    names = {}
    for name in known:
        if given.count(name) > 1:
            raise InputError(where, f"the column {name!r} appears twice", "each column once")
        found = [] if name in given else alike.get(core(name), [])
        if len(found) > 1:
            problem = f"the columns {listed(found)} could all be {name!r}"
            raise InputError(where, problem, f"--columns {name}=THEIRS says which")
        names.update(dict.fromkeys(found, name))
    return frame.rename(columns=names) if names else frame


def with_names(
    frame: pd.DataFrame, known: Iterable[str], needed: Iterable[str], where: object, *, said: str
) -> pd.DataFrame:
    """Give a table the names of known columns, as `matched`; refuse one that lacks a needed one.

    ``where``, ``said``: what a message calls the table, and how it says which columns are needed.
    """
    frame = matched(frame, known, where)
    given = [str(name) for name in frame.columns]
    missing = [name for name in needed if name not in given]
    if not missing:
        return frame
    names, one = ", ".join(map(repr, missing)), len(missing) == 1
    problem = f"the column {names} is missing" if one else f"the columns {names} are missing"
    hint = "cells are separated by commas, semicolons or tabs"
    if len(given) > 1:
        wanted = ",".join(f"{name}=THEIRS" for name in missing)
        hint = f"--columns {wanted} says what the table calls {'it' if one else 'them'}"
    raise InputError(where, problem, f"needed are {said}; found are {listed(given)}; {hint}")


def listed(given: Sequence[str]) -> str:
    """List the names of columns, not too many of them."""
    return few([*map(_shown, given)], _MOST_SHOWN)


def _shown(name: str) -> str:
    return repr(shortened(name, _LONGEST_SHOWN))


def core(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


@dataclass(frozen=True, kw_only=True)
class WordColumn:
    """A column whose cells hold one of a few words."""

    # name, meaning: as of `Column`
    meaning: str
    words: tuple[str, ...]  # the categories; an empty one says that a cell may be empty
    name: str = ""

    @property
    def said(self) -> str:
        named = [word or "nothing" for word in sorted(self.words, key=lambda word: not word)]
        return f"{', '.join(named[:-1])} or {named[-1]}"


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A column of any text, which is looked at only to tell one from another."""

    meaning: str
    name: str = ""


Declared = Column | WordColumn | Prose


def label(meaning: str, *, gaps: bool = True) -> Column:
    return Column(kind=Kind.LABEL, meaning=meaning, gaps=gaps)


SESSION: Final = label("which session of the evaluator")
BLOCK: Final = label("which block of the session")

RT_MS: Final = Column(kind=Kind.NUMBER, gaps=True, meaning="time to the answer, in ms")

STATUS: Final = label(
    "how far the evaluator came; where the column is there, only complete ones are scored",
    gaps=False,
)

SIMULATED: Final = Column(
    kind=Kind.FLAG,
    meaning="whether the evaluator is a simulated one; false where the column is missing",
)


class CellType(Enum):
    """What a cell of the record holds; the value is how a data dictionary says it."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    NUMBERS = "numbers, separated by spaces"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAs:
    """How a column is kept in the record, and goes out from there.

    ``most`` is how many characters a text has at most (None: any number); ``null``, whether a cell
    may be empty, and ``blank``, whether its text may, which then says that there is none.
    ``levels`` are all values that it can have, where these are a few, and what each means.
    """

    type: CellType
    meaning: str
    most: int | None = None
    null: bool = False
    blank: bool = False
    levels: Mapping[str, str] = field(default_factory=dict)


def text(
    meaning: str,
    *,
    most: int | None = None,
    null: bool = False,
    blank: bool = False,
    levels: Mapping[str, str] = MappingProxyType({}),
) -> StoredAs:
    return StoredAs(
        type=CellType.TEXT, meaning=meaning, most=most, null=null, blank=blank, levels=levels
    )


def whole(meaning: str, *, null: bool = False) -> StoredAs:
    return StoredAs(type=CellType.WHOLE, meaning=meaning, null=null)


def number(meaning: str, *, null: bool = False) -> StoredAs:
    return StoredAs(type=CellType.NUMBER, meaning=meaning, null=null)


def numbers(meaning: str, *, null: bool = False) -> StoredAs:
    return StoredAs(type=CellType.NUMBERS, meaning=meaning, null=null)


def flag(meaning: str, *, null: bool = False) -> StoredAs:
    return StoredAs(type=CellType.FLAG, meaning=meaning, null=null)


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of answers.

    Attributes
    ----------
    kept
        How the record has it, or what is made of the record; None of what only tables have, and of
        what is known of the evaluator and the session.
    read
        How it is read from a table; None where scoring does not look at it.
    is_added
        Whether the study file says it as answers go out: the record's table does not have it.
    is_owner
        Whether it says whose the answer is: another table of the record has it.
    """

    name: str
    _: KW_ONLY
    kept: StoredAs | None = None
    read: Declared | None = None
    is_added: bool = False
    is_owner: bool = False


def owners(evaluator: Column) -> tuple[AnswerColumn, ...]:
    """Declare what says whose an answer is; ``evaluator`` is how their code is read."""
    return (
        AnswerColumn("evaluator", is_owner=True, read=evaluator),
        AnswerColumn("session", is_owner=True, read=SESSION),
        AnswerColumn("status", is_owner=True, read=STATUS),
        AnswerColumn("simulated", is_owner=True, read=SIMULATED),
    )


def answered(*, since: str, onset: str, read: Column | None = RT_MS) -> tuple[AnswerColumn, ...]:
    """Declare what says when and by which key or click something was answered.

    ``since`` is from when response times count, ``onset`` what came on.
    """
    pressed = "the key that was pressed, or mouse; empty where there was none"
    return (
        AnswerColumn("rt_ms", kept=number(f"response time, from when {since}"), read=read),
        AnswerColumn("key", kept=text(pressed, most=16, blank=True)),
        AnswerColumn("onset_unix_s", kept=number(f"{onset} by the wall clock")),
        AnswerColumn("onset_monotonic_s", kept=number(f"{onset} by the monotonic clock")),
    )


class Row:
    """A row of answers: its columns in the order in which they go out."""

    def __init__(self, *columns: AnswerColumn) -> None:
        self._columns = {column.name: column for column in columns}

    def __getitem__(self, name: str) -> AnswerColumn:
        return self._columns[name]

    def read(self, *first: str) -> tuple[Declared, ...]:
        """Give the columns that scoring looks at; ``first`` those that a message names first."""
        others = (name for name in self._columns if name not in first)
        columns = ((name, self._columns[name].read) for name in (*first, *others))
        return tuple(replace(read, name=name) for name, read in columns if read)

    @property
    def added(self) -> tuple[AnswerColumn, ...]:
        return tuple(column for column in self._columns.values() if column.is_added)

    @property
    def recorded(self) -> tuple[AnswerColumn, ...]:
        return tuple(
            column for column in self._columns.values() if column.kept and not column.is_added
        )

    @property
    def going_out(self) -> tuple[AnswerColumn, ...]:
        """Those that the record gives, whichever of its tables."""
        return tuple(
            column
            for column in self._columns.values()
            if (column.kept or column.is_owner) and not column.is_added
        )


def is_name(column: Declared) -> bool:
    """Tell whether a column holds names, or prose, which is read like one."""
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)
