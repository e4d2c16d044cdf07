"""The end of a session: how it ended, what it interrupted, and how exact it was."""

from __future__ import annotations

import time

from sqlalchemy import Connection, func, select

from hype.session.timing_table import TimingTable, table_of_rows
from hype.store import people
from hype.store.answer_tables import judgements
from hype.store.answers import ANSWER_TABLES
from hype.store.interruptions import BROKE_OFF, mark_interrupted
from hype.store.schema import sessions


def timing_of_session(connection: Connection, session_id: int) -> TimingTable:
    """Summarise what was measured in one session."""
    query = (
        select(judgements).where(judgements.c.session_id == session_id).order_by(judgements.c.id)
    )
    return table_of_rows(dict(row) for row in connection.execute(query).mappings())


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
