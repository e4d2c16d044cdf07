"""An excerpt of a record, or of a central store: some evaluators, with all that is theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Connection, Engine, Select, Table, insert, select

from hype.store.columns import metadata
from hype.store.schema import TABLES, evaluators, sessions
from hype.store.sqlite_files import connected, engine_over

ROWS_AT_ONCE = 5000


@contextmanager
def excerpt(engine: Engine, given: Collection[str], *others: Table) -> Iterator[Engine]:
    """Copy into memory what there is of the evaluators who were given some studies.

    Parameters
    ----------
    given
        Checksums of the studies.
    others
        Tables beside those of a record that are copied whole.
    """
    with closing(connected(":memory:")) as memory:
        copy = engine_over(memory)
        with engine.connect() as source, copy.begin() as target:
            metadata.create_all(target, tables=TABLES)
            for table in TABLES:
                fill(target, table, source, theirs(table, given))
            for table in others:
                table.create(target)
                fill(target, table, source, select(table))
        yield copy


def theirs(table: Table, given: Collection[str]) -> Select[tuple[object, ...]]:
    """Select the rows of a table that are of those evaluators, or of nobody."""
    who = select(evaluators.c.id).where(evaluators.c.study.in_(given))
    if table is evaluators:
        return select(table).where(table.c.id.in_(who))
    if "evaluator_id" in table.c:
        return select(table).where(table.c.evaluator_id.in_(who))
    if "session_id" in table.c:
        held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
        return select(table).where(table.c.session_id.in_(held))
    return select(table)


def fill(
    target: Connection, table: Table, source: Connection, query: Select[tuple[object, ...]]
) -> None:
    """Copy the rows of a query into an empty table."""
    for rows in source.execute(query).mappings().partitions(ROWS_AT_ONCE):
        target.execute(insert(table), [dict(row) for row in rows])
