"""Forget an evaluator: block their sessions, remove their rows, and rewrite the file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, Table, func, insert, select

from hype.errors import InputError, SessionProblem
from hype.files import put_on_one_line, shorten
from hype.store.backup import BACKUPS, UNFINISHED
from hype.store.columns import CODE
from hype.store.kept import answer_tables
from hype.store.people import Evaluator, delete_evaluators, find_evaluator
from hype.store.record import Record, transaction
from hype.store.schema import evaluators, removals, sessions
from hype.store.seats import evaluator_seat
from hype.store.sqlite_files import connect_read_only

BACKUP_FILES: Final = ("*.sqlite", f"{UNFINISHED}*/*.sqlite")
"""Patterns for the names of backups, complete and unfinished."""
PATIENCE_MS: Final = 30_000
"""How long the rewriting of the file waits for programs that read or write the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorHeld:
    """An evaluator, and the numbers of their sessions and answers (``judgements``) in a record."""

    who: Evaluator
    sessions: int
    judgements: int


def count_rows(connection: Connection, who: Evaluator) -> EvaluatorHeld:
    def number(table: Table) -> int:
        query = select(func.count()).select_from(table).where(table.c.evaluator_id == who.id)
        return connection.execute(query).scalar_one()

    judgements = sum(map(number, answer_tables()))
    return EvaluatorHeld(who=who, sessions=number(sessions), judgements=judgements)


def wipe_traces(engine: Engine) -> None:
    """Rewrite the record's file, so that it contains no byte of a removed row.

    Bytes of deleted rows can remain in unused parts of pages and in the write-ahead log. Other
    programs may run sessions meanwhile; they only wait while the file is written.

    Raises SessionProblem: the file cannot be rewritten, since the disk is full or another program
    keeps reading it.
    """
    try:
        with closing(engine.raw_connection()) as pooled:
            raw = pooled.driver_connection
            if not isinstance(raw, sqlite3.Connection):
                return  # the database is not a file
            raw.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
            raw.execute("VACUUM")
            (busy, *_) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as error:
        raise traces_remain(engine, put_on_one_line(error)) from None
    if busy:
        raise traces_remain(engine, "another program keeps reading it")


def traces_remain(engine: Engine, reason: str) -> SessionProblem:
    """Report that rows are deleted, but bytes of them may remain on the disk."""
    return SessionProblem(
        f"{engine.url.database}: the data are removed, but the file could not be rewritten "
        f"({reason}) and may contain bytes of them; solve this, and run the same command again"
    )


def may_hold(copy: Path, evaluator: str, *, simulated: bool) -> bool:
    """Return whether a copy of a record (of any schema) contains an evaluator or cannot be read."""
    log = Path(f"{copy}-wal")
    if log.exists() and log.stat().st_size:
        return True  # this log is not read, and may contain the evaluator
    query = "SELECT count(*) FROM evaluators WHERE evaluator = ? AND simulated = ?"
    try:
        with closing(connect_read_only(copy)) as connection:
            (number,) = connection.execute(query, (evaluator, simulated)).fetchone()
    except sqlite3.Error:
        return True
    return bool(number)


@contextmanager
def evaluator_to_forget(
    engine: Engine, record: Record, evaluator: str, *, simulated: bool
) -> Iterator[EvaluatorHeld]:
    """Find an evaluator to forget, and hold their seat, so that they cannot start a session.

    Raises InputError: the record does not contain the evaluator.
    Raises SessionProblem: the evaluator is in a session.
    """
    with ExitStack() as stack:
        # Refuse an unknown evaluator before a seat is held
        find_to_forget(engine, record.where, evaluator, simulated=simulated)
        if CODE.fullmatch(evaluator):  # other codes are unsafe as names of seats
            seat = evaluator_seat(evaluator, simulated=simulated)
            stack.enter_context(record.hold_seat(engine, seat, f"the session of {evaluator!r}"))
        yield find_to_forget(engine, record.where, evaluator, simulated=simulated)


def find_to_forget(
    engine: Engine, record: str, evaluator: str, *, simulated: bool
) -> EvaluatorHeld:
    """Find an evaluator in the record.

    If the evaluator is not found, but people were removed before, wipe the traces of removed rows:
    an earlier command may have removed this evaluator, but have been killed before it wiped them.
    """
    with transaction(engine) as connection:
        who = find_evaluator(connection, evaluator, simulated=simulated)
        if who is not None:
            return count_rows(connection, who)
        was_anybody_removed = connection.execute(select(removals).limit(1)).first() is not None
    if was_anybody_removed:
        wipe_traces(engine)
    kind = "simulated evaluator" if simulated else "evaluator"
    raise InputError(
        record, f"contains no {kind} {shorten(evaluator)}", "hype status lists the evaluators"
    )


def remove(engine: Engine, person: EvaluatorHeld) -> None:
    """Remove either all rows of an evaluator or none, and record the removal without the code.

    The caller then wipes the remaining bytes with `wipe_traces`.

    Raises SessionProblem: the record cannot be written. Nothing was removed.
    """
    note = {
        "simulated": person.who.simulated,
        "condition": person.who.condition,
        "methods": " ".join(person.who.methods),
        "removed_unix_s": time.time(),
    }
    with transaction(engine) as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
        held = count_rows(connection, person.who)
        delete_evaluators(connection, evaluators.c.id == person.who.id)
        amount = {"sessions": held.sessions, "judgements": held.judgements}
        connection.execute(insert(removals).values(**note, **amount))


def copies_with(record: Path, who: Evaluator) -> tuple[Path, ...]:
    """List the backups of a record that contain an evaluator, or cannot be read."""
    folder = record.parent / BACKUPS
    copies = sorted(copy for names in BACKUP_FILES for copy in folder.glob(names))
    return tuple(c for c in copies if may_hold(c, who.evaluator, simulated=who.simulated))
