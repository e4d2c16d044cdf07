"""A protocol's part of the status: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Table

from hype.report.tabular import Column
from hype.session.course import Course

if TYPE_CHECKING:  # statistics take longer to load than a status to count
    from hype.statistics.alpha import Alpha

Facts = Mapping[str, Any]
"""What is known, by its names in ``--json``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStudy:
    """A study, and whether its people or simulated evaluators are examined."""

    connection: Connection
    study: Any
    course: Any  # None if its stimuli cannot be read
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusDesign:
    """A protocol's part of the status."""

    course: type[Course[Any]]  # gives the places of the design
    table: Table  # the answers in the record
    heading: str  # above a column of numbers of answers
    scored: ColumnElement[bool]  # which answers count
    paid: ColumnElement[bool]  # which answers are paid
    # Agreement of evaluators in all scored answers. Raises InputError: nobody has finished
    agreement: Callable[[OpenStudy], Alpha | None] = lambda _here: None
    # How many answers that count a study asks for, by its course; None if it sets no number
    wanted: Callable[[Any], int | None] = lambda _course: None
    # Which other answers of an evaluator are counted, by the name of the number
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""  # the test of evaluators; the fact ``passed`` is the result
    # Further facts about each evaluator, from these numbers
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    # Further facts about the study; ``enough``: why no more evaluators are needed, if so
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Facts], Iterable[str]] = lambda _facts: ()  # the latter in sentences
    columns: Sequence[Column] = ()  # columns of the table of evaluators, if anybody has them


def tally(heading: str, key: str) -> Column:
    """Declare a column of numbers; a dot stands for 0, so that the others stand out."""
    return Column(heading=heading, key=key, show=lambda number: f"{number:,}" if number else "·")
