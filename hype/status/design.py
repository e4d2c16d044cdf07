"""What a protocol gives to say how far a study is: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, case, func

from hype.session.course import Course

Facts = Mapping[str, Any]
"""What is known, by its names in ``--json``."""
Counted = tuple[Row[Any], Mapping[str, int]]
"""An evaluator, and what was counted of their answers: ``scored``, ``paid`` and the design's."""


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
    # How narrow it may become, its cells being folded; never narrower than its cells where it is 0
    least: int = 0


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
    counted
        What else is counted of an evaluator's answers: sums in SQL, by name.
    facts
        What is known of evaluators: of each in turn.
    facts_of_study
        What is known of the study, apart from its places.
    is_enough
        Whether these facts show that the study has all the evaluators it needs.
    lines
        These facts in sentences.
    columns
        What the table of evaluators shows apart from their places, status, answers and pay.
    """

    course: type[Course[Any]]
    table: Table
    heading: str
    scored: ColumnElement[bool]
    paid: ColumnElement[bool]
    counted: Mapping[str, ColumnElement[Any]]
    facts: Callable[[OpenStudy, Sequence[Counted]], Iterable[Facts]] = lambda *_: repeat({})
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    is_enough: Callable[[Facts], bool] = lambda _facts: False
    lines: Callable[[Any, Facts], Iterable[str]] = lambda *_: ()
    columns: Sequence[Column] = ()


def number_of(which: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((which, 1), else_=0))


def as_count(number: int) -> str:
    """Write a number; a dot for none, so that what there is stands out."""
    return f"{number:,}" if number else "·"


def as_percent(share: float) -> str:
    return f"{share:.0%}"


def answers_in_words(parts: Sequence[Facts], of: str) -> str:
    """Say how many answers there are, of how many wanted, and how many in each part of a study.

    ``parts``: the name, the answers and the number wanted of each part; None if that is unknown.
    ``of``: what a part is called.
    """
    wanted = [part["wanted"] for part in parts]
    text = f"{sum(part['answers'] for part in parts):,}"
    text += "" if None in wanted else f" of {sum(wanted):,}"
    if len(parts) < 2:
        return text
    least, most = (which(parts, key=lambda part: part["answers"]) for which in (min, max))
    if least["answers"] == most["answers"]:
        return f"{text}; {least['answers']:,} for each {of}"
    ends = (f"{part['answers']:,} ({part['name']})" for part in (least, most))
    return f"{text}; from {' to '.join(ends)} for each {of}"
