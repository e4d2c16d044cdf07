"""Bringing a record of an earlier program to this one's schema, after a backup."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, event
from sqlalchemy.exc import DatabaseError

from hype.confine import on_one_line
from hype.errors import InputError, SessionProblem
from hype.store.backup import keep_copy
from hype.store.schema import VERSION
from hype.store.sqlite_files import (
    PATIENCE_S,
    PAUSE_S,
    alone_with,
    begin_immediately,
    connect_reading,
    engine_over,
    in_memory,
    is_busy,
    known_version,
    stamp,
)

if TYPE_CHECKING:
    from alembic.config import Config


def version_at(path: Path) -> int:
    """Give the version of the record at ``path``; 0 where there is none yet.

    Raises InputError: it is no record, or was written by a newer program.
    """
    if not path.exists():
        return 0
    if not path.is_file():
        raise InputError(path, "is not a file")
    with closing(connect_reading(path)) as record:
        return known_version(path, record)


def bring_up_to_date(path: Path, remark: Callable[[str], None]) -> None:
    """Migrate the record at ``path`` if an earlier program wrote it; ``remark`` is told of it.

    Of several programs that find it so, one migrates it, and the others wait.

    Raises InputError: it cannot be backed up, or not be written; it is as it was.
    Raises SessionProblem: another program has it open, or it is damaged.
    """
    until = time.monotonic() + PATIENCE_S
    while version_at(path) < VERSION:
        try:
            with alone_with(path) as record:
                migrate_file(path, record, remark)
                return
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise InputError(
                    path, f"cannot be used as a record: {on_one_line(error)}"
                ) from None
        if time.monotonic() > until:
            raise SessionProblem(
                f"{path}: must be brought to schema version {VERSION}, and another program has it "
                "open; end that one first"
            )
        time.sleep(PAUSE_S)


def migrate_file(path: Path, record: sqlite3.Connection, remark: Callable[[str], None]) -> None:
    """Back a record up and migrate it, while nobody else can have it open."""
    before = known_version(path, record)
    if before == VERSION:
        return  # somebody else was faster
    backup = keep_copy(record, path)
    migrate(path, record, before)
    remark(
        f"{path} was written by an earlier version of hype, and is now of schema version {VERSION} "
        f"instead of {before}; {backup} is the record as it was"
    )


def migrate(path: Path, record: sqlite3.Connection, before: int) -> None:
    """Bring the tables of an open record to this program's schema, or leave them as they are.

    Raises InputError: they cannot be written.
    """
    try:
        engine = engine_over(record)
        event.listen(engine, "begin", begin_immediately)
        with engine.begin() as connection:
            upgrade(connection, before=before, after=VERSION)
    except DatabaseError as error:
        raise InputError(
            path,
            f"cannot be brought to schema version {VERSION}: {on_one_line(error.orig)}",
            "it is as it was",
        ) from None


def migrated_copy(path: Path, record: sqlite3.Connection, before: int) -> sqlite3.Connection:
    """Migrate a record of an earlier program in memory; its file is left as it is."""
    memory = in_memory(record)
    migrate(path, memory, before)
    return memory


def config_for(connection: Connection) -> Config:
    """Give Alembic's configuration of our migrations over a connection."""
    from alembic.config import Config  # takes its time to load

    config = Config()
    config.set_main_option("script_location", "hype.store:migrations")
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, *, before: int, after: int) -> None:
    """Migrate within the transaction that ``connection`` is in, all or nothing.

    ``before`` is the version that the tables have, and ``after`` the one that they are to have.
    """
    from alembic import command

    stamp(connection, before)
    command.upgrade(config_for(connection), str(after))
    stamp(connection, after)
