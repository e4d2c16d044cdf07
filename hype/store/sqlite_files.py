"""The record's file: its header, and connections for writing and reading."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    StaticPool,
    Table,
    create_engine,
    select,
    text,
)

from hype.errors import InputError, SessionProblem
from hype.files import aside, follow_links, put_on_one_line
from hype.store.people import tables_of_people
from hype.store.schema import VERSION, evaluators, events, removals, sessions, studies
from hype.system import open_file, sync

WAL: Final = "-wal"
JOURNAL: Final = "-journal"
LOGS: Final = (WAL, JOURNAL)
"""Suffixes of a record's logs, which contain its last writes, or the data to undo them."""
SHARED: Final = "-shm"
"""The suffix of the index of a record's log, a file that all programs of the record share."""
NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a journal that names another file (SQLite's file format, "super-journal")."""
LOG_BEGINS: Final = (b"", bytes.fromhex("377f0682"), bytes.fromhex("377f0683"))
"""The first bytes of a write-ahead log: of an empty log, and of a log in either byte order."""


def require_harmless(path: Path, *, writing: bool = False) -> None:
    """Refuse files that would make SQLite change files elsewhere, or discard a log.

    Raises InputError: a file next to the record (or the record itself, for writing) is a link or
    not a plain file; its journal names another file; or there is a log
    without its record.
    """
    try:
        for file in (file_of(path, suffix) for suffix in ("", *LOGS, SHARED)[not writing :]):
            with suppress(FileNotFoundError):
                if not stat.S_ISREG(file.lstat().st_mode):
                    raise InputError(file, "is not a plain file", "a plain file, or none")
        journal, log = file_of(path, JOURNAL), file_of(path, WAL)
        with suppress(FileNotFoundError), journal.open("rb") as opened:
            opened.seek(max(0, size_of(journal) - len(NAMES_ANOTHER)))
            if opened.read() == NAMES_ANOTHER:
                raise InputError(
                    journal,
                    "is a journal that would delete another file; hype never leaves such journals",
                    "move it out of the study, and check the record with hype verify",
                )
    except OSError as error:
        raise InputError(path, f"cannot be read as a record: {error.strerror}") from None
    if size_of(log) and not size_of(path):  # log first: a record is written before its log
        raise InputError(  # SQLite would delete such a log
            log,
            f"belongs to a record, but {path.name} is missing or empty",
            "put the record back; or move this file away to start a new record",
        )


def file_of(path: Path, suffix: str) -> Path:
    """Return the path of one of a record's files.

    SQLite follows a link at the database's path, but no other links.
    """
    return Path(f"{follow_links(path)}{suffix}")


def begins_wrong(log: str) -> bool:
    """Return whether a readable log is not empty, but does not start like a log."""
    try:
        file = open_file(log, os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.read(file, 4) not in LOG_BEGINS
    except OSError:
        return False
    finally:
        os.close(file)


def size_of(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0


BUSY_TIMEOUT_S: Final = 30.0
PAUSE_S: Final = 0.02
"""Pause between attempts, in cases where SQLite does not wait by itself."""


def connect_writing(path: Path) -> sqlite3.Connection:
    """Open a record so that every commit is on the disk; make its file if there is none.

    Raises InputError: the file cannot be made or is no database, or `require_harmless` refuses it.
    """
    require_harmless(path, writing=True)
    make_private(path)
    connection = connect(path)
    with explain_errors(path, "used", close=connection):
        use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # needed on macOS
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # this makes the log
    return connection


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read; SQLite gives its logs the same mode."""
    if path.exists():
        return  # the file exists, with its own mode
    try:
        os.close(open_file(path, os.O_RDWR | os.O_CREAT))
        sync(path.parent)
    except OSError as error:
        raise InputError(path, f"cannot be made: {error.strerror}") from None


def connect(location: Path | str, *, timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Open a database by its path or a URI; the caller begins transactions.

    The database may come from a stranger, so its schema must not call functions with side effects.
    """
    connection = sqlite3.connect(
        location,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,  # a pool hands connections from thread to thread
        uri=isinstance(location, str),
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def uri(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open an unchanging database for reading only, and ignore the files next to it."""
    return connect(f"{uri(path, 'ro')}&immutable=1")


@contextmanager
def explain_errors(path: Path, verb: str, *, close: sqlite3.Connection) -> Iterator[None]:
    """Turn SQLite's errors into a message, and close the connection that raised one.

    Raises InputError: ``path`` cannot be opened as a record; ``verb``: "read" or "used", for the
    message.
    Raises SessionProblem: another program keeps the record locked.
    """
    try:
        yield
    except BaseException as error:
        close.close()
        # If SQLite quotes damaged text in a message, Python cannot decode the message.
        if not isinstance(error, sqlite3.Error | UnicodeDecodeError):
            raise
        if is_busy(error):
            raise explain_use_elsewhere(path) from None
        raise InputError(path, f"cannot be {verb} as a record: {put_on_one_line(error)}") from None


def is_busy(error: Exception) -> bool:
    return "is locked" in str(error)


def explain_use_elsewhere(path: Path) -> SessionProblem:
    return SessionProblem(f"{path}: is in use by another program; end that first, or wait for it")


def use_wal(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log; wait while others open the same new record, as SQLite does not wait.

    Raises sqlite3.OperationalError: no log can be written here. SQLite itself would continue
    without a log and without a message, and a power cut could then undo commits.
    """
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode == "wal":
                return
            raise sqlite3.OperationalError("no log can be written next to it")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > until:
                raise
        time.sleep(PAUSE_S)


def connect_reading(path: Path) -> sqlite3.Connection:
    """Open a record for reading only; nothing is changed in its folder.

    A record that no program has open is read from a copy in memory, since SQLite would leave files
    next to it. A record on a read-only disk is read from a copy too, since SQLite can neither share
    a lock on such a disk nor undo an incomplete write.

    Raises InputError: the record cannot be read, or `require_harmless` refuses it.
    Raises SessionProblem: another program keeps the record locked.
    """
    require_harmless(path)
    # These files exist while a program has the record open, or after a program was killed
    if not all(os.path.lexists(file_of(path, suffix)) for suffix in (WAL, SHARED)):
        return load(path)
    try:
        return check_readable(connect(uri(path, "ro")))
    except sqlite3.OperationalError as error:
        if is_busy(error):
            raise explain_use_elsewhere(path) from None
    except sqlite3.DatabaseError as error:
        problem = f"cannot be read as a record: {put_on_one_line(error)}"
        raise InputError(path, problem) from None
    return load(path)


def check_readable(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Check that the database can be read, and forbid writing to it."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    connection.execute("PRAGMA query_only = ON")
    return connection


def load(path: Path) -> sqlite3.Connection:
    """Load a record into memory from a private copy, in a folder to which SQLite can write.

    No other code of this process may have the record open: closing the file frees all its locks.

    Raises InputError: the record cannot be read.
    """
    try:
        with aside(Path(gettempdir()), "record") as folder:
            copy = folder / path.name
            copy_whole(follow_links(path), copy)
            record = connect(copy)
            with explain_errors(path, "read", close=record), closing(record):
                memory = connect(":memory:")
                copy_into(memory, record)
                return check_readable(memory)
    except OSError as error:
        raise InputError(path, f"cannot be read as a record: {error.strerror}") from None
    except sqlite3.OperationalError as error:  # for example, another program deleted the copy
        problem = f"its copy in {gettempdir()} cannot be opened: {put_on_one_line(error)}"
        raise InputError(path, problem, "read it again") from None


def copy_whole(path: Path, copy: Path) -> None:
    """Copy a database with its logs, and repeat this if one of these files changed meanwhile."""
    for _ in range(10):
        before = states(path)
        for suffix in before:
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        if states(path) == before:
            return
        for log in LOGS:
            Path(f"{copy}{log}").unlink(missing_ok=True)
    raise InputError(path, "is being written", "wait, or read the record where it can be written")


def states(path: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the modification time of a database and of each log that it has."""
    states_of_files = {}
    for suffix in ("", *LOGS):
        file = Path(f"{path}{suffix}")
        if file.is_file():
            states_of_files[suffix] = (file.stat().st_size, file.stat().st_mtime_ns)
    return states_of_files


def copy_into(copy: sqlite3.Connection, record: sqlite3.Connection) -> None:
    """Copy the current state of a record. Other programs can still write to it."""
    record.execute("BEGIN")  # without BEGIN, each write of another program restarts the copy
    try:
        record.execute("SELECT count(*) FROM sqlite_master").fetchone()
        record.backup(copy)
    finally:
        record.execute("ROLLBACK")


def engine_over(record: sqlite3.Connection) -> Engine:
    """Return an engine that uses only this connection, and begins no transaction by itself."""
    return create_engine("sqlite://", creator=lambda: record, poolclass=StaticPool)


READS_ALONE: Final = "reads_alone"
"""The option of connections that only read: their transactions do not block writers."""

APPLICATION_ID: Final = 0x48595045
"""``HYPE`` in the header of a SQLite file."""


def is_record_at(path: Path) -> bool:
    """Return whether there is a record at ``path``.

    Raises InputError: ``path`` is not a file; or as in `is_record`.
    """
    if not path.exists():
        return False
    if not path.is_file():
        raise InputError(path, "is not a file")
    with closing(connect_reading(path)) as record:
        return is_record(path, record)


def is_record(path: Path, record: sqlite3.Connection) -> bool:
    """Return whether a database is a record; an empty one is not.

    Raises InputError: the database belongs to another program, or is a record of another version.
    """
    application, version = (
        int(record.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("application_id", "user_version")
    )
    if application == APPLICATION_ID:
        if version != VERSION:
            raise InputError(
                path, f"is a record of version {version}; this program reads version {VERSION}"
            )
        return True
    if (application, version) == (0, 0) and not record.execute(
        "SELECT 1 FROM sqlite_master"
    ).fetchone():
        return False
    raise InputError(path, "is a database, but not a record of hype")


def mark_as_record(connection: Connection) -> None:
    """Write the mark and the version of a record into the file's header."""
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


LARGEST: Final = 1e15
"""Numbers in cells must be smaller than this; a database could even contain infinity."""
MOMENT: Final = "unix_s"
"""The suffix of the names of columns with wall-clock times."""
LATEST_UNIX_S: Final = 253_370_764_800
"""The start of the year 9999, the last year of Python's calendar."""
WRONG_STUDY: Final = "studies: a checksum or a study is not text"


def tables_with_numbers() -> tuple[Table, ...]:
    """Return the tables whose rows are numbered."""
    return (evaluators, sessions, *tables_of_people(), events, removals)


def impossible_cells(connection: Connection, table: Table) -> Iterator[tuple[int, str]]:
    """Yield the row number and column of each cell that does not fit its column."""
    if not has_impossible(connection, table):
        return
    for column in table.columns:
        query = select(table.c.id).where(text(is_impossible(column)))
        for number in connection.execute(query).scalars():
            yield number, column.name


def has_impossible(connection: Connection, table: Table) -> bool:
    any_of_them = text(" or ".join(map(is_impossible, table.columns)))
    return (
        connection.execute(select(1).select_from(table).where(any_of_them).limit(1)).first()
        is not None
    )


def is_impossible(column: Column[object]) -> str:
    """Write the SQL condition for a cell that does not fit its column.

    The condition is plain text: every command that reads a record needs one for each column, and
    composing these with SQLAlchemy took longer than running them.
    """
    cell, kind = f'"{column.name}"', f'typeof("{column.name}")'
    if isinstance(column.type, Boolean):
        fine = f"{kind} = 'integer' and abs({cell}) <= 1"
    elif isinstance(column.type, Integer):
        fine = f"{kind} = 'integer'"
    elif isinstance(column.type, Float):
        fine = f"{kind} in ('integer', 'real') and abs({cell}) < {LARGEST!r}"
        if column.name.endswith(MOMENT):
            fine += f" and {cell} between 0 and {LATEST_UNIX_S!r}"
    else:
        fine = f"{kind} = 'text'"
    return f"not ({fine} or {kind} = 'null')" if column.nullable else f"not ({fine})"


def require_possible(connection: Connection, record: object) -> None:
    """Refuse a record with a cell that does not fit its column.

    Raises InputError: a cell does not fit; the message names the first such cell.
    """
    for table in tables_with_numbers():
        for number, column in impossible_cells(connection, table):
            raise wrong_cell(record, f"{table.name} {number!r}: {column}")
    if has_impossible(connection, studies):
        raise wrong_cell(record, WRONG_STUDY)


def wrong_cell(record: object, which: str) -> InputError:
    return InputError(
        record, f"contains impossible values ({which})", "for details: hype verify STUDY"
    )
