"""The content of the experimenter's live page: participants, progress, drop-outs, timing and pay.

The whole page is read from the record, so every server shows the same, also after a restart.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.errors import NothingRecorded, SessionProblem
from hype.report.tabular import ColumnKind
from hype.session.admitting import change_place
from hype.session.outgoing import reading_all
from hype.session.participation import all_evaluators, sessions_of
from hype.session.steps import Ending
from hype.session.timing import Rounding, Verdict
from hype.status.design import StatusDesign
from hype.status.looking import Status, look
from hype.status.showing import status_lines, table_of_places
from hype.store.columns import object_in
from hype.store.kept import answer_tables, recorders
from hype.store.people import BROKE_OFF, LEFT, PAGES, PARTS_END, TURNED_AWAY
from hype.store.schema import events
from hype.study.phrases import money
from hype.study.studies import AnyStudy
from hype.web.desk import Desk
from hype.web.wire import CALLBACKS, LEAST_REGULAR, DoorsReport, Json, PlaceReport
from hype.workers import run_behind

LEAST_BETWEEN_LOOKS_S: Final = 2.0
PATIENCE: Final = 10
"""Reading the record takes at most 1 / `PATIENCE` of the time, so that participants go first."""
MOST_ROWS: Final = 200
WAYS_TO_LEAVE: Final = {
    "quit": "stopped",
    BROKE_OFF: "broke off",
    None: "silent",
    "unqualified": "did not qualify",
    "waiting": "waiting for a decision",
    "declined": "did not consent",
    "full": "of a full group",
    "misunderstood": "did not understand the instructions",
}
"""How people left early, by the ending of their last session (None if it has not ended)."""

Roundings = Callable[[Any, float], Iterable[tuple[str, Rounding]]]
"""Returns, for a study and a refresh rate, each kind of duration and how it is rounded."""


class Watch:
    """Reads the state of a study for its live page, but not so often that participants notice.

    ``design``, ``roundings``: from the study's protocol. ``desk``: opens the desk, which stores
    whether the doors are open. ``is_served``: returns whether a server of the study runs.
    """

    def __init__(
        self,
        now: Callable[[], AnyStudy],
        design: StatusDesign,
        roundings: Roundings,
        desk: Callable[[], AbstractContextManager[Desk]],
        is_served: Callable[[], bool],
    ) -> None:
        self._now, self._design, self._roundings = now, design, roundings
        self._desk, self._is_served = desk, is_served
        self._turn, self._writing = Lock(), Lock()
        self._seen: Json = {}
        self._until_s = 0.0

    def change_place(self, asked: PlaceReport) -> Json:
        """Free a participant's place, or admit or refuse a waiting participant."""
        change_place(self._now(), asked.evaluator, asked.what, simulated=asked.simulated)
        self._until_s = 0.0
        return {}

    def set_doors(self, asked: DoorsReport) -> Json:
        """Open or close the doors, and return their state.

        Raises InputError, SessionProblem: their state could not be changed.
        """
        with self._desk() as desk:
            desk.set_doors(is_open=asked.open)
        return self._doors()

    def _doors(self) -> Json:
        with self._desk() as desk:
            since_unix_s = desk.closing_time()
        doors = {"open": since_unix_s is None, "closed_unix_s": since_unix_s}
        return {"doors": doors | {"served": self._is_served()}}

    def write_report(self, *, simulated: bool) -> bytes:
        """Write a report of the current data in a separate process; only one runs at a time.

        Raises SessionProblem: the report cannot be written, or takes too long.
        """
        with self._writing, TemporaryDirectory(prefix="hype-report-") as folder:
            page = Path(folder) / "report.html"
            options = ["--simulated"] if simulated else []
            run_behind("report", str(self._now().path), "--out", str(page), *options)
            if not page.exists():
                raise SessionProblem("nothing was written")
            return page.read_bytes()

    def state(self) -> Json:
        """Return the state of the study, and whether its doors are open.

        Raises InputError, SessionProblem: the record cannot be read.
        """
        with self._turn:
            began_s = time.monotonic()
            if began_s >= self._until_s:
                self._seen = self._look(self._now(), time.time())
                took_s = time.monotonic() - began_s
                self._until_s = began_s + max(LEAST_BETWEEN_LOOKS_S, PATIENCE * took_s)
            return self._seen | self._doors()

    def _look(self, study: AnyStudy, now_unix_s: float) -> Json:
        """Describe the state of people and, if there are any, of simulated evaluators."""
        sides: list[Json] = []
        with suppress(NothingRecorded):
            for simulated in (False, True):
                status = look(study, self._design, simulated=simulated)
                side = side_of(study, status, self._roundings, now_unix_s, simulated=simulated)
                sides += [side] if side["came"] or not simulated else []
        return {"sides": sides}


def side_of(
    study: AnyStudy, status: Status, roundings: Roundings, now_unix_s: float, *, simulated: bool
) -> Json:
    known = status.facts
    whole, currency = known["whole"], known["currency"]
    with reading_all(study) as engine, engine.connect() as connection:
        held = sessions_of(connection, simulated=simulated)
        people = people_of(connection, study, held, simulated=simulated)
        displays = {row.id: object_in(row.display) for row in held}
        unsure = ok_by_callbacks(connection, displays)
    quiet_since_unix_s = now_unix_s - 60 * study.settings.web.present_minutes
    on = [p for p in people if p.session.ended is None and p.since_unix_s >= quiet_since_unix_s]
    left = [p for p in people if p not in on and p.session.ended != "complete"]
    verdicts = part_verdicts(known.get("timing") or {}, unsure)
    flashed = verdicts, part_displays(study, roundings, displays.values())
    facts = {
        "On now": f"{len(on):,}",
        "Places held": f"{sum(p.who.status == 'active' for p in people):,}",
        "Places filled": f"{whole['complete']:,} of {whole['wanted']:,}",
        "Still needed": f"{whole['needed']:,}",
        "Left for now": f"{sum(p.who.status not in PARTS_END for p in left):,}",
        "Turned away": f"{sum(whole[how] for how in TURNED_AWAY if how != 'waiting'):,}",
        "Would be owed" if simulated else "Owed": money(round(known["pay_due"], 2), currency),
    }
    return {
        "simulated": simulated,
        "came": len(known["evaluators"]),
        "facts": list(facts.items()),
        "warnings": list(status.warnings),
        "parts": [
            part_on(on),
            part_places(status),
            part_left(left),
            *(one for one in flashed if one["rows"] or one["lines"]),
        ],
    }


def part(
    title: str, columns: Iterable[str], rows: Iterable[Sequence[object]], lines: Iterable[str] = ()
) -> Json:
    """Describe a table of the page, with ``lines`` above it; "#" marks columns of numbers."""
    heads = [{"name": name.lstrip("#"), "number": name.startswith("#")} for name in columns]
    cells = [list(row) for row in rows]
    cut = [f"The first {MOST_ROWS} of {len(cells):,} are listed."] if cells[MOST_ROWS:] else []
    return {"title": title, "columns": heads, "rows": cells[:MOST_ROWS], "lines": [*lines, *cut]}


@dataclass(frozen=True, slots=True)
class Here:
    """The latest session of a participant, and its progress."""

    who: Row[Any]
    session: Row[Any]
    since_unix_s: float  # the time of the last recorded step, or of the session's end
    doing: str

    @property
    def since(self) -> Json:
        """The time of the last step, which the page shows in the reader's time zone."""
        return {"unix_s": self.since_unix_s}

    @property
    def place(self) -> Json | str:
        """What the experimenter can do: free the place, or decide about a waiting person."""
        acts = {"active": ["free"], Ending.WAITING.value: ["admit", "refuse"]}
        if can := acts.get(self.who.status):
            return {"acts": can, "of": self.who.evaluator, "simulated": self.who.simulated}
        return "none" if self.who.status == LEFT else ""


def people_of(
    connection: Connection, study: AnyStudy, held: Sequence[Row[Any]], *, simulated: bool
) -> list[Here]:
    """List each participant's latest session, the most recently active first."""
    latest = {row.evaluator_id: row for row in held}
    # For each open session, the time of its last recorded step, and where the evaluator is now
    open_sessions = [row for row in latest.values() if row.ended is None]
    last = {row.id: (row.started_unix_s, "the first page") for row in open_sessions}
    pages = select(events).where(events.c.session_id.in_(last), events.c.event.in_(PAGES))
    for row in connection.execute(pages.order_by(events.c.id)):
        page = f"after the page {row.event.replace('_', ' ')}"
        last[row.session_id] = (row.unix_s + row.rt_ms / 1000, page)
    for columns in (table.c for table in answer_tables()):
        answered_unix_s = func.max(columns.onset_unix_s + columns.rt_ms / 1000)
        newest = select(columns.session_id, answered_unix_s).where(columns.session_id.in_(last))
        for session, unix_s in connection.execute(newest.group_by(columns.session_id)):
            last[session] = max(last[session], (unix_s, "between trials"))
    people = []
    for who in all_evaluators(connection, study, simulated=simulated):
        if (session := latest.get(who.id)) is None:
            continue
        since_unix_s, doing = last.get(session.id, (session.ended_unix_s or 0.0, ""))
        if session.showing:
            doing = "{}, block {}, trial {}".format(*session.showing.split())
        people.append(Here(who, session, since_unix_s, doing))
    return sorted(people, key=lambda person: person.since_unix_s, reverse=True)


def part_on(on: Sequence[Here]) -> Json:
    rows = [
        (p.who.evaluator, p.doing, p.since, {"unix_s": p.session.started_unix_s}, p.place)
        for p in on
    ]
    lines = [] if on else ["Nobody is taking part now."]
    return part("On now", ("Evaluator", "At", "Since", "Came", "Place"), rows, lines)


def part_left(left: Sequence[Here]) -> Json:
    ways = [WAYS_TO_LEAVE.get(p.session.ended, p.session.ended) for p in left]
    rows = [(p.who.evaluator, way, p.since, p.place) for p, way in zip(left, ways, strict=True)]
    line = ", ".join(f"{number:,} {way}" for way, number in Counter(ways).most_common())
    lines = [line or "Nobody has left before the end."]
    return part("Drop-outs", ("Evaluator", "How", "When", "Place"), rows, lines)


def part_places(status: Status) -> Json:
    """Count the filled places of each condition, as `hype status` does."""
    table = table_of_places(status)
    named = ((c.plain_heading, c.kind is ColumnKind.NAME) for c in table.columns)
    heads = [heading if is_name else f"#{heading}" for heading, is_name in named]
    return part(table.title, heads, table.shown, status_lines(status))


def ok_by_callbacks(connection: Connection, displays: Mapping[int, Mapping[str, Any]]) -> int:
    """Count trials that are "ok" by callbacks alone: their browsers report no other times."""
    some = [session for session, display in displays.items() if display.get("sync") == CALLBACKS]
    number = 0
    for columns in (kind.table.c for kind in recorders() if kind.is_timed):
        ok = (columns.session_id.in_(some), columns.verdict == Verdict.OK.value)
        number += connection.scalar(select(func.count()).where(*ok)) or 0
    return number


def part_verdicts(counts: Mapping[str, int], unsure: int) -> Json:
    """Describe the verdicts on flashed trials, and how many of them are ``unsure``."""
    whole = sum(counts.values())
    rows = [(what, f"{number:,}", f"{number / whole:.1%}") for what, number in counts.items()]
    line = (
        f"Trials called ok by callbacks alone (practice included): {unsure:,}. Their browsers do "
        "not report when images were on the screen, so the verdicts may be wrong by some frames."
    )
    return part("Timing", ("Verdict", "#Trials", "#Share"), rows, [line] if unsure else [])


def part_displays(
    study: AnyStudy, roundings: Roundings, displays: Iterable[Mapping[str, Any]]
) -> Json:
    """List the refresh rates of people's displays, most common first, with exposures on each."""
    sessions: Counter[int] = Counter()
    unsteady: Counter[int] = Counter()
    for display in displays:
        if isinstance(hz := display.get("refresh_hz"), int | float):
            sessions[round(hz)] += 1
            unsteady[round(hz)] += display.get("regular_share", 1.0) < LEAST_REGULAR
    rows = []
    for hz, number in sessions.most_common():
        rounded = roundings(study, hz)
        words = "; ".join(rounding.in_words(kind) for kind, rounding in rounded)
        rows.append((f"{hz} Hz", f"{number:,}", f"{unsteady[hz]:,}", words))
    columns = ("#Rate", "#Sessions", "#Irregular", "Exposures there")
    return part("Displays", columns, rows)
