"""Pushing a record to a central store: what it does not have yet, some evaluators at a time.

A part is one transaction of the store. Whatever ends a push, a part is there or it is not, and the
next push begins where this one stopped.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Final

from sqlalchemy import Connection, Engine, Table, func, select

from hype.store import schema
from hype.store.answers import ANSWER_TABLES
from hype.store.central import limits, tables
from hype.store.central.contradicting import not_taken, rows_at_store, rows_known
from hype.store.central.engine import connected, driver_of, require_version
from hype.store.central.limits import FOREVER
from hype.store.central.making import make_if_missing
from hype.store.central.missing import Pending, known_people, pending, people_of, station_at
from hype.store.central.outbound import (
    Owners,
    answers_of,
    as_it_is,
    people,
    rest_of,
    sessions_of,
)
from hype.store.central.pushed import Progress, Pushed, tell_nobody
from hype.store.central.sql import READ
from hype.store.central.staging import Staging, columns_into
from hype.store.central.told import names_at_store, names_in_record, require_same_study
from hype.store.contradictions import Contradiction, unsettled
from hype.store.sqlite_files import engine_over, in_memory

MOST_ANSWERS: Final = 4_000
"""That are pushed in one transaction, unless one evaluator gave more."""
MOST_EVALUATORS: Final = 500
"""That are pushed in one transaction."""
OWNER: Final = "(owner)"
"""Whoever owns the store, where a station would stand."""


def push(
    record: Engine, url: str, *, progress: Progress = tell_nobody, until: float = FOREVER
) -> Pushed:
    """Add to a central store what it does not have of a record.

    The record is read from a copy in memory, since whoever reads a file of SQLite's for long is in
    the way of who must write it anew.

    Parameters
    ----------
    record
        As `hype.store.record.reading_record` gives it.
    url
        Of the store.
    until
        When nothing may be waited for any more, by the monotonic clock.

    Raises
    ------
    CentralRefused
        There is no such store, it holds another study, or who asks may not add to it.
    InputError
        The record is damaged.
    CentralAway
        It cannot be reached, or went away; what was pushed until then is safe there.
    """
    with connected(url, limits.STATION, until=until) as engine, copied(record) as ours:
        make_if_missing(engine)
        reading = engine.execution_options(schema_translate_map={None: READ})
        with reading.connect() as store:
            require_version(url, store)
            require_same_study(url, names_in_record(ours), names_at_store(store))
            waiting = pending(ours, store)
            store.commit()
            return Push(ours, store).all(waiting, progress)


@contextmanager
def copied(record: Engine) -> Iterator[Connection]:
    """Read a record as it is now, in memory."""
    with closing(record.raw_connection()) as pooled:
        driver = pooled.driver_connection
        if not isinstance(driver, sqlite3.Connection):
            raise TypeError(f"{driver!r} is no record")
        copy = in_memory(driver)
    with closing(copy), engine_over(copy).connect() as connection:
        yield connection


def parts_of(waiting: Iterable[Pending]) -> Iterator[list[Pending]]:
    """Part evaluators so that none of the parts has too many answers."""
    part: list[Pending] = []
    for one in waiting:
        answers = sum(each.answers for each in part) + one.answers
        if part and (answers > MOST_ANSWERS or len(part) == MOST_EVALUATORS):
            yield part
            part = []
        part.append(one)
    if part:
        yield part


class Push:
    """One push, from a record to a store."""

    def __init__(self, ours: Connection, store: Connection) -> None:
        self._ours = ours
        self._store = store
        self._staging = Staging(driver_of(store))
        self._rows: Counter[str] = Counter()
        self._noted: list[tuple[object, ...]] = []
        self._station = station_at(store)
        self._name = self._station or OWNER

    def all(self, waiting: Sequence[Pending], progress: Progress) -> Pushed:
        """Push some evaluators at a time, then who was removed, and what is contradicted."""
        whole, done = sum(one.answers for one in waiting), 0
        self._add_alone(tables.studies, as_it_is(self._ours, tables.studies, schema.studies))
        for part in parts_of(waiting):
            self._push(part)
            self._store.commit()
            done += sum(one.answers for one in part)
            progress(done, whole)
        removals = as_it_is(self._ours, tables.removals, schema.removals)
        own = list(self._own_removals(removals))
        self._add_alone(tables.removals, own)
        known = rows_known(self._ours, self._store, self._name)
        self._add_alone(tables.contradictions, [*self._noted, *known])
        found = rows_at_store(self._ours, self._store, self._name)
        self._store.commit()
        return Pushed(
            rows=dict(self._rows),
            pending=len(waiting),
            contradictions=found,
            contradicted=self._contradicted(found),
            removed_elsewhere=len(removals) - len(own),
        )

    def _push(self, part: Sequence[Pending]) -> None:
        """Push some evaluators and all that is missing of them.

        All of it is at the server before the first row is added and others must wait for its end.
        Of those who came to another station the store takes nothing from this one.
        """
        everybody = [one.row.id for one in part]
        self._stage(tables.evaluators, people(part, self._station))
        self._stage(tables.sessions, sessions_of(self._ours, everybody))
        held = sessions_held(self._ours, everybody)
        owners = Owners(evaluators=set(everybody), sessions=set(held))
        answered = list(self._answered(part, owners))
        rest = [self._stage(table, rows) for table, rows in rest_of(self._ours, owners)]
        self._add(tables.evaluators)
        known = known_people(self._store, [one.uid for one in part])
        numbers = {one.row.id: known[one.uid].number for one in part}
        own = {
            one.row.id: numbers[one.row.id]
            for one in part
            if self._station in (None, known[one.uid].station)
        }
        self._add(tables.sessions, evaluator_id=own)
        sessions = session_numbers(held, self._store, own)
        for source, whose in answered:
            table = tables.ANSWERS[source.name]
            there = self._add(table, evaluator_id=own, session_id=sessions)
            doubtful = {who: numbers[who] for who in whose if there or who not in own}
            names = not_taken(self._ours, self._store, doubtful, source)
            self._noted += [(numbers[who], self._name, *trial, False) for who, *trial in names]
        for table in rest:
            self._add(table, evaluator_id=own, session_id=sessions)

    def _answered(
        self, part: Sequence[Pending], owners: Owners
    ) -> Iterator[tuple[Table, list[int]]]:
        """Stage answers to trials; yield each table of the record, and whose they are."""
        for source in ANSWER_TABLES:
            if whose := [one.row.id for one in part if source.name in one.missing]:
                rows = answers_of(self._ours, source, whose, owners)
                self._stage(tables.ANSWERS[source.name], rows)
                yield source, whose

    def _contradicted(self, rows: Sequence[Contradiction]) -> dict[str, int]:
        """Count the answers not taken that nobody has settled, by the code of their evaluator."""
        codes = {row.id: row.evaluator for row in people_of(self._ours).values()} if rows else {}
        return dict(Counter(codes[row["evaluator_id"]] for row in unsettled(rows)))

    def _own_removals(self, rows: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
        """Yield the removals of those who did not come to another station."""
        place = columns_into(tables.removals).index("uid")
        known = known_people(self._store, [str(row[place]) for row in rows])
        for row in rows:
            whose = known.get(str(row[place]))
            if whose is None or self._station in (None, whose.station):
                yield row

    def _add_alone(self, table: Table, rows: Iterable[Sequence[object]]) -> None:
        """Add rows in a transaction of their own."""
        self._stage(table, rows)
        self._add(table)
        self._store.commit()

    def _stage(self, table: Table, rows: Iterable[Sequence[object]]) -> Table:
        """Bring rows to the server; returns the table to which `_add` is to add them."""
        if not self._store.in_transaction():
            self._store.begin()  # which does not see what the driver does, and would not commit it
        self._staging.stage(table, rows)
        return table

    def _add(self, table: Table, **numbers: Mapping[int, int]) -> int:
        """Add to a table of the store what was brought, with the store's ``numbers`` in columns.

        Returns how many rows the store had already.
        """
        for column, given in numbers.items():
            if column in table.c:
                self._staging.renumber(table, column, given)
        added, there = self._staging.add(table)
        if added and table is not tables.contradictions:
            self._rows[table.name] += added
        return there


def sessions_held(record: Connection, evaluators: Collection[int]) -> dict[int, tuple[int, float]]:
    """Give the sessions of evaluators in a record: whose each is, and when it began."""
    found = schema.sessions.c
    query = select(found.id, found.evaluator_id, found.started_unix_s)
    rows = record.execute(query.where(found.evaluator_id.in_(evaluators)))
    return {session: (who, started) for session, who, started in rows}


def session_numbers(
    held: Mapping[int, tuple[int, float]], store: Connection, evaluators: Mapping[int, int]
) -> dict[int, int]:
    """Give the numbers that the store gave to the sessions of evaluators."""
    there = tables.sessions.c
    theirs = select(there.evaluator_id, there.started_unix_s, there.id).where(
        there.evaluator_id == func.any(list(evaluators.values()))
    )
    known = {(who, started): number for who, started, number in store.execute(theirs)}
    return {
        session: known[evaluators[who], started]
        for session, (who, started) in held.items()
        if who in evaluators
    }
