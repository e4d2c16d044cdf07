"""Adding rows to a table of the central store: many at once, each at most once.

Rows are copied into a temporary table, which is PostgreSQL's fastest way in, and go on from there;
those that the store has already are passed over. A server waits for what is copied without a limit:
so nothing is locked meanwhile that others would wait for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
        self._staged: dict[str, int] = {}

    def stage(self, table: Table, rows: Rows) -> None:
        """Copy rows, whose cells are in the order of `columns_into`, into a temporary table."""
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

        Returns
        -------
        tuple of int
            How many rows were new, and how many the store had.
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
