"""What befell sessions and is no fault: breaks, interrupted trials, clocks, data removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from hype.store.columns import CODE
from hype.store.endings import BROKE_OFF
from hype.store.schema import Event, removals
from hype.store.seats import evaluator_seat, is_taken
from hype.verify.answers import key_of, name_of
from hype.verify.case import Case
from hype.verify.findings import Irregularity, Whose, shown
from hype.verify.kinds import kind_of

NOUNS: Final = (
    (False, "person", "people"),
    (True, "simulated evaluator", "simulated evaluators"),
)
LONG_PAUSE_S: Final = 3600.0
"""Between the sessions of an evaluator; a shorter pause is a rest."""


def notes_of(case: Case, record: Path) -> Iterator[Irregularity]:
    """Say what befell the sessions of one evaluator."""
    for session in case.sessions:
        yield from unended(case, session, record)
        for event in case.events_of(session.id):
            yield from befell(event, session)
    for before, after in pairwise(case.sessions):
        pause_s = after.started_unix_s - last_sign_unix_s(case, before)
        if pause_s >= LONG_PAUSE_S:
            message = f"{duration(pause_s)} between sessions {before.id} and {after.id}"
            yield Irregularity("long-pause", message)


def unended(case: Case, session: Row[Any], record: Path) -> Iterator[Irregularity]:
    """Say of a session that it is being held, or that it broke off."""
    if session.ended not in (None, BROKE_OFF):
        return
    if session.ended is None and sits(case, record):
        yield Irregularity(
            "session-running", f"session {session.id} is being held, {began(session)}"
        )
        return
    yield Irregularity("session-broke-off", f"session {session.id} broke off, {began(session)}")
    if session.showing:
        message = f"{named(session.showing)} was being shown in session {session.id}"
        yield Irregularity("trial-interrupted", message)


def named(showing: object) -> str:
    parts = str(showing).split()
    return name_of((parts[0], parts[1], parts[2])) if len(parts) == 3 else shown(showing)


def sits(case: Case, record: Path) -> bool:
    """Whether an evaluator's session is being held; nobody of an impossible code can sit down."""
    seat = evaluator_seat(case.who.evaluator, simulated=bool(case.who.simulated))
    return bool(CODE.fullmatch(case.who.evaluator)) and is_taken(record, seat)


def befell(event: Row[Any], session: Row[Any]) -> Iterator[Irregularity]:
    """Say what an event is, where it is one of those to know."""
    inside = f"session {session.id}, {when(event.unix_s, session.utc_offset_s)}"
    where = f"in {inside}" if event.task is None else f"at {name_of(key_of(event))} of {inside}"
    seconds = event.seconds or 0.0
    if event.event == Event.INTERRUPTED.value:
        yield Irregularity(
            "trial-interrupted", f"{name_of(key_of(event))} was interrupted in {inside}"
        )
    elif event.event == Event.SUSPENDED.value:
        yield Irregularity(
            "machine-suspended", f"the machine slept for {duration(seconds)} {where}"
        )
    elif event.event == Event.STOPPED.value:
        yield Irregularity(
            "program-stopped", f"the program stood still for {duration(seconds)} {where}"
        )
    elif event.event == Event.CLOCK_SET.value:
        way = "back" if seconds < 0 else "forward"
        message = f"the wall clock was set {way} by {duration(abs(seconds))} {where}"
        yield Irregularity("clock-set", message)


def last_sign_unix_s(case: Case, session: Row[Any]) -> float:
    """Give when a session ended, or was last heard of."""
    onsets_s = [r.onset_unix_s for r in case.readable if r.session_id == session.id]
    return float(session.ended_unix_s or max([session.started_unix_s, *onsets_s]))


def check_removals(
    connection: Connection, bad: Collection[int]
) -> Iterator[tuple[Whose, Irregularity]]:
    """Say how many evaluators' data were removed on request; ``bad`` are rows to pass over."""
    removed_rows = connection.execute(select(removals).order_by(removals.c.id))
    rows = [row for row in removed_rows if row.id not in bad]
    for simulated, one, many in NOUNS:
        theirs = [row for row in rows if bool(row.simulated) == simulated]
        if theirs:
            who = f"1 {one}" if len(theirs) == 1 else f"{len(theirs)} {many}"
            yield Whose(simulated=simulated), Irregularity("data-removed", removed(theirs, who))


def removed(rows: Sequence[Row[Any]], who: str) -> str:
    """Say what was removed."""
    number = sum(row.judgements for row in rows)
    nouns = {kind_of(None, row.methods.split()).noun for row in rows}
    noun = f"{nouns.pop()}s" if len(nouns) == 1 else "answers"
    latest = when(max(row.removed_unix_s for row in rows), 0.0)
    return (
        f"data of {who} were removed on request ({number:,} {noun}), "
        f"the last on {latest.split()[0]}"
    )


def began(session: Row[Any]) -> str:
    return f"begun {when(session.started_unix_s, session.utc_offset_s)}"


def when(unix_s: float, utc_offset_s: float) -> str:
    """Write a time as the clock on the station's wall showed it."""
    try:
        zone = timezone(timedelta(seconds=utc_offset_s))
        return f"{datetime.fromtimestamp(unix_s, zone):%Y-%m-%d %H:%M}"
    except (OverflowError, ValueError, OSError):  # a clock that was never set
        return f"{unix_s:g} s of an unset clock"


def duration(seconds: float) -> str:
    """Write a duration in the units that it is best thought of in."""
    minutes = round(seconds / 60)
    if minutes >= 48 * 60:
        return f"{round(minutes / 1440)} days"
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if minutes >= 2 else f"{seconds:.1f} s"
