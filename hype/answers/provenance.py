"""What the figures of a report come from, and what they can be repeated with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from hype.protocols.studies import AnyStudy


class Drawn(Protocol):
    """A bootstrap that was made."""

    @property
    def draws(self) -> int:
        """How many resamples."""

    @property
    def seed(self) -> int:
        """What they follow from."""


def provenance_of(study: AnyStudy, registration: str | None) -> dict[str, str]:
    """Say which study, as it stands, and what was registered of it, if anything was."""
    return {
        "study": study.settings.study.name,
        "study checksum": study.checksum(),
        "study seed": str(study.settings.study.seed),
        **({"study version": str(study.version)} if study.version else {}),
        **({"registration": registration} if registration else {}),
    }


def store_of(study: AnyStudy, engine: Engine, *, simulated: bool) -> dict[str, str]:
    """Say which central store answers come from, and from how many stations; else nothing."""
    if not study.read_from:
        return {}
    stations = count_stations(engine, simulated=simulated)
    return {"central store": database_at(study.read_from), "stations": f"{stations:,}"}


def doubted(study: AnyStudy, engine: Engine, *, simulated: bool) -> dict[str, str]:
    """Warn of what is doubtful in the answers that are read, and name it for the report."""
    from hype.console import warn
    from hype.session.standings import doubts_of

    with engine.connect() as connection:
        doubts = doubts_of(connection, study, simulated=simulated)
    for line in doubts.sentences():
        warn(line)
    return doubts.named()


def count_stations(engine: Engine, *, simulated: bool) -> int:
    from sqlalchemy import func, select

    from hype.store.schema import evaluators

    number = select(func.count(evaluators.c.station.distinct()))
    with engine.connect() as connection:
        found = connection.execute(number.where(evaluators.c.simulated == simulated))
        return int(found.scalar_one())


def database_at(url: str) -> str:
    """Name a database and its server, from its URL; who asked for it is left out."""
    parts = urlsplit(url)
    more = dict(parse_qsl(parts.query))
    name, host = parts.path.strip("/") or more.get("dbname", ""), parts.hostname or more.get("host")
    return f"{name} at {host}" if host else name


def bootstrap(made: Drawn | None) -> dict[str, str]:
    """Say what the bootstrap can be repeated with; nothing where there was none."""
    return {"bootstrap": f"{made.draws:,} draws, seed {made.seed}"} if made else {}
