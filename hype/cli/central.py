"""`hype central`: the SQL that makes a database a central store."""

from __future__ import annotations

from typing import Annotated

import typer

from hype.errors import InputError
from hype.study.station_settings import STATION_NAME


def central(
    stations: Annotated[
        list[str] | None,
        typer.Argument(metavar="STATION", help="names of the stations that get a role"),
    ] = None,
) -> None:
    r"""Print the SQL that makes a PostgreSQL database a central store, with its roles.

    Whoever owns the database runs it:

        createdb fashion

        hype central lab-a lab-b | psql -q -d fashion

    It makes the tables into which stations add what they recorded, the
    views that are read, a role for each station, which can add trials of
    those who came there and nothing else, and the role hype_analyst, which
    can read. All need a password: psql -c '\password "hype_station_lab-a"'.

    It may be run again, with stations that have come or without: it leaves
    what is there, and puts back what a station has changed of its role.
    """
    from hype.store.central.tables import central_sql

    for name in stations or ():
        if not STATION_NAME.fullmatch(name):
            problem = f"{name!r} is no name of a station"
            raise InputError("STATION", problem, "1 to 32 letters, digits and '-'")
    print(central_sql(stations or ()), end="")
