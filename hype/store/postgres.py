"""A record in PostgreSQL: one database (or schema) contains the record of one study.

Stations and servers write to the database directly. A program holds a seat through an advisory lock
on its writing connection, so it loses the seat when the connection ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, Final

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
)

from hype.errors import InputError, NothingRecorded, SessionProblem
from hype.store.columns import metadata
from hype.store.schema import VERSION, studies, tables

STORE: Final = "--store or HYPE_STORE"
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
ENCRYPTED: Final = ("require", "verify-ca", "verify-full")
CONNECT_S: Final = 5
LIMITS: Final = {
    "statement_timeout": "30s",
    "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "60s",
    # The server notices within 10 s that a program is gone, and frees its seat and locks, before
    # other programs reach their time limits
    "tcp_keepalives_idle": "4",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10s",
}
SEAT_AGAIN_S: Final = 40
"""How long a disconnected program waits for the server to notice and free the program's seat."""
PAUSES_S: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to reach a store that does not answer; the last one is repeated."""

of_server = MetaData()
server = Table(
    "server",
    of_server,
    Column("version", Integer, primary_key=True, comment="version of the record's schema"),
    Column(
        "key",
        String(64),
        nullable=False,
        comment="the secret key from which participants' links, cookies and lock names are made; "
        "the same for all programs that serve the study",
    ),
    Column(
        "links",
        String(64),
        comment="a secret part of the addresses for the experimenter and for owners of models; "
        "empty until these addresses are renewed",
    ),
    Column("closed_unix_s", Float, comment="when the study closed to newcomers; empty if open"),
)
people = Table(
    "people",
    of_server,
    Column("code", String(64), primary_key=True, comment="the evaluator's code"),
    Column("person", Text, nullable=False, unique=True, comment="the person's name at a platform"),
    Column("assignment", Text, comment="the assignment to return to Mechanical Turk"),
    Column("submit_to", Text, comment="Mechanical Turk's address for finished assignments"),
)
"""The codes of people. This table is not in the record: no export, backup or report contains it."""


class StoreAway(SessionProblem):
    """The store does not answer now."""


def write_patiently(
    write: Callable[[], None], wait: Callable[[float], None], has_arrived: Callable[[], bool]
) -> None:
    """Write something once, as soon as the store answers.

    ``wait`` waits between two attempts; its argument is in seconds. ``has_arrived`` checks
    whether the failed attempt is in the record after all. The transaction's number cannot show
    this: after a crash, PostgreSQL may give the number to another transaction.
    """
    pauses = [*PAUSES_S]
    while True:
        try:
            write()
            return
        except StoreAway:
            while True:
                wait(pauses[0])
                pauses = pauses[1:] or pauses
                with suppress(StoreAway):
                    if has_arrived():
                        return
                    break


def is_postgres(engine: Engine) -> bool:
    return engine.dialect.name == "postgresql"


def hide_password(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def check_url(store: str) -> URL:
    """Read the address of a store.

    Raises InputError: the address is not valid, or would send a password or answers in clear text.
    """
    try:
        url = make_url(store)
    except (ArgumentError, ValueError):
        raise InputError(STORE, "is not an address", "postgresql://USER@HOST/DATABASE") from None
    if url.drivername not in ("postgresql", "postgres"):
        problem = f"{url.drivername!r} is not a kind of store"
        raise InputError(STORE, problem, "postgresql://USER@HOST/DATABASE")
    mode = url.query.get("sslmode", "")
    is_here = not url.host or url.host in LOOPBACK or url.host.startswith("/")
    if not is_here and not mode:
        url = url.update_query_dict({"sslmode": "require"})
    elif not is_here and mode not in ENCRYPTED:
        problem = f"sslmode={mode} would send answers in clear text to {url.host}"
        raise InputError(STORE, problem, f"sslmode={', '.join(ENCRYPTED)}")
    return url.set(drivername="postgresql+psycopg")


def first_line(error: DBAPIError) -> str:
    """Return what went wrong, without libpq's guesses about the reason."""
    return str(error.orig).partition("\n")[0]


def explain_failure(engine: Engine, error: DBAPIError) -> SessionProblem:
    """Turn a failure of the store into a message for the experimenter."""
    where, reason = hide_password(engine.url), first_line(error)
    if isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated:
        return StoreAway(
            f"{where}: the store does not answer ({reason}); every answer before this one is safe: "
            "run the same command again to continue"
        )
    return SessionProblem(f"{where}: the store refused a request ({reason})")


def key_of(name: str) -> int:
    """Turn the name of an advisory lock into the lower half of its number."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


OF_RECORD: Final = "(CAST('studies' AS regclass)::oid::bigint << 32) | {key}"
"""SQL for the number of an advisory lock. Advisory locks apply to the whole database, so each
record has its own numbers."""


def lock_until_commit(connection: Connection, name: str) -> None:
    number = OF_RECORD.format(key=key_of(name))
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({number})")


@dataclass(frozen=True, slots=True)
class PostgresRecord:
    """The record of a study in the database that a URL names."""

    url: str
    study_name: str

    @property
    def where(self) -> str:
        return hide_password(check_url(self.url))

    def is_there(self) -> bool:
        with self._engine() as engine:
            return is_made(engine)

    @contextmanager
    def _engine(self, connections: int = 1) -> Iterator[Engine]:
        """Open the database, without checking its content.

        Raises InputError: the database cannot be reached. Raises StoreAway: the database stopped
        answering. Raises SessionProblem: it refuses a command.
        """
        url = check_url(self.url)
        program = f"hype {os.getpid()} at {socket.gethostname()}"
        engine = create_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            connect_args={
                "connect_timeout": CONNECT_S,
                "application_name": program[:63],
                "keepalives_idle": 10,
                "tcp_user_timeout": 25_000,
            },
        )
        event.listen(engine, "connect", set_limits)
        try:
            try:
                with engine.connect():
                    pass
            except DBAPIError as error:
                problem = f"cannot be reached: {first_line(error)}"
                raise InputError(hide_password(url), problem) from None
            yield engine
        except IntegrityError:
            raise  # the record already has this trial
        except DBAPIError as error:
            raise explain_failure(engine, error) from None
        finally:
            engine.dispose()

    @contextmanager
    def writing(self, connections: int = 1) -> Iterator[Engine]:
        """Open the record; the program uses at most this number of ``connections``.

        Raises InputError: the database cannot be reached, or has no record of this study.
        """
        with self._engine(connections) as engine:
            self._require_own(engine)
            yield engine

    @contextmanager
    def reading(self) -> Iterator[Engine]:
        """Open the record for reading only; a transaction sees the state at its first query.

        Raises InputError: as in `writing`.
        """
        with self._engine(2) as engine:
            self._require_own(engine)
            yield engine.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )

    def _require_own(self, engine: Engine) -> None:
        if not is_made(engine):
            raise NothingRecorded(
                self.where, "has no record yet", "hype store init URL makes its tables"
            )
        with engine.connect() as connection:
            version = connection.execute(select(server.c.version)).scalar_one()
            resolved = connection.execute(select(studies.c.resolved).limit(1)).scalar()
        if version != VERSION:
            problem = f"is a record of version {version}; this program reads version {VERSION}"
            raise InputError(self.where, problem)
        name = json.loads(resolved)["study"]["name"] if resolved else self.study_name
        if name != self.study_name:
            problem = f"contains the study {name!r}, but this study is {self.study_name!r}"
            raise InputError(self.where, problem, "a database, or a schema, for each study")

    @contextmanager
    def hold_seat(self, engine: Engine, seat: str, what: str) -> Iterator[None]:
        """Hold a seat through an engine's only connection, and through any that replaces it.

        Raises SessionProblem: another program holds the seat, or has taken it over meanwhile.
        """
        number = OF_RECORD.format(key=key_of(seat))

        def take_again(connection: Any, _entry: object) -> None:
            until = monotonic() + SEAT_AGAIN_S
            while not connection.execute(f"SELECT pg_try_advisory_lock({number})").fetchone()[0]:
                connection.rollback()
                if monotonic() > until:
                    raise SessionProblem(f"{self.where}: another program has taken over {what}")
                sleep(PAUSES_S[0])
            connection.commit()

        query = text(f"SELECT pg_try_advisory_lock({number})")
        with engine.begin() as connection:
            if not connection.execute(query).scalar():
                holder = connection.execute(HOLDER, {"key": key_of(seat)}).scalar()
                raise SessionProblem(
                    f"{what} is already in progress ({holder or 'started just now'}); end that one "
                    "first; its answers are safe"
                )
        event.listen(engine, "connect", take_again)
        try:
            yield
        finally:
            event.remove(engine, "connect", take_again)
            with suppress(DBAPIError), engine.begin() as connection:
                connection.exec_driver_sql(f"SELECT pg_advisory_unlock({number})")


HOLDER: Final = text(
    "SELECT a.application_name || ', since ' || to_char(a.backend_start, 'YYYY-MM-DD HH24:MI') "
    "FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.objid::bigint = :key "
    "AND l.classid = CAST('studies' AS regclass)::oid"
)
"""SQL that finds the program that holds a seat."""


def set_limits(connection: Any, _entry: object) -> None:
    settings = "; ".join(f"SET {name} = '{value}'" for name, value in LIMITS.items())
    connection.execute(settings)
    connection.commit()


def is_made(engine: Engine) -> bool:
    return inspect(engine).has_table(server.name)


def make_record(store: str) -> list[str]:
    """Make the tables of a record; return SQL for a role that may read, add and change rows.

    Existing tables stay as they are.

    Raises InputError: the database cannot be reached, or the role may not make tables.
    """
    record = PostgresRecord(store, "")
    with record._engine() as engine:
        try:
            with engine.begin() as connection:
                schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
                metadata.create_all(connection, tables=tables())
                of_server.create_all(connection)
                if connection.execute(select(server.c.version)).first() is None:
                    row = {"version": VERSION, "key": secrets.token_hex(32)}
                    connection.execute(insert(server), row)
        except DBAPIError as error:
            problem = f"the tables cannot be made: {first_line(error)}"
            raise InputError(record.where, problem) from None
    return [
        "CREATE ROLE station LOGIN PASSWORD '…';",
        f'GRANT USAGE ON SCHEMA "{schema}" TO station;',
        f'GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA "{schema}" TO station;',
    ]
