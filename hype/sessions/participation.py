"""Who took part in a study, when, at which displays, and what befell their sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select

from hype.protocol.comparison import Choice, ComparisonTask
from hype.sessions.status import SCORED_TASKS
from hype.store.answer_tables import comparisons, judgements
from hype.store.columns import object_in
from hype.store.interruptions import BROKE_OFF
from hype.store.schema import Event, evaluators, events, removals, sessions
from hype.study.assignment import Cell

SCORED: Final = (
    (judgements, judgements.c.task.in_(SCORED_TASKS)),
    (
        comparisons,
        (comparisons.c.task == ComparisonTask.COMPARISON.value)
        & (comparisons.c.answer != Choice.NONE.value),
    ),
)
"""The tables of answers, and what is scored of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What became of the evaluators of one place of the design."""

    cell: Cell
    declined: int = 0
    unqualified: int = 0
    active: int = 0
    complete: int = 0

    @property
    def came(self) -> int:
        """All of them."""
        return self.declined + self.unqualified + self.active + self.complete


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A kind of display that sessions were held at.

    ``waits`` tells whether its flips waited for the screen; ``refresh_hz`` is to the Hz.
    """

    width_px: int
    height_px: int
    refresh_hz: int
    waits: bool
    virtual: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Who took part, and how.

    Attributes
    ----------
    flow
        Places of the design that somebody was assigned to, in the order of their first arrival.
    judgements
        Answers that are scored, judgements or comparisons, by evaluators who are complete.
    removed
        How many evaluators' data were removed on request; they are in no other number.
    first, last
        Days, by the stations' own clocks, of the first and of the last session; None without any.
    modes
        Sessions by mode: person, simulated-window, simulated.
    stations
        How many machines they were held at.
    screens
        Sessions by display, where one was noted; the most used display first.
    broke_off, interrupted
        Sessions that ended without anybody ending them, and trials that were begun and cut off.
    versions
        The versions of each program that sessions ran under.
    """

    flow: tuple[Came, ...]
    judgements: int
    removed: int
    first: date | None
    last: date | None
    modes: Mapping[str, int]
    stations: int
    screens: tuple[tuple[Screen, int], ...]
    broke_off: int
    interrupted: int
    versions: Mapping[str, tuple[str, ...]]

    @property
    def sessions(self) -> int:
        """How many sessions there were."""
        return sum(self.modes.values())

    @property
    def methods(self) -> frozenset[str]:
        """What those who came did, by the methods of their places."""
        return frozenset(method for one in self.flow for method in one.cell.methods)

    @property
    def whole(self) -> Came:
        """All places together."""
        return Came(
            cell=Cell(condition="", methods=()),
            declined=sum(one.declined for one in self.flow),
            unqualified=sum(one.unqualified for one in self.flow),
            active=sum(one.active for one in self.flow),
            complete=sum(one.complete for one in self.flow),
        )


def participation(connection: Connection, *, simulated: bool) -> Participation:
    """Read from the record who took part: people, or simulated evaluators."""
    held = sessions_of(connection, simulated=simulated)
    days = sorted(filter(None, (day_of(row.started_unix_s, row.utc_offset_s) for row in held)))
    displays = (screen_of(object_in(row.display)) for row in held)
    return Participation(
        flow=flow_of(connection, simulated=simulated),
        judgements=count_scored(connection, simulated=simulated),
        removed=count_removed(connection, simulated=simulated),
        first=days[0] if days else None,
        last=days[-1] if days else None,
        modes=dict(Counter(row.mode for row in held)),
        stations=len({str(object_in(row.machine).get("host")) for row in held}),
        screens=tuple(Counter(screen for screen in displays if screen).most_common()),
        broke_off=sum(row.ended == BROKE_OFF for row in held),
        interrupted=count_interrupted(connection, simulated=simulated),
        versions=versions_in(object_in(row.versions) for row in held),
    )


def sessions_of(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read the sessions of people, or of simulated evaluators."""
    query = (
        select(sessions)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
    )
    return connection.execute(query.order_by(sessions.c.id)).all()


def flow_of(connection: Connection, *, simulated: bool) -> tuple[Came, ...]:
    """Count evaluators by place and by what became of them."""
    found = evaluators.c
    query = select(found.condition, found.methods, found.status).where(found.simulated == simulated)
    places: dict[Cell, Counter[str]] = {}
    for condition, methods, status in connection.execute(query.order_by(found.id)):
        cell = Cell(condition=condition, methods=tuple(methods.split()))
        places.setdefault(cell, Counter())[status] += 1
    return tuple(came_of(cell, count) for cell, count in places.items())


def came_of(cell: Cell, count: Mapping[str, int]) -> Came:
    """Give one place's numbers, from those of each status."""
    return Came(
        cell=cell,
        declined=count.get("declined", 0),
        unqualified=count.get("unqualified", 0),
        active=count.get("active", 0),
        complete=count.get("complete", 0),
    )


def count_scored(connection: Connection, *, simulated: bool) -> int:
    """Count the answers of complete evaluators that are scored."""

    def number(table: Table, scored: ColumnElement[bool]) -> int:
        query = (
            select(func.count())
            .select_from(table)
            .join(evaluators, table.c.evaluator_id == evaluators.c.id)
            .where(evaluators.c.simulated == simulated, evaluators.c.status == "complete", scored)
        )
        return connection.execute(query).scalar_one()

    return sum(number(table, scored) for table, scored in SCORED)


def count_removed(connection: Connection, *, simulated: bool) -> int:
    """Count the evaluators who were removed on request."""
    query = select(func.count()).select_from(removals).where(removals.c.simulated == simulated)
    return connection.execute(query).scalar_one()


def count_interrupted(connection: Connection, *, simulated: bool) -> int:
    """Count the times that a trial was begun and cut off."""
    query = (
        select(func.count())
        .select_from(events)
        .join(sessions, events.c.session_id == sessions.c.id)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated, events.c.event == Event.INTERRUPTED.value)
    )
    return connection.execute(query).scalar_one()


def day_of(unix_s: float, utc_offset_s: float) -> date | None:
    """Give the day that it was where a clock stood; None where its time is none."""
    try:
        there = timezone(timedelta(seconds=utc_offset_s))
        return datetime.fromtimestamp(unix_s, there).date()
    except (ValueError, OverflowError, OSError):
        return None


def screen_of(display: Mapping[str, Any]) -> Screen | None:
    """Take the display from what was noted of it; None where nothing was."""
    match display:
        case {"screen_px": [int(width_px), int(height_px)], "refresh_hz": int() | float() as rate}:
            return Screen(
                width_px=width_px,
                height_px=height_px,
                refresh_hz=round(rate),
                waits=display.get("sync") == "vsync",
                virtual=bool(display.get("virtual")),
            )
    return None


def versions_in(noted: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Gather the versions of each program, in the order in which they were first used."""
    found: dict[str, dict[str, None]] = {}
    for program, version in pairs(noted):
        found.setdefault(program, {})[version] = None
    return {program: tuple(versions) for program, versions in found.items()}


def pairs(noted: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each program with its version."""
    for one in noted:
        yield from ((program, str(version)) for program, version in one.items())
