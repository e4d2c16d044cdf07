"""The part of the status that depends on the protocol: what is counted, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table

from hype.report.tabular import Column
from hype.session.course import Course

Facts = Mapping[str, Any]
"""Facts by their names in ``--json``."""


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study, and whether people or simulated evaluators are counted."""

    connection: Connection
    study: Any
    course: Any  # None if the study's stimuli cannot be read
    simulated: bool
    agreement: bool = False  # whether to compare rankers with checkers, which takes longer


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusDesign:
    """The part of the status that depends on the protocol."""

    course: type[Course[Any]]  # Gives the places of the design.
    table: Table  # The table of answers in the record.
    heading: str  # The heading for numbers of answers.
    scored: ColumnElement[bool]  # Which answers count.
    paid: ColumnElement[bool]  # Which answers are paid.
    # The number of scored answers that a study with this course needs; None if it is not set
    wanted: Callable[[Any], int | None] = lambda _course: None
    # Other counts of an evaluator's answers, by name
    counted: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    test: str = ""  # The test's name; each evaluator's fact ``passed`` has the result.
    # Computes more facts about each evaluator from those already known
    facts: Callable[[OpenStudy, Sequence[Facts]], Iterable[Facts]] = lambda *_: repeat({})
    # Computes facts about the study; ``enough`` is the reason why no more evaluators are needed
    facts_of_study: Callable[[OpenStudy, Sequence[Facts]], Facts] = lambda *_: {}
    lines: Callable[[Facts], Iterable[str]] = lambda _facts: ()  # Writes some facts as sentences.
    columns: Sequence[Column] = ()  # Columns about evaluators.


def tally(heading: str, key: str) -> Column:
    """Declare a column of numbers; zeros are shown as dots, so that other numbers stand out."""
    return Column(heading=heading, key=key, show=lambda number: f"{number:,}" if number else "·")
