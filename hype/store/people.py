"""Evaluators in the record: their places in the design, statuses, sessions and answers.

An evaluator takes a place by consenting. In a browser, the place becomes free after some minutes
without an answer. At a station, the experimenter frees it. The evaluator's answers are kept.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from hype.session.loop import Answered, Seen
from hype.session.steps import LEFT_OUT, Page, TrialName
from hype.session.timing import TimingTable, table_of_rows
from hype.store.kept import answer_tables, recorders
from hype.store.schema import Event, demographics, evaluators, events, sessions, studies

TURNED_AWAY = ("unqualified", "waiting", "declined", "full", "misunderstood")
"""Statuses of evaluators who got no place of the design, or have not got one yet."""


def tables_of_people() -> tuple[Table, ...]:
    """Return the tables of answers: to trials, and to questions about the evaluator."""
    return (*answer_tables(), demographics)


PAGES = frozenset(page.value for page in Page)

PARTS_END = ("complete", *TURNED_AWAY)
"""The ways in which a session can end that also end the evaluator's part in the study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """An evaluator in the record."""

    id: int
    evaluator: str
    drawn_for: str | None
    simulated: bool
    condition: str
    methods: tuple[str, ...]
    left_means: str
    share: int
    pairs: str
    groups: tuple[str, ...]
    qualified_in: str
    seed: str
    study: str
    plan: str
    mask_files: str | None
    status: str
    place_unix_s: float | None
    freed_unix_s: float | None


def evaluator_of(row: Row[Any]) -> Evaluator:
    cells: dict[str, Any] = {each.name: getattr(row, each.name) for each in fields(Evaluator)}
    words = {name: tuple((cells[name] or "").split()) for name in ("methods", "groups")}
    return Evaluator(**cells | words | {"share": row.share or 0, "pairs": row.pairs or ""})


def find_evaluator(connection: Connection, evaluator: str, *, simulated: bool) -> Evaluator | None:
    who = evaluators.c
    query = select(evaluators).where(who.evaluator == evaluator, who.simulated == simulated)
    row = connection.execute(query).first()
    return evaluator_of(row) if row else None


def list_evaluators(connection: Connection, *, simulated: bool) -> list[Evaluator]:
    query = select(evaluators).where(evaluators.c.simulated == simulated)
    return [evaluator_of(row) for row in connection.execute(query.order_by(evaluators.c.id))]


def codes_of(connection: Connection, *, simulated: bool) -> set[str]:
    query = select(evaluators.c.evaluator).where(evaluators.c.simulated == simulated)
    return set(connection.execute(query).scalars())


def latest_evaluators(
    connection: Connection, given: Collection[str], *, simulated: bool, most: int
) -> list[Evaluator]:
    """List at most ``most`` evaluators of studies with the ``given`` checksums, newest first."""
    who = evaluators.c
    query = select(evaluators).where(who.simulated == simulated, who.study.in_(given))
    rows = connection.execute(query.order_by(who.id.desc()).limit(most))
    return [evaluator_of(row) for row in rows]


def count_answers(connection: Connection, *, simulated: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for table in answer_tables():
        query = select(evaluators.c.evaluator, func.count())
        query = query.join(table, table.c.evaluator_id == evaluators.c.id)
        query = query.where(evaluators.c.simulated == simulated).group_by(evaluators.c.evaluator)
        for code, number in connection.execute(query):
            counts[code] += number
    return counts


def insert_one(connection: Connection, table: Table, row: Mapping[str, object]) -> int:
    return int(connection.execute(insert(table).returning(table.c.id), dict(row)).scalar_one())


def change_evaluator(connection: Connection, evaluator_id: object, **cells: object) -> None:
    """Change some cells of an evaluator's row."""
    who = evaluators.c.id == evaluator_id
    connection.execute(update(evaluators).where(who).values(**cells))


def delete_evaluators(connection: Connection, which: ColumnElement[bool]) -> None:
    who = select(evaluators.c.id).where(which)
    held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
    for table in tables_of_people():
        connection.execute(delete(table).where(table.c.evaluator_id.in_(who)))
    connection.execute(delete(events).where(events.c.session_id.in_(held)))
    connection.execute(delete(sessions).where(sessions.c.evaluator_id.in_(who)))
    connection.execute(delete(evaluators).where(which))


def keep_study(connection: Connection, checksum: str, resolved: str) -> None:
    query = select(studies.c.checksum).where(studies.c.checksum == checksum)
    if connection.execute(query).first() is None:
        connection.execute(insert(studies), {"checksum": checksum, "resolved": resolved})


def write_end(
    connection: Connection,
    session_id: int,
    *,
    ended: str,
    unix_s: float | None,
    timing: Mapping[str, object] | None = None,
) -> None:
    """Record how and when a session ended; an ending in `PARTS_END` ends the evaluator's part.

    ``timing`` is the timing table of the session's exposures.
    """
    values = {"ended": ended, "ended_unix_s": unix_s, "timing": timing and json.dumps(timing)}
    connection.execute(update(sessions).where(sessions.c.id == session_id).values(values))
    if ended in PARTS_END:
        who = select(sessions.c.evaluator_id).where(sessions.c.id == session_id)
        connection.execute(
            update(evaluators).where(evaluators.c.id == who.scalar_subquery()).values(status=ended)
        )


def add_event(connection: Connection, session_id: object, event: str, **cells: object) -> None:
    """Record an event of a session; ``cells``: values of columns in the table of events."""
    usual = {"session_id": session_id, "event": event, "answer": "", "rt_ms": 0.0}
    connection.execute(insert(events), usual | cells)


def keep_answer(
    connection: Connection, owner: Mapping[str, object], question: str, answer: str
) -> None:
    """Keep an answer to a question about the evaluator; a new answer replaces the old one."""
    columns = demographics.c
    theirs = (columns.evaluator_id == owner["evaluator_id"]) & (columns.question == question)
    if not connection.execute(update(demographics).where(theirs).values(answer=answer)).rowcount:
        row = {"evaluator_id": owner["evaluator_id"], "question": question, "answer": answer}
        connection.execute(insert(demographics), row)


def count_statements(
    connection: Connection, question: str, which: ColumnElement[bool], *, simulated: bool
) -> dict[str, Counter[str]]:
    """Count the evaluators in ``which`` by their answer to a question and by their status."""
    query = (
        select(demographics.c.answer, evaluators.c.status, func.count())
        .join(evaluators, demographics.c.evaluator_id == evaluators.c.id)
        .where(demographics.c.question == question, evaluators.c.simulated == simulated, which)
        .group_by(demographics.c.answer, evaluators.c.status)
    )
    counts: dict[str, Counter[str]] = {}
    for answer, status, number in connection.execute(query):
        counts.setdefault(answer, Counter())[status] = number
    return counts


def sitting_now(connection: Connection, modes: Collection[str], *, since_s: float) -> set[int]:
    """List evaluators with an open session in ``modes`` whose last step is after ``since_s``."""
    held = sessions.c
    is_sitting = (held.ended.is_(None), held.mode.in_(modes), held.heard_unix_s > since_s)
    return set(connection.execute(select(held.evaluator_id).where(*is_sitting)).scalars())


def latest_session(connection: Connection, evaluator_id: int) -> Row[Any] | None:
    theirs = select(sessions).where(sessions.c.evaluator_id == evaluator_id)
    return connection.execute(theirs.order_by(sessions.c.id.desc()).limit(1)).first()


def pages_after_answers(connection: Connection, session_id: int) -> list[Seen]:
    """List the pages, except "welcome back", that a session showed after its last answered trial.

    The monotonic clock decides what came later, since the wall clock may have been set meanwhile.
    """
    onsets = (
        connection.execute(
            select(func.max(table.c.onset_monotonic_s)).where(table.c.session_id == session_id)
        ).scalar()
        for table in answer_tables()
    )
    since = max((onset for onset in onsets if onset is not None), default=-math.inf)
    held = (events.c.session_id == session_id) & (events.c.monotonic_s > since)
    query = select(events.c.event, events.c.answer).where(held).order_by(events.c.id)
    own = PAGES - {Page.RESUMED.value}
    return [(Page(name), answer) for name, answer in connection.execute(query) if name in own]


def last_sign(connection: Connection, session_id: int) -> tuple[float, float] | None:
    """Return the time of a session's last step, by wall clock and monotonic clock, in s."""
    signs = [
        *((t.c.onset_unix_s, t.c.onset_monotonic_s, t.c.rt_ms, t) for t in answer_tables()),
        (events.c.unix_s, events.c.monotonic_s, events.c.rt_ms, events),
    ]
    queries = (
        select(unix_s + rt_ms / 1000, monotonic_s + rt_ms / 1000)
        .where(table.c.session_id == session_id)
        .order_by(table.c.id.desc())
        .limit(1)
        for unix_s, monotonic_s, rt_ms, table in signs
    )
    rows = (connection.execute(query).first() for query in queries)
    return max((tuple(row) for row in rows if row), key=itemgetter(1), default=None)


@cache
def mark_query() -> Select[Any]:
    return select(
        *(sessions.c.showing, sessions.c.ended),
        select(evaluators.c.freed_unix_s)
        .where(evaluators.c.id == sessions.c.evaluator_id)
        .scalar_subquery(),
        select(func.count()).where(events.c.session_id == sessions.c.id).scalar_subquery(),
        *(  # counted by evaluator, not by session: the tables are indexed by evaluator
            select(func.count())
            .where(t.c.evaluator_id == sessions.c.evaluator_id)
            .scalar_subquery()
            for t in answer_tables()
        ),
    ).where(sessions.c.id == bindparam("session"))


def mark_of_session(connection: Connection, session_id: int) -> object:
    """Return a mark that changes with each step of a session, whichever program performs it."""
    return connection.execute(mark_query(), {"session": session_id}).first()


def steps_performed(connection: Connection, session_id: int) -> int:
    """Count the answers, pages and interrupted trials of a session."""
    counted = (*PAGES, Event.INTERRUPTED.value)
    held = (events.c.session_id == session_id) & events.c.event.in_(counted)
    pages = connection.execute(select(func.count()).select_from(events).where(held)).scalar_one()
    return read_session(connection, session_id)[1] + int(pages)


def latest_answer_to(connection: Connection, session_id: int, event: Event) -> str | None:
    """Return the answer of a session's latest ``event``; None if there is none."""
    held = (events.c.session_id == session_id) & (events.c.event == event.value)
    query = select(events.c.answer).where(held).order_by(events.c.id.desc()).limit(1)
    return connection.execute(query).scalar_one_or_none()


BROKE_OFF = "broke-off"
"""The ending of a session whose program was killed or lost its record."""


def find_broken_sessions(connection: Connection, evaluator_id: int) -> Sequence[int]:
    """List an evaluator's sessions whose end was not recorded.

    The caller holds the evaluator's seat, so none of these sessions is still running.
    """
    held = sessions.c
    broken = (held.evaluator_id == evaluator_id, held.ended.is_(None))
    return connection.execute(select(held.id).where(*broken).order_by(held.id)).scalars().all()


def mark_interrupted(
    connection: Connection, session_id: Any, *, unix_s: float, monotonic_s: float
) -> None:
    """Mark the trial that a session was showing when it stopped, if it was showing one."""
    this = sessions.c.id == session_id
    showing = connection.execute(select(sessions.c.showing).where(this)).scalar_one()
    if not showing:
        return
    cells = trial_cells(parse_showing(showing)) | {"unix_s": unix_s, "monotonic_s": monotonic_s}
    add_event(connection, session_id, Event.INTERRUPTED.value, **cells)
    connection.execute(update(sessions).where(this).values(showing=None))


def cut_off(
    connection: Connection, evaluator_id: int, current: int | None = None
) -> frozenset[TrialName]:
    """List all trials of an evaluator that were shown but not answered.

    Trials of interrupted sessions are included, but not the current trial of the session
    ``current``.
    """
    theirs = sessions.c.evaluator_id == evaluator_id
    marked = (
        select(events.c.task, events.c.block, events.c.trial)
        .join(sessions, events.c.session_id == sessions.c.id)
        .where(theirs, events.c.event == Event.INTERRUPTED.value)
    )
    shown = select(sessions.c.showing).where(theirs, sessions.c.showing.is_not(None))
    if current is not None:
        shown = shown.where(sessions.c.id != current)
    return frozenset(
        (
            *(TrialName(*row) for row in connection.execute(marked)),
            *(parse_showing(showing) for showing in connection.execute(shown).scalars()),
        )
    )


def parse_showing(showing: str) -> TrialName:
    task, block, number = showing.split()
    return TrialName(task, int(block), int(number))


def trial_cells(trial: TrialName) -> dict[str, object]:
    return {"task": trial.task, "block": trial.block, "trial": trial.number}


def end_session(connection: Connection, session: int, ended: str) -> TimingTable:
    """Record how a session ended; a session that broke off gets no end time."""
    unix_s = time.time()
    mark_interrupted(connection, session, unix_s=unix_s, monotonic_s=time.monotonic())
    rows: list[dict[str, object]] = []
    for table in (kind.table for kind in recorders() if kind.is_timed):
        measured = select(table).where(table.c.session_id == session).order_by(table.c.id)
        rows += map(dict, connection.execute(measured).mappings())
    timing = table_of_rows(rows)
    write_end(
        connection,
        session,
        ended=ended,
        unix_s=None if ended == BROKE_OFF else unix_s,
        timing=timing.to_json(),
    )
    return timing


def read_session(connection: Connection, session: int) -> tuple[str | None, int]:
    """Read how a session ended, and count its answers in the record."""
    ended = connection.execute(select(sessions.c.ended).where(sessions.c.id == session)).scalar()
    numbers = (
        select(func.count()).select_from(table).where(table.c.session_id == session)
        for table in answer_tables()
    )
    return ended, sum(connection.execute(number).scalar_one() for number in numbers)


def answers_of(connection: Connection, evaluator_id: int) -> Sequence[Answered]:
    """Read an evaluator's answered trials in order, to replay them.

    A study has one protocol, so only one of the tables has rows.
    """
    answers: list[Answered] = []
    for kind in recorders():
        columns = kind.table.c
        query = select(kind.table).where(columns.evaluator_id == evaluator_id)
        answers += map(kind.read_answer, connection.execute(query.order_by(columns.id)))
    return answers


IN_BROWSER: Final = {False: "web", True: "simulated-web"}
"""Modes of sessions in browsers: of people (False) and of simulated evaluators (True)."""
COMING: Final = "coming"
LEFT: Final = "left"
HAVE_PLACE: Final = ("complete", "active")
IN_DESIGN: Final = (*HAVE_PLACE, COMING)
GIVEN_ON: Final = (LEFT, LEFT_OUT)
"""Statuses of evaluators whose place, with its key mapping or pairs, goes to a new evaluator."""

PlaceRule = tuple[float, tuple[str, ...]]
"""The minutes without an answer after which a place is free, and left-out evaluators' codes."""


@lru_cache
def status_now(rule: PlaceRule) -> ColumnElement[str]:
    """Return a column with each evaluator's current status, for queries of evaluators.

    An evaluator whose part has not ended is "active" if they have a place, "coming" if they may
    still consent, and "left" if they lost their place or did not consent in time. An evaluator who
    is left out is `LEFT_OUT` at any stage.
    """
    who, held = evaluators.c, sessions.c
    release_minutes, left_out = rule
    since_unix_s: BindParameter[float] = bindparam(
        "since", callable_=lambda: time.time() - 60 * release_minutes
    )
    is_there = held.mode.not_in(IN_BROWSER.values()) | (held.heard_unix_s > since_unix_s)
    latest = select(is_there).where(held.evaluator_id == who.id).order_by(held.id.desc()).limit(1)
    is_heard = or_(latest.scalar_subquery(), who.place_unix_s > since_unix_s)
    return case(
        (who.evaluator.in_(left_out), LEFT_OUT),
        (who.status != "active", who.status),
        (who.freed_unix_s.is_not(None), LEFT),
        (who.place_unix_s.is_not(None) & is_heard, "active"),
        (who.place_unix_s.is_(None) & (who.assigned_unix_s > since_unix_s), COMING),
        else_=LEFT,
    ).label("status")


def status_of(connection: Connection, rule: PlaceRule, evaluator_id: int) -> str:
    query = select(status_now(rule)).where(evaluators.c.id == evaluator_id)
    return str(connection.execute(query).scalar_one())


def take_place(connection: Connection, evaluator_id: object) -> None:
    change_evaluator(connection, evaluator_id, place_unix_s=time.time(), freed_unix_s=None)


def first_who_left(
    connection: Connection, rule: PlaceRule, given: Collection[str], *, simulated: bool
) -> Evaluator | None:
    """Find the first evaluator who left an arena with pairs that no evaluator in the design has."""
    who, status = evaluators.c, status_now(rule)
    among = (who.simulated == simulated, who.study.in_(given), who.pairs.is_not(None))
    others = select(who.pairs).where(*among, status.in_(IN_DESIGN))
    left = select(evaluators).where(*among, status.in_(GIVEN_ON), who.place_unix_s.is_not(None))
    query = left.where(who.pairs.not_in(others)).order_by(who.id).limit(1)
    row = connection.execute(query).first()
    return evaluator_of(row) if row else None
