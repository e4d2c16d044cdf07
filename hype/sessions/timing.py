"""How exact the exposures of a session were, from its record."""

from __future__ import annotations

from sqlalchemy import Connection, select

from hype.protocol.timing_table import TimingTable, table_of_rows
from hype.store.answer_tables import judgements


def timing_of_session(connection: Connection, session_id: int) -> TimingTable:
    """Summarise what was measured in one session."""
    query = (
        select(judgements).where(judgements.c.session_id == session_id).order_by(judgements.c.id)
    )
    return table_of_rows(dict(row) for row in connection.execute(query).mappings())
