"""The record of a study: an SQLite file in the study's folder, or a PostgreSQL database.

File and database have the same tables, and the same code writes both through an engine. They differ
in how they are opened, and in how programs lock them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from hype.errors import SessionProblem
from hype.files import put_on_one_line
from hype.store import postgres
from hype.store.postgres import PostgresRecord, is_postgres
from hype.store.sqlite_files import READS_ALONE, connect, engine_over, size_of
from hype.store.sqlite_record import SqliteRecord, make_tables, require_durable_file, writing_record
from hype.study.studies import AnyStudy

RECORD_FILE: Final = "data.sqlite"

Record = PostgresRecord | SqliteRecord
"""Where a study's answers are stored."""


def record_of(study: AnyStudy) -> Record:
    if study.store:
        return PostgresRecord(study.store, study.settings.study.name)
    return SqliteRecord(study.folder / RECORD_FILE)


@contextmanager
def pilot_record() -> Iterator[tuple[Path, Engine]]:
    """Open a record in a temporary folder, which is deleted at the end."""
    with (
        TemporaryDirectory(prefix="hype-pilot-") as folder,
        writing_record(Path(folder) / RECORD_FILE) as engine,
    ):
        yield Path(folder), engine


def ignore(_remark: str) -> None:
    """Ignore a remark."""


def is_begun(engine: Engine) -> bool:
    """Return whether there is a record that is not empty."""
    if is_postgres(engine):
        return True
    where = engine.url.database
    return bool(where and size_of(Path(where)))


@contextmanager
def rehearsing(engine: Engine) -> Iterator[Connection]:
    """Connect to a record; all reads see its state at one moment.

    No new file is made, and other programs can still use the record.

    When the block ends, everything that it wrote is undone.
    """
    if is_begun(engine):
        alike = {"isolation_level": "REPEATABLE READ"} if is_postgres(engine) else {}
        with engine.connect().execution_options(**{READS_ALONE: True}, **alike) as connection:
            yield connection
        return
    with closing(connect(":memory:")) as memory, engine_over(memory).connect() as connection:
        make_tables(connection)
        yield connection


def lock_places(connection: Connection) -> None:
    """Keep other programs from giving or freeing places until this transaction ends.

    Only PostgreSQL needs this lock, since SQLite has one writer at a time.
    """
    if is_postgres(connection.engine):
        postgres.lock_until_commit(connection, "places")


def lock_person(connection: Connection, evaluator: str, *, simulated: bool) -> None:
    """Keep other programs from writing sessions of this evaluator until this transaction ends.

    PostgreSQL may still receive an answer from a server that was stopped. Take this lock before
    `lock_places`.
    """
    if is_postgres(connection.engine):
        kind = "simulated" if simulated else "person"
        postgres.lock_until_commit(connection, f"{kind} {evaluator}")


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Run a block as a transaction: in the end, all that it wrote is on the disk, or nothing is.

    Raises StoreAway: PostgreSQL does not answer.
    Raises SessionProblem: the record cannot be written, since the disk is full, missing, read-only
    or broken.
    """
    with failures_explained(engine), engine.begin() as connection:
        yield connection


@contextmanager
def failures_explained(engine: Engine) -> Iterator[None]:
    """Turn a failed write into a message that explains it.

    Raises StoreAway, SessionProblem: as `transaction`.
    """
    try:
        yield
    except IntegrityError:
        raise  # the record has this trial already: repairing the disk does not help
    except DBAPIError as error:
        if is_postgres(engine):
            raise postgres.explain_failure(engine, error) from None
        problem = f"the record cannot be written ({put_on_one_line(error.orig)})"
        raise SessionProblem(
            f"{engine.url.database}: {problem}; every answer before this one is safe: repair the "
            "disk, and run the same command again to continue"
        ) from None


def require_durable(engine: Engine, is_durable: Callable[[Connection], bool]) -> None:
    """Check that a program that opens the record now would find everything that was committed.

    Raises SessionProblem: something is missing, or the record's files were changed.
    """
    if not is_postgres(engine):
        require_durable_file(engine, is_durable)
        return
    with failures_explained(engine), engine.connect() as opened:
        if not is_durable(opened):
            raise SessionProblem(
                f"{postgres.hide_password(engine.url)}: committed data are missing"
            )
