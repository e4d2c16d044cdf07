"""How a session ends in the record."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from hype.session.timing import TimingTable
from hype.store.people import end_session, held_in
from hype.store.record import committed, require_durable


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSession:
    """How a session ended (complete, unqualified, declined or quit), and how exact it was."""

    ended: str
    timing: TimingTable


def close_session(engine: Engine, session: int, ended: str, answers: int) -> HeldSession:
    """Write the end of the session, and how exact its exposures were, into the record.

    The display may be about to go, so this is done before it is closed. That the session's end and
    its ``answers`` are there is seen by looking anew, before anybody is told so.
    """
    with committed(engine) as connection:
        timing = end_session(connection, session, ended)
    require_durable(engine, lambda anew: held_in(anew, session) == (ended, answers))
    return HeldSession(ended=ended, timing=timing)
