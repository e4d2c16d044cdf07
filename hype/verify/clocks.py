"""Whether time goes forward in a session, and the wall clock with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Row

from hype.session.clocks import SHORTEST_SLEEP_S, SMALLEST_SETTING_S
from hype.store.schema import Event
from hype.verify.answers import key_of, name_of
from hype.verify.case import Case
from hype.verify.findings import Found

UNNOTICED_S: Final = SMALLEST_SETTING_S + SHORTEST_SLEEP_S
"""Of a jump of the wall clock, which sessions need not have kept."""
GAPS: Final = (Event.SUSPENDED.value, Event.CLOCK_SET.value)


def check_times(case: Case) -> Iterator[Found]:
    """Check response times, onsets and ends of sessions. Unreadable answers are passed over."""
    for row in case.readable:
        if row.rt_ms < 0:
            message = f"{name_of(key_of(row))} was answered after {row.rt_ms:g} ms"
            yield Found("response-time-negative", message)
    for session, theirs in groupby(case.readable, key=lambda row: row.session_id):
        gaps = [e for e in case.events_of(session) if e.event in GAPS and e.seconds is not None]
        yield from check_onsets(list(theirs), gaps)
    for session in case.sessions:
        yield from check_end(case, session)


def check_onsets(rows: Sequence[Row[Any]], gaps: Sequence[Row[Any]]) -> Iterator[Found]:
    """Check the onsets of one session; ``gaps`` are its events of a sleep or a clock set."""
    ends = [row.onset_monotonic_s for row in rows[2:]] + [math.inf]
    for before, row, end_s in zip(rows, rows[1:], ends, strict=False):
        where = name_of(key_of(row))
        passed_s = row.onset_monotonic_s - before.onset_monotonic_s
        if passed_s < 0:
            message = f"{where} came on {-passed_s:.3f} s before what was answered before it"
            yield Found("onsets-descend", message)
            continue
        jump_s = (row.onset_unix_s - before.onset_unix_s) - passed_s
        # What befell the clocks before an onset is found, and kept, until the next trial begins.
        known = [g.seconds for g in gaps if before.onset_monotonic_s <= g.monotonic_s < end_s]
        least_s = sum(s for s in known if s < 0) - UNNOTICED_S
        most_s = sum(s for s in known if s > 0) + UNNOTICED_S
        if not least_s <= jump_s <= most_s:
            message = f"the wall clock jumped by {jump_s:+.3f} s before {where}"
            yield Found("clock-jump", message)


def check_end(case: Case, session: Row[Any]) -> Iterator[Found]:
    """Check that a session ended after it began; a clock set back explains that it did not."""
    if session.ended_unix_s is None:
        return
    events = case.events_of(session.id)
    back_s = sum(min(e.seconds or 0.0, 0.0) for e in events if e.event == Event.CLOCK_SET.value)
    lasted_s = session.ended_unix_s - session.started_unix_s
    if lasted_s < back_s - UNNOTICED_S:
        message = f"session {session.id} ended {-lasted_s:.3f} s before it began"
        yield Found("ended-before-begun", message)
