"""What the experimenter's page says: who is on, how far the study is, who left, timing, and money.

It is made of what `hype status` tells and of the record, so that it is the same at every worker and
after a restart.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any, Final

from rich.table import Table
from sqlalchemy import Connection, Row, func, select

from hype.errors import NothingRecorded
from hype.protocols.registry import protocol_of
from hype.protocols.studies import AnyStudy
from hype.session.participation import sessions_of
from hype.session.records import reading_all
from hype.session.standings import Owed, all_evaluators, total_due
from hype.session.timing import (
    TIMING_COLUMNS,
    Rounding,
    TimingTable,
    Verdict,
    frames_of,
    table_of_rows,
)
from hype.status.looking import look
from hype.status.progress import NOBODY, Places, View
from hype.store.columns import object_in
from hype.store.people import BROKE_OFF, PAGES
from hype.store.schema import ANSWER_TABLES, RECORDED, events
from hype.web.timing import CALLBACKS, LEAST_REGULAR
from hype.web.wire import Json

LEAST_S: Final = 2.0
"""Between two looks at the record."""
PATIENCE: Final = 10
"""Looking takes at most one such part of the time: participants go first."""
MOST_NAMED: Final = 200
"""People who are listed in one table."""
LEFT: Final = {
    "quit": "stopped",
    BROKE_OFF: "broke off",
    None: "silent",
    "unqualified": "did not qualify",
    "declined": "did not consent",
    "full": "of a full group",
}
"""How people leave who are not done, by how their last session ended; None: it has no end."""
BY_AND_BY: Final = ("active", "complete", "unqualified", "declined", "full")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that the page writes as its reader's clock has it, or as how long ago it was."""

    unix_s: float


Cell = str | int | Moment


@dataclass(frozen=True, slots=True)
class CellColumn:
    """What stands above cells, and whether these are numbers."""

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A part of the page: sentences, and a table.

    ``otherwise`` is said where the table has no rows; ``folded`` ones are shown when asked for.
    """

    title: str
    columns: tuple[CellColumn, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    lines: tuple[str, ...] = ()
    otherwise: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """Somebody's latest session, as far as it has come."""

    evaluator: str
    status: str
    session: Row[Any]
    doing: str
    since_unix_s: float  # when they came to what they are doing, or were last heard of


class Watch:
    """Looks at a study now and then, and no more often than participants can bear."""

    def __init__(self, now: Callable[[], AnyStudy]) -> None:
        self._now = now
        self._turn = Lock()
        self._seen: Json = {}
        self._until_s = 0.0

    def state(self) -> Json:
        """Say how the study stands.

        Raises InputError, SessionProblem: its record cannot be read.
        """
        with self._turn:
            began_s = time.monotonic()
            if began_s >= self._until_s:
                self._seen = state_of(self._now(), time.time())
                took_s = time.monotonic() - began_s
                self._until_s = began_s + max(LEAST_S, PATIENCE * took_s)
            return self._seen


def state_of(study: AnyStudy, now_unix_s: float) -> Json:
    """Say how a study stands: its people, and apart from these its simulated evaluators, if any.

    There are no sides before anybody came.
    """
    sides: list[Json] = []
    with suppress(NothingRecorded):
        sides = [side_of(study, now_unix_s, simulated=simulated) for simulated in (False, True)]
    sides = [side for side in sides if side["came"] or not side["simulated"]]
    return {"study": study.settings.study.name, "looked_unix_s": now_unix_s, "sides": sides}


def side_of(study: AnyStudy, now_unix_s: float, *, simulated: bool) -> Json:
    tell = look(study, simulated=simulated)
    with reading_all(study) as engine, engine.connect() as connection:
        latest = latest_sessions(connection, simulated=simulated)
        timing = timing_now(connection, simulated=simulated)
        rates = rates_met(connection, simulated=simulated)
        uncertain = ok_by_callbacks(connection, simulated=simulated)
    quiet_s = 60 * study.settings.web.idle_minutes
    on = [person for person in latest if is_on(person, now_unix_s - quiet_s)]
    left = [person for person in latest if person not in on and person.session.ended != "complete"]
    content, view = tell.as_object(), tell.view()
    facts = facts_of(study, view.whole, tell.found, on=len(on), left=left, simulated=simulated)
    parts = (
        part_on(on),
        part_places(view),
        part_left(left),
        part_verdicts(content.get("timing"), uncertain),
        part_displays(study, rates),
        *parts_exposures(timing),
        part_money(study, tell.found, simulated=simulated),
    )
    return {
        "simulated": simulated,
        "came": len(tell.found),
        "facts": facts,
        "warnings": list(view.warnings),
        "parts": [asdict(part) for part in parts],
        "status": {name: value for name, value in content.items() if name != "evaluators"},
    }


# --- who is on, and who left


def latest_sessions(connection: Connection, *, simulated: bool) -> list[Here]:
    """List where everybody is who came, by their latest sessions."""
    who = {row.id: row for row in all_evaluators(connection, simulated=simulated)}
    held = {row.evaluator_id: row for row in sessions_of(connection, simulated=simulated)}
    running = [row.id for row in held.values() if row.ended is None]
    befell = {
        row.session_id: (row.unix_s + row.rt_ms / 1000, row.event)
        for row in connection.execute(
            select(events.c.session_id, events.c.event, events.c.unix_s, events.c.rt_ms)
            .where(events.c.session_id.in_(running))
            .order_by(events.c.id)
        )
    }
    answered = last_answers(connection, running)
    return [
        here_of(who[number], row, befell.get(row.id), answered.get(row.id, 0.0))
        for number, row in held.items()
    ]


def last_answers(connection: Connection, sessions: Collection[int]) -> dict[int, float]:
    """Give when the last answer of each session came, by the wall clock."""
    last: dict[int, float] = {}
    for table in ANSWER_TABLES:
        came_unix_s = func.max(table.c.onset_unix_s + table.c.rt_ms / 1000)
        query = select(table.c.session_id, came_unix_s).where(table.c.session_id.in_(sessions))
        for session, unix_s in connection.execute(query.group_by(table.c.session_id)):
            last[session] = max(unix_s, last.get(session, 0.0))
    return last


def here_of(
    who: Row[Any], session: Row[Any], befell: tuple[float, str] | None, answered_unix_s: float
) -> Here:
    befell_unix_s, event = befell or (0.0, "")
    if session.showing:
        task, block, trial = session.showing.split()
        doing = f"{task}, block {block}, trial {trial}"
    elif answered_unix_s > befell_unix_s:
        doing = "between trials"
    elif event in PAGES:
        doing = f"after the page {event.replace('_', ' ')}"
    else:
        doing = "the first page"
    heard_unix_s = max(session.started_unix_s, befell_unix_s, answered_unix_s)
    return Here(
        evaluator=who.evaluator,
        status=who.status,
        session=session,
        doing=doing,
        since_unix_s=session.ended_unix_s or heard_unix_s,
    )


def is_on(person: Here, quiet_since_unix_s: float) -> bool:
    return person.session.ended is None and person.since_unix_s >= quiet_since_unix_s


def part_on(on: Sequence[Here]) -> PageSection:
    columns = (CellColumn("Evaluator"), CellColumn("At"), CellColumn("Since"), CellColumn("Came"))
    rows = (
        (
            person.evaluator,
            person.doing,
            Moment(person.since_unix_s),
            Moment(person.session.started_unix_s),
        )
        for person in sorted(on, key=lambda person: person.since_unix_s, reverse=True)[:MOST_NAMED]
    )
    lines = cut_in_words(len(on), "those heard of last")
    return PageSection(
        title="On now",
        columns=columns,
        rows=tuple(rows),
        lines=lines,
        otherwise="Nobody is on.",
    )


def part_left(left: Sequence[Here]) -> PageSection:
    """Say who left before the end, who left last being the first."""
    columns = (CellColumn("Evaluator"), CellColumn("How"), CellColumn("When"))
    rows = (
        (
            person.evaluator,
            LEFT.get(person.session.ended, person.session.ended),
            Moment(person.since_unix_s),
        )
        for person in sorted(left, key=lambda person: person.since_unix_s, reverse=True)[
            :MOST_NAMED
        ]
    )
    count = Counter(LEFT.get(person.session.ended, person.session.ended) for person in left)
    numbers = ", ".join(f"{number:,} {how}" for how, number in count.most_common())
    lines = (f"{numbers[:1].upper()}{numbers[1:]}.",) if left else ()
    return PageSection(
        title="Drop-outs",
        columns=columns,
        rows=tuple(rows),
        lines=(*lines, *cut_in_words(len(left), "those who left last")),
        otherwise="Nobody has left before the end.",
    )


def cut_in_words(number: int, which: str) -> tuple[str, ...]:
    return (f"Of {number:,}, {which} are listed.",) if number > MOST_NAMED else ()


# --- how far it is


def facts_of(
    study: AnyStudy,
    whole: Places,
    evaluators_owed: Sequence[Owed],
    *,
    on: int,
    left: Sequence[Here],
    simulated: bool,
) -> list[tuple[str, str]]:
    """Give what is to be seen first, by what it is."""
    due = total_due(evaluators_owed).pay
    waiting = sum(evaluator.status == "active" for evaluator in left)
    return [
        ("On now", f"{on:,}"),
        ("Places filled", f"{whole.complete:,} of {whole.wanted:,}"),
        ("Still needed", f"{whole.needed:,}"),
        ("Left for now", f"{waiting:,}"),
        ("Turned away", f"{whole.turned_away:,}"),
        ("Would be owed" if simulated else "Owed", in_money(study, due)),
    ]


def part_places(view: View) -> PageSection:
    """Say how many places of each condition are filled, as `hype status` does."""
    return PageSection(
        title="Places",
        columns=columns_of(view.places),
        rows=rows_of(view.places),
        lines=view.lines if view.people else (NOBODY,),
    )


def columns_of(table: Table) -> tuple[CellColumn, ...]:
    """Take the columns from a table of the terminal, where they are narrow."""
    return tuple(
        CellColumn(
            str(column.header).replace("-\n", "").replace("\n", " "), column.justify == "right"
        )
        for column in table.columns
    )


def rows_of(table: Table) -> tuple[tuple[Cell, ...], ...]:
    cells = ([str(cell) for cell in column.cells] for column in table.columns)
    return tuple(zip(*cells, strict=True))


def part_money(study: AnyStudy, evaluators_owed: Sequence[Owed], *, simulated: bool) -> PageSection:
    """Say what is owed, to whom by how far they are."""
    names = ("People", "Base", "Bonus", "Together")
    by_status = {
        status: [who for who in evaluators_owed if who.status == status] for status in BY_AND_BY
    }
    rows = [row_of_money(study, status, some) for status, some in by_status.items() if some]
    if len(rows) > 1:
        rows.append(row_of_money(study, "all", evaluators_owed))
    paid = "Nobody is paid: simulated evaluators would be owed this."
    how = "hype status STUDY --pay FILE.csv writes what each is owed."
    return PageSection(
        title="Money owed",
        columns=(CellColumn("Part"), *(CellColumn(name, number=True) for name in names)),
        rows=tuple(rows),
        lines=(paid if simulated else how,) if rows else (),
        otherwise="Nobody is owed anything.",
    )


def row_of_money(study: AnyStudy, what: str, some: Sequence[Owed]) -> tuple[Cell, ...]:
    due = total_due(some)
    amounts = (in_money(study, amount) for amount in (due.base, due.bonus, due.pay))
    return (what, f"{len(some):,}", *amounts)


def in_money(study: AnyStudy, amount: float) -> str:
    return f"{study.settings.pay.currency}{amount:,.2f}"


# --- timing


@dataclass(frozen=True, slots=True, kw_only=True)
class RateMet:
    """Sessions at displays of one rate (to the Hz), and those of them that did not hold it."""

    refresh_hz: int
    sessions: int
    unsteady: int


def rates_met(connection: Connection, *, simulated: bool) -> tuple[RateMet, ...]:
    """Count sessions by the rate of their display, where it is known; the most usual one first."""
    displays = [
        display
        for row in sessions_of(connection, simulated=simulated)
        if isinstance((display := object_in(row.display)).get("refresh_hz"), int | float)
    ]
    number = Counter(round(display["refresh_hz"]) for display in displays)
    unsteady = Counter(
        round(display["refresh_hz"])
        for display in displays
        if display.get("regular_share", 1.0) < LEAST_REGULAR
    )
    return tuple(
        RateMet(refresh_hz=hz, sessions=sessions, unsteady=unsteady[hz])
        for hz, sessions in number.most_common()
    )


def timing_now(connection: Connection, *, simulated: bool) -> TimingTable:
    """Sum up all that was flashed, of sessions that go on too."""
    timed = (kind.table for kind in RECORDED if kind.is_timed)
    queries = (
        select(*(table.c[name] for name in TIMING_COLUMNS)).where(
            table.c.simulated == simulated, table.c.verdict.is_not(None)
        )
        for table in timed
    )
    rows = (row for query in queries for row in connection.execute(query).mappings())
    return table_of_rows(map(dict, rows))


def ok_by_callbacks(connection: Connection, *, simulated: bool) -> int:
    """Count the trials that callbacks alone call ok, since the browser does not tell more."""
    held = [
        row.id
        for row in sessions_of(connection, simulated=simulated)
        if object_in(row.display).get("sync") == CALLBACKS
    ]
    return sum(
        connection.scalar(
            select(func.count()).where(
                kind.table.c.session_id.in_(held), kind.table.c.verdict == Verdict.OK.value
            )
        )
        or 0
        for kind in RECORDED
        if kind.is_timed
    )


def part_verdicts(verdicts: object, uncertain: int) -> PageSection:
    """Say what became of flashed trials, of which a protocol may tell by ``verdicts``.

    ``uncertain`` are those that were called ok by callbacks alone.
    """
    counts: Mapping[str, int] = verdicts if isinstance(verdicts, Mapping) else {}
    trials = sum(counts.values())
    return PageSection(
        title="Timing",
        columns=(
            CellColumn("Verdict"),
            CellColumn("Trials", number=True),
            CellColumn("Share", number=True),
        ),
        rows=tuple(
            (verdict, f"{number:,}", f"{number / trials:.1%}" if trials else "–")
            for verdict, number in counts.items()
        ),
        lines=(
            (
                f"{uncertain:,} called ok, practice included, in browsers that do not tell when "
                "images were on the screen: callbacks alone say so, and some may be frames off.",
            )
            if uncertain
            else ()
        ),
        otherwise="Nothing was flashed.",
    )


def part_displays(study: AnyStudy, rates: Sequence[RateMet]) -> PageSection:
    """Say what displays people have, and what exposures become there."""
    numbers = ("Rate", "Sessions", "Did not hold it")
    return PageSection(
        title="Displays",
        columns=(
            *(CellColumn(name, number=True) for name in numbers),
            CellColumn("What is flashed there"),
        ),
        rows=tuple(
            (
                f"{rate.refresh_hz} Hz",
                f"{rate.sessions:,}",
                f"{rate.unsteady:,}",
                "; ".join(roundings_in_words(study, rate.refresh_hz)) or "nothing",
            )
            for rate in rates
        ),
        otherwise="None was measured: only those that flash images are.",
    )


def parts_exposures(timing: TimingTable) -> Iterator[PageSection]:
    """Say how long pictures were shown, if any were flashed."""
    if not timing.rows:
        return
    names = ("Asked", "Frames", "Nominal", "Number", "Mean", "SD", "Worst", "Off by a frame")
    yield PageSection(
        title="Exposures as measured",
        lines=(
            "In ms, practice included, by the callbacks of browsers and the flips of stations.",
        ),
        columns=(CellColumn("Picture"), *(CellColumn(name, number=True) for name in names)),
        rows=tuple(
            (
                row.kind,
                f"{row.requested_ms:g}",
                f"{row.frames}",
                f"{row.nominal_ms:.1f}",
                f"{row.n:,}",
                f"{row.mean_ms:.2f}",
                "–" if row.sd_ms is None else f"{row.sd_ms:.2f}",
                f"{row.worst_ms:+.2f}",
                f"{row.off_share:.1%}",
            )
            for row in timing.rows
        ),
        folded=True,
    )


def roundings_in_words(study: AnyStudy, refresh_hz: float) -> Iterator[str]:
    """Say what durations become at a display of some rate."""
    for kind, rounding in protocol_of(study).roundings(study, refresh_hz):
        yield rounding_in_words(kind, rounding)


def rounding_in_words(kind: str, rounding: Rounding) -> str:
    durations, hz = rounding.durations_ms, rounding.refresh_hz
    shortest, longest = min(durations), max(durations)
    worst = (
        f"{rounding.worst_ms:g} ms lasts {rounding.worst_shown_ms:.1f} ms "
        f"({frames_of(rounding.worst_ms, hz)} frames)"
    )
    if not rounding.inexact_ms:
        return f"{kind}s of {span(shortest, longest)} ms last exactly that"
    if len(durations) == 1:
        return f"a {kind} of {worst}"
    apart = f"{rounding.distinct} of {len(durations)} can be told apart"
    return f"{kind}s of {span(shortest, longest)} ms: {apart}; furthest off, {worst}"


def span(least: float, most: float) -> str:
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"
