"""Connecting to a central store, and saying in a sentence why that cannot be done."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    create_engine,
    event,
    select,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from hype.central_url import ELSEWHERE, parsed_url
from hype.store.central import limits as usual
from hype.store.central.arguments import PROVEN, arguments_of
from hype.store.central.limits import FOREVER, Limits
from hype.store.central.problems import CentralAway, CentralRefused
from hype.store.central.sql import READ
from hype.store.central.waiting import PatientConnection, patiently
from hype.store.schema import VERSION

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

    Parameters
    ----------
    limits
        How long may be waited for it.
    until
        When nothing of it may be waited for any more, by the monotonic clock.

    Raises
    ------
    CentralRefused
        There is no such database, it is no central store, or who asks may not.
    CentralAway
        It cannot be reached, or went away meanwhile.
    """
    engine = create_engine(
        url,
        poolclass=NullPool,
        pool_reset_on_return=None,  # closing undoes as much, and does not complain of a lost one
        connect_args={**arguments_of(url), **limits.for_libpq, "application_name": "hype"},
        hide_parameters=True,
    )
    event.listen(engine, "do_connect", patiently(limits, until))
    try:
        yield engine
    except psycopg.Error as error:
        raise explained(url, error) from None
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.Error):
            raise explained(url, error.orig) from None
        raise
    finally:
        engine.dispose()


def driver_of(store: Connection) -> PatientConnection:
    """Give psycopg's own connection, which can copy rows in."""
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
    """Give the first thing that a database or its library said."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = next(iter(lines), "without a reason")
    for before in ("FATAL: ", "failed: "):
        text = text.rsplit(before, 1)[-1]
    return text.strip().rstrip(":")


@contextmanager
def reading_central(url: str) -> Iterator[Engine]:
    """Open a central store for reading, as a record is read: the same tables, the same columns.

    Raises
    ------
    CentralRefused, CentralAway
        As `connected`; or it was made by another version of the program.
    """
    with connected(url, usual.READER) as engine:
        event.listen(engine, "begin", read_only)
        reading = engine.execution_options(
            schema_translate_map={None: READ}, isolation_level="REPEATABLE READ"
        )
        with reading.connect() as connection:
            require_version(url, connection)
        yield reading


def read_only(connection: Connection) -> None:
    """Let a transaction change nothing."""
    connection.exec_driver_sql("SET TRANSACTION READ ONLY")


def require_version(url: str, connection: Connection) -> None:
    """Refuse a store that another version of the program made.

    Raises
    ------
    CentralRefused
        Its tables are not those that this program knows.
    """
    versions = connection.execute(select(store.c.version)).scalars().all()
    if not versions or max(versions) != VERSION:
        problem = f"has schema version {max(versions, default=0)}; this program knows {VERSION}"
        remedy = "bring both up to date: hype at all stations, then hype central | psql -d DATABASE"
        raise CentralRefused(url, problem, remedy)
