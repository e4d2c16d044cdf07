"""Records that the programs of earlier commits left (see records/README.txt), and their rows."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, table, text

from hype.store.record import RECORD_FILE, writing_record
from hype.store.schema import VERSION

RECORDS = Path(__file__).parents[1] / "store" / "records"
OLD = (1, 2, 3, 4, 5, 6, 7, 8)
"""The versions of the schema before this one."""

Rows = dict[str, list[dict[str, Any]]]


def old_study(folder: Path, version: int) -> Path:
    """Lay out a study with a record of this version; returns the path of the record."""
    shutil.copytree(RECORDS / f"schema-{version}", folder)
    return (folder / "record.sqlite").rename(folder / RECORD_FILE)


def rows_in(record: Path | sqlite3.Connection) -> Rows:
    """Read all rows of all tables, by table and column; the file is not written to."""
    if isinstance(record, Path):
        with closing(sqlite3.connect(f"file:{record}?mode=ro", uri=True)) as connection:
            return rows_in(connection)
    tables = record.execute("select name from sqlite_master where type = 'table'")
    return {name: table_in(record, name) for (name,) in sorted(tables)}


def table_in(record: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    query = select(text("*")).select_from(table(name)).order_by(text("1"))
    cursor = record.execute(str(query))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def pragma(record: Path, name: str) -> Any:
    """Ask one thing of a record's header."""
    with closing(sqlite3.connect(f"file:{record}?mode=ro", uri=True)) as connection:
        return connection.execute(f"pragma {name}").fetchone()[0]


def without_log(record: Path) -> None:
    """Let a record keep a rollback journal instead of a write-ahead log, as backups do."""
    with closing(sqlite3.connect(record)) as connection:
        assert connection.execute("pragma journal_mode = delete").fetchone() == ("delete",)


@contextmanager
def mounted(folder: Path, *, size_kib: int = 4096) -> Iterator[Path]:
    """Mount a small file system in memory."""
    folder.mkdir(exist_ok=True)
    size = f"size={size_kib}k"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "none", folder], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"file systems cannot be mounted here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def make_read_only(mount: Path) -> None:
    """Let nothing be written to what is mounted there."""
    subprocess.run(["mount", "-o", "remount,ro", mount], check=True)


def mode_of(path: Path) -> int:
    """Give the permissions of a file or folder."""
    return path.stat().st_mode & 0o777


COMPARED = ("comparisons", "demographics")
RATED = ("ratings", "placements")
ADDED_IN_2 = {
    "judgements": {
        *("repeats", "exposure_nominal_ms", "exposure_deviation_ms", "mask_frames"),
        *("mask_nominal_ms", "flips_s", "flip_uncertainty_ms", "missed_frames", "verdict"),
    },
    "sessions": {"timing"},
}
ADDED_IN_3 = {
    "evaluators": {"mask_files"},
    "sessions": {"showing"},
    "events": {"task", "block", "trial", "seconds"},
}
ADDED_IN_4 = {"evaluators": {"share", "pairs"}}
ADDED_IN_5 = {"evaluators": {"groups"}}
ADDED_IN_6 = {
    "evaluators": {"uid", "station"},
    "demographics": {"asked_unix_s"},
    "removals": {"uid"},
}
ADDED_IN_9 = {"judgements": {"condition"}}
ADDED_IN = (ADDED_IN_2, ADDED_IN_3, ADDED_IN_4, ADDED_IN_5, ADDED_IN_6, {}, {}, ADDED_IN_9)
ADDED = {version: ADDED_IN[version - 1 :] for version in OLD}
NEW_IN_7 = ("contradictions",)
NEW_TABLES = {
    1: ("removals", *COMPARED, *RATED, *NEW_IN_7),
    2: ("removals", *COMPARED, *RATED, *NEW_IN_7),
    3: (*COMPARED, *RATED, *NEW_IN_7),
    4: (*RATED, *NEW_IN_7),
    5: NEW_IN_7,
    6: NEW_IN_7,
    7: (),
    8: (),
}
"""The tables that the migrations from a version on add."""
STAMPED_FROM = 3
"""The first version whose records have Alembic's table."""


def as_before(after: Rows, before: int) -> Rows:
    """Take from migrated rows what the migrations added, after a look that nothing is in it."""
    rows = {name: [dict(row) for row in table] for name, table in after.items()}
    assert [rows.pop(name) for name in NEW_TABLES[before]] == [[] for _ in NEW_TABLES[before]]
    assert rows.pop("alembic_version") == [{"version_num": str(VERSION)}]
    if before >= STAMPED_FROM:
        rows["alembic_version"] = [{"version_num": str(before)}]
    for added in ADDED[before]:
        for where, names in added.items():
            there = rows.get(where, ())  # a table that is new itself has been looked at
            assert {row.pop(name) for row in there for name in names} <= {None}
    return rows


def untouched(path: Path) -> None:
    """Open an old record for writing and do nothing."""
    with writing_record(path):
        pass
