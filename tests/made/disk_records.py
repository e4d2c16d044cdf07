"""The files of records: their rows, headers and permissions, and file systems for them."""

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, table, text

Rows = dict[str, list[dict[str, Any]]]


def rows_in(record: Path) -> Rows:
    """Read all rows of all tables, by table and column, without writing to the file."""
    with closing(sqlite3.connect(f"file:{record}?mode=ro", uri=True)) as connection:
        tables = connection.execute("select name from sqlite_master where type = 'table'")
        return {name: table_in(connection, name) for (name,) in sorted(tables)}


def table_in(record: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    query = select(text("*")).select_from(table(name)).order_by(text("1"))
    cursor = record.execute(str(query))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def pragma(record: Path, name: str) -> Any:
    """Read one value from a record's header."""
    with closing(sqlite3.connect(f"file:{record}?mode=ro", uri=True)) as connection:
        return connection.execute(f"pragma {name}").fetchone()[0]


def without_log(record: Path) -> None:
    """Let a record use a rollback journal, as backups do, instead of a write-ahead log."""
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
    """Make a mounted file system read-only."""
    subprocess.run(["mount", "-o", "remount,ro", mount], check=True)


def mode_of(path: Path) -> int:
    """Return the permissions of a file or folder."""
    return path.stat().st_mode & 0o777
