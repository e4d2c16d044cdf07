"""How the columns of a table of answers are declared, and how their names are checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd


class Kind(Enum):
    """What the cells of a column may hold; the value is how a message says it."""

    LABEL = "a printable name"
    KIND = "real or fake"
    TASK = "practice, qualification, time, infinity or catch"
    FLAG = "true or false"
    VERDICT = "ok, late, dropped, seen or nothing"
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

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    gaps: bool = False
    """Whether a single cell may be empty. An optional column that is empty from top to bottom
    always counts as absent."""


LONGEST: Final = 60


def shortened(text: str, longest: int = LONGEST) -> str:
    """Give a text, or its beginning and a sign that it goes on."""
    return text if len(text) <= longest else f"{text[:longest]}…"


_MOST_SHOWN = 20

_LONGEST_SHOWN = 40


def refuse_doubtful(given: Sequence[str], known: Iterable[str], where: object) -> None:
    """Refuse columns that are there twice, or whose names are almost those of others.

    ``given``: the names of a table's columns.
    ``known``: the names that are looked at.
    ``where``: what a message calls the table.
    """
    alike = {_core(name): name for name in reversed(given)}
    for name in known:
        if given.count(name) > 1:
            raise InputError(where, f"the column {name!r} appears twice", "each column once")
        if name not in given and (other := alike.get(_core(name))) is not None:
            problem = f"the column {_shown(other)} is not known"
            raise InputError(where, problem, f"did you mean {name!r}?")


def refuse_names(
    frame: pd.DataFrame, known: Iterable[str], needed: Iterable[str], where: object, *, said: str
) -> None:
    """Refuse a table that lacks a needed column, or in which the name of a known one is doubtful.

    ``known``, ``needed``: the names that are looked at, and those of them that must be there.
    ``where``, ``said``: what a message calls the table, and how it says which columns are needed.
    """
    given = [str(name) for name in frame.columns]
    refuse_doubtful(given, known, where)
    missing = next((name for name in needed if name not in given), None)
    if missing is not None:
        allowed = f"needed are {said}; found are {listed(given)}{renaming(missing)}"
        raise InputError(where, f"the column {missing!r} is missing", allowed)


def listed(given: Sequence[str]) -> str:
    """List the names of columns, not too many of them."""
    more = f" and {len(given) - _MOST_SHOWN} more" if len(given) > _MOST_SHOWN else ""
    return ", ".join(map(_shown, given[:_MOST_SHOWN])) + more


def renaming(name: str) -> str:
    return f"; --columns {name}=THEIRS says what the table calls it"


def _shown(name: str) -> str:
    return repr(shortened(name, _LONGEST_SHOWN))


def _core(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


@dataclass(frozen=True, kw_only=True)
class Words:
    """A column whose cells hold one of a few words."""

    # name, meaning: as of `Column`
    name: str
    meaning: str
    words: tuple[str, ...]  # the categories; an empty one says that a cell may be empty

    @property
    def said(self) -> str:
        named = [word or "nothing" for word in sorted(self.words, key=lambda word: not word)]
        return f"{', '.join(named[:-1])} or {named[-1]}"


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A column of any text, which is looked at only to tell one from another."""

    name: str
    meaning: str


Declared = Column | Words | Prose


def label(name: str, meaning: str, *, gaps: bool = True) -> Column:
    return Column(name=name, kind=Kind.LABEL, meaning=meaning, gaps=gaps)


SESSION: Final = label("session", "which session of the evaluator")
BLOCK: Final = label("block", "which block of the session")

RT_MS: Final = Column(
    name="rt_ms", kind=Kind.NUMBER, gaps=True, meaning="time to the answer, in ms"
)

STATUS: Final = label(
    "status",
    "how far the evaluator came; where the column is there, only complete ones are scored",
    gaps=False,
)

SIMULATED: Final = Column(
    name="simulated",
    kind=Kind.FLAG,
    meaning="whether the evaluator is a simulated one; false where the column is missing",
)


def is_name(column: Declared) -> bool:
    """Tell whether a column holds names, or prose, which is read like one."""
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)
