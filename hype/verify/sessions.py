"""Whether what sessions say of themselves agrees: status, endings, clocks, consent, answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final

from sqlalchemy import Row

from hype.protocols.prompted.settings import DemographicSettings
from hype.session.facts import SHORTEST_SLEEP_S, SMALLEST_SETTING_S
from hype.session.steps import Ending, Page, Trial
from hype.store.endings import BROKE_OFF
from hype.store.people import PARTS_END
from hype.store.recorder import trial_name
from hype.store.schema import Event
from hype.verify.answers import Key, key_of, name_of
from hype.verify.case import Case
from hype.verify.findings import Irregularity, shown
from hype.verify.recorded_study import RecordedStudy
from hype.verify.replay import Replayed

ACTIVE: Final = "active"
ENDINGS: Final = frozenset((*PARTS_END, "quit", BROKE_OFF, None))
MODES: Final = {False: ("person",), True: ("simulated", "simulated-window")}


def check_sessions(case: Case) -> Iterator[Irregularity]:
    """Check what each session says of itself."""
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
        if session.ended in PARTS_END:
            message = f"session {session.id} ended {session.ended}, and others came after it"
            yield Irregularity("ending-unlike-status", message)
    ended = case.sessions[-1].ended if case.sessions else None
    if (ended if ended in PARTS_END else ACTIVE) != status:
        statements = f"ended {shown(ended)}" if ended else "has no end"
        message = f"status {status}, and the last session {statements}"
        yield Irregularity("ending-unlike-status", message)


def check_status(case: Case, replayed: Replayed) -> Iterator[Irregularity]:
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
        allowed.add(Ending.DECLINED.value)
    if case.who.status not in allowed:
        message = f"status {case.who.status}, and the answers lead to {place_of(ahead)}"
        yield Irregularity("status-unlike-trials", message)


def check_unanswered(case: Case, ahead: Trial | Ending) -> Iterator[Irregularity]:
    """Check that a trial being shown is the next, and that interrupted ones came or come again."""
    last = case.sessions[-1] if case.sessions else None
    next_one = None if isinstance(ahead, Ending) else ahead
    expected = trial_name(next_one) if next_one else None
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
        statements = [e.answer for e in case.events_of(first) if e.event == Page.CONSENT.value]
        if "yes" not in statements:
            yield Irregularity(
                "consent-missing", f"session {first} has {case.kind.noun}s and no consent"
            )


def place_of(ahead: Trial | Ending) -> str:
    if isinstance(ahead, Ending):
        return f"the ending {ahead.value!r}"
    return name_of(ahead.name) + ", which is not answered"


def check_answers(case: Case) -> Iterator[Irregularity]:
    """Check answers one by one, and find those that are there twice, or of another kind."""
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
    """Say that a trial is answered twice, or that its row was copied."""
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


CODE = "demographics-unlike-study"

Questions = Mapping[str, DemographicSettings]


def check_statements(case: Case, recorded: Mapping[str, RecordedStudy]) -> Iterator[Irregularity]:
    """Check that answers are of the questions of the studies that sessions used, and are all there.

    A study may be changed between two sessions; whoever had answered no trial is asked anew.
    """
    asked = [asked_by(recorded.get(session.study)) for session in case.sessions]
    if any(one is None for one in asked):
        return  # whose study cannot be read may have been asked anything
    questions_asked = [one for one in asked if one is not None]
    for row in case.statements:
        yield from check_statement(row.question, row.answer, questions_asked)
    first = case.rows[0].session_id if case.rows else None
    statements = {row.question for row in case.statements}
    for session, questions in zip(case.sessions, questions_asked, strict=True):
        if session.id == first:
            for name in questions:
                if name not in statements:
                    yield Irregularity(CODE, f"{name} is not answered, and what comes after it is")


def asked_by(recorded: RecordedStudy | None) -> Questions | None:
    """Give the questions of a study by their names; None where it cannot be read."""
    if recorded is None:
        return None
    return recorded.study.demographics


def check_statement(
    question: str, answer: str, asked: Sequence[Questions]
) -> Iterator[Irregularity]:
    """Check one answer; it is empty where it was withheld."""
    same_question = [questions[question] for questions in asked if question in questions]
    if not same_question:
        yield Irregularity(CODE, f"{shown(question)} is answered, and no study asked that")
    elif answer and not any(answer in one.options for one in same_question):
        options = ", ".join(same_question[-1].options)
        yield Irregularity(
            CODE, f"{question}: {shown(answer)}, and the study's options are {options}"
        )
