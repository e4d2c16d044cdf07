"""Who came, and what is said of everybody, whatever they answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.export.columns import ExportedColumn, Kind
from hype.store.schema import evaluators, sessions

ASSIGNED: Final = ExportedColumn(
    name="assigned_utc", meaning="when they were assigned, in UTC", kind=Kind.TEXT
)
SESSIONS: Final = ExportedColumn(
    name="sessions", meaning="how often the program was started for them", kind=Kind.WHOLE
)


def arrivals(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Read all evaluators in the order of their arrival, and how many sessions each had."""
    query = (
        select(evaluators, func.count(sessions.c.id).label("sessions"))
        .outerjoin(sessions, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .group_by(evaluators.c.id)
        .order_by(evaluators.c.id)
    )
    return connection.execute(query).all()
