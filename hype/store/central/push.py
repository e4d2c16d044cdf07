"""Pushing a record to a central store: what it does not have yet, some evaluators at a time.

A part is one transaction of the store. Whatever ends a push, a part is there or it is not, and the
next push begins where this one stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, Engine, Table, func, select

from hype.store import schema
from hype.store.answers import ANSWER_TABLES
from hype.store.central import tables
from hype.store.central.contradicting import not_taken, rows_at_store, rows_known
from hype.store.central.engine import connected, driver_of, require_version
from hype.store.central.making import make_if_missing
from hype.store.central.missing import Pending, known_people, pending, people_of, station_at
from hype.store.central.outbound import (
    Numbers,
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

MOST_ANSWERS: Final = 4_000
"""That are pushed in one transaction, unless one evaluator gave more."""
MOST_EVALUATORS: Final = 500
"""That are pushed in one transaction."""
OWNER: Final = "(owner)"
"""Whoever owns the store, where a station would stand."""


def push(record: Engine, url: str, *, progress: Progress = tell_nobody) -> Pushed:
    """Add to a central store what it does not have of a record.

    Parameters
    ----------
    record
        As `hype.store.record.reading_record` gives it.
    url
        Of the store.

    Raises
    ------
    CentralRefused
        There is no such store, it holds another study, or who asks may not add to it.
    InputError
        The record is damaged.
    CentralAway
        It cannot be reached, or went away; what was pushed until then is safe there.
    """
    with connected(url) as engine, record.connect() as ours:
        make_if_missing(engine)
        reading = engine.execution_options(schema_translate_map={None: READ})
        with reading.connect() as store:
            ours.exec_driver_sql("BEGIN")  # one state of it, whoever writes to it meanwhile
            require_version(url, store)
            require_same_study(url, names_in_record(ours), names_at_store(store))
            waiting = pending(ours, store)
            store.commit()
            return Push(ours, store).all(waiting, progress)


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
        self._station = station_at(store)
        self._name = self._station or OWNER

    def all(self, waiting: Sequence[Pending], progress: Progress) -> Pushed:
        """Push some evaluators at a time, then who was removed, and what is contradicted."""
        whole, done = sum(one.answers for one in waiting), 0
        self._add(tables.studies, as_it_is(self._ours, tables.studies, schema.studies))
        for part in parts_of(waiting):
            self._push(part)
            self._store.commit()
            done += sum(one.answers for one in part)
            progress(done, whole)
        removals = as_it_is(self._ours, tables.removals, schema.removals)
        own = list(self._own_removals(removals))
        self._add(tables.removals, own)
        known = list(rows_known(self._ours, self._store, self._name))
        self._add(tables.contradictions, known)
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

        Of those who came to another station the store takes nothing from this one.
        """
        self._add(tables.evaluators, people(part, self._station))
        known = known_people(self._store, [one.uid for one in part])
        own = [one for one in part if self._station in (None, known[one.uid].station)]
        evaluators = {one.row.id: known[one.uid].number for one in own}
        self._add(tables.sessions, sessions_of(self._ours, evaluators))
        sessions = session_numbers(self._ours, self._store, evaluators)
        numbers = Numbers(evaluators=evaluators, sessions=sessions)
        for answers in ANSWER_TABLES:
            self._answers(answers, [one for one in own if answers.name in one.missing], numbers)
        for table, rows in rest_of(self._ours, numbers):
            self._add(table, rows)
        others = {one.row.id: known[one.uid].number for one in part if one not in own}
        self._contradict(others, ANSWER_TABLES)

    def _answers(self, source: Table, whose: Sequence[Pending], numbers: Numbers) -> None:
        """Push answers to trials, and note those to which the store has another."""
        if not whose:
            return
        evaluators = {one.row.id: numbers.evaluators[one.row.id] for one in whose}
        rows = answers_of(self._ours, source, evaluators, numbers)
        if self._add(tables.ANSWERS[source.name], rows):
            self._contradict(evaluators, [source])

    def _contradict(self, evaluators: Mapping[int, int], sources: Iterable[Table]) -> None:
        """Note which answers of evaluators the store has not taken."""
        if evaluators:
            names = not_taken(self._ours, self._store, evaluators, sources)
            rows = [(evaluators[who], self._name, *trial, False) for who, *trial in names]
            self._add(tables.contradictions, rows)

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

    def _add(self, table: Table, rows: Iterable[Sequence[object]]) -> int:
        """Add rows to a table of the store; returns how many it had already."""
        if not self._store.in_transaction():
            self._store.begin()  # which does not see what the driver does, and would not commit it
        added, there = self._staging.add(table, rows)
        if added and table is not tables.contradictions:
            self._rows[table.name] += added
        return there


def session_numbers(
    ours: Connection, store: Connection, evaluators: Mapping[int, int]
) -> dict[int, int]:
    """Give the numbers that the store gave to the sessions of evaluators."""
    here, there = schema.sessions.c, tables.sessions.c
    theirs = select(there.evaluator_id, there.started_unix_s, there.id).where(
        there.evaluator_id == func.any(list(evaluators.values()))
    )
    known = {(who, started): number for who, started, number in store.execute(theirs)}
    held = select(here.id, here.evaluator_id, here.started_unix_s).where(
        here.evaluator_id.in_(evaluators)
    )
    found = ours.execute(held)
    return {session: known[evaluators[who], started] for session, who, started in found}
