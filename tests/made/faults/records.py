"""Reading a record while programs write it, and comparing it with another record."""

import shutil
import sqlite3
from collections.abc import Set
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hype.store.record import RECORD_FILE

Row = dict[str, Any]

QUERIES = {
    "studies": "select * from studies order by rowid",
    "evaluators": "select * from evaluators order by id",
    "sessions": "select * from sessions order by id",
    "judgements": "select * from judgements order by id",
    "comparisons": "select * from comparisons order by id",
    "ratings": "select * from ratings order by id",
    "placements": "select * from placements order by id",
    "demographics": "select * from demographics order by question",
    "events": "select * from events order by id",
}

TIMES = {
    "judgements": {"session_id", "onset_unix_s", "onset_monotonic_s"},
    "comparisons": {"session_id", "onset_unix_s", "onset_monotonic_s"},
    "ratings": {"session_id", "onset_unix_s", "onset_monotonic_s"},
    "placements": {"session_id", "onset_unix_s", "onset_monotonic_s"},
    "demographics": {"id"},
    "evaluators": {"assigned_unix_s", "place_unix_s"},
    "studies": set(),
}
"""Columns that may differ between records with and without interruptions.

An evaluator may answer the questions about themselves twice, so the row numbers may differ too.
"""
ANSWERS = ("judgements", "comparisons", "ratings", "placements")

MEASURED = {
    "exposure_frames",
    "exposure_nominal_ms",
    "exposure_measured_ms",
    "exposure_deviation_ms",
    "mask_frames",
    "mask_nominal_ms",
    "mask_measured_ms",
    "flips_s",
    "flip_uncertainty_ms",
    "missed_frames",
    "verdict",
    "rt_ms",
}
"""Columns that a real window and real keys measure, which always differ."""


@dataclass(frozen=True, slots=True)
class Record:
    """All rows of a record, and whether SQLite reports it as sound."""

    tables: dict[str, list[Row]]
    sound: bool

    def __getitem__(self, table: str) -> list[Row]:
        return self.tables.get(table, [])

    def lasting(self, but: Set[str] = frozenset()) -> dict[str, list[Row]]:
        """Return the rows without the columns that an interruption may change."""
        return {
            table: [without(row, times | but) for row in self[table]]
            for table, times in TIMES.items()
        }

    def of(self, evaluator: str) -> "Record":
        """Return the rows of one evaluator, without numbers that depend on others' rows."""
        (number,) = (row["id"] for row in self["evaluators"] if row["evaluator"] == evaluator)
        owned = dict.fromkeys((*ANSWERS, "demographics", "sessions"), "evaluator_id")
        keys = {"evaluators": "id"} | owned
        tables = {
            table: [without(row, {"id", key}) for row in self[table] if row[key] == number]
            for table, key in keys.items()
        }
        return Record(tables, self.sound)

    @property
    def answers(self) -> list[Row]:
        """The rows of all trials, in order: one evaluator has rows in one table only."""
        return [row for table in ANSWERS for row in self[table]]

    @property
    def trials(self) -> list[str]:
        """The recorded trials in order, each by task, block and number."""
        return [f"{row['task']} {row['block']} {row['trial']}" for row in self.answers]

    @property
    def said(self) -> list[str]:
        """The names of the answered questions about the evaluator."""
        return [row["question"] for row in self["demographics"]]

    @property
    def interrupted(self) -> list[tuple[int, str]]:
        """The interruptions in order: session and trial."""
        return [
            (row["session_id"], f"{row['task']} {row['block']} {row['trial']}")
            for row in self["events"]
            if row["event"] == "interrupted"
        ]


def without(row: Row, columns: Set[str]) -> Row:
    """Return a row without some columns."""
    return {name: value for name, value in row.items() if name not in columns}


def read_record(folder: Path, copy: Path) -> Record:
    """Read a copy of a record, since reading the original could repair it."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in (RECORD_FILE, f"{RECORD_FILE}-wal"):
        if (folder / name).exists():
            shutil.copy(folder / name, copy / name)
    with closing(sqlite3.connect(copy / RECORD_FILE)) as connection:
        connection.row_factory = sqlite3.Row
        names = connection.execute("select name from sqlite_master where type = 'table'")
        there = {row["name"] for row in names}
        tables = {
            name: [dict(row) for row in connection.execute(query)]
            for name, query in QUERIES.items()
            if name in there
        }
        (sound,) = connection.execute("pragma integrity_check").fetchone()
        broken = connection.execute("pragma foreign_key_check").fetchall()
    return Record(tables, sound == "ok" and not broken)
