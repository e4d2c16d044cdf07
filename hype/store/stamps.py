"""What a file says of itself: that it is a record, and which version its tables have.

A SQLite file says so in its header, where earlier programs look too; the table that Alembic reads
says the same.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    delete,
    insert,
)

from hype.errors import InputError
from hype.store.schema import VERSION

APPLICATION_ID: Final = 0x48595045
"""``HYPE`` in the header of a SQLite file; records before schema 3 have nothing there."""
FIRST_TABLES: Final = frozenset(("studies", "evaluators", "sessions", "judgements", "events"))
"""The tables of schema 1."""

alembic_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's own table, declared here so that a new record can be made without loading Alembic."""


def known_version(path: Path, record: sqlite3.Connection) -> int:
    """Give the version of a record's tables; 0 for a database in which nothing is yet.

    Raises
    ------
    InputError
        It is another program's database, or was written by a newer version of this one.
    """
    application, version = (
        int(record.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("application_id", "user_version")
    )
    tables = {name for (name,) in record.execute("SELECT name FROM sqlite_master")}
    if (application, version, tables) == (0, 0, set()):
        return 0
    unmarked = application == 0 and tables >= FIRST_TABLES
    if version < 1 or not (application == APPLICATION_ID or unmarked):
        raise InputError(path, "is a database, and not a record of hype")
    if version > VERSION:
        raise InputError(
            path,
            f"has schema version {version}; this program knows versions up to {VERSION}",
            "update hype on this machine",
        )
    return version


def stamp(connection: Connection, version: int) -> None:
    """Say of a record that its tables have this version."""
    alembic_version.create(connection, checkfirst=True)
    connection.execute(delete(alembic_version))
    connection.execute(insert(alembic_version).values(version_num=str(version)))
    connection.exec_driver_sql(f"PRAGMA user_version = {version}")
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
