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
    course: Any  # None if the study's stimuli cannot be read
    simulated: bool
    agreement: bool = False  # whether to compare rankers with checkers, which takes longer


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusDesign:
    """A protocol's part of the status."""

    course: type[Course[Any]]  # Gives the places of the design.
    table: Table  # The answers in the record.
    heading: str  # The heading of the column with the numbers of answers.
    scored: ColumnElement[bool]  # Which answers count.
    paid: ColumnElement[bool]  # Which answers are paid.
    # The number of scored answers that a study with this course asks for; None if it sets no number
    wanted: Callable[[Any], int | None] = lambda _course: None
    # Other counts of an evaluator's answers, by name
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""  # The name of the test; the fact ``passed`` about an evaluator is its result.
    # Further facts about each evaluator, from the known facts
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    # Further facts about the study. If one is ``enough``, it says why no more evaluators are needed
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Facts], Iterable[str]] = lambda _facts: ()  # Further facts, in sentences.
    columns: Sequence[Column] = ()  # Columns about evaluators.


def tally(heading: str, key: str) -> Column:
    """Declare a column of numbers; a dot means 0, so that other numbers are easy to see."""
    return Column(heading=heading, key=key, show=lambda number: f"{number:,}" if number else "·")
