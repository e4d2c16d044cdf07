"""The table of the study file that says where copies of the answers go."""

from __future__ import annotations

import re
from typing import Final

from pydantic import field_validator

from hype.central_url import checked_url
from hype.study.table import Settings

STATION_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,32}")


class StoreSettings(Settings):
    """``[store]``: a store that several stations share, and who they are.

    ``central`` is the URL of its database, without a password; empty where there is none.
    ``stations`` are the names of all stations, among which the places of the design are divided
    while the store cannot be reached.
    """

    central: str = ""
    stations: tuple[str, ...] = ()

    @field_validator("central")
    @classmethod
    def is_no_secret(cls, url: str) -> str:
        """Refuse what is no URL, or holds a password."""
        return checked_url(url) if url else ""

    @field_validator("stations")
    @classmethod
    def names_are_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what no station can be called, and a name that is there twice."""
        for name in names:
            if not STATION_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no name of 1 to 32 letters, digits and '-'")
        if len(set(names)) < len(names):
            raise ValueError("a station is listed twice")
        return names


STORE: Final = """
# Several stations: what is recorded goes to a database that they share (hype central --help).
# [store]
# central = "postgresql+psycopg://hype_station@server.example.org/study"   # without a password
# stations = ["lab-a", "lab-b"]   # HYPE_STATION of each: who divide the places while it is away
"""
