"""Pushing a record to a central store: what it does not have yet, some evaluators at a time.

A part is one transaction of the store. Whatever ends a push, a part is there or it is not, and the
next push begins where this one stopped.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from psycopg import Connection as Driver
from psycopg import sql
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    func,
    select,
)
from sqlalchemy.schema import CreateTable

from hype.errors import InputError
from hype.store import schema
from hype.store.central import limits, tables
from hype.store.central.engine import connected, driver_of, make_if_missing, require_version
from hype.store.central.limits import FOREVER
from hype.store.central.missing import (
    Pending,
    contradictions_noted,
    evaluators_at_store,
    names_at_store,
    names_in_record,
    not_taken,
    pending,
    people_of,
    require_same_study,
    rows_at_store,
    station_at,
)
from hype.store.central.problems import Contradiction, Progress, Pushed, tell_nobody, unsettled
from hype.store.central.tables import ADDED, DIALECT, READ, columns_into
from hype.store.schema import ANSWER_TABLES
from hype.store.sqlite_files import engine_over, in_memory

PLACE: Final = "place"
"""The column by which rows keep their order."""

Rows = Iterable[Sequence[object]]


class Staging:
    """The way into a central store, over one connection; the caller commits.

    ``driver``: the connection, as psycopg has it.
    """

    def __init__(self, driver: Driver[tuple[Any, ...]]) -> None:
        self._driver = driver
        self._staged: dict[str, int] = {}

    def stage(self, table: Table, rows: Rows) -> None:
        staged = self._empty(table)
        names = sql.SQL(", ").join(map(sql.Identifier, (PLACE, *columns_into(table))))
        copying = sql.SQL("COPY {} ({}) FROM STDIN").format(staged, names)
        number = 0
        with self._driver.cursor() as cursor, cursor.copy(copying) as copy:
            for number, row in enumerate(rows, 1):
                copy.write_row((number, *row))
        self._staged[table.name] = number

    def renumber(self, table: Table, column: str, numbers: Mapping[int, int]) -> None:
        """Put the store's numbers in the place of the record's, in a column of what was staged.

        Rows of others than those who have a number are not added.
        """
        name = sql.Identifier(column)
        others = sql.SQL("DELETE FROM {} WHERE {} <> ALL(%s)").format(staging_name(table), name)
        self._staged[table.name] -= self._driver.execute(others, [list(numbers)]).rowcount
        query = sql.SQL(
            "UPDATE {0} s SET {1} = n.theirs "
            "FROM unnest(%s::bigint[], %s::bigint[]) AS n (ours, theirs) WHERE s.{1} = n.ours"
        ).format(staging_name(table), name)
        self._driver.execute(query, [list(numbers), list(numbers.values())])

    def add(self, table: Table) -> tuple[int, int]:
        """Add what was staged to a table of the store.

        Returns how many rows were new, and how many the store had.
        """
        with self._driver.cursor() as cursor:
            cursor.execute(moving(table, staging_name(table), columns_into(table)))
            return cursor.rowcount, self._staged[table.name] - cursor.rowcount

    def _empty(self, table: Table) -> sql.Identifier:
        """Make the temporary table once, and empty it."""
        name = staging_name(table)
        if table.name in self._staged:
            self._driver.execute(sql.SQL("TRUNCATE {}").format(name))
        else:
            self._driver.execute(staging_made(table).encode())
        return name


def staging_name(table: Table) -> sql.Identifier:
    return sql.Identifier(f"adding_{table.name}")


def place_of(table: Table) -> sql.Identifier:
    return sql.Identifier(ADDED, table.name)


def staging_made(table: Table) -> str:
    """Make the statement that makes a temporary table, whose cells may all be empty."""
    columns: list[Column[Any]] = [Column(PLACE, Integer)]
    columns += [Column(name, type(table.c[name].type)) for name in columns_into(table)]
    temporary = Table(
        f"adding_{table.name}",
        MetaData(),
        *columns,
        prefixes=["TEMPORARY"],
        postgresql_on_commit="DELETE ROWS",
    )
    return str(CreateTable(temporary).compile(dialect=DIALECT))


def moving(table: Table, staged: sql.Identifier, columns: Sequence[str]) -> sql.Composed:
    """Make the statement that takes rows on from the temporary table, in their order."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL(
        "INSERT INTO {} ({}) SELECT {} FROM {} ORDER BY {} ON CONFLICT DO NOTHING"
    ).format(place_of(table), names, names, staged, sql.Identifier(PLACE))


Cells = list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Evaluators and their sessions, by their numbers in the record."""

    evaluators: Collection[int]
    sessions: Collection[int]


def people(part: Collection[Pending], station: str | None) -> Iterator[Cells]:
    """Give the rows of evaluators; they came to ``station``, whatever it was called then.

    Whoever owns the store is no station, and leaves them where they came.
    """
    names = columns_into(tables.evaluators)
    for evaluator in part:
        row = dict(evaluator.row._mapping) | {"uid": evaluator.uid}
        row |= {"station": station} if station else {}
        yield [row[name] for name in names]


def sessions_of(record: Connection, evaluators: Collection[int]) -> Iterator[Cells]:
    columns = schema.sessions.c
    query = selected(tables.sessions, schema.sessions).where(columns.evaluator_id.in_(evaluators))
    rows = record.execute(query.order_by(columns.id))
    return owned(tables.sessions, rows, Owners(evaluators=evaluators, sessions=()))


def answers_of(
    record: Connection, source: Table, evaluators: Collection[int], owners: Owners
) -> Iterator[Cells]:
    table = tables.ANSWERS[source.name]
    query = selected(table, source).where(source.c.evaluator_id.in_(evaluators))
    return owned(table, record.execute(query.order_by(source.c.id)), owners)


def rest_of(record: Connection, owners: Owners) -> Iterator[tuple[Table, Iterator[Cells]]]:
    """Give what else there is of evaluators, table by table."""
    who, held = schema.evaluators.c, schema.sessions.c
    demographics, befell = schema.demographics.c, schema.events.c
    asked = {"asked_unix_s": func.coalesce(demographics.asked_unix_s, 0.0)}
    queries = (
        (
            tables.demographics,
            selected(tables.demographics, schema.demographics, asked)
            .where(demographics.evaluator_id.in_(owners.evaluators))
            .order_by(demographics.id),
        ),
        (
            tables.events,
            selected(tables.events, schema.events, {"number": befell.id})
            .where(befell.session_id.in_(owners.sessions))
            .order_by(befell.id),
        ),
        (
            tables.ends,
            selected(tables.ends, schema.sessions, {"session_id": held.id}).where(
                held.id.in_(owners.sessions), held.ended.is_not(None)
            ),
        ),
        (
            tables.parts,
            selected(tables.parts, schema.evaluators, {"evaluator_id": who.id}).where(
                who.id.in_(owners.evaluators), who.status != "active"
            ),
        ),
    )
    for table, query in queries:
        yield table, owned(table, record.execute(query), owners)


def as_it_is(record: Connection, table: Table, source: Table) -> Sequence[Row[Any]]:
    """Give all rows of a table that belong to nobody, at each station in the same order.

    Else two that push at once could each wait for what the other one added first.
    """
    return record.execute(selected(table, source).order_by(*source.primary_key)).all()


def studies_of(record: Connection) -> Sequence[Row[Any]]:
    """Give the studies that are what their checksum says; stations can add no others."""
    rows = as_it_is(record, tables.studies, schema.studies)
    return [row for row in rows if sha256(str(row.resolved).encode()).hexdigest() == row.checksum]


def selected(
    table: Table, source: Table, made: Mapping[str, ColumnElement[Any]] | None = None
) -> Select[Any]:
    """Select the columns that a table of the store takes; some of them are ``made`` of others."""
    ours = made or {}
    return select(*(ours[name] if name in ours else source.c[name] for name in columns_into(table)))


def owned(table: Table, rows: Any, owners: Owners) -> Iterator[Cells]:
    """Make sure that rows are of evaluators and sessions that are brought too.

    Raises InputError: a row is of an evaluator, or of a session of theirs, that is not in the
    record.
    """
    columns = columns_into(table)
    owner_numbers = {"evaluator_id": owners.evaluators, "session_id": owners.sessions}
    places = [
        (columns.index(name), owner_numbers[name]) for name in owner_numbers if name in columns
    ]
    for row in rows:
        if any(row[place] not in those for place, those in places):
            problem = f"has {table.name} of a session that is not their evaluator's"
            raise InputError("the record", problem, "hype verify STUDY tells which")
        yield list(row)


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

    ``record``: as `hype.store.record.reading_record` gives it.
    ``until``: when nothing may be waited for any more, by the monotonic clock.

    Raises CentralRefused: there is no such store, it holds another study, or who asks may not add
    to it.

    Raises InputError: the record is damaged.
    Raises CentralAway: it cannot be reached, or went away; what was pushed until then is safe
    there.
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
    for evaluator in waiting:
        answers = sum(each.answers for each in part) + evaluator.answers
        if part and (answers > MOST_ANSWERS or len(part) == MOST_EVALUATORS):
            yield part
            part = []
        part.append(evaluator)
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
        whole, done = sum(evaluator.answers for evaluator in waiting), 0
        self._add_alone(tables.studies, studies_of(self._ours))
        for part in parts_of(waiting):
            self._push(part)
            self._store.commit()
            done += sum(evaluator.answers for evaluator in part)
            progress(done, whole)
        removals = as_it_is(self._ours, tables.removals, schema.removals)
        own = list(self._own_removals(removals))
        self._add_alone(tables.removals, own)
        noted = contradictions_noted(self._ours, self._store, self._name)
        self._add_alone(tables.contradictions, [*self._noted, *noted])
        rows = rows_at_store(self._ours, self._store, self._name)
        self._store.commit()
        return Pushed(
            rows=dict(self._rows),
            pending=len(waiting),
            contradictions=rows,
            contradicted=self._contradicted(rows),
            removed_elsewhere=len(removals) - len(own),
        )

    def _push(self, part: Sequence[Pending]) -> None:
        """Push some evaluators and all that is missing of them.

        All of it is at the server before the first row is added and others must wait for its end.
        Of those who came to another station the store takes nothing from this one.
        """
        everybody = [evaluator.row.id for evaluator in part]
        self._stage(tables.evaluators, people(part, self._station))
        self._stage(tables.sessions, sessions_of(self._ours, everybody))
        held = sessions_held(self._ours, everybody)
        owners = Owners(evaluators=set(everybody), sessions=set(held))
        answered = list(self._answered(part, owners))
        rest = [self._stage(table, rows) for table, rows in rest_of(self._ours, owners)]
        self._add(tables.evaluators)
        at_store = evaluators_at_store(self._store, [evaluator.uid for evaluator in part])
        numbers = {evaluator.row.id: at_store[evaluator.uid].number for evaluator in part}
        own = {
            evaluator.row.id: numbers[evaluator.row.id]
            for evaluator in part
            if self._station in (None, at_store[evaluator.uid].station)
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
            if whose := [
                evaluator.row.id for evaluator in part if source.name in evaluator.missing
            ]:
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
        at_store = evaluators_at_store(self._store, [str(row[place]) for row in rows])
        for row in rows:
            whose = at_store.get(str(row[place]))
            if whose is None or self._station in (None, whose.station):
                yield row

    def _add_alone(self, table: Table, rows: Iterable[Sequence[object]]) -> None:
        self._stage(table, rows)
        self._add(table)
        self._store.commit()

    def _stage(self, table: Table, rows: Iterable[Sequence[object]]) -> Table:
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
    columns = schema.sessions.c
    query = select(columns.id, columns.evaluator_id, columns.started_unix_s)
    rows = record.execute(query.where(columns.evaluator_id.in_(evaluators)))
    return {session: (who, started) for session, who, started in rows}


def session_numbers(
    held: Mapping[int, tuple[int, float]], store: Connection, evaluators: Mapping[int, int]
) -> dict[int, int]:
    """Give the numbers that the store gave to the sessions of evaluators."""
    there = tables.sessions.c
    theirs = select(there.evaluator_id, there.started_unix_s, there.id).where(
        there.evaluator_id == func.any(list(evaluators.values()))
    )
    number_of_session = {(who, started): number for who, started, number in store.execute(theirs)}
    return {
        session: number_of_session[evaluators[who], started]
        for session, (who, started) in held.items()
        if who in evaluators
    }
