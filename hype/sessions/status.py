"""Who has done what, who is qualified, and what is owed to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Integer, case, cast, func, select

from hype.protocol.plan import Pay
from hype.store.people import Evaluator, list_evaluators
from hype.store.schema import judgements
from hype.study.load import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one evaluator stands. ``qualified`` is None before the qualification is over."""

    evaluator: str
    condition: str
    methods: tuple[str, ...]
    status: str
    trials: int
    correct: int
    qualified: bool | None
    pay: float


def standings(connection: Connection, study: Study, *, simulated: bool) -> list[Standing]:
    """Give the standing of every evaluator, in the order of their arrival.

    ``trials`` and ``correct`` count scored judgements; ``pay`` is what is due as of now.
    """
    counts = scored_counts(connection, simulated=simulated)
    pay = Pay(**study.settings.pay.model_dump())
    return [
        standing_of(who, pay, *counts.get(who.id, (0, 0)))
        for who in list_evaluators(connection, simulated=simulated)
    ]


def scored_counts(connection: Connection, *, simulated: bool) -> dict[int, tuple[int, int]]:
    """Count scored judgements and the correct ones among them, by evaluator."""
    right = func.sum(case((judgements.c.correct, 1), else_=0))
    query = (
        select(judgements.c.evaluator_id, func.count(), cast(right, Integer))
        .where(judgements.c.simulated == simulated)
        .where(judgements.c.task.in_(("time", "infinity")))
        .group_by(judgements.c.evaluator_id)
    )
    return {who: (trials, correct) for who, trials, correct in connection.execute(query)}


def standing_of(who: Evaluator, pay: Pay, trials: int, correct: int) -> Standing:
    """Give one evaluator's standing. Who declined is owed nothing; everyone else the base."""
    owed = 0.0 if who.status == "declined" else pay.due(correct)
    qualified = {"unqualified": False, "complete": True}.get(who.status, True if trials else None)
    return Standing(
        evaluator=who.evaluator,
        condition=who.condition,
        methods=who.methods,
        status=who.status,
        trials=trials,
        correct=correct,
        qualified=qualified,
        pay=owed,
    )


def total_pay(standings: Sequence[Standing]) -> float:
    """Sum of what is due."""
    return round(sum(standing.pay for standing in standings), 2)
