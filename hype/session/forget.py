"""Forgetting an evaluator: alone with them, all or nothing, and where else they may be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from hype.confine import shortened
from hype.errors import InputError
from hype.store.columns import CODE
from hype.store.forgetting import (
    Amount,
    backups_of,
    count_removals,
    count_rows,
    may_hold,
    remove_evaluator,
    wipe_traces,
)
from hype.store.people import Evaluator, find_evaluator
from hype.store.record import committed
from hype.store.seats import evaluator_seat, seated


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """An evaluator who is to be forgotten, and how much the record holds of them."""

    who: Evaluator
    amount: Amount


@contextmanager
def leaving(engine: Engine, record: Path, evaluator: str, *, simulated: bool) -> Iterator[Leaving]:
    """Find an evaluator who is to be forgotten, and keep anybody from sitting down as them.

    Raises
    ------
    InputError
        The record does not hold the evaluator.
    SessionProblem
        They are having a session.
    """
    with ExitStack() as stack:
        find(engine, record, evaluator, simulated=simulated)  # nobody unknown is given a seat
        if CODE.fullmatch(evaluator):  # earlier versions allowed codes that have no seat
            seat = evaluator_seat(evaluator, simulated=simulated)
            stack.enter_context(seated(record, seat, f"the session of {evaluator!r}"))
        yield find(engine, record, evaluator, simulated=simulated)


def find(engine: Engine, record: Path, evaluator: str, *, simulated: bool) -> Leaving:
    """Find an evaluator in the record.

    Where people were removed before, traces of them are wiped: the one who is not found may be one
    of them, by a command that was killed before it came to that.
    """
    with committed(engine) as connection:
        who = find_evaluator(connection, evaluator, simulated=simulated)
        if who is not None:
            return Leaving(who=who, amount=count_rows(connection, who))
        removed = count_removals(connection)
    if removed:
        wipe_traces(engine)
    kind = "simulated evaluator" if simulated else "evaluator"
    raise InputError(
        record, f"holds no {kind} {shortened(evaluator)}", "hype status lists whom it holds"
    )


def remove(engine: Engine, one: Leaving) -> None:
    """Remove all rows of an evaluator, or none; `wipe_traces` then wipes what they leave.

    Raises
    ------
    SessionProblem
        The record cannot be written. Nothing was removed.
    """
    with committed(engine) as connection:
        remove_evaluator(connection, one.who, unix_s=time.time())


def copies_with(record: Path, who: Evaluator) -> tuple[Path, ...]:
    """List the copies of the record beside it that hold an evaluator, or cannot be read."""
    return tuple(
        copy
        for copy in backups_of(record)
        if may_hold(copy, who.evaluator, simulated=who.simulated)
    )
