"""Copy records table by table, and join records of one study, person by person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, Select, Table, func, insert, select

from hype.errors import InputError
from hype.store.columns import metadata
from hype.store.people import delete_evaluators, insert_one, keep_study, tables_of_people
from hype.store.postgres import is_postgres
from hype.store.schema import evaluators, events, removals, sessions, studies, tables
from hype.store.sqlite_files import connect, engine_over, mark_as_record

ROWS_AT_ONCE: Final = 5000


@contextmanager
def copy_to_memory(
    source: Connection, rows_of: Callable[[Table], Select[Any]] = select
) -> Iterator[Engine]:
    """Copy a record into SQLite in memory; ``rows_of`` selects the rows of each table."""
    with closing(connect(":memory:")) as memory:
        copy = engine_over(memory)
        with copy.begin() as target:
            metadata.create_all(target, tables=tables())
            for table in tables():
                write = str(insert(table).compile(target))
                for rows in source.execute(rows_of(table)).partitions(ROWS_AT_ONCE):
                    target.exec_driver_sql(write, [tuple(row) for row in rows])
            mark_as_record(target)
        yield copy


@contextmanager
def as_sqlite(reading: AbstractContextManager[Engine]) -> Iterator[Engine]:
    """Read a record through SQLite; a record in PostgreSQL is first copied into memory."""
    with reading as engine:
        if not is_postgres(engine):
            yield engine
            return
        with engine.connect() as source, copy_to_memory(source) as copy:
            source.rollback()
            yield copy


SAME = ("plan", "seed", "assigned_unix_s")
"""Two rows describe the same person if their codes and these columns are equal."""


def join(
    source: Connection, target: Connection, *, where: object, prefix: str = ""
) -> dict[str, int]:
    """Add the evaluators of ``source`` to the record ``target``, within its open transaction.

    Returns the numbers of people who were ``added``, who were ``already_there``, and who were
    copied again (``gone_on``), because ``source`` has more of their rows than ``target``.

    ``prefix`` is put before the evaluators' codes.

    Raises InputError: a code belongs to different people in ``source`` and ``target``.
    """
    for row in source.execute(select(studies)):
        keep_study(target, row.checksum, row.resolved)
    there = {(row.evaluator, row.simulated): row for row in target.execute(select(evaluators))}
    came = source.execute(select(evaluators).order_by(evaluators.c.id)).all()
    wanted, already_there, gone_on = [], 0, 0
    clashes = []
    for row in came:
        other = there.get((prefix + row.evaluator, row.simulated))
        if other is None:
            wanted.append(row)
        elif any(getattr(row, name) != getattr(other, name) for name in SAME):
            clashes.append(row.evaluator)
        elif rows_of(source, row.id) > rows_of(target, other.id):
            delete_evaluators(target, evaluators.c.id == other.id)
            wanted.append(row)
            gone_on += 1
        else:
            already_there += 1
    if clashes:
        more = f" and {len(clashes) - 1:,} more codes" if clashes[1:] else ""
        problem = f"contains {clashes[0]!r}{more}, but the study has other people with these codes"
        raise InputError(
            where, problem, "--prefix NAME- puts NAME- before the codes of this record"
        )
    add_people(source, target, wanted, prefix)
    noted = set(target.execute(select(removals.c.removed_unix_s)).scalars())
    for note in source.execute(select(removals)).mappings():
        if note["removed_unix_s"] not in noted:
            target.execute(insert(removals), {k: v for k, v in note.items() if k != "id"})
    added = len(wanted) - gone_on
    return {"added": added, "already_there": already_there, "gone_on": gone_on}


def rows_of(connection: Connection, evaluator_id: int) -> int:
    """Count the rows of an evaluator: sessions, answers and events."""
    theirs = select(sessions.c.id).where(sessions.c.evaluator_id == evaluator_id)
    numbers = [
        select(func.count()).select_from(table).where(table.c.evaluator_id == evaluator_id)
        for table in (sessions, *tables_of_people())
    ]
    numbers.append(select(func.count()).select_from(events).where(events.c.session_id.in_(theirs)))
    return sum(connection.execute(number).scalar_one() for number in numbers)


def add_people(
    source: Connection, target: Connection, people: Collection[Row[Any]], prefix: str
) -> None:
    """Copy people with all their rows; they and their sessions get new numbers."""
    numbers: dict[int, int] = {}
    for row in people:
        cells = dict(row._mapping)
        number = cells.pop("id")
        if prefix:
            cells["drawn_for"] = cells["drawn_for"] or cells["evaluator"]
            cells["evaluator"] = prefix + cells["evaluator"]
        numbers[number] = insert_one(target, evaluators, cells)
    of_sessions: dict[int, int] = {}
    for row in source.execute(select(sessions).order_by(sessions.c.id)):
        if row.evaluator_id in numbers:
            cells = dict(row._mapping)
            number = cells.pop("id")
            cells["evaluator_id"] = numbers[row.evaluator_id]
            of_sessions[number] = insert_one(target, sessions, cells)
    new = {"evaluator_id": numbers, "session_id": of_sessions}
    for table in (*tables_of_people(), events):
        owners = [name for name in new if name in table.c]
        found = source.execute(select(table).order_by(table.c.id)).mappings()
        for part in found.partitions(ROWS_AT_ONCE):
            rows = [
                {name: cell for name, cell in row.items() if name != "id"}
                | {name: new[name][row[name]] for name in owners}
                for row in part
                if all(row[name] in new[name] for name in owners)
            ]
            if rows:
                target.execute(insert(table), rows)
