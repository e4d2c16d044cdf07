"""What each answer says of itself, whatever was planned, and whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from sqlalchemy import Row

from hype.verify.answers import Key, key_of, name_of
from hype.verify.case import Case
from hype.verify.findings import Found, shown


def check_answers(case: Case) -> Iterator[Found]:
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
            yield Found(
                "out-of-order",
                f"{name_of(key_of(row))} is of session {row.session_id}, and what was answered "
                f"before of session {before.session_id}",
            )
    for table, number in case.strays.items():
        if number:
            message = f"{number:,} {table}, and their study asks for {case.kind.noun}s"
            yield Found("trial-unplanned", message)


def check_owner(row: Row[Any], case: Case, theirs: set[int]) -> Iterator[Found]:
    """Check that an answer's session is its evaluator's, and that both say who was asked."""
    if row.session_id not in theirs:
        message = f"{name_of(key_of(row))} is of session {shown(row.session_id)}, not theirs"
        yield Found("session-of-another", message)
    if bool(row.simulated) != bool(case.who.simulated):
        said = "simulated" if row.simulated else "a person's"
        yield Found("simulated-unlike-evaluator", f"{name_of(key_of(row))} is marked as {said}")


def twice(noun: str, earlier: Row[Any], later: Row[Any]) -> Found:
    """Say that a trial is answered twice, or that its row was copied."""
    where = f"{name_of(key_of(later))} ({noun}s {earlier.id} and {later.id})"
    if tuple(earlier)[1:] == tuple(later)[1:]:  # all but the number
        return Found("judgement-copied", where)
    return Found("trial-twice", where)
