"""A protocol's part of the status: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table

from hype.report.tabular import Column
from hype.session.course import Course

Facts = Mapping[str, Any]
"""Facts, by their names in ``--json``."""


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study, and whether its people or its simulated evaluators are counted."""

    connection: Connection
    study: Any
    course: Any  # None if its stimuli cannot be read
    simulated: bool
    agreement: bool = False  # whether to compare rankers with checkers, although it takes longer


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusDesign:
    """A protocol's part of the status."""

    course: type[Course[Any]]  # gives the places of the design
    table: Table  # the answers in the record
    heading: str  # the heading of the column with the numbers of answers
    scored: ColumnElement[bool]  # which answers count
    paid: ColumnElement[bool]  # which answers are paid
    # The number of scored answers that a study with this course asks for; None if it sets none
    wanted: Callable[[Any], int | None] = lambda _course: None
    # Other counts of an evaluator's answers, by name
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""  # the test of evaluators; the fact ``passed`` is the result
    # Further facts about each evaluator, from the known facts
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    # Further facts about the study; ``enough``, if there: why no more evaluators are needed
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Facts], Iterable[str]] = lambda _facts: ()  # further facts in sentences
    columns: Sequence[Column] = ()  # of evaluators, without empty ones


def tally(heading: str, key: str) -> Column:
    """Declare a column of numbers; a dot stands for 0, so that the others stand out."""
    return Column(heading=heading, key=key, show=lambda number: f"{number:,}" if number else "·")
