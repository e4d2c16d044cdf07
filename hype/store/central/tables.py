"""The central store's own tables, made of those of a record.

Stations only ever add rows. What changes later in a record, how far an evaluator is and how a
session ended, is a row of its own in `parts` and `ends`; the views put them together again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from hype.store import schema

ADDED: Final = "hype_added"
"""The schema, in PostgreSQL's sense, into which stations add."""
OWNERS: Final = ("evaluator_id", "session_id")
TRIAL: Final = ("evaluator_id", "task", "block", "trial")
"""What names a trial: whose it is, and which."""
LATE_OF_EVALUATORS: Final = ("status",)
LATE_OF_SESSIONS: Final = ("ended_unix_s", "ended", "timing")
"""Columns that are known later than the row that they stand in."""
NEVER_TOLD: Final = ("showing",)
"""A column of a running program, which nobody else has a use for."""
added: Final = MetaData(schema=ADDED)


def kind_of(declared: Column[Any]) -> type[TypeEngine[Any]]:
    """Give the type that a column has here.

    SQLite keeps text of any length and floats of eight bytes, whatever was declared; so must we.
    """
    if declared.name in OWNERS:
        return BigInteger
    if isinstance(declared.type, String):
        return Text
    return Double if isinstance(declared.type, Float) else type(declared.type)


def copied(declared: Column[Any]) -> Column[Any]:
    """Declare a column of a record's table for the table here."""
    if declared.name in OWNERS:
        where = "evaluators" if declared.name == "evaluator_id" else "sessions"
        reference = ForeignKey(f"{ADDED}.{where}.id")
        return Column(declared.name, BigInteger, reference, nullable=False)
    return Column(declared.name, kind_of(declared), nullable=declared.nullable)


def like(
    table: Table,
    *unique: str,
    without: Iterable[str] = (),
    more: Iterable[Column[Any]] = (),
) -> Table:
    """Declare the table here that takes the rows of a record's table, each once by ``unique``."""
    left_out = {"id", *without}
    return Table(
        table.name,
        added,
        Column("id", BigInteger, Identity(always=True), primary_key=True),
        *(copied(declared) for declared in table.c if declared.name not in left_out),
        *more,
        UniqueConstraint(*unique),
    )


def answers_like(table: Table) -> Table:
    made = like(table, *TRIAL)
    Index(f"{table.name}_onsets", made.c.evaluator_id, made.c.onset_unix_s)
    return made


store: Final = Table(
    "store", added, Column("version", Integer, primary_key=True, autoincrement=False)
)
"""Which version of a record's schema the tables are of: one row."""
studies: Final = Table(
    "studies",
    added,
    Column("checksum", Text, primary_key=True),
    Column("resolved", Text, nullable=False),
)
evaluators: Final = like(schema.evaluators, "uid", without=LATE_OF_EVALUATORS)
evaluators.c.uid.nullable = False
parts: Final = Table(
    "parts",
    added,
    Column("evaluator_id", ForeignKey(evaluators.c.id), primary_key=True),
    Column("status", Text, nullable=False),
)
"""How evaluators' parts ended."""
sessions: Final = like(
    schema.sessions,
    *("evaluator_id", "started_unix_s"),
    without=(*LATE_OF_SESSIONS, *NEVER_TOLD),
)
ends: Final = Table(
    "ends",
    added,
    Column("session_id", ForeignKey(sessions.c.id), primary_key=True),
    *(copied(schema.sessions.c[name]) for name in LATE_OF_SESSIONS),
)
"""How sessions ended."""
ANSWERS: Final = {table.name: answers_like(table) for table in schema.ANSWER_TABLES}
demographics: Final = like(schema.demographics, "evaluator_id", "question", "asked_unix_s")
demographics.c.asked_unix_s.nullable = False  # else equal rows would not be found out
events: Final = like(
    schema.events, "session_id", "number", more=[Column("number", Integer, nullable=False)]
)
"""``number`` is the event's in the record of its station."""
removals: Final = like(schema.removals, "removed_unix_s", "simulated", "condition", "methods")
contradictions: Final = like(
    schema.contradictions,
    *("evaluator_id", "station", "task", "block", "trial", "onset_unix_s", "settled"),
)

impossible: Final = Table(
    "impossible",
    MetaData(),
    Column("station", Text),
    Column("kind", Text),
    Column("number", Integer),
)
"""A view of `hype`: how many rows of each table cannot be true, and from which station they are."""
TABLES: Final = (
    *(store, studies, evaluators, parts, sessions, ends),
    *ANSWERS.values(),
    *(demographics, events, removals, contradictions),
)
"""All of them, in the order in which they depend on one another."""


def columns_into(table: Table) -> list[str]:
    """Give the names of the columns that are added, in order; the store itself numbers the rows."""
    return [column.name for column in table.c if not column.identity]
