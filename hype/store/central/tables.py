"""The central store's own tables, made of those of a record, and the SQL that makes it.

Stations only ever add rows. What changes later in a record, how far an evaluator is and how a
session ended, is a row of its own in `parts` and `ends`; the views put them together again. Most of
the SQL, tables, views and roles, is written out in ``store.sql``; what follows from
`hype.store.schema` is filled in here, so that a column is declared once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template
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
    make_url,
)
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable
from sqlalchemy.types import TypeEngine

from hype.central_url import SCHEME, STATION, role_of
from hype.store import schema
from hype.store.central import limits
from hype.store.columns import CODE, LARGEST, LATEST_UNIX_S, MOMENT

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


TEMPLATE: Final = "store.sql"
DIALECT: Final = make_url(f"{SCHEME}://").get_dialect()()
READ: Final = "hype"
"""The schema, in PostgreSQL's sense, whose views have the tables and columns of a record."""
LABELLED: Final = {"evaluators": {"evaluator": "label"}}
"""Columns of views that are made of others."""
OWNER: Final = {"evaluators": "t.id", "studies": "NULL", "removals": "NULL"}
"""Whose a row is, where it is not its ``evaluator_id`` that says so."""
OF_SUCH: Final = (
    "EXISTS (SELECT FROM hype_added.evaluators e "
    "WHERE e.id = t.evaluator_id AND e.simulated = t.simulated AND {})"
)
"""An answer is of a person where its evaluator is, and simulated where that is."""
JUDGES: Final = "(e.condition <> '' OR t.condition <> '' OR e.methods IN ('', 'qualification'))"
"""Who judges images has a condition, or each judgement has one, but for those who come to qualify
and for nothing else."""
COUNTED: Final = {
    **dict.fromkeys(("block", "trial", "exposure_frames", "mask_frames"), 1),
    **dict.fromkeys(("share", "repeats", "missed_frames"), 0),
}
"""The least whole number in a cell."""
POSITIVE: Final = ("exposure_ms", "exposure_nominal_ms", "mask_nominal_ms")
SIGNED: Final = ("exposure_deviation_ms",)
WORDS: Final = "^[a-z]+( [a-z]+)*$"
UNPRINTABLE: Final = "[[:cntrl:]\u2028-\u202e\u2066-\u2069]"
NUMBERS: Final = "^([0-9]{1,15}([.][0-9]+)?(e[-+]?[0-9]{1,2})?( |$))*$"
"""Numbers in one cell."""
STATION_OF: Final = "(SELECT e.station FROM hype_added.evaluators e WHERE e.id = {})"

OF_ITS_EVALUATOR: Final = (
    "EXISTS (SELECT FROM hype_added.evaluators e "
    "WHERE e.id = evaluator_id AND e.station = hype_added.station())"
)
OF_ITS_SESSION: Final = (
    "EXISTS (SELECT FROM hype_added.sessions s JOIN hype_added.evaluators e "
    "ON e.id = s.evaluator_id WHERE s.id = session_id AND e.station = hype_added.station()"
)
"""Conditions that a row is of somebody who came to the station that adds it; the second is open."""
ERASED: Final = "DELETE FROM hype_added.{0} WHERE evaluator_id = ANY(leaving);"
LEFT: Final = """\
CREATE OR REPLACE VIEW hype_added.all_{0} AS
SELECT t.* FROM hype_added.{0} t
WHERE NOT EXISTS (SELECT FROM hype_added.removed r WHERE r.evaluator_id = t.evaluator_id);"""
OWN: Final = f"('{{0}}', '{OF_ITS_SESSION} AND s.evaluator_id = {{0}}.evaluator_id)'),"
"""Of each table of answers: what erases, the view of those who were not removed, and whose a
station may add."""
VIEWS_OF: Final = f"{READ}.{{0.name}}, {ADDED}.all_{{0.name}}"
STUDY_POSSIBLE: Final = "checksum = encode(sha256(convert_to(resolved, 'UTF8')), 'hex')"
"""A study is what its checksum says: stations know a checksum before anybody brings its study."""
STATION_LIMITS: Final = dict((*limits.STATION.settings.items(), limits.CHECK_CLOSED))
ANALYST_LIMITS: Final = dict((*limits.READER.settings.items(), limits.CHECK_CLOSED))
OF_A_STATION_AT_ONCE: Final = 10
ANALYSTS_AT_ONCE: Final = 20
"""Connections. A server has a hundred, unless it is told otherwise."""


def central_sql(stations: Sequence[str] = ()) -> str:
    """Give all of it, for ``psql``; ``stations`` are the names of those that get a role."""
    return _filled_in(stations, setup())


@cache
def setup() -> str:
    """Name this version of the tables, views and grants: the checksum of the SQL without roles."""
    return hashlib.sha256(_filled_in((), "").encode()).hexdigest()


def _filled_in(stations: Sequence[str], own: str) -> str:
    text = files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    return Template(text).substitute(
        tables="\n\n".join(map(table_made, TABLES)),
        columns="\n        ".join(columns_added(table) for table in TABLES if table is not store),
        views_of_before=",\n            ".join(map(VIEWS_OF.format, schema.TABLES)),
        indexes="\n".join(map(indexes_made, ANSWERS.values())),
        version=schema.VERSION,
        setup=own,
        answers_erased="\n    ".join(map(ERASED.format, ANSWERS)),
        answers_left="\n\n".join(map(LEFT.format, ANSWERS)),
        answers=", ".join(map("hype_added.{}".format, ANSWERS)),
        own_answers="\n        ".join(map(OWN.format, ANSWERS)),
        views="\n\n".join(map(view_made, schema.TABLES)),
        impossible="\nUNION ALL\n".join(map(impossible_in, schema.TABLES)),
        stations=array_of(map(role_of, stations)),
        of_its_evaluator=OF_ITS_EVALUATOR,
        of_its_session=OF_ITS_SESSION,
        study_possible=STUDY_POSSIBLE.replace("'", "''"),
        may_add="\n    ".join(may_add(table) for table in TABLES if table is not store),
        station_limits=limits_set(STATION_LIMITS),
        analyst_limits=limits_set(ANALYST_LIMITS),
        of_a_station_at_once=OF_A_STATION_AT_ONCE,
        analysts_at_once=ANALYSTS_AT_ONCE,
    )


def table_made(table: Table) -> str:
    made = CreateTable(table, if_not_exists=True).compile(dialect=DIALECT)
    lines = (line.rstrip() for line in str(made).strip().splitlines())
    return "\n".join(lines).replace("\t", "    ") + ";"


def columns_added(table: Table) -> str:
    made = (CreateColumn(each).compile(dialect=DIALECT) for each in table.c if not each.primary_key)
    lines = ",\n            ".join(f"ADD COLUMN IF NOT EXISTS {column}" for column in made)
    return f"ALTER TABLE {table}\n            {lines};"


def indexes_made(table: Table) -> str:
    made = (CreateIndex(index, if_not_exists=True) for index in table.indexes)
    return "\n".join(f"{statement.compile(dialect=DIALECT)};" for statement in made)


def may_add(table: Table) -> str:
    names = ", ".join(map(quoted, columns_into(table)))
    return f"GRANT INSERT ({names}) ON {table} TO {STATION};"


def view_made(table: Table) -> str:
    """Make the statement that makes the view that stands for a record's table."""
    made = LABELLED.get(table.name, {})
    sources = {column.name: made.get(column.name, column.name) for column in table.c}
    columns = ",\n    ".join(
        f"t.{quoted(source)}" if source == name else f"t.{quoted(source)} AS {quoted(name)}"
        for name, source in sources.items()
    )
    return (
        f"CREATE OR REPLACE VIEW {READ}.{table.name} AS\nSELECT\n    {columns}\n"
        f"FROM {ADDED}.all_{table.name} t\nWHERE {possible_in(table)};"
    )


def impossible_in(table: Table) -> str:
    """Make the query that counts the rows of a table that cannot be true, by station."""
    owner = OWNER.get(table.name, "t.evaluator_id")
    return (
        f"SELECT {STATION_OF.format(owner)} AS station, {literal(table.name)} AS kind,\n"
        "    count(*) AS number\n"
        f"FROM {ADDED}.all_{table.name} t\nWHERE NOT ({possible_in(table)})\nGROUP BY 1"
    )


def possible_in(table: Table) -> str:
    """Give the condition that a row of a record's table, called ``t``, can be true."""
    conditions = [condition for column in table.c for condition in possible(column)]
    if table.name in ANSWERS:
        conditions.append(OF_SUCH.format(JUDGES if table.name == "judgements" else "true"))
    return "\n    AND ".join(conditions or ["true"])


def possible(column: Column[Any]) -> Iterator[str]:
    """Give the condition on a cell, if there is one; whether it may be empty is the table's."""
    name = f"t.{quoted(column.name)}"
    if isinstance(column.type, Float):
        least, most = range_of(column.name)
        yield f"({name} BETWEEN {least} AND {most}) IS NOT FALSE"
    elif type(column.type) is Integer and column.name in COUNTED:
        yield f"({name} >= {COUNTED[column.name]}) IS NOT FALSE"
    elif levels := column.info.get("levels"):
        yield f"({name} IN ({', '.join(map(literal, levels))})) IS NOT FALSE"
    elif column.info.get("numbers"):
        yield f"({name} ~ {literal(NUMBERS)}) IS NOT FALSE"
    elif column.name == "evaluator":
        yield f"{name} ~ {literal(f'^{CODE.pattern}$')}"
    elif column.name == "methods":
        yield f"({name} ~ {literal(WORDS)} OR ({name} = '' AND t.condition = ''))"
    elif is_name(column):
        yield f"({name} !~ {literal(UNPRINTABLE)}) IS NOT FALSE"
    elif column.name == "resolved":
        yield STUDY_POSSIBLE


def is_name(column: Column[Any]) -> bool:
    of_answer = column.table.name in ANSWERS and isinstance(column.type, String)
    return column.name == "condition" or (of_answer and column.name != "prompt")


def range_of(name: str) -> tuple[float, float]:
    """Give the least and the greatest number that a column may hold."""
    if name.endswith(MOMENT):
        return 0, LATEST_UNIX_S
    if name in POSITIVE:
        return 1 / LARGEST, LARGEST
    return (0 if name.endswith("_ms") and name not in SIGNED else -LARGEST), LARGEST


def limits_set(settings: Mapping[str, int]) -> str:
    setting = "EXECUTE format('ALTER ROLE %I SET {} = ''{}''', named);"
    return "\n            ".join(setting.format(*limit) for limit in settings.items())


def array_of(names: Iterable[str]) -> str:
    return f"ARRAY[{', '.join(map(literal, names))}]::text[]"


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    return str(DIALECT.identifier_preparer.quote(name))
