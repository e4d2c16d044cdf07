"""Who has done what, who is qualified, and what is owed to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

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
    counts = count_judgements(connection, simulated=simulated)
    pay = Pay(**study.settings.pay.model_dump())
    return [
        standing_of(who, pay, counts.get(who.id, Counts()))
        for who in list_evaluators(connection, simulated=simulated)
    ]


@dataclass(frozen=True, slots=True)
class Counts:
    """Judgements of one evaluator: all, those that are scored, and the correct ones of these."""

    all: int = 0
    scored: int = 0
    correct: int = 0


def count_judgements(connection: Connection, *, simulated: bool) -> dict[int, Counts]:
    """Count judgements by evaluator."""
    is_scored = judgements.c.task.in_(("time", "infinity"))
    query = (
        select(
            judgements.c.evaluator_id,
            func.count(),
            func.sum(case((is_scored, 1), else_=0)),
            func.sum(case((is_scored & judgements.c.correct, 1), else_=0)),
        )
        .where(judgements.c.simulated == simulated)
        .group_by(judgements.c.evaluator_id)
    )
    return {who: Counts(*numbers) for who, *numbers in connection.execute(query)}


def standing_of(who: Evaluator, pay: Pay, counts: Counts) -> Standing:
    """Give one evaluator's standing. The base is due once they have judged anything."""
    qualified = {"unqualified": False, "complete": True}.get(
        who.status, True if counts.scored else None
    )
    return Standing(
        evaluator=who.evaluator,
        condition=who.condition,
        methods=who.methods,
        status=who.status,
        trials=counts.scored,
        correct=counts.correct,
        qualified=qualified,
        pay=pay.due(counts.correct) if counts.all else 0.0,
    )


def total_pay(standings: Sequence[Standing]) -> float:
    """Sum of what is due."""
    return round(sum(standing.pay for standing in standings), 2)
