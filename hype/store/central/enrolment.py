"""Where a central store assigns evaluators: one station after the other, whoever asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, func, insert, select, text
from sqlalchemy.dialects import postgresql

from hype.store import schema
from hype.store.central import limits, tables
from hype.store.central.engine import connected, driver_of, require_version
from hype.store.central.limits import FOREVER
from hype.store.central.missing import names_at_store, require_same_study, station_at
from hype.store.central.tables import READ, setup

LOCK: Final = 0x48595045
"""The advisory lock that whoever assigns holds: ``HYPE``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """An evaluator whom the store knows."""

    row: Row[Any]  # their row of `schema.evaluators`, as the store has it
    answers: int  # how many of their answers the store has


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedStore:
    """A central store while nobody else assigns.

    ``connection`` reads it by the tables of `schema`. What is entered is there for everybody once
    the block of `assigning` ends. ``station`` is what the store takes this station for; None where
    its owner asks.
    """

    url: str
    connection: Connection
    station: str | None

    def begun(self, evaluator: str, *, simulated: bool) -> tuple[Begun, ...]:
        """Find who came under a code, at whatever station; in the order of their arrival."""
        same = tables.evaluators.c.evaluator == evaluator
        ids = select(tables.evaluators.c.id).where(same, tables.evaluators.c.simulated == simulated)
        columns = schema.evaluators
        query = select(columns).where(columns.c.id.in_(ids)).order_by(columns.c.id)
        rows = self.connection.execute(query).all()
        return tuple(Begun(row=row, answers=self._answers(row.id)) for row in rows)

    def require_study(self, names: AbstractSet[str]) -> None:
        """Refuse to assign by the store of another study; ``names`` are those of this one.

        Raises CentralRefused: the store holds none of them, and another.
        """
        require_same_study(self.url, names, names_at_store(self.connection))

    @property
    def is_of_this_version(self) -> bool:
        """Whether its views and grants are those that this program would make."""
        comment = text("SELECT obj_description(to_regnamespace(:name), 'pg_namespace')")
        return bool(self.connection.scalar(comment, {"name": READ}) == setup())

    def enter(self, row: Mapping[str, object]) -> None:
        """Enter a new evaluator; ``row`` is that of a record."""
        cells = {name: value for name, value in row.items() if name in tables.evaluators.c}
        cells |= {"station": self.station} if self.station else {}
        self.connection.execute(insert(tables.evaluators).values(**cells))

    def keep_study(self, checksum: str, resolved: str) -> None:
        row = {"checksum": checksum, "resolved": resolved}
        adding = postgresql.insert(tables.studies).values(**row)
        self.connection.execute(adding.on_conflict_do_nothing())

    def _answers(self, number: int) -> int:
        counts = (
            select(func.count(table.c.evaluator_id))
            .where(table.c.evaluator_id == number)
            .scalar_subquery()
            for table in tables.ANSWERS.values()
        )
        return sum(self.connection.execute(select(*counts)).one())


@contextmanager
def assigning(url: str, *, until: float = FOREVER) -> Iterator[LockedStore]:
    """Have a central store to oneself, in one transaction that is committed at the end.

    Raises CentralRefused, CentralAway: as `connected`.
    """
    with connected(url, limits.STATION, until=until) as engine:
        reading = engine.execution_options(schema_translate_map={None: READ})
        with reading.begin() as connection:
            require_version(url, connection)
            with driver_of(connection).waiting_for_others():
                connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
            yield LockedStore(url=url, connection=connection, station=station_at(connection))
