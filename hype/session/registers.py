"""Registers: who says which places of the design are taken, when somebody comes.

A station alone goes by its own record. With a central store that of all stations counts; while it
cannot be reached, a station goes by its own share of the places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Table

from hype.errors import NobodyNeeded, SessionProblem
from hype.protocols.base import Conduct, EarlierEvaluators
from hype.session.facts import STATION_VARIABLE, station_name
from hype.session.versions import same_version
from hype.store import people, schema
from hype.store.central import tables
from hype.study.assignment import Cell, own_share

if TYPE_CHECKING:
    from hype.protocols.studies import AnyStudy
    from hype.store.central.enrolment import Begun

FULL: Final = 1 << 30
"""As many evaluators as a place seems to have that this station may not give to anybody."""
Row = Mapping[str, object]


class Register:
    """The record alone: whoever comes is taken, and the least filled place is theirs.

    ``studies`` is the table that has the studies that evaluators were given.
    """

    studies: Table = schema.studies

    def earlier(
        self,
        connection: Connection,
        protocol: Conduct[Any],
        /,
        *,
        simulated: bool,
        given: Collection[str] | None = None,
    ) -> EarlierEvaluators:
        """Count who came before; ``given`` are checksums of studies of this version, if known."""
        if given is None:
            given = same_version(connection, protocol.study, simulated=simulated, kept=self.studies)
        return earlier_evaluators(connection, given, simulated=simulated)

    def require_room(
        self, _protocol: Conduct[Any], _cell: Cell, _earlier: EarlierEvaluators, /
    ) -> None:
        """Refuse to give anybody a place that is full.

        Raises SessionProblem: all places are.
        """


OWN: Final = Register()


class ShareRegister(Register):
    """The share of the places that is this station's, by its own record."""

    def earlier(
        self,
        connection: Connection,
        protocol: Conduct[Any],
        /,
        *,
        simulated: bool,
        given: Collection[str] | None = None,
    ) -> EarlierEvaluators:
        """Count who came to this station; places whose share is used up seem full."""
        came = super().earlier(connection, protocol, simulated=simulated, given=given)
        if not protocol.counted:
            return came
        shares = shares_at_this_station(protocol)
        filled = {
            cell: FULL if came.filled.get(cell, 0) >= share else came.filled.get(cell, 0)
            for cell, share in shares.items()
        }
        return replace(came, filled={**came.filled, **filled})

    def require_room(
        self, protocol: Conduct[Any], cell: Cell, earlier: EarlierEvaluators, /
    ) -> None:
        """Refuse to give anybody a place of another station's share."""
        if earlier.filled.get(cell, 0) >= FULL:
            raise SessionProblem(
                f"{protocol.study.path}: this station ({station_name()}) has given away its share "
                "of the places, and the central store, which could tell whether others are free, "
                "is away"
            )


class WantedRegister(Register):
    """The record alone, where whoever has a link may come: nobody beyond the design is taken."""

    where: str = ""

    def require_room(
        self, protocol: Conduct[Any], cell: Cell, earlier: EarlierEvaluators, /
    ) -> None:
        """Refuse to overfill a place. The least filled one was chosen, so all of them are full."""
        wanted = protocol.evaluators_per_cell
        if protocol.counted and cell in protocol.cells and earlier.filled.get(cell, 0) >= wanted:
            raise NobodyNeeded(
                f"{protocol.study.path}: nobody more is needed: each place of the design has its "
                f"{wanted} evaluators{self.where}"
            )


class CentralRegister(WantedRegister):
    """A central store: the places of all stations together."""

    studies = tables.studies
    where = ", of all stations together"


SHARE: Final = ShareRegister()
WANTED: Final = WantedRegister()
CENTRAL: Final = CentralRegister()


def reservation(evaluator: str, begun: tuple[Begun, ...], station: str | None) -> Row:
    """Give the row of an evaluator who has a place at this station and nowhere else.

    ``station`` is what the store takes it for. They are found where this station was cut off
    between the store's note of them and its own.

    Raises SessionProblem: they began at another station, or here and what they did is not in the
    record.
    """
    (first, *_) = begun
    if first.row.station != (station or station_name()):
        where = first.row.station or "another station"
        raise SessionProblem(
            f"evaluator {evaluator!r} began at {where}: they go on there, or take another code"
        )
    if first.answers or first.row.status != "active":
        raise SessionProblem(
            f"evaluator {evaluator!r} has {first.answers:,} answers at the central store that "
            "this station's record does not have: put the record back from a copy first"
        )
    names = (column.name for column in schema.evaluators.c if column.name != "id")
    cells = {name: first.row._mapping[name] for name in names}
    return cells | {"evaluator": evaluator}


def earlier_evaluators(
    connection: Connection, given: Collection[str], *, simulated: bool
) -> EarlierEvaluators:
    """Count who was given one of some studies, by a record or by a central store."""
    return EarlierEvaluators(
        connection=connection,
        simulated=simulated,
        given=given,
        filled=count_cells(connection, given, simulated=simulated, turned_away=False),
        arrived=count_cells(connection, given, simulated=simulated, turned_away=True),
    )


def count_cells(
    connection: Connection, given: Collection[str], *, simulated: bool, turned_away: bool
) -> dict[Cell, int]:
    counts = people.count_cells(
        connection, simulated=simulated, turned_away=turned_away, given=given
    )
    return {
        Cell(condition=condition, methods=methods, share=share): number
        for (condition, methods, share), number in counts.items()
    }


def shares_at_this_station(protocol: Conduct[Any]) -> dict[Cell, int]:
    """Give how many evaluators of each place are this station's own.

    Raises SessionProblem: the study lists its stations, and this one is not among them.
    """
    wanted = protocol.evaluators_per_cell
    if not protocol.study.settings.store.stations:
        return dict.fromkeys(protocol.cells, wanted)
    place, number = place_of_station(protocol.study)
    return {
        cell: own_share(wanted, cell=nth, station=place, stations=number)
        for nth, cell in enumerate(protocol.cells)
    }


def place_of_station(study: AnyStudy) -> tuple[int, int]:
    """Give which of the study's stations this one is, from 0, and of how many.

    Raises SessionProblem: the study lists its stations, and this one is not among them.
    """
    stations, here = study.settings.store.stations, station_name()
    if here not in stations:
        raise SessionProblem(
            f"{study.path}: this station is called {here!r}, which is not among store.stations "
            f"({', '.join(stations)}), so it has no share of the places; {STATION_VARIABLE} gives "
            "it another name"
        )
    return stations.index(here), len(stations)
