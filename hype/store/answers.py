"""Answers in the record: those of an evaluator for replaying, and all of them for going out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Function,
    Integer,
    Label,
    Select,
    and_,
    func,
    select,
)

from hype.session.loop import Answered
from hype.store.columns import RecordedAnswers, column, own_columns
from hype.store.schema import RECORDED, Event, evaluators, events, sessions


def answers_of(connection: Connection, evaluator_id: int) -> Sequence[Answered]:
    """Read an evaluator's answered trials in order, for replaying them.

    A study has one protocol, so that all of them are in one table.
    """

    def in_table(kind: RecordedAnswers) -> list[Answered]:
        columns = kind.table.c
        query = select(kind.table).where(columns.evaluator_id == evaluator_id)
        return [kind.answered(row) for row in connection.execute(query.order_by(columns.id))]

    return list(chain.from_iterable(map(in_table, RECORDED)))


CUT = (
    select(
        sessions.c.evaluator_id,
        events.c.task,
        events.c.block,
        events.c.trial,
        func.count().label("times"),
    )
    .join(sessions, events.c.session_id == sessions.c.id)
    .where(events.c.event == Event.INTERRUPTED.value)
    .group_by(sessions.c.evaluator_id, events.c.task, events.c.block, events.c.trial)
    .subquery()
)
"""Each trial that was interrupted, and how many times."""
INTERRUPTIONS: Final = column(
    "interruptions",
    Integer,
    "how often the trial was begun before and cut off, its image perhaps seen",
)
"""What the exported columns hold that no table has."""
INTERRUPTED: Final = func.coalesce(CUT.c.times, 0).label(INTERRUPTIONS.name)


def columns_read(kind: RecordedAnswers) -> tuple[ColumnElement[Any], ...]:
    """Give what is read of an answer that goes out: whose it is, how it is kept, how often cut."""
    table = kind.table
    of_others = {
        "session": table.c.session_id.label("session"),
        **{name: evaluators.c[name] for name in ("evaluator", "condition", "status")},
    }
    own = own_columns(table)

    def read(name: str) -> ColumnElement[Any]:
        if name not in own:
            return of_others[name]
        if name not in of_others:
            return table.c[name]
        return func.coalesce(table.c[name], of_others[name]).label(name)

    return (*map(read, kind.exported), INTERRUPTED)


def answers_query(
    kind: RecordedAnswers, *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select answers as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    table, columns = kind.table, () if kind.gathered else columns
    wanted = [c for c in columns_read(kind) if not columns or name_of(c) in columns]
    query = select(*wanted).join(evaluators, table.c.evaluator_id == evaluators.c.id)
    if any(one is INTERRUPTED for one in wanted):
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == table.c[name] for name in trial)))
    order = (table.c.evaluator_id, table.c.id) if kind.gathered else (table.c.id,)
    return query.where(table.c.simulated == simulated).order_by(*order)


def name_of(exported: ColumnElement[Any]) -> str:
    return str(exported.key)


def exported_columns(kind: RecordedAnswers) -> tuple[str, ...]:
    return tuple(exported_declarations(kind))


def exported_declarations(kind: RecordedAnswers) -> dict[str, Column[Any]]:
    """Give how each exported column is declared, by the name under which it goes out."""
    # What a renamed column wraps is the declared one; what two tables may have is the evaluator's.
    sources: dict[str, Any] = {
        name_of(c): c.element if isinstance(c, Label) else c for c in columns_read(kind)
    }
    sources[INTERRUPTIONS.name] = INTERRUPTIONS
    of_both = (name for name, c in sources.items() if isinstance(c, Function))
    sources |= {name: evaluators.c[name] for name in of_both}
    if kind.gathered is None:
        return sources
    return {
        name: sources[name] if isinstance(one, str) else one
        for one in kind.gathered.declared
        for name in [one if isinstance(one, str) else one.name]
    }


def read_answers(
    kind: RecordedAnswers, engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the answers of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        rows = connection.execute(answers_query(kind, simulated=simulated, columns=columns))
        if kind.gathered is None:
            yield from map(tuple, rows)
            return
        names = exported_columns(kind)
        places = [at for at, name in enumerate(names) if not columns or name in columns]
        for row in kind.gathered.rows(rows):
            yield tuple(row[at] for at in places)
