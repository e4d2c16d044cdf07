"""Cells of a record that their columns cannot hold: who wrote them was not this program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Boolean, Column, Connection, Float, Integer, Table, false, or_, select, text

from hype.errors import InputError
from hype.store.people import owned_tables
from hype.store.schema import evaluators, events, removals, sessions, studies

LARGEST: Final = 1e15
"""No number in a cell is farther from zero; databases know infinity."""
MOMENT: Final = "unix_s"
"""How the names of columns end that hold when something was, by the wall clock."""
LATEST_UNIX_S: Final = 253_370_764_800
"""The last year that calendars have begins there, wherever one is."""
WRONG_STUDY: Final = "studies: a checksum or a study is no text"


def numbered_tables() -> tuple[Table, ...]:
    """Give the tables whose rows have numbers."""
    return (evaluators, sessions, *owned_tables(), events, removals)


def impossible_cells(connection: Connection, table: Table) -> Iterator[tuple[int, str]]:
    """Yield each cell of a table that its column cannot hold: number of the row, and column."""
    if not has_impossible(connection, table):
        return
    for column in table.columns:
        query = select(table.c.id).where(text(is_impossible(column)))
        for number in connection.execute(query).scalars():
            yield number, column.name


def has_impossible(connection: Connection, table: Table) -> bool:
    any_of_them = text(" or ".join(map(is_impossible, table.columns)))
    return (
        connection.execute(select(1).select_from(table).where(any_of_them).limit(1)).first()
        is not None
    )


def is_impossible(column: Column[object]) -> str:
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


def require_moments(connection: Connection, record: Path) -> None:
    """Refuse to read a record in which something was at no time, since times become dates.

    Raises InputError: it names the first such cell.
    """
    for table in numbered_tables():
        columns = [column for column in table.columns if column.name.endswith(MOMENT)]
        never = (~column.between(0, LATEST_UNIX_S) for column in columns)
        query = select(table.c.id).where(or_(false(), *never)).limit(1)
        for number in connection.execute(query).scalars():
            raise wrong_cell(record, f"{table.name} {number!r}: a time that no clock shows")


def require_possible(connection: Connection, record: Path) -> None:
    """Refuse a record with a cell that its column cannot hold.

    Raises InputError: it names the first such cell.
    """
    for table in numbered_tables():
        for number, column in impossible_cells(connection, table):
            raise wrong_cell(record, f"{table.name} {number!r}: {column}")
    if has_impossible(connection, studies):
        raise wrong_cell(record, WRONG_STUDY)


def wrong_cell(record: Path, which: str) -> InputError:
    return InputError(record, f"holds what cannot be ({which})", "hype verify STUDY says more")
