"""Where evaluators stand, whatever they answer; how far each station is, and what is in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from hype.protocols.studies import AnyStudy
from hype.session.steps import Due
from hype.store.central.problems import Contradicted, list_contradicted
from hype.store.schema import evaluators


class Owed(Protocol):
    """Where anybody stands, whatever they answer: how far they are, and what they are owed.

    ``trials`` are answers that count.
    """

    @property
    def evaluator(self) -> str:
        """Their code."""

    @property
    def condition(self) -> str:
        """What they judge; nothing where they compare everything."""

    @property
    def methods(self) -> tuple[str, ...]:
        """What they do."""

    @property
    def status(self) -> str:
        """How far they are."""

    @property
    def trials(self) -> int:
        """How many of their answers count."""

    @property
    def pay(self) -> float:
        """What is due as of now."""

    @property
    def base(self) -> float:
        """A part of it."""

    @property
    def bonus(self) -> float:
        """The other part."""

    @property
    def came_unix_s(self) -> float:
        """When they were assigned."""

    @property
    def last_answered_unix_s(self) -> float | None:
        """When they were last asked what they answered; None where they answered nothing."""


def number_of(which: ColumnElement[bool], name: str) -> ColumnElement[int]:
    return func.sum(case((which, 1), else_=0)).label(name)


def total_due(standings: Sequence[Owed]) -> Due:
    return Due(
        base=round(sum(standing.base for standing in standings), 2),
        bonus=round(sum(standing.bonus for standing in standings), 2),
    )


def all_evaluators(connection: Connection, *, simulated: bool) -> Iterable[Row[Any]]:
    columns = evaluators.c
    query = select(evaluators).where(columns.simulated == simulated).order_by(columns.id)
    return connection.execute(query)


CLASH: Final = "#"
"""What a central store puts between a code that came to several stations, and a number. No code has
it, so that nobody else can be called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StationProgress:
    """Evaluators of one station."""

    # Its name; None for those of whom no station is known, who came before schema 6
    station: str | None
    # evaluators, complete, active: how many came, are done, and have begun and are not done
    evaluators: int
    complete: int
    active: int
    trials: int  # their answers that count
    # When one of them was last asked what they answered; None where nobody was
    last_answered_unix_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralTimes:
    """A code that evaluators of several records have."""

    code: str  # as it was given at the stations
    evaluators: tuple[str, ...]  # what they are called here, to be told apart
    # Where they came, in the same order; None where that is not known
    stations: tuple[str | None, ...]


def stations_met(connection: Connection, *, simulated: bool) -> dict[str, str | None]:
    columns = evaluators.c
    query = select(columns.evaluator, columns.station).where(columns.simulated == simulated)
    rows = connection.execute(query.order_by(columns.id))
    return {row.evaluator: row.station or None for row in rows}


def station_progress(
    evaluators_owed: Sequence[Owed], station_of: Mapping[str, str | None]
) -> tuple[StationProgress, ...]:
    """Say how far each station is, in the order in which their first evaluators came.

    ``station_of``: the station of each, by their codes.
    """
    theirs: dict[str | None, list[Owed]] = {}
    for evaluator in evaluators_owed:
        theirs.setdefault(station_of.get(evaluator.evaluator), []).append(evaluator)
    return tuple(progress_of(station, some) for station, some in theirs.items())


def progress_of(station: str | None, evaluators_owed: Sequence[Owed]) -> StationProgress:
    times = (evaluator.last_answered_unix_s for evaluator in evaluators_owed)
    return StationProgress(
        station=station,
        evaluators=len(evaluators_owed),
        complete=sum(evaluator.status == "complete" for evaluator in evaluators_owed),
        active=sum(evaluator.status == "active" for evaluator in evaluators_owed),
        trials=sum(evaluator.trials for evaluator in evaluators_owed),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """Rows of a central store that cannot be true, and are not read."""

    station: str | None  # from where they are; None where that is not known
    kind: str  # the table that they stand in
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """All of it, of people or of simulated evaluators; rows passed over are of anybody."""

    contradicted: tuple[Contradicted, ...]
    passed_over: tuple[PassedOver, ...]

    def sentences(self) -> Iterator[str]:
        """Say each in a sentence."""
        for answer in self.contradicted:
            yield (
                f"{answer.evaluator}: {answer.answers:,} answers in the record of {answer.station} "
                "were not taken by the central store, which has others to the same trials; to let "
                f"those stand, there: hype sync STUDY --settle {answer.evaluator.partition('#')[0]}"
            )
        for other in self.passed_over:
            yield (
                f"{other.rows:,} rows of {other.kind} from {other.station or 'some station'} "
                "cannot be true, and were passed over"
            )

    def named(self) -> dict[str, str]:
        """Name them in a few words, for a report; nothing where there are none."""
        return {
            **{
                f"contradicted, {a.evaluator}": f"{a.answers:,} answers of {a.station}"
                for a in self.contradicted
            },
            **{
                f"passed over, {p.kind}": f"{p.rows:,} rows of {p.station or 'some station'}"
                for p in self.passed_over
            },
        }


def doubts_of(connection: Connection, study: AnyStudy, *, simulated: bool) -> Doubts:
    contradicted = list_contradicted(connection)
    return Doubts(
        contradicted=tuple(answer for answer in contradicted if answer.simulated == simulated),
        passed_over=tuple(passed_over(connection)) if study.read_from else (),
    )


def passed_over(connection: Connection) -> Iterator[PassedOver]:
    """Ask a central store which rows it passes over."""
    from hype.store.central.tables import impossible

    query = select(impossible).order_by(impossible.c.kind, impossible.c.station)
    for row in connection.execute(query):
        yield PassedOver(station=row.station, kind=row.kind, rows=row.number)
