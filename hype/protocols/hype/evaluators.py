"""Who has done what, who is qualified, and what is owed to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Row,
    Select,
    func,
    select,
)

from hype.protocols.hype.carelessness import Broken, GivenAnswer, broken_rules, habits_of
from hype.protocols.hype.record import judgements
from hype.protocols.hype.study import Study
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.session.plan import Due, Pay
from hype.session.standings import all_evaluators, number_of
from hype.session.steps import Ending
from hype.session.timing import Verdict
from hype.store.schema import evaluators

PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStanding:
    """Where one evaluator stands.

    Attributes
    ----------
    trials, correct
        Judgements of the blocks that are scored.
    qualified
        None before the qualification is over.
    pay, base, bonus
        What is due as of now: both parts together, and each.
    verdicts
        Trials of HYPE_time by their verdict; None where none was measured.
    tested
        Whether they answered any trial of the qualification here.
    qualified_in
        Folder of the study where they had qualified before; or empty.
    careless
        In words, what of their answers breaks the study's rules of exclusion; once they are done.
    came_unix_s, last_answered_unix_s
        When they were assigned, and when the last image that they answered was shown.
    """

    evaluator: str
    condition: str
    methods: tuple[str, ...]
    status: str
    trials: int
    correct: int
    qualified: bool | None
    pay: float
    base: float
    bonus: float
    verdicts: Mapping[str, int] | None
    tested: bool
    qualified_in: str
    came_unix_s: float
    last_answered_unix_s: float | None
    careless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementCounts:
    """Judgements of one evaluator: all, those that are scored, the correct ones of these.

    ``paid`` are all correct answers that are paid for, ``tested`` counts trials of the
    qualification.
    """

    all: int = 0
    scored: int = 0
    correct: int = 0
    paid: int = 0
    tested: int = 0
    last_unix_s: float | None = None
    verdicts: Mapping[str, int] = field(default_factory=dict)


def standings(connection: Connection, study: Study, *, simulated: bool) -> list[JudgeStanding]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counts = count_judgements(connection, simulated=simulated)
    pay = Pay(**study.settings.pay.model_dump())
    rows = all_evaluators(connection, simulated=simulated)
    flagged = careless_evaluators(connection, study, simulated=simulated)
    return [
        replace(
            standing_of(row, pay, counts.get(row.id, JudgementCounts())),
            careless=tuple(broken.said for broken in flagged.get(row.evaluator, ())),
        )
        for row in rows
    ]


def count_judgements(connection: Connection, *, simulated: bool) -> dict[int, JudgementCounts]:
    """Count judgements by evaluator."""
    return {
        row.evaluator_id: JudgementCounts(
            all=row.answered,
            scored=row.scored,
            correct=row.correct,
            paid=row.paid,
            tested=row.tested,
            last_unix_s=row.last_unix_s,
            verdicts={verdict.value: getattr(row, verdict.value) for verdict in Verdict},
        )
        for row in connection.execute(counting_query(simulated=simulated))
    }


def counting_query(*, simulated: bool) -> Select[tuple[object, ...]]:
    """Select the counts of each evaluator."""
    columns = judgements.c
    scored = columns.task.in_(SCORED_TASKS)
    flashed = columns.task == Task.TIME.value
    return (
        select(
            columns.evaluator_id,
            func.count().label("answered"),
            number_of(scored, "scored"),
            number_of(scored & columns.correct, "correct"),
            number_of(columns.task.in_(PAID_TASKS) & columns.correct, "paid"),
            number_of(columns.task == Task.QUALIFICATION.value, "tested"),
            func.max(columns.onset_unix_s).label("last_unix_s"),
            *(number_of(flashed & (columns.verdict == v.value), v.value) for v in Verdict),
        )
        .where(columns.simulated == simulated)
        .group_by(columns.evaluator_id)
    )


def standing_of(who: Row[Any], pay: Pay, counts: JudgementCounts) -> JudgeStanding:
    """Give the standing of a row of evaluators. The base is due once they have judged anything."""
    due = pay.parts(counts.paid) if counts.all else Due()
    return JudgeStanding(
        evaluator=who.evaluator,
        condition=who.condition,
        methods=tuple(who.methods.split()),
        status=who.status,
        trials=counts.scored,
        correct=counts.correct,
        qualified=is_qualified(who.status, counts),
        pay=due.pay,
        base=due.base,
        bonus=due.bonus,
        verdicts=counts.verdicts if any(counts.verdicts.values()) else None,
        tested=counts.tested > 0,
        qualified_in=who.qualified_in,
        came_unix_s=who.assigned_unix_s,
        last_answered_unix_s=counts.last_unix_s,
    )


def is_qualified(status: str, counts: JudgementCounts) -> bool | None:
    """Say whether somebody may do what is scored; None as long as it is open."""
    known = {"unqualified": False, "complete": True}
    return known.get(status, True if counts.scored else None)


LOOKED_AT = tuple(task.value for task in Task if task.paid)


def careless_evaluators(
    connection: Connection, study: Study, *, simulated: bool
) -> Mapping[str, tuple[Broken, ...]]:
    """Give the rules that evaluators break who are done, by their codes; not those who break none.

    Whoever is under way is not called careless: the share of a few answers says little.
    """
    rules = study.settings.exclusion.rules
    if not rules.asked:
        return {}
    answers, who = judgements.c, evaluators.c
    columns = (answers.task, answers.trial, answers.answer, answers.correct, answers.rt_ms)
    query = (
        select(who.evaluator, *columns)
        .join(evaluators, answers.evaluator_id == who.id)
        .where(answers.simulated == simulated, who.status == Ending.COMPLETE.value)
        .where(answers.task.in_(LOOKED_AT))
        .order_by(answers.evaluator_id, answers.id)
    )
    rows = (row for row in connection.execute(query) if is_readable(row))
    theirs = groupby(rows, key=lambda row: row[0])
    broken = {
        code: broken_rules(habits_of((GivenAnswer(*row[1:]) for row in own), rules.fast_ms), rules)
        for code, own in theirs
    }
    return {code: rules_broken for code, rules_broken in broken.items() if rules_broken}


def is_readable(row: Any) -> bool:
    """Whether an answer can be counted; a damaged one is for `hype verify`, and for its reader."""
    return isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)
