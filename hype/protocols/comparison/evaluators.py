"""Where everybody stands who compares: what they answered, and what is owed to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from hype.protocols.comparison.exclusion import Validated
from hype.protocols.comparison.settings import ValidationSettings
from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.protocols.prompted.evaluators import AskedStanding, of_anybody
from hype.protocols.studies import ComparisonStudy
from hype.session.plan import Due, Pay
from hype.session.standings import all_evaluators, number_of
from hype.store.answer_tables import comparisons


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparer(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the comparisons they were given; 0 in an arena.
    trials
        Votes: comparisons that they answered and whose answer is not obvious.
    hasty, unanswered
        Comparisons, the obvious ones included, that they answered too fast, or not in time.
    validation, passed
        How they did where the answer is obvious, and whether that is enough by the study's rule;
        None where it does not ask, or has not yet.
    """

    hasty: int
    unanswered: int
    validation: Validated
    passed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Comparisons of one evaluator: all; votes; answers that are paid; and the rest."""

    all: int = 0
    votes: int = 0
    paid: int = 0
    hasty: int = 0
    unanswered: int = 0
    met: int = 0
    correct: int = 0
    last_unix_s: float | None = None


def comparers(connection: Connection, study: ComparisonStudy, *, simulated: bool) -> list[Comparer]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counted = connection.execute(counting_query(simulated=simulated)).all()
    counts = {row.evaluator_id: Compared(**cells_of(row)) for row in counted}
    pay, rule = study.settings.pay.pay(), study.settings.validation
    return [
        comparer_of(row, pay, rule, counts.get(row.id, Compared()))
        for row in all_evaluators(connection, simulated=simulated)
    ]


def counting_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    """Select the counts of each evaluator."""
    found = comparisons.c
    answered = found.answer != Choice.NONE.value
    counted = found.task != ComparisonTask.PRACTICE.value
    obvious = found.task == ComparisonTask.VALIDATION.value
    return (
        select(
            found.evaluator_id,
            func.count().label("all"),
            number_of(answered & (found.task == ComparisonTask.COMPARISON.value), "votes"),
            number_of(answered & counted, "paid"),
            number_of(found.hasty & counted, "hasty"),
            number_of(~answered & counted, "unanswered"),
            number_of(obvious, "met"),
            number_of(obvious & found.correct, "correct"),
            func.max(found.onset_unix_s).label("last_unix_s"),
        )
        .where(found.simulated == simulated)
        .group_by(found.evaluator_id)
    )


def cells_of(row: Row[Any]) -> dict[str, Any]:
    """Give the counts of a row, without whose they are."""
    return {name: value for name, value in row._mapping.items() if name != "evaluator_id"}


def comparer_of(who: Row[Any], pay: Pay, rule: ValidationSettings, counts: Compared) -> Comparer:
    """Give the standing of a row of evaluators. The base is due once they compared anything."""
    due = pay.parts(counts.paid) if counts.all else Due()
    validation = Validated(met=counts.met, correct=counts.correct)
    return Comparer(
        **of_anybody(who, due, counts.last_unix_s),
        trials=counts.votes,
        hasty=counts.hasty,
        unanswered=counts.unanswered,
        validation=validation,
        passed=validation.passes(rule) if counts.met and rule.kind != "off" else None,
    )
