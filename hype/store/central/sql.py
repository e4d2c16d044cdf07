"""The SQL that makes a PostgreSQL database a central store: tables, views and two roles.

Most of it is written out in ``store.sql``; what follows from `hype.store.schema` is filled in here,
so that a column is declared once.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from string import Template
from typing import Final

from sqlalchemy import Table, make_url
from sqlalchemy.schema import CreateIndex, CreateTable

from hype.central_url import SCHEME
from hype.store import schema
from hype.store.central.tables import ANSWERS, TABLES

TEMPLATE: Final = "store.sql"
DIALECT: Final = make_url(f"{SCHEME}://").get_dialect()()
LABELLED: Final = {"evaluators": {"evaluator": "label"}}
"""Columns of views that are made of others."""


def central_sql() -> str:
    """Give all of it, for ``psql``."""
    text = files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    tables = "\n\n".join(map(table_made, TABLES))
    indexes = "\n".join(map(indexes_made, ANSWERS.values()))
    views = {table.name: columns_of(table) for table in schema.TABLES}
    return Template(text).substitute(
        tables=tables, indexes=indexes, version=schema.VERSION, **views
    )


def table_made(table: Table) -> str:
    """Make the statement that makes a table."""
    made = CreateTable(table, if_not_exists=True).compile(dialect=DIALECT)
    lines = (line.rstrip() for line in str(made).strip().splitlines())
    return "\n".join(lines).replace("\t", "    ") + ";"


def indexes_made(table: Table) -> str:
    """Make the statements that make a table's indexes."""
    made = (CreateIndex(index, if_not_exists=True) for index in table.indexes)
    return "\n".join(f"{one.compile(dialect=DIALECT)};" for one in made)


def columns_of(table: Table) -> str:
    """List the columns of the view that stands for a record's table."""
    made = LABELLED.get(table.name, {})
    quote = DIALECT.identifier_preparer.quote
    named = ((column.name, quote(column.name)) for column in table.c)
    return listed(
        f"t.{made[name]} AS {quoted}" if name in made else f"t.{quoted}" for name, quoted in named
    )


def listed(columns: Iterable[str]) -> str:
    """Put columns one below the other."""
    return "\n    " + ",\n    ".join(columns)
