"""What each judgement says of itself, whatever was planned, and whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import Row

from hype.protocol.steps import Truth
from hype.protocol.timing import Verdict
from hype.sessions.verify.case import Case, Key, key_of, name_of
from hype.sessions.verify.found import Found, shown

ANSWERS: Final = frozenset(truth.value for truth in Truth)
VERDICTS: Final = frozenset(verdict.value for verdict in Verdict)


def check_judgements(case: Case) -> Iterator[Found]:
    """Check judgements one by one, and find those that are there twice."""
    theirs = {session.id for session in case.sessions}
    seen: dict[Key, Row[Any]] = {}
    for row in case.rows:
        yield from check_answer(row)
        yield from check_verdict(row)
        yield from check_owner(row, case, theirs)
        earlier = seen.setdefault(key_of(row), row)
        if earlier is not row:
            yield twice(earlier, row)
    for before, row in pairwise(case.readable):
        if row.session_id < before.session_id:
            yield Found(
                "out-of-order",
                f"{name_of(key_of(row))} is of session {row.session_id}, and what was judged "
                f"before of session {before.session_id}",
            )


def check_answer(row: Row[Any]) -> Iterator[Found]:
    """Check an answer, and what is said of it."""
    if row.answer not in ANSWERS:
        yield Found("answer-impossible", f"{name_of(key_of(row))}: {shown(row.answer)}")
    if bool(row.correct) != (row.answer == row.truth):
        said = "correct" if row.correct else "wrong"
        message = f"{shown(row.answer)} for a {shown(row.truth)} image is called {said}"
        yield Found("correct-unlike-answer", f"{name_of(key_of(row))}: {message}")


def check_verdict(row: Row[Any]) -> Iterator[Found]:
    """Check the verdict on the timing of a trial."""
    if row.verdict is None:
        return
    wrong = ""
    if row.verdict not in VERDICTS:
        wrong = f"there is no verdict {shown(row.verdict)}"
    elif row.exposure_ms is None:
        wrong = f"{row.verdict}, and nothing was flashed"
    elif bool(row.missed_frames) != (row.verdict == Verdict.DROPPED.value):
        wrong = f"{row.verdict}, and missed frames: {shown(row.missed_frames)}"
    if wrong:
        yield Found("verdict-impossible", f"{name_of(key_of(row))}: {wrong}")


def check_owner(row: Row[Any], case: Case, theirs: set[int]) -> Iterator[Found]:
    """Check that a judgement's session is its evaluator's, and that both say who was asked."""
    if row.session_id not in theirs:
        message = f"{name_of(key_of(row))} is of session {shown(row.session_id)}, not theirs"
        yield Found("session-of-another", message)
    if bool(row.simulated) != bool(case.who.simulated):
        said = "simulated" if row.simulated else "a person's"
        yield Found("simulated-unlike-evaluator", f"{name_of(key_of(row))} is marked as {said}")


def twice(earlier: Row[Any], later: Row[Any]) -> Found:
    """Say that a trial is answered twice, or that its row was copied."""
    where = f"{name_of(key_of(later))} (judgements {earlier.id} and {later.id})"
    if tuple(earlier)[1:] == tuple(later)[1:]:  # all but the number
        return Found("judgement-copied", where)
    return Found("trial-twice", where)
