"""What a protocol gives to say how far a study is: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Table

from hype.report.tabular import Column
from hype.session.course import Course

if TYPE_CHECKING:  # statistics take longer to load than a status to count
    from hype.statistics.agreement import Alpha

Facts = Mapping[str, Any]
"""What is known, by its names in ``--json``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStudy:
    """A study that is looked at, and whose answers: those of people or of simulated evaluators."""

    connection: Connection
    study: Any
    course: Any  # None if its stimuli cannot be read
    simulated: bool


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
    agreement
        Computes how far evaluators agree in all that is scored; None if nothing says so. Raises
        InputError: nobody has finished.
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
        What the table of evaluators shows apart from their places, status, answers and pay, as far
        as anybody has it.
    """

    course: type[Course[Any]]
    table: Table
    heading: str
    scored: ColumnElement[bool]
    paid: ColumnElement[bool]
    agreement: Callable[[OpenStudy], Alpha | None] = lambda _here: None
    wanted: Callable[[Any], int | None] = lambda _course: None
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Facts], Iterable[str]] = lambda _facts: ()
    columns: Sequence[Column] = ()


def tally(heading: str, key: str) -> Column:
    """Declare a column of numbers; a dot stands for 0, so that the others stand out."""
    return Column(heading=heading, key=key, show=lambda number: f"{number:,}" if number else "·")
