"""What a record holds of one evaluator, read one evaluator at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select

from hype.store.answers import ANSWER_TABLES
from hype.store.people import Evaluator, evaluator_of
from hype.store.schema import demographics, evaluators, events, sessions
from hype.verify.answers import AnswerChecks
from hype.verify.findings import Whose


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluator: their row, and their sessions, events and answers by their numbers.

    Rows with impossible cells are left out, except answers: those still count.

    Attributes
    ----------
    kind
        What they answer.
    seed
        The one that their row names.
    rows, unreadable
        Their answers, and the numbers of those with impossible cells; `readable` are the others.
    strays
        How many answers of another kind there are, by table.
    said
        What they said of themselves.
    """

    who: Evaluator
    kind: AnswerChecks
    seed: str
    sessions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    rows: Sequence[Row[Any]]
    unreadable: Collection[int]
    strays: Mapping[str, int]
    statements: Sequence[Row[Any]]

    @property
    def whose(self) -> Whose:
        return Whose(self.who.evaluator, bool(self.who.simulated))

    @property
    def readable(self) -> list[Row[Any]]:
        return [row for row in self.rows if row.id not in self.unreadable]

    def events_of(self, session: int) -> list[Row[Any]]:
        return [event for event in self.events if event.session_id == session]


def read_cases(
    connection: Connection,
    bad: Mapping[str, Collection[int]],
    kind_of: Callable[[Evaluator], AnswerChecks],
) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival.

    Parameters
    ----------
    bad
        Numbers of the rows with impossible cells, by table.
    kind_of
        Tells what an evaluator answers.
    """
    for row in connection.execute(select(evaluators).order_by(evaluators.c.id)).all():
        if row.id not in bad["evaluators"]:
            yield read_case(connection, row, bad, kind_of(evaluator_of(row)))


def read_case(
    connection: Connection, row: Row[Any], bad: Mapping[str, Collection[int]], kind: AnswerChecks
) -> Case:
    """Read one evaluator."""
    held = rows_of(connection, sessions, row.id)
    befell = select(events).join(sessions).where(sessions.c.evaluator_id == row.id)
    table = kind.storage.table
    others = [other for other in ANSWER_TABLES if other is not table]
    return Case(
        who=evaluator_of(row),
        kind=kind,
        seed=row.seed,
        sessions=[one for one in held if one.id not in bad["sessions"]],
        events=[
            event
            for event in connection.execute(befell.order_by(events.c.id))
            if event.id not in bad["events"]
        ],
        rows=[one for one in rows_of(connection, table, row.id) if isinstance(one.id, int)],
        unreadable=bad[table.name],
        strays={other.name: count_of(connection, other, row.id) for other in others},
        statements=[
            one
            for one in rows_of(connection, demographics, row.id)
            if one.id not in bad["demographics"]
        ],
    )


def rows_of(connection: Connection, table: Table, evaluator_id: int) -> Sequence[Row[Any]]:
    query = select(table).where(table.c.evaluator_id == evaluator_id).order_by(table.c.id)
    return connection.execute(query).all()


def count_of(connection: Connection, table: Table, evaluator_id: int) -> int:
    query = select(func.count()).where(table.c.evaluator_id == evaluator_id)
    return int(connection.execute(query).scalar_one())
