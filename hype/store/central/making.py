"""Making a central store of an empty database, where whoever comes owns it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, func, select

from hype.store.central.engine import driver_of
from hype.store.central.sql import central_sql

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
