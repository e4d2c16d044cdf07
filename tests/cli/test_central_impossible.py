"""Rows of a central store that cannot be true: whoever reads it passes over them, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from central.pushed import record_in, sent
from long import long_but
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from postgres import HERE, Database
from psycopg import Connection, sql
from sqlalchemy import Boolean, Float, Integer
from verified_records import sound_study

from hype.protocols.studies import AnyStudy
from hype.store.central import tables
from hype.store.schema import TABLES

if TYPE_CHECKING:
    from running import Program, Ran

STUDIES: dict[str, Callable[[Path], AnyStudy]] = {
    "judgements": sound_study,
    "comparisons": compared_soundly,
    "ratings": rated_soundly,
    "placements": ranked_soundly,
}
DEEP = "[" * 100_000
WORDS = ("", "\x1b[31m\u202e", "9" * 400, DEEP, '{"a": 1}', "nan", "1.2.3", "'; DROP TABLE x; --")
NUMBERS = (1e308, -1e308, float("inf"), float("nan"), -1.0)
WHOLE = (-(2**31), 2**31 - 1, 0)
NAMES = {"id", "evaluator_id", "session_id", "uid", "station", "version", "checksum"}
"""Columns that say whose a row is, which are not among those that are spoilt."""
READERS = (
    ("status", "--json"),
    ("status",),
    ("score", "--json"),
    ("report", "-o"),
    ("export", "--format", "csv", "-o"),
    ("export", "--format", "psych-ds", "-o"),
)


def spoilt(kind: str) -> list[tuple[str, str, object]]:
    """List what a broken-into station may add: each cell of each table with what it can hold."""
    found: list[tuple[str, str, object]] = []
    others = set(STUDIES) - {kind}
    for table in tables.TABLES:
        for column in table.c if table.name not in others else ():
            if column.name in NAMES:
                continue
            values: tuple[object, ...] = WORDS
            if isinstance(column.type, Boolean):
                values = (True, False)
            elif isinstance(column.type, Float):
                values = NUMBERS
            elif isinstance(column.type, Integer):
                values = WHOLE
            found += [(table.name, column.name, value) for value in values]
    return found


def copy_of_a_row(table: str, column: str, value: object) -> sql.Composed:
    """Add a row like the last of a table, with another cell, and a trial of its own."""
    columns = [c for c in tables.added.tables[f"hype_added.{table}"].c if not c.identity]
    cells = {c.name: sql.Identifier(c.name) for c in columns}
    fresh = {"trial": "100000 + random() * 1e6", "uid": "md5(random()::text)"}
    fresh |= {"started_unix_s": "1e9 + random() * 1e6", "removed_unix_s": "1e9 * random()"}
    fresh |= {"checksum": "md5(random()::text)", "asked_unix_s": "1e9 + random() * 1e6"}
    fresh |= {"number": "100000 + random() * 1e6"}
    for name in fresh.keys() & cells.keys():
        cells[name] = sql.SQL(fresh[name])
    if "evaluator" in cells:
        cells["evaluator"] = sql.SQL("'p' || (1000 + random() * 1e6)::int")
    cells[column] = sql.Literal(value)
    return sql.SQL(
        "INSERT INTO {} ({}) SELECT {} FROM {} {} LIMIT 1 ON CONFLICT DO NOTHING"
    ).format(
        sql.Identifier("hype_added", table),
        sql.SQL(", ").join(map(sql.Identifier, cells)),
        sql.SQL(", ").join(cells.values()),
        sql.Identifier("hype_added", table),
        sql.SQL("ORDER BY id DESC" if "id" in tables.added.tables[f"hype_added.{table}"].c else ""),
    )


def let_all_answer(kind: str, owner: Connection) -> None:
    """Give a session to whoever has none, and an answer to each session without."""
    for name, owned, of, also in (
        ("sessions", "evaluator_id", "evaluators", {}),
        (kind, "session_id", "sessions", {"evaluator_id": "o.evaluator_id"}),
    ):
        columns = [c.name for c in tables.added.tables[f"hype_added.{name}"].c if not c.identity]
        cells = {c: sql.SQL("t.") + sql.Identifier(c) for c in columns}
        cells |= {owned: sql.SQL("o.id")} | {c: sql.SQL(said) for c, said in also.items()}
        statement = sql.SQL(
            "INSERT INTO hype_added.{name} ({columns}) SELECT {cells} FROM hype_added.{of} o, "
            "(SELECT * FROM hype_added.{name} ORDER BY id LIMIT 1) t WHERE NOT EXISTS "
            "(SELECT FROM hype_added.{name} x WHERE x.{owned} = o.id) ON CONFLICT DO NOTHING"
        )
        owner.execute(
            statement.format(
                name=sql.Identifier(name),
                of=sql.Identifier(of),
                owned=sql.Identifier(owned),
                columns=sql.SQL(", ").join(map(sql.Identifier, cells)),
                cells=sql.SQL(", ").join(cells.values()),
            )
        )


@pytest.mark.parametrize("kind", long_but(["comparisons"], STUDIES))
def test_whatever_a_station_adds_every_reader_reads_the_rest(
    kind: str, tmp_path: Path, central: Database, hype: Program
):
    """Each cell of the store is spoilt in every way that its column can hold."""
    sent(record_in(STUDIES[kind](tmp_path / "study")), central)
    with central.connect() as owner:
        for table, column, value in spoilt(kind):
            owner.execute(copy_of_a_row(table, column, value))
        let_all_answer(kind, owner)

    for number, words in enumerate(READERS):
        out = [tmp_path / f"out-{number}"] if words[-1] == "-o" else []
        command, *options = words
        ended = hype(command, central.analyst_url, *options, *out)
        assert ended.code == 0, (words, ended.err[-3000:])
        assert "\x1b" not in ended.out


def test_an_impossible_row_is_named_and_changes_no_figure(
    tmp_path: Path, central: Database, hype: Program
):
    sent(record_in(compared_soundly(tmp_path / "study")), central)
    before = figures(hype("score", central.analyst_url, "--json"))
    with central.connect() as owner:
        owner.execute(copy_of_a_row("comparisons", "onset_unix_s", 1e308))
        owner.execute(copy_of_a_row("studies", "resolved", "no study"))

    said = hype("status", central.analyst_url)
    score = hype("score", central.analyst_url, "--json")
    told = hype("status", central.analyst_url, "--json").json

    assert (said.code, score.code) == (0, 0)
    for ended in (said, score):
        words = " ".join(ended.err.split())
        assert f"1 rows of comparisons from {HERE} cannot be true" in words
        assert "1 rows of studies from some station cannot be true" in words
    assert told["passed_over"] == [
        {"station": HERE, "kind": "comparisons", "rows": 1},
        {"station": None, "kind": "studies", "rows": 1},
    ]
    assert figures(score) == before


def test_a_view_stands_for_each_table_and_counts_what_it_leaves_out(central: Database):
    found = central.query("SELECT pg_get_viewdef('hype.impossible'::regclass)")[0][0]
    for table in TABLES:
        assert f"'{table.name}'" in found


def figures(ended: Ran) -> object:
    return ended.json
