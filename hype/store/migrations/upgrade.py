"""Bringing tables from the version that they have to this program's. Takes Alembic to be loaded."""

from __future__ import annotations

from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from hype.store.sqlite_files import stamp

SCRIPTS: Final = "hype.store:migrations"


def config_for(connection: Connection) -> Config:
    """Give Alembic's configuration of our migrations over a connection."""
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, *, before: int, after: int) -> None:
    """Migrate within the transaction that ``connection`` is in, all or nothing.

    Parameters
    ----------
    before, after
        The version that the tables have, and the one that they are to have.
    """
    stamp(connection, before)
    command.upgrade(config_for(connection), str(after))
    stamp(connection, after)
