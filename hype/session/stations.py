"""How far each station is, and which codes came to several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from hype.session.standings import Owed
from hype.store.schema import evaluators

CLASH: Final = "#"
"""What a central store puts between a code that came to several stations, and a number. No code has
it, so that nobody else can be called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StationProgress:
    """Evaluators of one station.

    Attributes
    ----------
    station
        Its name; None for those of whom no station is known, who came before schema 6.
    evaluators, complete, active
        How many came, are done, and have begun and are not done.
    trials
        Their answers that count.
    last_answered_unix_s
        When one of them was last asked what they answered; None where nobody was.
    """

    station: str | None
    evaluators: int
    complete: int
    active: int
    trials: int
    last_answered_unix_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralTimes:
    """A code that evaluators of several records have.

    Attributes
    ----------
    code
        As it was given at the stations.
    evaluators
        What they are called here, to be told apart.
    stations
        Where they came, in the same order; None where that is not known.
    """

    code: str
    evaluators: tuple[str, ...]
    stations: tuple[str | None, ...]


def stations_met(connection: Connection, *, simulated: bool) -> dict[str, str | None]:
    """Give the station of each evaluator, in the order of their arrival."""
    found = evaluators.c
    query = select(found.evaluator, found.station).where(found.simulated == simulated)
    rows = connection.execute(query.order_by(found.id))
    return {row.evaluator: row.station or None for row in rows}


def station_progress(
    found: Sequence[Owed], station_of: Mapping[str, str | None]
) -> tuple[StationProgress, ...]:
    """Say how far each station is, in the order in which their first evaluators came.

    Parameters
    ----------
    found
        Where everybody stands.
    station_of
        The station of each, by their codes.
    """
    theirs: dict[str | None, list[Owed]] = {}
    for one in found:
        theirs.setdefault(station_of.get(one.evaluator), []).append(one)
    return tuple(progress_of(station, some) for station, some in theirs.items())


def progress_of(station: str | None, found: Sequence[Owed]) -> StationProgress:
    """Add up the evaluators of one station."""
    times = (one.last_answered_unix_s for one in found)
    return StationProgress(
        station=station,
        evaluators=len(found),
        complete=sum(one.status == "complete" for one in found),
        active=sum(one.status == "active" for one in found),
        trials=sum(one.trials for one in found),
        last_answered_unix_s=max((t for t in times if t is not None), default=None),
    )


def codes_at_several(station_of: Mapping[str, str | None]) -> tuple[SeveralTimes, ...]:
    """List the codes of a central store that evaluators of several records have.

    They are called ``p01#1``, ``p01#2``, … there.
    """
    names: dict[str, list[str]] = {}
    for name in station_of:
        code, clash, _ = name.partition(CLASH)
        if clash:
            names.setdefault(code, []).append(name)
    return tuple(
        SeveralTimes(
            code=code, evaluators=tuple(some), stations=tuple(station_of[name] for name in some)
        )
        for code, some in names.items()
    )
