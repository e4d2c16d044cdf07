"""Participation: the people, dates, displays and demographics of a study."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from statistics import median
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from hype.session.outgoing import reading
from hype.session.steps import TESTS
from hype.store.columns import object_in
from hype.store.kept import recorders
from hype.store.people import BROKE_OFF, TURNED_AWAY, status_now
from hype.store.record import RECORD_FILE
from hype.store.schema import Event, demographics, evaluators, events, removals, sessions
from hype.store.sqlite_record import reading_record
from hype.study.assignment import HERE, Cell
from hype.study.demographics import DemographicSettings
from hype.study.studies import AnyStudy

Statements = Mapping[str, Mapping[str, str]]
"""Demographic answers by question and evaluator; "" if the answer was withheld."""

RARELY: Final = {
    "Not qualified": "unqualified",
    "Waiting": "waiting",
    "Group full": "full",
    "Instructions not understood": "misunderstood",
    "Left out": "left_out",
}
"""Columns that reports show only if their number in `Arrivals` is above 0."""
NUMBERS: Final = (*TURNED_AWAY, "active", "complete", "left_out")
"""The fields of `Arrivals` that are numbers of evaluators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """The numbers of evaluators of one place of the design, by their status."""

    cell: Cell
    declined: int = 0
    full: int = 0
    unqualified: int = 0
    misunderstood: int = 0
    waiting: int = 0
    active: int = 0
    complete: int = 0
    left_out: int = 0

    @property
    def came(self) -> int:
        return sum(getattr(self, number) for number in NUMBERS)

    @property
    def rare(self) -> dict[str, int]:
        """The number in each column of `RARELY`."""
        return {name: getattr(self, number) for name, number in RARELY.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayUsed:
    """A kind of display on which sessions ran.

    ``sync``: how its frames were timed (`hype.export.people.SYNCS`). ``refresh_hz`` is rounded to 1
    Hz. Both are empty if a browser's display was not measured because nothing was flashed.
    """

    width_px: int
    height_px: int
    refresh_hz: int | None
    sync: str
    virtual: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Who took part, and how."""

    # Places of the design that have had evaluators, in the order of their first evaluators.
    flow: tuple[Arrivals, ...]
    removed: int  # Evaluators whose data were removed on request; not counted elsewhere.
    # Days of the first and of the last session, by the stations' clocks; None without sessions.
    first: date | None
    last: date | None
    modes: Mapping[str, int]  # Sessions by mode: person, simulated-window, simulated.
    stations: int  # Number of machines.
    # Sessions by display, if known; the most used display first.
    screens: tuple[tuple[DisplayUsed, int], ...]
    # Number of sessions that broke off, and of trials that were shown without an answer.
    broke_off: int
    interrupted: int
    versions: Mapping[str, tuple[str, ...]]  # The versions of each program used in sessions.

    @property
    def sessions(self) -> int:
        return sum(self.modes.values())

    @property
    def period(self) -> str:
        """The dates of the sessions, as "3–7 May 2026"; empty without sessions."""
        first, last = self.first, self.last
        if first is None or last is None:
            return ""
        end = f"{last.day} {last:%B %Y}"
        if first == last:
            return end
        if (first.year, first.month) == (last.year, last.month):
            return f"{first.day}–{end}"
        year = "" if first.year == last.year else f" {first.year}"
        return f"{first.day} {first:%B}{year} – {end}"

    @property
    def methods(self) -> frozenset[str]:
        return frozenset(method for cell in self.flow for method in cell.cell.methods)

    @property
    def whole(self) -> Arrivals:
        totals = {name: sum(getattr(came, name) for came in self.flow) for name in NUMBERS}
        return Arrivals(cell=Cell(condition="", methods=()), **totals)


def participation(connection: Connection, *, simulated: bool) -> Participation:
    held = sessions_of(connection, simulated=simulated)

    def count_of(table: Any, *which: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(table).where(*which)
        return connection.execute(query).scalar_one()

    who = evaluators.c
    interrupted = events.c.event == Event.INTERRUPTED.value
    zones = [timezone(timedelta(seconds=row.utc_offset_s)) for row in held]
    days = [
        datetime.fromtimestamp(row.started_unix_s, zone).date()
        for row, zone in zip(held, zones, strict=True)
    ]
    displays = (display_of(object_in(row.display)) for row in held)
    return Participation(
        flow=flow_of(connection, simulated=simulated),
        removed=count_of(removals, removals.c.simulated == simulated),
        first=min(days, default=None),
        last=max(days, default=None),
        modes=dict(Counter(row.mode for row in held)),
        stations=len({str(object_in(row.machine).get("host")) for row in held}),
        screens=tuple(Counter(screen for screen in displays if screen).most_common()),
        broke_off=sum(row.ended == BROKE_OFF for row in held),
        interrupted=count_of(
            events.join(sessions, events.c.session_id == sessions.c.id).join(
                evaluators, sessions.c.evaluator_id == who.id
            ),
            *(who.simulated == simulated, interrupted),
        ),
        versions=versions_in(object_in(row.versions) for row in held),
    )


def sessions_of(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    query = (
        select(sessions)
        .join(evaluators, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
    )
    return connection.execute(query.order_by(sessions.c.id)).all()


def flow_of(connection: Connection, *, simulated: bool) -> tuple[Arrivals, ...]:
    people = evaluators.c
    query = select(people.condition, people.methods, people.status).where(
        people.simulated == simulated
    )
    places: dict[Cell, Counter[str]] = {}
    for condition, methods, status in connection.execute(query.order_by(people.id)):
        cell = Cell(condition=condition, methods=tuple(methods.split()))
        places.setdefault(cell, Counter())[status.replace("-", "_")] += 1
    return tuple(Arrivals(cell=cell, **numbers) for cell, numbers in places.items())


def display_of(display: Mapping[str, Any]) -> DisplayUsed | None:
    """Read a display from the record's facts about it; None if there are none."""
    match display:
        case {"screen_px": [int(width_px), int(height_px)]}:
            rate = display.get("refresh_hz")
            return DisplayUsed(
                width_px=width_px,
                height_px=height_px,
                refresh_hz=round(rate) if isinstance(rate, int | float) else None,
                sync=str(display.get("sync", "")),
                virtual=bool(display.get("virtual")),
            )
    return None


def versions_in(noted: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Collect the versions of each program, in the order of their first use."""
    people: dict[str, dict[str, None]] = {}
    for note in noted:
        for program, version in note.items():
            people.setdefault(program, {})[str(version)] = None
    return {program: tuple(versions) for program, versions in people.items()}


def statements_of(study: AnyStudy, *, simulated: bool) -> Statements:
    """Read the demographic answers of a study's evaluators.

    Raises InputError, SessionProblem: as in `hype.session.outgoing.reading`.
    """
    query = (
        select(demographics.c.question, evaluators.c.evaluator, demographics.c.answer)
        .join(evaluators, demographics.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(demographics.c.id)
    )
    given: dict[str, dict[str, str]] = {}
    with reading(study) as engine, engine.connect() as connection:
        for question, evaluator, answer in connection.execute(query):
            given.setdefault(question, {})[evaluator] = answer
    return given


def statements_in_words(
    connection: Connection, asked: Mapping[str, DemographicSettings], *, simulated: bool
) -> tuple[tuple[str | int, ...], ...]:
    """Return each question's text, the numbers of people who did and did not answer, and a summary.

    As in scores, only finished evaluators count.
    """
    columns = demographics.c
    query = (
        select(columns.question, columns.answer)
        .join(evaluators, columns.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated, evaluators.c.status == "complete")
        .order_by(columns.id)
    )
    given: dict[str, list[str]] = {name: [] for name in asked}
    for question, answer in connection.execute(query):
        if question in given:
            given[question].append(answer)
    said = {name: [answer for answer in answers if answer] for name, answers in given.items()}
    return tuple(
        (
            asked[name].question,
            len(some),
            len(given[name]) - len(some),
            summarise(asked[name], some),
        )
        for name, some in said.items()
    )


def summarise(asked: DemographicSettings, answers: Sequence[str]) -> str:
    """Summarise answers: people by option, or the median and the range of numbers."""
    if asked.kind == "text":
        return "answers in free text" if answers else ""
    if asked.kind == "number":
        numbers = [float(answer) for answer in answers if asked.accept(answer)]
        if not numbers:
            return ""
        return f"median {median(numbers):g}, from {min(numbers):g} to {max(numbers):g}"
    counts = Counter(answers)
    options = dict.fromkeys((*asked.options, *counts))
    return ", ".join(f"{option}: {counts[option]}" for option in options)


def all_evaluators(
    connection: Connection, study: AnyStudy, *, simulated: bool
) -> Iterable[Row[Any]]:
    """Return all evaluators in the order in which they came, with their current status."""
    columns = [column for column in evaluators.c if column.name != "status"]
    query = select(*columns, status_now(study.place_rule))
    return connection.execute(
        query.where(evaluators.c.simulated == simulated).order_by(evaluators.c.id)
    )


DAY_S: Final = 86_400.0


def find_passed(study: AnyStudy, *, simulated: bool) -> dict[str, set[str]]:
    """Return the codes of people who passed the test in the studies of ``valid_from``, by study.

    People have passed if they finished the study, were admitted, or answered trials after the test.
    Raises InputError: a study has no record.
    """
    gate, who, passed = study.settings.gate, evaluators.c, dict[str, set[str]]()
    since_unix_s = time.time() - gate.valid_days * DAY_S if gate and gate.valid_days else 0.0
    for source in gate.valid_from if gate else ():
        path, codes = study.folder / source / RECORD_FILE, passed.setdefault(source, set())
        with reading_record(path) as engine, engine.connect() as connection:
            for kind in recorders():
                answers = kind.table.c
                ended = func.max(case((answers.task.in_(TESTS), answers.onset_unix_s)))
                went_on = func.max(case((answers.task.not_in({*TESTS, "practice"}), 1), else_=0))
                is_in = (who.status == "complete") | (who.qualified_in == HERE) | (went_on == 1)
                query = select(who.evaluator).join(kind.table, answers.evaluator_id == who.id)
                query = query.where(who.simulated == simulated).group_by(who.id)
                query = query.having((ended >= since_unix_s) & is_in)
                codes.update(connection.execute(query).scalars())
    return passed
