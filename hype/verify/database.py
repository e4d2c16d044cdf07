"""Whether the file is a whole database, and its cells what their columns may hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Table,
    false,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.sql.schema import Column

from hype.errors import InputError
from hype.store.columns import LARGEST, LATEST_UNIX_S, MOMENT
from hype.store.people import owned_tables
from hype.store.schema import evaluators, events, removals, sessions, studies
from hype.verify.findings import Irregularity, shown

"""Tables whose rows have numbers."""


def check_database(connection: Connection) -> Iterator[Irregularity]:
    statements = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    if statements != ["ok"]:
        yield Irregularity("file-damaged", f"the database's check fails: {shown(statements[0])}")
    try:
        broken = connection.execute(text("PRAGMA foreign_key_check")).all()
    except DatabaseError as error:  # a table lost its keys
        yield Irregularity("file-damaged", f"what belongs to what cannot be checked: {error.orig}")
        return
    for table, row, parent, _ in broken:
        yield Irregularity("reference-broken", f"{table} {row} belongs to none of the {parent}")


def check_cells(connection: Connection, bad: dict[str, set[int]]) -> Iterator[Irregularity]:
    """Find cells that their columns cannot hold, and keep the numbers of such rows in ``bad``."""
    for table in (evaluators, sessions, *owned_tables(), events, removals):
        bad[table.name] = set()
        if not has_impossible(connection, table):
            continue
        for column in table.columns:
            query = select(table.c.id).where(text(impossible(column)))
            for number in connection.execute(query).scalars():
                bad[table.name].add(number)
                yield Irregularity(
                    "cell-impossible", f"{table.name} {shown(number)}: {column.name}"
                )
    if has_impossible(connection, studies):
        yield Irregularity("cell-impossible", "studies: a checksum or a study is no text")


def has_impossible(connection: Connection, table: Table) -> bool:
    """Say whether any cell of a table holds what its column may not."""
    any_of_them = text(" or ".join(map(impossible, table.columns)))
    return bool(
        connection.execute(select(func.count()).select_from(table).where(any_of_them)).scalar()
    )


def impossible(column: Column[object]) -> str:
    """Write the condition, in SQLite's words, that a cell holds what its column may not.

    It is written as text since there is one for each column, and every command that reads a record
    asks all of them: to have them composed took longer than to have them answered.
    """
    cell, kind = f'"{column.name}"', f'typeof("{column.name}")'
    if isinstance(column.type, Boolean):
        fine = f"{kind} = 'integer' and abs({cell}) <= 1"
    elif isinstance(column.type, Integer):
        fine = f"{kind} = 'integer'"
    elif isinstance(column.type, Float):
        fine = f"{kind} in ('integer', 'real') and abs({cell}) < {LARGEST!r}"
        if column.name.endswith(MOMENT):
            fine += f" and {cell} between 0 and {LATEST_UNIX_S!r}"
    else:
        fine = f"{kind} = 'text'"
    return f"not ({fine} or {kind} = 'null')" if column.nullable else f"not ({fine})"


def no_moment(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return ~column.between(0, LATEST_UNIX_S)


def require_moments(connection: Connection, record: Path) -> None:
    """Refuse to read a record in which something was at no time, since times become dates.

    Raises InputError: it names the first such cell.
    """
    for table in (evaluators, sessions, *owned_tables(), events, removals):
        columns = [column for column in table.columns if column.name.endswith(MOMENT)]
        query = select(table.c.id).where(or_(false(), *map(no_moment, columns))).limit(1)
        for number in connection.execute(query).scalars():
            raise wrong_cell(record, f"{table.name} {shown(number)}: a time that no clock shows")


def require_possible(connection: Connection, record: Path) -> None:
    """Refuse a record with a cell that its column cannot hold.

    Raises InputError: it names the first such cell.
    """
    for problem in check_cells(connection, {}):
        raise wrong_cell(record, problem.message)


def wrong_cell(record: Path, which: str) -> InputError:
    return InputError(record, f"holds what cannot be ({which})", "hype verify STUDY says more")


def check_evaluators(connection: Connection) -> Iterator[Irregularity]:
    """Find evaluators who are entered twice."""
    who = (evaluators.c.evaluator, evaluators.c.simulated)
    query = select(who[0], func.count()).group_by(*who).having(func.count() > 1)
    for evaluator, number in connection.execute(query):
        yield Irregularity("evaluator-twice", f"{shown(evaluator)} is entered {number} times")


def count_rows(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
