"""`hype central`: the SQL that makes a database a central store."""

from __future__ import annotations


def central() -> None:
    r"""Print the SQL that makes a PostgreSQL database a central store, with its two roles.

    Whoever owns the database runs it, once:

        createdb fashion

        hype central | psql -q -d fashion

    It makes the tables into which stations add what they recorded, the
    views that are read, the role hype_station, which can add trials and
    nothing else, and the role hype_analyst, which can read. Both need a
    password: psql -c '\password hype_station'. It may be run again, and
    leaves what is there.
    """
    from hype.store.central.sql import central_sql

    print(central_sql(), end="")
