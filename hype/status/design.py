"""What a protocol gives to say how far a study is: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, func

from hype.session.course import Course

Facts = Mapping[str, Any]
"""What is known, by its names in ``--json``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStudy:
    """A study that is looked at, and whose answers: those of people or of simulated evaluators."""

    connection: Connection
    study: Any
    course: Any  # None if its stimuli cannot be read
    simulated: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table at the terminal; it is left out where no row has anything in it."""

    heading: str
    key: str  # of the fact that it shows
    write: Callable[[Any], str] = str
    is_number: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusDesign:
    """What a protocol gives to say how far a study is.

    Attributes
    ----------
    course
        Reads what a study draws from, and gives the places of its design.
    table, heading
        Where the record has the answers, and what they are called above a column of numbers.
    scored, paid
        Which of them count, and which are paid.
    wanted
        How many that count a study asks for, by its course; None if it sets no number.
    counted
        Which other answers of an evaluator are counted, by the name of the number.
    test
        What evaluators are tested by. The fact ``passed`` says who passed; None before that is
        known.
    facts
        What else is known of each evaluator, from these numbers.
    facts_of_study
        What else is known of the study. ``enough`` says why nobody more is needed, if so.
    lines
        These facts of the study in sentences.
    columns
        What the table of evaluators shows apart from their places, status, answers and pay.
    """

    course: type[Course[Any]]
    table: Table
    heading: str
    scored: ColumnElement[bool]
    paid: ColumnElement[bool]
    wanted: Callable[[Any], int | None] = lambda _course: None
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Any, Facts], Iterable[str]] = lambda *_: ()
    columns: Sequence[Column] = ()


def number_of(which: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((which, 1), else_=0))


def as_count(number: int) -> str:
    """Write a number; a dot for none, so that what there is stands out."""
    return f"{number:,}" if number else "·"


def as_percent(share: float) -> str:
    return f"{share:.0%}"
