"""Whether what sessions say of themselves agrees, and what befell them that is no fault."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from hype.session.facts import SHORTEST_SLEEP_S, SMALLEST_SETTING_S
from hype.session.steps import Ending, Page, Trial
from hype.store.columns import CODE
from hype.store.people import BROKE_OFF, PARTS_END
from hype.store.recorder import trial_text
from hype.store.schema import Event, removals
from hype.store.seats import evaluator_seat, is_taken
from hype.verify.case import Case, Key, RecordedStudy, key_of, name_of
from hype.verify.findings import Irregularity, Whose, shown
from hype.verify.replay import Replay

ACTIVE: Final = "active"
CONSENTS: Final = (Page.CONSENT.value, Page.CONSENT_AGAIN.value)
ENDINGS: Final = frozenset((*PARTS_END, "quit", BROKE_OFF, None))
MODES: Final = {False: ("person", "web"), True: ("simulated", "simulated-window", "simulated-web")}


def check_sessions(case: Case) -> Iterator[Irregularity]:
    for session in case.sessions:
        if session.ended not in ENDINGS:
            message = f"session {session.id} ended {shown(session.ended)}"
            yield Irregularity("ending-impossible", message)
        if session.mode not in MODES[bool(case.who.simulated)]:
            who = "a simulated evaluator" if case.who.simulated else "a person"
            message = f"session {session.id} of {who} is of the mode {shown(session.mode)}"
            yield Irregularity("mode-unlike-evaluator", message)
        if session.showing and session.ended is not None:
            message = f"session {session.id} is over, and shows {shown(session.showing)}"
            yield Irregularity("showing-unlike-trials", message)
        yield from check_interrupted(case, session)


def check_interrupted(case: Case, session: Row[Any]) -> Iterator[Irregularity]:
    """Find answers to trials as they were shown before their session marked them as interrupted."""
    events = case.events_of(session.id)
    interrupted = {key_of(e): e.monotonic_s for e in events if e.event == Event.INTERRUPTED.value}
    for row in case.readable:
        last_s = interrupted.get(key_of(row)) if row.session_id == session.id else None
        if last_s is not None and row.onset_monotonic_s < last_s:
            message = f"{name_of(key_of(row))} was interrupted in session {session.id}, and counts"
            yield Irregularity("interrupted-and-answered", message)


def check_endings(case: Case) -> Iterator[Irregularity]:
    """Compare the status with how the sessions ended: the last one ends an evaluator's part."""
    status = case.who.status
    if status not in (ACTIVE, *PARTS_END):
        yield Irregularity("status-unlike-trials", f"there is no status {shown(status)}")
        return
    for session in case.sessions[:-1]:
        if session.ended in PARTS_END and not was_let_in(case, session):
            message = f"session {session.id} ended {session.ended}, and others came after it"
            yield Irregularity("ending-unlike-status", message)
    last = case.sessions[-1] if case.sessions else None
    ended = None if last is None or was_let_in(case, last) else last.ended
    if (ended if ended in PARTS_END else ACTIVE) != status:
        statements = f"ended {shown(ended)}" if ended else "has no end"
        message = f"status {status}, and the last session {statements}"
        yield Irregularity("ending-unlike-status", message)


def was_let_in(case: Case, session: Row[Any]) -> bool:
    """Whether somebody declined in a session, and the experimenter let them in again after it."""
    events = (event.event for event in case.events_of(session.id))
    return session.ended == Ending.DECLINED.value and Event.LET_IN_AGAIN.value in events


def check_status(case: Case, replayed: Replay) -> Iterator[Irregularity]:
    """Compare status, and the trials that were not answered, with where the answers lead to."""
    if not replayed.certain:
        return
    yield from check_unanswered(case, replayed.ahead)
    if case.who.status not in (ACTIVE, *PARTS_END):
        return
    ahead = replayed.ahead
    allowed = {ACTIVE}
    if isinstance(ahead, Ending):
        allowed.add(ahead.value)
    elif not case.rows:
        allowed |= {Ending.DECLINED.value, Ending.FULL.value}
    if case.who.status not in allowed:
        message = f"status {case.who.status}, and the answers lead to {place_of(ahead)}"
        yield Irregularity("status-unlike-trials", message)


def check_unanswered(case: Case, ahead: Trial | Ending) -> Iterator[Irregularity]:
    """Check that a trial being shown is the next, and that interrupted ones came or come again."""
    last = case.sessions[-1] if case.sessions else None
    next_one = None if isinstance(ahead, Ending) else ahead
    expected = trial_text(next_one.name) if next_one else None
    if last and last.ended is None and last.showing not in (None, expected):
        message = f"session {last.id} shows {shown(last.showing)}, and next is {place_of(ahead)}"
        yield Irregularity("showing-unlike-trials", message)
    answered_keys = {key_of(row) for row in case.rows} | (
        {tuple(next_one.name)} if next_one else set()
    )
    for event in case.events:
        if event.event == Event.INTERRUPTED.value and key_of(event) not in answered_keys:
            message = f"{name_of(key_of(event))} was interrupted, and is neither answered nor next"
            yield Irregularity("showing-unlike-trials", message)


def check_consent(case: Case, recorded: Mapping[str, RecordedStudy]) -> Iterator[Irregularity]:
    """Find people who answered without a yes on the consent screen of a study that has one."""
    if case.who.simulated or not case.rows:
        return
    first = case.rows[0].session_id
    for session in case.sessions:
        study = recorded.get(session.study)
        if session.id != first or study is None or not study.study.settings.study.consent:
            continue
        statements = [e.answer for e in case.events_of(first) if e.event in CONSENTS]
        if "yes" not in statements:
            yield Irregularity(
                "consent-missing", f"session {first} has {case.kind.noun}s and no consent"
            )


def place_of(ahead: Trial | Ending) -> str:
    if isinstance(ahead, Ending):
        return f"the ending {ahead.value!r}"
    return name_of(ahead.name) + ", which is not answered"


def check_answers(case: Case) -> Iterator[Irregularity]:
    theirs = {session.id for session in case.sessions}
    seen: dict[Key, Row[Any]] = {}
    for row in case.rows:
        yield from case.kind.check_row(row)
        yield from check_owner(row, case, theirs)
        earlier = seen.setdefault(key_of(row), row)
        if earlier is not row:
            yield twice(case.kind.noun, earlier, row)
    for before, row in pairwise(case.readable):
        if row.session_id < before.session_id:
            yield Irregularity(
                "out-of-order",
                f"{name_of(key_of(row))} is of session {row.session_id}, and what was answered "
                f"before of session {before.session_id}",
            )
    for table, number in case.strays.items():
        if number:
            message = f"{number:,} {table}, and their study asks for {case.kind.noun}s"
            yield Irregularity("trial-unplanned", message)


def check_owner(row: Row[Any], case: Case, theirs: set[int]) -> Iterator[Irregularity]:
    """Check that an answer's session is its evaluator's, and that both say who was asked."""
    if row.session_id not in theirs:
        message = f"{name_of(key_of(row))} is of session {shown(row.session_id)}, not theirs"
        yield Irregularity("session-of-another", message)
    if bool(row.simulated) != bool(case.who.simulated):
        statements = "simulated" if row.simulated else "a person's"
        yield Irregularity(
            "simulated-unlike-evaluator", f"{name_of(key_of(row))} is marked as {statements}"
        )


def twice(noun: str, earlier: Row[Any], later: Row[Any]) -> Irregularity:
    where = f"{name_of(key_of(later))} ({noun}s {earlier.id} and {later.id})"
    if tuple(earlier)[1:] == tuple(later)[1:]:  # all but the number
        return Irregularity("judgement-copied", where)
    return Irregularity("trial-twice", where)


UNNOTICED_S: Final = SMALLEST_SETTING_S + SHORTEST_SLEEP_S
"""Of a jump of the wall clock, which sessions need not have kept."""
GAPS: Final = (Event.SUSPENDED.value, Event.CLOCK_SET.value)


def check_times(case: Case) -> Iterator[Irregularity]:
    """Check response times, onsets and ends of sessions. Unreadable answers are passed over."""
    for row in case.readable:
        if row.rt_ms < 0:
            message = f"{name_of(key_of(row))} was answered after {row.rt_ms:g} ms"
            yield Irregularity("response-time-negative", message)
    for session, theirs in groupby(case.readable, key=lambda row: row.session_id):
        gaps = [e for e in case.events_of(session) if e.event in GAPS and e.seconds is not None]
        yield from check_onsets(list(theirs), gaps)
    for session in case.sessions:
        yield from check_end(case, session)


def check_onsets(rows: Sequence[Row[Any]], gaps: Sequence[Row[Any]]) -> Iterator[Irregularity]:
    """Check the onsets of one session; ``gaps`` are its events of a sleep or a clock set."""
    ends = [row.onset_monotonic_s for row in rows[2:]] + [math.inf]
    for before, row, end_s in zip(rows, rows[1:], ends, strict=False):
        where = name_of(key_of(row))
        passed_s = row.onset_monotonic_s - before.onset_monotonic_s
        if passed_s < 0:
            message = f"{where} came on {-passed_s:.3f} s before what was answered before it"
            yield Irregularity("onsets-descend", message)
            continue
        jump_s = (row.onset_unix_s - before.onset_unix_s) - passed_s
        # What befell the clocks before an onset is found, and kept, until the next trial begins.
        pauses_s = [g.seconds for g in gaps if before.onset_monotonic_s <= g.monotonic_s < end_s]
        least_s = sum(s for s in pauses_s if s < 0) - UNNOTICED_S
        most_s = sum(s for s in pauses_s if s > 0) + UNNOTICED_S
        if not least_s <= jump_s <= most_s:
            message = f"the wall clock jumped by {jump_s:+.3f} s before {where}"
            yield Irregularity("clock-jump", message)


def check_end(case: Case, session: Row[Any]) -> Iterator[Irregularity]:
    """Check that a session ended after it began; a clock set back explains that it did not."""
    if session.ended_unix_s is None:
        return
    events = case.events_of(session.id)
    back_s = sum(min(e.seconds or 0.0, 0.0) for e in events if e.event == Event.CLOCK_SET.value)
    lasted_s = session.ended_unix_s - session.started_unix_s
    if lasted_s < back_s - UNNOTICED_S:
        message = f"session {session.id} ended {-lasted_s:.3f} s before it began"
        yield Irregularity("ended-before-begun", message)


UNLIKE = "demographics-unlike-study"


def check_statements(case: Case, recorded: Mapping[str, RecordedStudy]) -> Iterator[Irregularity]:
    """Check that answers are of the questions of the evaluator's study, and are all there."""
    theirs = recorded.get(case.who.study)
    if theirs is None:
        return  # it may have asked anything
    questions = theirs.study.demographics
    for row in case.statements:
        if row.question not in questions:
            yield Irregularity(
                UNLIKE, f"{shown(row.question)} is answered, and the study does not ask that"
            )
        elif row.answer and questions[row.question].taken(row.answer) != row.answer:
            yield Irregularity(
                UNLIKE,
                f"{row.question}: {shown(row.answer)}, and the study "
                f"{questions[row.question].allowed}",
            )
    statements = {row.question for row in case.statements}
    for name in questions:
        if case.rows and name not in statements:
            yield Irregularity(UNLIKE, f"{name} is not answered, and what comes after it is")


NOUNS: Final = (
    (False, "person", "people"),
    (True, "simulated evaluator", "simulated evaluators"),
)

LONG_PAUSE_S: Final = 3600.0
"""Between the sessions of an evaluator; a shorter pause is a rest."""


def notes_of(case: Case, record: Path) -> Iterator[Irregularity]:
    for session in case.sessions:
        yield from unended(case, session, record)
        for event in case.events_of(session.id):
            yield from event_irregularities(event, session)
    for before, after in pairwise(case.sessions):
        onsets_s = [r.onset_unix_s for r in case.readable if r.session_id == before.id]
        pause_s = after.started_unix_s - float(
            before.ended_unix_s or max([before.started_unix_s, *onsets_s])
        )
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


def event_irregularities(event: Row[Any], session: Row[Any]) -> Iterator[Irregularity]:
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
    elif event.event == Event.LET_IN_AGAIN.value:
        yield Irregularity("let-in-again", f"had declined in {inside}, and was let in again")


def check_removals(
    connection: Connection, bad: Collection[int], noun: str
) -> Iterator[tuple[Whose, Irregularity]]:
    """Say how many evaluators' data were removed on request; ``bad`` are rows to pass over.

    ``noun``: what one of their answers is called.
    """
    removed_rows = connection.execute(select(removals).order_by(removals.c.id))
    rows = [row for row in removed_rows if row.id not in bad]
    for simulated, one, many in NOUNS:
        theirs = [row for row in rows if bool(row.simulated) == simulated]
        if theirs:
            who = f"1 {one}" if len(theirs) == 1 else f"{len(theirs)} {many}"
            yield (
                Whose(simulated=simulated),
                Irregularity("data-removed", removed(theirs, who, noun)),
            )


def removed(rows: Sequence[Row[Any]], who: str, noun: str) -> str:
    number = sum(row.judgements for row in rows)
    latest = when(max(row.removed_unix_s for row in rows), 0.0)
    return (
        f"data of {who} were removed on request ({number:,} {noun}s), "
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
