"""Adding rows to a table of the central store: many at once, each at most once.

Rows are copied into a temporary table, which is PostgreSQL's fastest way in, and go on from there;
those that the store has already are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg import Connection as Driver
from psycopg import sql
from sqlalchemy import Column, Integer, MetaData, Table
from sqlalchemy.schema import CreateTable

from hype.store.central.sql import DIALECT
from hype.store.central.tables import ADDED

PLACE: Final = "place"
"""The column by which rows keep their order."""
Rows = Iterable[Sequence[object]]


def columns_into(table: Table) -> list[str]:
    """Give the names of the columns that are added, in order; the store itself numbers the rows."""
    return [column.name for column in table.c if not column.identity]


class Staging:
    """The way into a central store, over one connection; the caller commits.

    Parameters
    ----------
    driver
        The connection, as psycopg has it.
    """

    def __init__(self, driver: Driver[tuple[Any, ...]]) -> None:
        self._driver = driver
        self._made: set[str] = set()

    def add(self, table: Table, rows: Rows) -> tuple[int, int]:
        """Add rows, whose cells are in the order of `columns_into`.

        Returns
        -------
        tuple of int
            How many of them were new, and how many the store had.
        """
        staged = self._empty(table)
        columns = columns_into(table)
        with self._driver.cursor() as cursor:
            names = sql.SQL(", ").join(map(sql.Identifier, (PLACE, *columns)))
            copying = sql.SQL("COPY {} ({}) FROM STDIN").format(staged, names)
            staging = 0
            with cursor.copy(copying) as copy:
                for staging, row in enumerate(rows, 1):
                    copy.write_row((staging, *row))
            cursor.execute(moving(table, staged, columns))
            return cursor.rowcount, staging - cursor.rowcount

    def _empty(self, table: Table) -> sql.Identifier:
        """Make the temporary table once, and empty it."""
        name = staging_name(table)
        if table.name in self._made:
            self._driver.execute(sql.SQL("TRUNCATE {}").format(name))
        else:
            self._driver.execute(staging_made(table).encode())
            self._made.add(table.name)
        return name


def staging_name(table: Table) -> sql.Identifier:
    """Name the temporary table for a table."""
    return sql.Identifier(f"adding_{table.name}")


def place_of(table: Table) -> sql.Identifier:
    """Name a table of the store."""
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
