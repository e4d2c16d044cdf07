"""Whether status, endings, modes and consent agree with one another and with the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import Row

from hype.session.steps import Ending, Page, Trial
from hype.store.interruptions import BROKE_OFF
from hype.store.people import PARTS_END
from hype.store.recorder import trial_name
from hype.store.schema import Event
from hype.verify.answers import key_of, name_of
from hype.verify.case import Case
from hype.verify.findings import Found, shown
from hype.verify.kept import KeptStudy
from hype.verify.replay import Replayed

ACTIVE: Final = "active"
ENDINGS: Final = frozenset((*PARTS_END, "quit", BROKE_OFF, None))
MODES: Final = {False: ("person",), True: ("simulated", "simulated-window")}


def check_sessions(case: Case) -> Iterator[Found]:
    """Check what each session says of itself."""
    for session in case.sessions:
        if session.ended not in ENDINGS:
            message = f"session {session.id} ended {shown(session.ended)}"
            yield Found("ending-impossible", message)
        if session.mode not in MODES[bool(case.who.simulated)]:
            who = "a simulated evaluator" if case.who.simulated else "a person"
            message = f"session {session.id} of {who} is of the mode {shown(session.mode)}"
            yield Found("mode-unlike-evaluator", message)
        if session.showing and session.ended is not None:
            message = f"session {session.id} is over, and shows {shown(session.showing)}"
            yield Found("showing-unlike-trials", message)
        yield from check_interrupted(case, session)


def check_interrupted(case: Case, session: Row[Any]) -> Iterator[Found]:
    """Find answers to trials as they were shown before their session marked them as interrupted."""
    events = case.events_of(session.id)
    interrupted = {key_of(e): e.monotonic_s for e in events if e.event == Event.INTERRUPTED.value}
    for row in case.readable:
        last_s = interrupted.get(key_of(row)) if row.session_id == session.id else None
        if last_s is not None and row.onset_monotonic_s < last_s:
            message = f"{name_of(key_of(row))} was interrupted in session {session.id}, and counts"
            yield Found("interrupted-and-answered", message)


def check_endings(case: Case) -> Iterator[Found]:
    """Compare the status with how the sessions ended: the last one ends an evaluator's part."""
    status = case.who.status
    if status not in (ACTIVE, *PARTS_END):
        yield Found("status-unlike-trials", f"there is no status {shown(status)}")
        return
    for session in case.sessions[:-1]:
        if session.ended in PARTS_END:
            message = f"session {session.id} ended {session.ended}, and others came after it"
            yield Found("ending-unlike-status", message)
    ended = case.sessions[-1].ended if case.sessions else None
    if (ended if ended in PARTS_END else ACTIVE) != status:
        said = f"ended {shown(ended)}" if ended else "has no end"
        message = f"status {status}, and the last session {said}"
        yield Found("ending-unlike-status", message)


def check_status(case: Case, replayed: Replayed) -> Iterator[Found]:
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
        yield Found("status-unlike-trials", message)


def check_unanswered(case: Case, ahead: Trial | Ending) -> Iterator[Found]:
    """Check that a trial being shown is the next, and that interrupted ones came or come again."""
    last = case.sessions[-1] if case.sessions else None
    next_one = None if isinstance(ahead, Ending) else ahead
    expected = trial_name(next_one) if next_one else None
    if last and last.ended is None and last.showing not in (None, expected):
        message = f"session {last.id} shows {shown(last.showing)}, and next is {place_of(ahead)}"
        yield Found("showing-unlike-trials", message)
    known = {key_of(row) for row in case.rows} | ({tuple(next_one.name)} if next_one else set())
    for event in case.events:
        if event.event == Event.INTERRUPTED.value and key_of(event) not in known:
            message = f"{name_of(key_of(event))} was interrupted, and is neither answered nor next"
            yield Found("showing-unlike-trials", message)


def check_consent(case: Case, kept: Mapping[str, KeptStudy]) -> Iterator[Found]:
    """Find people who answered without a yes on the consent screen of a study that has one."""
    if case.who.simulated or not case.rows:
        return
    first = case.rows[0].session_id
    for session in case.sessions:
        study = kept.get(session.study)
        if session.id != first or study is None or not study.study.settings.study.consent:
            continue
        said = [e.answer for e in case.events_of(first) if e.event == Page.CONSENT.value]
        if "yes" not in said:
            yield Found("consent-missing", f"session {first} has {case.kind.noun}s and no consent")


def place_of(ahead: Trial | Ending) -> str:
    if isinstance(ahead, Ending):
        return f"the ending {ahead.value!r}"
    return name_of(ahead.name) + ", which is not answered"
