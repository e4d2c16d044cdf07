"""Rows of a record as a central store takes them: with its own numbers of people and sessions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, select

from hype.errors import InputError
from hype.store import schema
from hype.store.central import tables
from hype.store.central.missing import Pending
from hype.store.central.staging import columns_into

Cells = list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the store calls evaluators and sessions, by what the record calls them."""

    evaluators: Mapping[int, int]
    sessions: Mapping[int, int]


def people(part: Collection[Pending], station: str | None) -> Iterator[Cells]:
    """Give the rows of evaluators; they came to ``station``, whatever it was called then.

    Whoever owns the store is no station, and leaves them where they came.
    """
    names = columns_into(tables.evaluators)
    for one in part:
        row = dict(one.row._mapping) | {"uid": one.uid}
        row |= {"station": station} if station else {}
        yield [row[name] for name in names]


def sessions_of(record: Connection, evaluators: Mapping[int, int]) -> Iterator[Cells]:
    """Give the rows of evaluators' sessions."""
    found = schema.sessions.c
    query = selected(tables.sessions, schema.sessions).where(found.evaluator_id.in_(evaluators))
    rows = record.execute(query.order_by(found.id))
    return renumbered(tables.sessions, rows, Numbers(evaluators=evaluators, sessions={}))


def answers_of(
    record: Connection, source: Table, evaluators: Collection[int], numbers: Numbers
) -> Iterator[Cells]:
    """Give the rows of evaluators' answers to trials."""
    table = tables.ANSWERS[source.name]
    query = selected(table, source).where(source.c.evaluator_id.in_(evaluators))
    return renumbered(table, record.execute(query.order_by(source.c.id)), numbers)


def rest_of(record: Connection, numbers: Numbers) -> Iterator[tuple[Table, Iterator[Cells]]]:
    """Give what else there is of evaluators, table by table."""
    who, held = schema.evaluators.c, schema.sessions.c
    told, befell = schema.demographics.c, schema.events.c
    asked = {"asked_unix_s": func.coalesce(told.asked_unix_s, 0.0)}
    queries = (
        (
            tables.demographics,
            selected(tables.demographics, schema.demographics, asked)
            .where(told.evaluator_id.in_(numbers.evaluators))
            .order_by(told.id),
        ),
        (
            tables.events,
            selected(tables.events, schema.events, {"number": befell.id})
            .where(befell.session_id.in_(numbers.sessions))
            .order_by(befell.id),
        ),
        (
            tables.ends,
            selected(tables.ends, schema.sessions, {"session_id": held.id}).where(
                held.id.in_(numbers.sessions), held.ended.is_not(None)
            ),
        ),
        (
            tables.parts,
            selected(tables.parts, schema.evaluators, {"evaluator_id": who.id}).where(
                who.id.in_(numbers.evaluators), who.status != "active"
            ),
        ),
    )
    for table, query in queries:
        yield table, renumbered(table, record.execute(query), numbers)


def as_it_is(record: Connection, table: Table, source: Table) -> Sequence[Sequence[object]]:
    """Give all rows of a table that belong to nobody, at each station in the same order.

    Else two that push at once could each wait for what the other one added first.
    """
    return record.execute(selected(table, source).order_by(*source.primary_key)).all()


def selected(
    table: Table, source: Table, made: Mapping[str, ColumnElement[Any]] | None = None
) -> Select[Any]:
    """Select the columns that a table of the store takes; some of them are ``made`` of others."""
    ours = made or {}
    return select(*(ours[name] if name in ours else source.c[name] for name in columns_into(table)))


def renumbered(table: Table, rows: Any, numbers: Numbers) -> Iterator[Cells]:
    """Put the store's numbers in the place of the record's.

    Raises
    ------
    InputError
        A row is of an evaluator, or of a session of theirs, that is not in the record.
    """
    columns = columns_into(table)
    known = {"evaluator_id": numbers.evaluators, "session_id": numbers.sessions}
    places = [(columns.index(name), known[name]) for name in known if name in columns]
    for row in rows:
        cells = list(row)
        try:
            for place, renamed in places:
                cells[place] = renamed[cells[place]]
        except KeyError:
            problem = f"has {table.name} of a session that is not their evaluator's"
            raise InputError("the record", problem, "hype verify STUDY tells which") from None
        yield cells
