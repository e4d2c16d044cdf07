"""The SQL that makes a PostgreSQL database a central store: tables, views and roles.

Most of it is written out in ``store.sql``; what follows from `hype.store.schema` is filled in here,
so that a column is declared once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Final

from sqlalchemy import Column, Float, Integer, String, Table, make_url
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

from hype.central_url import SCHEME, STATION, role_of
from hype.store import schema
from hype.store.central import limits
from hype.store.central.tables import ADDED, ANSWERS, TABLES, columns_into, store
from hype.store.columns import CODE, LARGEST, LATEST_UNIX_S, MOMENT

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
    lines = ",\n            ".join(f"ADD COLUMN IF NOT EXISTS {one}" for one in made)
    return f"ALTER TABLE {table}\n            {lines};"


def indexes_made(table: Table) -> str:
    made = (CreateIndex(index, if_not_exists=True) for index in table.indexes)
    return "\n".join(f"{one.compile(dialect=DIALECT)};" for one in made)


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
    conditions = [said for column in table.c for said in possible(column)]
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
