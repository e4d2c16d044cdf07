"""Connecting to a central store, and saying in a sentence why that cannot be done."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from threading import Timer
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg import pq
from psycopg.abc import PQGen
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    create_engine,
    event,
    func,
    select,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from hype.central_url import ELSEWHERE, ENCRYPTED, ENCRYPTION, Server, parsed_url
from hype.store.central import limits as usual
from hype.store.central.limits import ANNOUNCE, FOREVER, SAID_AFTER_S, STATION, Limits
from hype.store.central.problems import CentralAway, CentralRefused
from hype.store.central.servers import trusted_servers
from hype.store.central.tables import READ, central_sql
from hype.store.schema import VERSION

RV = TypeVar("RV")
STORE: Final = "the central store"
OTHERS: Final = "another station, which is giving somebody a place"


UNTIL: Final[ContextVar[float]] = ContextVar("until", default=FOREVER)
"""When nothing more may be waited for, by the monotonic clock."""


class TooLong(psycopg.OperationalError):
    """A reply did not come in time."""


class PatientConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed once a reply takes too long.

    The server is not asked to stop, since it does not answer; it has limits of its own.
    """

    limits: Limits = STATION  # how long it may wait for one reply
    until: float = FOREVER  # as `UNTIL` was when it was made
    _others = False
    _spent: TooLong | KeyboardInterrupt | None = None

    def wait(self, gen: PQGen[RV], *more: Any, **named: Any) -> RV:
        """Consume a generator that operates on the connection.

        Raises TooLong, KeyboardInterrupt: the reply did not come in time, or somebody did not want
        to wait; now or before.
        """
        if self._spent:
            raise self._spent
        try:
            return super().wait(self._limited(gen), *more, **named)
        except (TooLong, KeyboardInterrupt) as error:
            self._spent = error
            self.close()
            raise

    @contextmanager
    def waiting_for_others(self) -> Iterator[None]:
        """Say of what happens in the block that it waits for a lock."""
        self._others = True
        try:
            yield
        finally:
            self._others = False

    @property
    def _awaited(self) -> tuple[str, float]:
        """For what it waits, and for how many seconds at most."""
        if self._others:
            return OTHERS, self.limits.lock_s
        return STORE, self.limits.statement_s

    def _limited(self, gen: PQGen[RV]) -> PQGen[RV]:
        """Pass on what a generator waits for, until that takes too long."""
        begun = monotonic()
        end = min(begun + self.limits.reply_s, self.until)
        try:
            wanted = next(gen)
            while True:
                wanted = gen.send((yield wanted))  # what came meanwhile is taken first
                now = monotonic()
                if now > end:
                    raise TooLong(f"no answer for {now - begun:.0f} seconds")
                if now - begun > SAID_AFTER_S:
                    ANNOUNCE.get()(*self._awaited)
        except StopIteration as done:
            result: RV = done.value
            return result


def patiently(limits: Limits) -> Callable[..., PatientConnection]:
    """Give what connects an engine, in the place of its driver."""

    def connect(_dialect: Any, _entry: Any, args: Any, named: Any) -> PatientConnection:
        until = UNTIL.get()
        if monotonic() > until:
            raise TooLong("no more time to wait for it")
        with announced_if_slow(STORE, limits.connect_s):
            connection = PatientConnection.connect(*args, **named)
        connection.limits, connection.until = limits, until
        return connection

    return connect


@contextmanager
def announced_if_slow(awaited: str, seconds: float) -> Iterator[None]:
    """Say for what is waited if the block, which cannot say it by itself, takes long."""
    telling = Timer(SAID_AFTER_S, ANNOUNCE.get(), [awaited, seconds])
    telling.daemon = True
    telling.start()
    try:
        yield
    finally:
        telling.cancel()


OLDEST_LIBRARY: Final = 16
"""Of PostgreSQL's, which can insist on how a server asks for a password."""
PROVEN: Final = "scram-sha-256"
"""How a server may ask: it learns no password, and has to show that it knows it already."""


def arguments_of(url: str) -> dict[str, str | None]:
    """Give the parameters of a connection; None where the environment may say.

    Raises CentralRefused: the library is too old for it, or the user's file of trusted servers is
    no such file.
    """
    if pq.version() < OLDEST_LIBRARY * 10_000:
        problem = f"cannot be asked safely by libpq {pq.version() // 10_000}"
        raise CentralRefused(url, problem, f"psycopg[binary] brings {OLDEST_LIBRARY} or newer")
    asked = parsed_url(url)
    server, sslmode = asked.server, encryption(asked.sslmode, asked.server)
    encrypted = is_encrypted(sslmode) and not server.is_socket
    return {
        "host": server.host,
        "hostaddr": "",
        "port": str(server.port),
        "dbname": asked.dbname,
        "user": asked.user or None,
        "require_auth": f"{PROVEN},none" if server.is_socket else PROVEN,
        "sslmode": sslmode,
        # Whoever stands between could show a certificate of theirs, but has not the password.
        "channel_binding": "require" if encrypted else None,
        "gssencmode": "disable",
    }


def encryption(sslmode: str, server: Server) -> str:
    """Give the ``sslmode``: the strongest of a URL's, the environment's, and what must be."""
    clear = server.is_here or trusted_servers().get(server, False)
    modes = [mode for mode in (sslmode, os.environ.get("PGSSLMODE")) if mode]
    return (
        max(modes or ["prefer"], key=strength) if clear else max([ENCRYPTED, *modes], key=strength)
    )


def strength(sslmode: str) -> int:
    """Rank an ``sslmode``; one that nobody knows is for the library to refuse."""
    return ENCRYPTION.index(sslmode) if sslmode in ENCRYPTION else len(ENCRYPTION)


def is_encrypted(sslmode: str) -> bool:
    """Whether nothing goes in clear text."""
    return strength(sslmode) >= strength(ENCRYPTED)


REFUSED: Final = {
    "28P01": ELSEWHERE,
    "28000": "the server lets in whom its pg_hba.conf names, from where and how it says",
    "3D000": "make it with createdb, or mend the URL",
    "42501": "stations may add and hype_analyst may read, as hype central STATION | psql grants it",
    "3F000": "make it one: hype central | psql -d DATABASE",
    "42P01": "make it one: hype central | psql -d DATABASE",
    "42703": "bring it up to date: hype central | psql -d DATABASE",
    "auth": f"the server must ask for a password by {PROVEN} (pg_hba.conf), and know it",
    "binding": "it must encrypt for itself (ssl = on), and ask for a password by " + PROVEN,
    "certificate": "~/.postgresql/root.crt must hold what signed the server's certificate",
    "clear": "let it encrypt (ssl = on); where all who could read along may, "
    "hype trust {server} --clear-text",
}
"""What somebody must mend first, by PostgreSQL's code or by ours, and what mends it."""
AWAY: Final = ("08", "25P", "40", "53", "55", "57")
"""Beginnings of its codes for what passes: networks, waiting too long, deadlocks, shutting down."""
store: Final = Table("store", MetaData(), Column("version", Integer))

# What it warns of when a connection is lost is said once, by us; else it would go to the terminal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


@contextmanager
def connected(url: str, limits: Limits, *, until: float = FOREVER) -> Iterator[Engine]:
    """Give an engine whose connections go to a central store, one for each use.

    ``limits``: how long may be waited for it.
    ``until``: when nothing of it may be waited for any more, by the monotonic clock.

    Raises CentralRefused: there is no such database, it is no central store, or who asks may not.
    Raises CentralAway: it cannot be reached, or went away meanwhile.
    """
    engine = engine_for(url, limits, tuple(arguments_of(url).items()))
    token = UNTIL.set(until)
    try:
        yield engine
    except psycopg.Error as error:
        raise explained(url, error) from None
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.Error):
            raise explained(url, error.orig) from None
        raise
    finally:
        UNTIL.reset(token)


@lru_cache(maxsize=16)
def engine_for(url: str, limits: Limits, arguments: tuple[tuple[str, object], ...]) -> Engine:
    """Give an engine that keeps no connection, but what it once made of a query.

    A server asks the same of its store for each newcomer, and SQLAlchemy takes longer to write
    those queries than PostgreSQL to answer them.
    """
    engine = create_engine(
        url,
        poolclass=NullPool,
        pool_reset_on_return=None,  # closing undoes as much, and does not complain of a lost one
        connect_args={**dict(arguments), **limits.for_libpq, "application_name": "hype"},
        hide_parameters=True,
    )
    event.listen(engine, "do_connect", patiently(limits))
    return engine


def driver_of(store: Connection) -> PatientConnection:
    driver = store.connection.driver_connection
    if not isinstance(driver, PatientConnection):
        raise TypeError(f"{driver!r} is not ours")
    return driver


def explained(url: str, error: psycopg.Error) -> CentralAway | CentralRefused:
    """Say what an error of the database means to who asked."""
    code, reason = error.sqlstate or "", first_line(error)
    if "no password supplied" in reason:
        return CentralRefused(url, "asks for a password", ELSEWHERE)
    code = code or next(by_words(str(error)), "")
    if code in REFUSED:
        server = parsed_url(url).server
        return CentralRefused(url, reason, REFUSED[code].format(server=server))
    unreached = isinstance(error, psycopg.OperationalError) and not code
    if unreached or code.startswith(AWAY):
        return CentralAway(f"{url}: the central store cannot be reached ({reason})")
    return CentralRefused(url, f"did not take it: {reason}")


def by_words(reason: str) -> Iterator[str]:
    """Yield the code of a refusal that came before there was a connection, which has none."""
    if "authentication method requirement" in reason:
        yield "auth"
    if "channel binding" in reason:
        yield "binding"
    if "certificate" in reason:
        yield "certificate"
    if "does not support SSL" in reason:
        yield "clear"
    if "authentication failed" in reason:
        yield "28P01"
    if "no pg_hba.conf entry" in reason:
        yield "28000"
    if "database" in reason and "does not exist" in reason:
        yield "3D000"
    if "role" in reason and "does not exist" in reason:
        yield "28000"
    if "permission denied for database" in reason:
        yield "42501"


def first_line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = next(iter(lines), "without a reason")
    for before in ("FATAL: ", "failed: "):
        text = text.rsplit(before, 1)[-1]
    return text.strip().rstrip(":")


@contextmanager
def reading_central(url: str) -> Iterator[Engine]:
    """Open a central store for reading, as a record is read: the same tables, the same columns.

    Raises CentralRefused, CentralAway: as `connected`; or it was made by another version of the
    program.
    """
    with connected(url, usual.READER) as engine:
        reading = engine.execution_options(
            schema_translate_map={None: READ}, isolation_level="REPEATABLE READ"
        )
        event.listen(reading, "begin", read_only)
        with reading.connect() as connection:
            require_version(url, connection)
        yield reading


def read_only(connection: Connection) -> None:
    """Let a transaction change nothing."""
    connection.exec_driver_sql("SET TRANSACTION READ ONLY")


def require_version(url: str, connection: Connection) -> None:
    """Refuse a store that another version of the program made.

    Raises CentralRefused: its tables are not those that this program knows.
    """
    versions = connection.execute(select(store.c.version)).scalars().all()
    if not versions or max(versions) != VERSION:
        problem = f"has schema version {max(versions, default=0)}; this program knows {VERSION}"
        remedy = "bring both up to date: hype at all stations, then hype central | psql -d DATABASE"
        raise CentralRefused(url, problem, remedy)


MAKING: Final = 20_191_107
"""The number of the lock of whoever makes a store, which is let go of with the connection."""
COMMANDS_OF_PSQL: Final = "\\"
"""How lines begin that are for ``psql`` and not for the server."""


def make_if_missing(engine: Engine) -> None:
    """Make the tables, views and roles of a database that has none, if that is allowed here.

    Stations are not allowed to, and need not: the database's owner has done it, or does it by
    pushing first.
    """
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        may = func.has_database_privilege(func.current_database(), "CREATE")
        store = func.to_regclass("hype.store")
        there, allowed = connection.execute(select(store, may)).one()
        if there is not None or not allowed:
            return
        # Whoever came at the same time waits, and does not make anew what is pushed to already.
        connection.execute(select(func.pg_advisory_lock(MAKING)))
        if connection.execute(select(store)).scalar() is None:
            driver_of(connection).execute(for_server(central_sql()).encode())


def for_server(script: str) -> str:
    """Leave out of a script what is for ``psql``."""
    lines = script.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(COMMANDS_OF_PSQL))
