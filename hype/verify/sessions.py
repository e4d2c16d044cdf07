"""One evaluator's sessions: whether they agree with each other, and with the clocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import groupby, pairwise
from typing import Any, Final

from sqlalchemy import Row

from hype.session.facts import SHORTEST_SLEEP_S, SMALLEST_SETTING_S
from hype.session.steps import Ending, Page, Trial
from hype.store.columns import CODE
from hype.store.people import BROKE_OFF, PARTS_END
from hype.store.record import Record
from hype.store.recorder import trial_text
from hype.store.schema import ENDINGS, MODES, Event
from hype.store.seats import evaluator_seat
from hype.verify.case import Case, Key, RecordedStudy, key_of, name_of
from hype.verify.findings import Problem, shown

ACTIVE: Final = "active"
CONSENTS: Final = (Page.CONSENT.value, Page.CONSENT_AGAIN.value)


def check_owners(case: Case) -> Iterator[Problem]:
    """Check that each answer is there once, in a session of its evaluator, one after the other."""
    theirs = {session.id for session in case.sessions}
    first: dict[Key, Row[Any]] = {}
    for row in case.rows:
        where = name_of(key_of(row))
        if row.session_id not in theirs:
            yield "session-of-another", f"{where} is of session {shown(row.session_id)}, not theirs"
        if (earlier := first.setdefault(key_of(row), row)) is not row:
            yield "trial-twice", f"{where} is in the rows {earlier.id} and {row.id}"
    for before, row in pairwise(case.readable):
        if row.session_id < before.session_id:
            message = f"is of session {row.session_id}, and the answer before it of a later one"
            yield "out-of-order", f"{name_of(key_of(row))} {message}"
    for table, number in case.strays.items():
        if number:
            message = f"{number:,} {table}, and their study asks for {case.answers.name}"
            yield "trial-unplanned", message


def check_sessions(case: Case) -> Iterator[Problem]:
    """Check the mode of each session, what it shows, and that its interrupted trials came again."""
    for session in case.sessions:
        name = f"session {session.id}"
        simulated = str(session.mode).startswith("simulated")
        if session.mode not in MODES or simulated != bool(case.who.simulated):
            who = "a simulated evaluator" if case.who.simulated else "a person"
            yield "mode-unlike-evaluator", f"{name} of {who} is of the mode {shown(session.mode)}"
        if session.showing and session.ended is not None:
            yield "showing-unlike-trials", f"{name} is over, and shows {shown(session.showing)}"
        interrupted = {
            key_of(event): event.monotonic_s
            for event in case.events_of(session.id)
            if event.event == Event.INTERRUPTED.value
        }
        for row in case.readable:
            if row.session_id == session.id and row.onset_monotonic_s < interrupted.get(
                key_of(row), -math.inf
            ):
                message = f"{name_of(key_of(row))} was interrupted in {name} after it was answered"
                yield "interrupted-and-answered", message


def check_endings(case: Case) -> Iterator[Problem]:
    """Compare the status with how the sessions ended: the last one ends an evaluator's part."""

    def ended(session: Row[Any]) -> object:
        """Return how a session ended; who declined and was let in again goes on."""
        events = (event.event for event in case.events_of(session.id))
        again = session.ended == Ending.DECLINED.value and Event.LET_IN_AGAIN.value in events
        return None if again else session.ended

    for session in case.sessions:
        if session.ended not in (None, *ENDINGS):
            message = f"session {session.id} ended {shown(session.ended)}, which is no ending"
            yield "ending-unlike-status", message
    if case.who.status not in (ACTIVE, *PARTS_END):
        yield "status-unlike-trials", f"there is no status {shown(case.who.status)}"
        return
    for session in case.sessions[:-1]:
        if ended(session) in PARTS_END:
            message = f"session {session.id} ended {session.ended}, and others came after it"
            yield "ending-unlike-status", message
    last = ended(case.sessions[-1]) if case.sessions else None
    if (last if last in PARTS_END else ACTIVE) != case.who.status:
        how = f"ended {shown(last)}" if last else "has no end"
        message = f"status {case.who.status}, and the last session {how}"
        yield "ending-unlike-status", message


def check_status(case: Case, ahead: Trial | Ending) -> Iterator[Problem]:
    """Compare status, and trials that were not answered, with where the answers lead to."""
    if isinstance(ahead, Ending):
        upcoming, comes = None, f"the ending {ahead.value!r}"
    else:
        upcoming, comes = ahead.name, f"{name_of(ahead.name)}, which is not answered"
    last = case.sessions[-1] if case.sessions else None
    expected = trial_text(upcoming) if upcoming else None
    if last and last.ended is None and last.showing not in (None, expected):
        message = f"session {last.id} shows {shown(last.showing)}, and next is {comes}"
        yield "showing-unlike-trials", message
    answered = {key_of(row) for row in case.rows}
    for event in case.events:
        key = key_of(event)
        if event.event == Event.INTERRUPTED.value and key not in answered and key != upcoming:
            message = f"{name_of(key)} was interrupted, and is neither answered nor next"
            yield "showing-unlike-trials", message
    allowed = {ACTIVE}
    if isinstance(ahead, Ending):
        allowed.add(ahead.value)
    elif not case.rows:
        allowed |= {Ending.DECLINED.value, Ending.FULL.value}
    if case.who.status in PARTS_END and case.who.status not in allowed:
        message = f"status {case.who.status}, and the answers lead to {comes}"
        yield "status-unlike-trials", message


def check_people(case: Case, recorded: Mapping[str, RecordedStudy]) -> Iterator[Problem]:
    """Check consent, and that what people said of themselves answers the study's questions."""
    if case.rows and not case.who.simulated:
        number = case.rows[0].session_id
        began = [recorded.get(s.study) for s in case.sessions if s.id == number]
        asked = any(study and study.study.settings.study.consent for study in began)
        given = {event.answer for event in case.events_of(number) if event.event in CONSENTS}
        if asked and "yes" not in given:
            yield "consent-missing", f"session {number} has answers and no consent"
    if (theirs := recorded.get(case.who.study)) is None:
        return  # it may have asked anything
    unlike = "demographics-unlike-study"
    questions = theirs.study.demographics
    for row in case.statements:
        question = questions.get(row.question)
        if question is None:
            yield unlike, f"{shown(row.question)} is answered, and the study does not ask that"
        elif row.answer and question.taken(row.answer) != row.answer:
            message = f"{shown(row.answer)}, and the study {question.allowed}"
            yield unlike, f"{row.question}: {message}"
    statements = {row.question for row in case.statements}
    for name in questions:
        if case.rows and name not in statements:
            yield unlike, f"{name} is not answered, and what comes after it is"


UNNOTICED_S: Final = SMALLEST_SETTING_S + SHORTEST_SLEEP_S
"""Of a jump of the wall clock, which sessions need not have kept."""
GAPS: Final = (Event.SUSPENDED.value, Event.CLOCK_SET.value)


def check_times(case: Case) -> Iterator[Problem]:
    """Check response times, onsets and ends of sessions. Unreadable answers are passed over."""
    for row in case.readable:
        if row.rt_ms < 0:
            message = f"{name_of(key_of(row))} was answered after {row.rt_ms:g} ms"
            yield "response-time-negative", message
    for number, theirs in groupby(case.readable, key=lambda row: row.session_id):
        gaps = [e for e in case.events_of(number) if e.event in GAPS and e.seconds is not None]
        yield from check_onsets(list(theirs), gaps)
    for session in case.sessions:
        if session.ended_unix_s is not None:
            events = case.events_of(session.id)
            back_s = sum(
                min(e.seconds or 0.0, 0.0) for e in events if e.event == Event.CLOCK_SET.value
            )
            lasted_s = session.ended_unix_s - session.started_unix_s
            if lasted_s < back_s - UNNOTICED_S:
                message = f"session {session.id} ended {-lasted_s:.3f} s before it began"
                yield "ended-before-begun", message


def check_onsets(rows: Sequence[Row[Any]], gaps: Sequence[Row[Any]]) -> Iterator[Problem]:
    """Check the onsets of one session; ``gaps`` are its events of a sleep or a clock set."""
    ends = [row.onset_monotonic_s for row in rows[2:]] + [math.inf]
    for before, row, end_s in zip(rows, rows[1:], ends, strict=False):
        where = name_of(key_of(row))
        passed_s = row.onset_monotonic_s - before.onset_monotonic_s
        if passed_s < 0:
            yield "onsets-descend", f"{where} came on {-passed_s:.3f} s before the answer before it"
            continue
        jump_s = (row.onset_unix_s - before.onset_unix_s) - passed_s
        # A jump of the clocks before an onset is found, and kept, until the next trial begins.
        pauses_s = [g.seconds for g in gaps if before.onset_monotonic_s <= g.monotonic_s < end_s]
        least_s = sum(s for s in pauses_s if s < 0) - UNNOTICED_S
        most_s = sum(s for s in pauses_s if s > 0) + UNNOTICED_S
        if not least_s <= jump_s <= most_s:
            yield "clock-jump", f"the wall clock jumped by {jump_s:+.3f} s before {where}"


LONG_PAUSE_S: Final = 3600.0
"""Between the sessions of an evaluator; a shorter pause is a rest."""


def notes_of(case: Case, record: Record) -> Iterator[Problem]:
    """Note how sessions broke off, what happened in them, and long pauses between them."""
    for session in case.sessions:
        began = f"begun {when(session.started_unix_s, session.utc_offset_s)}"
        if session.ended is None and is_held(case, record):
            yield "session-running", f"session {session.id} is being held, {began}"
        elif session.ended in (None, BROKE_OFF):
            yield "session-broke-off", f"session {session.id} broke off, {began}"
            if session.showing:
                parts = tuple(str(session.showing).split())
                trial = name_of(parts) if len(parts) == 3 else shown(session.showing)
                yield "trial-interrupted", f"{trial} was being shown in session {session.id}"
        for event in case.events_of(session.id):
            yield from notes_of_event(event, session)
    for before, after in pairwise(case.sessions):
        onsets_s = [r.onset_unix_s for r in case.readable if r.session_id == before.id]
        pause_s = after.started_unix_s - float(
            before.ended_unix_s or max([before.started_unix_s, *onsets_s])
        )
        if pause_s >= LONG_PAUSE_S:
            yield "long-pause", f"{duration(pause_s)} between sessions {before.id} and {after.id}"


def is_held(case: Case, record: Record) -> bool:
    """Whether an evaluator's session is being held; nobody of an impossible code can sit down."""
    seat = evaluator_seat(case.who.evaluator, simulated=bool(case.who.simulated))
    return bool(CODE.fullmatch(case.who.evaluator)) and record.is_taken(seat)


def notes_of_event(event: Row[Any], session: Row[Any]) -> Iterator[Problem]:
    inside = f"session {session.id}, {when(event.unix_s, session.utc_offset_s)}"
    trial = name_of(key_of(event))
    where = f"in {inside}" if event.task is None else f"at {trial} of {inside}"
    seconds = event.seconds or 0.0
    if event.event == Event.INTERRUPTED.value:
        yield "trial-interrupted", f"{trial} was interrupted in {inside}"
    elif event.event == Event.SUSPENDED.value:
        yield "machine-suspended", f"the machine slept for {duration(seconds)} {where}"
    elif event.event == Event.STOPPED.value:
        yield "program-stopped", f"the program stood still for {duration(seconds)} {where}"
    elif event.event == Event.CLOCK_SET.value:
        way = "back" if seconds < 0 else "forward"
        yield "clock-set", f"the wall clock was set {way} by {duration(abs(seconds))} {where}"
    elif event.event == Event.LET_IN_AGAIN.value:
        yield "let-in-again", f"had declined in {inside}, and was let in again"


def when(unix_s: float, utc_offset_s: float) -> str:
    """Write a time as the clock on the station's wall showed it."""
    try:
        zone = timezone(timedelta(seconds=utc_offset_s))
        return f"{datetime.fromtimestamp(unix_s, zone):%Y-%m-%d %H:%M}"
    except (OverflowError, ValueError, OSError):  # a clock that was never set
        return f"{unix_s:g} s of an unset clock"


def duration(seconds: float) -> str:
    """Write a duration in days, hours, minutes or seconds, whichever fits its length."""
    minutes = round(seconds / 60)
    if minutes >= 48 * 60:
        return f"{round(minutes / 1440)} days"
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if minutes >= 2 else f"{seconds:.1f} s"
