"""Copying a record from one engine to another, table by table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, Table, insert, select

from hype.store.columns import metadata
from hype.store.schema import tables
from hype.store.sqlite_files import connect, engine_over, mark_as_record

ROWS_AT_ONCE: Final = 5000


def copy_rows(
    source: Connection, target: Connection, rows_of: Callable[[Table], Select[Any]] = select
) -> None:
    """Copy into empty tables what ``rows_of`` each table selects; without it, all."""
    for table in tables():
        for rows in source.execute(rows_of(table)).mappings().partitions(ROWS_AT_ONCE):
            target.execute(insert(table), [dict(row) for row in rows])


@contextmanager
def copy_to_memory(
    source: Connection, rows_of: Callable[[Table], Select[Any]] = select
) -> Iterator[Engine]:
    """Copy a record, or some of it, into an SQLite database in memory."""
    with closing(connect(":memory:")) as memory:
        copy = engine_over(memory)
        with copy.begin() as target:
            metadata.create_all(target, tables=tables())
            copy_rows(source, target, rows_of)
            mark_as_record(target)
        yield copy
