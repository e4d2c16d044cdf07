"""What a record holds of one evaluator, read one evaluator at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from hype.sessions.verify.found import Whose, shown
from hype.store.people import Evaluator, evaluator_of
from hype.store.schema import evaluators, events, judgements, sessions

Key = tuple[object, object, object]
"""What identifies a trial of an evaluator: task, block and number, as the record has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluator: their row, and their sessions, events and judgements by their numbers.

    ``seed`` is the one that their row names. Rows with impossible cells are left out, except
    judgements: those still count, and ``unreadable`` has their numbers. `readable` are the others.
    """

    who: Evaluator
    seed: str
    sessions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    rows: Sequence[Row[Any]]
    unreadable: Collection[int]

    @property
    def whose(self) -> Whose:
        """Whom findings concern."""
        return Whose(self.who.evaluator, bool(self.who.simulated))

    @property
    def readable(self) -> list[Row[Any]]:
        """Judgements whose cells all hold what their columns may."""
        return [row for row in self.rows if row.id not in self.unreadable]

    def events_of(self, session: int) -> list[Row[Any]]:
        """Give the events of one session."""
        return [event for event in self.events if event.session_id == session]


def read_cases(connection: Connection, bad: Mapping[str, Collection[int]]) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival.

    ``bad`` has the numbers of the rows with impossible cells, by table.
    """
    for row in connection.execute(select(evaluators).order_by(evaluators.c.id)).all():
        if row.id not in bad["evaluators"]:
            yield read_case(connection, row, bad)


def read_case(connection: Connection, row: Row[Any], bad: Mapping[str, Collection[int]]) -> Case:
    """Read one evaluator."""
    theirs = select(sessions).where(sessions.c.evaluator_id == row.id)
    befell = select(events).join(sessions).where(sessions.c.evaluator_id == row.id)
    judged = select(judgements).where(judgements.c.evaluator_id == row.id)
    return Case(
        who=evaluator_of(row),
        seed=row.seed,
        sessions=[
            session
            for session in connection.execute(theirs.order_by(sessions.c.id))
            if session.id not in bad["sessions"]
        ],
        events=[
            event
            for event in connection.execute(befell.order_by(events.c.id))
            if event.id not in bad["events"]
        ],
        rows=[
            row
            for row in connection.execute(judged.order_by(judgements.c.id))
            if isinstance(row.id, int)
        ],
        unreadable=bad["judgements"],
    )


def key_of(row: Row[Any]) -> Key:
    """Give the trial that a judgement or an event is of."""
    return (row.task, row.block, row.trial)


def name_of(key: Key) -> str:
    """Name a trial in a message."""
    task, block, trial = key
    return f"{shown(task)} block {shown(block)} trial {shown(trial)}"
