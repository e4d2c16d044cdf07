"""Answers of a record that a central store does not take: it has others to the same trials.

That happens when a copy of a record was gone on with. The store keeps a note of each such answer,
and so does the record, until somebody settles it (`hype.store.contradictions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select

from hype.store import schema
from hype.store.answers import ANSWER_TABLES
from hype.store.central import tables
from hype.store.central.missing import known_people, people_of
from hype.store.contradictions import TRIAL, Contradiction

Name = tuple[int, str, int, int, float]
"""The cells of `TRIAL`, with a record's own number of the evaluator."""


def not_taken(
    ours: Connection, store: Connection, evaluators: Mapping[int, int], source: Table
) -> list[Name]:
    """List a record's answers that the store does not have.

    Parameters
    ----------
    evaluators
        Whose: numbers of the store by those of the record.
    source
        The record's table to look in.
    """
    if not evaluators:
        return []
    table = tables.ANSWERS[source.name]
    there = select(*(table.c[name] for name in TRIAL)).where(
        table.c.evaluator_id == func.any(list(evaluators.values()))
    )
    taken = {tuple(row) for row in store.execute(there)}
    here = select(*(source.c[name] for name in TRIAL)).where(source.c.evaluator_id.in_(evaluators))
    return [
        (who, task, block, trial, onset)
        for who, task, block, trial, onset in ours.execute(here.order_by(source.c.id))
        if (evaluators[who], task, block, trial, onset) not in taken
    ]


def rows_known(ours: Connection, store: Connection, station: str) -> Iterator[tuple[object, ...]]:
    """Yield what the record knows of contradictions, as the store takes it.

    What the store has taken after all is settled.
    """
    known = ours.execute(select(schema.contradictions)).all()
    if not known:
        return
    numbers = numbers_of(ours, store, {row.evaluator_id for row in known})
    open_still = {name for t in ANSWER_TABLES for name in not_taken(ours, store, numbers, t)}
    for row in known:
        if row.evaluator_id in numbers:
            settled = row.settled or name_of(row) not in open_still
            number, trial = numbers[row.evaluator_id], name_of(row)[1:]
            yield (number, station, *trial, False)
            if settled:
                yield (number, station, *trial, True)


def rows_at_store(ours: Connection, store: Connection, station: str) -> list[Contradiction]:
    """List what the store knows of this station's contradictions, as the record takes it."""
    found, who = schema.contradictions, tables.evaluators
    query = select(who.c.uid, found).join_from(found, who, found.c.evaluator_id == who.c.id)
    rows = store.execute(query.where(found.c.station == station).order_by(found.c.id)).all()
    here = people_of(ours) if rows else {}
    names = ("station", *TRIAL[1:], "settled")
    return [
        {"evaluator_id": here[row.uid].id, **{name: row._mapping[name] for name in names}}
        for row in rows
        if row.uid in here
    ]


def numbers_of(ours: Connection, store: Connection, whose: set[int]) -> dict[int, int]:
    uids = {uid: row.id for uid, row in people_of(ours).items() if row.id in whose}
    return {uids[uid]: known.number for uid, known in known_people(store, uids).items()}


def name_of(row: Row[Any]) -> Name:
    who, task, block, trial, onset = (row._mapping[name] for name in TRIAL)
    return who, task, block, trial, onset
