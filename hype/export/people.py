"""Who came: a table beside the answers, which also has those who gave none.

It is put together of columns that each know their cells. What is said of everybody is here, and
what is said of all who answer about images of prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.export.columns import ExportedColumn, Kind, documented
from hype.export.demographics import Said, columns_of, questions_in, read_said
from hype.export.kind import PeopleTable
from hype.export.naming import utc
from hype.export.pieces import Tally
from hype.protocols.studies import PromptedStudy
from hype.store.schema import evaluators, sessions

Saying = Callable[[Row[Any]], object]
"""From an evaluator, as `arrivals` gives them, to a cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A column of the table, and what makes its cells."""

    column: ExportedColumn
    of: Saying


def recorded(name: str) -> Fact:
    return Fact(column=documented(name, evaluators.c[name]), of=attrgetter(name))


def whole(name: str, meaning: str, of: Saying) -> Fact:
    return Fact(column=ExportedColumn(name=name, meaning=meaning, kind=Kind.WHOLE), of=of)


def flag(name: str, meaning: str, of: Saying, *, gaps: bool = False) -> Fact:
    column = ExportedColumn(name=name, meaning=meaning, kind=Kind.FLAG, gaps=gaps)
    return Fact(column=column, of=of)


CAME: Final = (
    Fact(
        column=ExportedColumn(
            name="assigned_utc", meaning="when they were assigned, in UTC", kind=Kind.TEXT
        ),
        of=lambda who: utc(who.assigned_unix_s),
    ),
    whole("sessions", "how often the program was started for them", attrgetter("sessions")),
)


def answered(tally: Tally, name: str, meaning: str) -> Fact:
    return whole(name, meaning, lambda who: tally.by_evaluator[who.evaluator])


def scored(tally: Tally, name: str, levels: Mapping[str, str], why_not: Saying) -> Iterator[Fact]:
    """Count the answers of an evaluator that are scored, and say why none is."""
    meaning = f"how many of their {name} are scored"
    yield whole("scored", meaning, lambda who: tally.scored[who.evaluator])
    column = ExportedColumn(
        name="not_scored",
        meaning=f"why none of their {name} is scored; empty where there is no reason",
        kind=Kind.TEXT,
        levels=levels,
        gaps=True,
    )
    yield Fact(column=column, of=why_not)


def about_themselves(
    connection: Connection, study: PromptedStudy, *, simulated: bool
) -> Iterator[Fact]:
    """Say what evaluators said of themselves: a column for each question."""
    said = read_said(connection, simulated=simulated)
    questions = questions_in(study.settings, said)
    columns = columns_of(study.settings, questions, said)
    for question, column in zip(questions, columns, strict=True):
        yield Fact(column=column, of=partial(answer_to, question, said))


def answer_to(question: str, said: Said, who: Row[Any]) -> str:
    """Give what somebody answered; nothing where that was withheld or not asked."""
    return said.get(who.id, {}).get(question, "")


def table_of(connection: Connection, facts: Iterable[Fact], *, simulated: bool) -> PeopleTable:
    """Give a row for each evaluator, in the order of their arrival."""
    known = tuple(facts)
    rows = tuple(
        tuple(fact.of(who) for fact in known) for who in arrivals(connection, simulated=simulated)
    )
    return PeopleTable(columns=tuple(fact.column for fact in known), rows=rows)


def prompted_table(
    connection: Connection, study: PromptedStudy, did: Iterable[Fact], *, simulated: bool
) -> PeopleTable:
    """Give the table of people who answered about images of prompts, and what they ``did``."""
    facts = (
        *map(recorded, ("evaluator", "simulated", "share", "status")),
        *about_themselves(connection, study, simulated=simulated),
        *CAME,
        *did,
    )
    return table_of(connection, facts, simulated=simulated)


def arrivals(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read all evaluators in the order of their arrival, and how many sessions each had."""
    held = select(func.count()).where(sessions.c.evaluator_id == evaluators.c.id)
    query = (
        select(evaluators, held.scalar_subquery().label("sessions"))
        .where(evaluators.c.simulated == simulated)
        .order_by(evaluators.c.id)
    )
    return connection.execute(query).all()
