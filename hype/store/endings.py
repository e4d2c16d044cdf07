"""How sessions end: by themselves, or broken off in a trial that was shown and never answered."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select, update

from hype.session.steps import TrialName
from hype.session.timing_table import TimingTable, table_of_rows
from hype.store import people
from hype.store.schema import ANSWER_TABLES, RECORDED, Event, events, sessions

BROKE_OFF = "broke-off"
"""How a session ended that nobody could end: its program was killed, or lost its record."""


def broken_sessions(connection: Connection, evaluator_id: int) -> Sequence[int]:
    """List the sessions of an evaluator that have no end.

    Whoever asks holds the evaluator's seat, so none of them is still running.
    """
    query = select(sessions.c.id).where(
        sessions.c.evaluator_id == evaluator_id, sessions.c.ended.is_(None)
    )
    return connection.execute(query.order_by(sessions.c.id)).scalars().all()


def mark_interrupted(
    connection: Connection, session_id: Any, *, unix_s: float, monotonic_s: float
) -> None:
    """Mark the trial that a session was showing when it stopped, if it was showing one."""
    this = sessions.c.id == session_id
    showing = connection.execute(select(sessions.c.showing).where(this)).scalar_one()
    if not showing:
        return
    task, block, trial = named(showing)
    people.add_event(
        connection,
        session_id,
        Event.INTERRUPTED.value,
        task=task,
        block=block,
        trial=trial,
        unix_s=unix_s,
        monotonic_s=monotonic_s,
    )
    connection.execute(update(sessions).where(this).values(showing=None))


def cut_off(connection: Connection, evaluator_id: int) -> frozenset[TrialName]:
    """List the trials of an evaluator that were shown and not answered, whenever that was.

    Those that a session was showing when it broke off are among them, marked or not yet.
    """
    theirs = sessions.c.evaluator_id == evaluator_id
    marked = (
        select(events.c.task, events.c.block, events.c.trial)
        .join(sessions, events.c.session_id == sessions.c.id)
        .where(theirs, events.c.event == Event.INTERRUPTED.value)
    )
    shown = select(sessions.c.showing).where(theirs, sessions.c.showing.is_not(None))
    return frozenset(
        (
            *(TrialName(*row) for row in connection.execute(marked)),
            *(named(showing) for showing in connection.execute(shown).scalars()),
        )
    )


def named(showing: str) -> TrialName:
    task, block, number = showing.split()
    return TrialName(task, int(block), int(number))


def timing_of_session(connection: Connection, session_id: int) -> TimingTable:
    """Summarise what was measured in one session."""
    timed = (kind.table for kind in RECORDED if kind.is_timed)
    queries = (select(table).where(table.c.session_id == session_id) for table in timed)
    in_order = (query.order_by(query.selected_columns.id) for query in queries)
    rows = (row for query in in_order for row in connection.execute(query).mappings())
    return table_of_rows(map(dict, rows))


def end_session(connection: Connection, session: int, ended: str) -> TimingTable:
    """Write how a session ended: by itself just now, or by breaking off some time ago."""
    unix_s = time.time()
    mark_interrupted(connection, session, unix_s=unix_s, monotonic_s=time.monotonic())
    timing = timing_of_session(connection, session)
    people.end_session(
        connection,
        session,
        ended=ended,
        unix_s=None if ended == BROKE_OFF else unix_s,
        timing=timing.to_json(),
    )
    return timing


def held_in(connection: Connection, session: int) -> tuple[str | None, int]:
    """Read how a session ended, and how many answers of it are there."""
    ended = connection.execute(select(sessions.c.ended).where(sessions.c.id == session)).scalar()
    numbers = (
        select(func.count()).select_from(table).where(table.c.session_id == session)
        for table in ANSWER_TABLES
    )
    return ended, sum(connection.execute(number).scalar_one() for number in numbers)
