"""Who has done what, who is qualified, and what is owed to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, select

from hype.protocols.hype.exclusion import careless_evaluators
from hype.protocols.hype.plan import Due, Pay
from hype.protocols.studies import Study
from hype.session.steps import Task
from hype.session.timing import Verdict
from hype.store.answer_tables import judgements
from hype.store.people import all_evaluators

SCORED_TASKS: Final = tuple(task.value for task in Task if task.scored)
PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


class Owed(Protocol):
    """Where anybody stands, whatever they answer: how far they are, and what they are owed.

    ``trials`` are answers that count.
    """

    @property
    def evaluator(self) -> str:
        """Their code."""

    @property
    def condition(self) -> str:
        """What they judge; nothing where they compare everything."""

    @property
    def methods(self) -> tuple[str, ...]:
        """What they do."""

    @property
    def status(self) -> str:
        """How far they are."""

    @property
    def trials(self) -> int:
        """How many of their answers count."""

    @property
    def pay(self) -> float:
        """What is due as of now."""

    @property
    def base(self) -> float:
        """A part of it."""

    @property
    def bonus(self) -> float:
        """The other part."""

    @property
    def came_unix_s(self) -> float:
        """When they were assigned."""

    @property
    def last_answered_unix_s(self) -> float | None:
        """When they were last asked what they answered; None where they answered nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
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
class Counts:
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


def standings(connection: Connection, study: Study, *, simulated: bool) -> list[Standing]:
    """Give the standing of every evaluator, in the order of their arrival."""
    counts = count_judgements(connection, simulated=simulated)
    pay = Pay(**study.settings.pay.model_dump())
    found = all_evaluators(connection, simulated=simulated)
    flagged = careless_evaluators(connection, study, simulated=simulated)
    return [
        replace(
            standing_of(row, pay, counts.get(row.id, Counts())),
            careless=tuple(broken.said for broken in flagged.get(row.evaluator, ())),
        )
        for row in found
    ]


def count_judgements(connection: Connection, *, simulated: bool) -> dict[int, Counts]:
    """Count judgements by evaluator."""
    return {
        row.evaluator_id: Counts(
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
    found = judgements.c
    scored = found.task.in_(SCORED_TASKS)
    flashed = found.task == Task.TIME.value
    return (
        select(
            found.evaluator_id,
            func.count().label("answered"),
            number_of(scored, "scored"),
            number_of(scored & found.correct, "correct"),
            number_of(found.task.in_(PAID_TASKS) & found.correct, "paid"),
            number_of(found.task == Task.QUALIFICATION.value, "tested"),
            func.max(found.onset_unix_s).label("last_unix_s"),
            *(number_of(flashed & (found.verdict == v.value), v.value) for v in Verdict),
        )
        .where(found.simulated == simulated)
        .group_by(found.evaluator_id)
    )


def number_of(which: ColumnElement[bool], name: str) -> ColumnElement[int]:
    return func.sum(case((which, 1), else_=0)).label(name)


def standing_of(who: Row[Any], pay: Pay, counts: Counts) -> Standing:
    """Give the standing of a row of evaluators. The base is due once they have judged anything."""
    due = pay.parts(counts.paid) if counts.all else Due()
    return Standing(
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


def is_qualified(status: str, counts: Counts) -> bool | None:
    """Say whether somebody may do what is scored; None as long as it is open."""
    known = {"unqualified": False, "complete": True}
    return known.get(status, True if counts.scored else None)


def total_due(standings: Sequence[Owed]) -> Due:
    """Sum up what is due."""
    return Due(
        base=round(sum(standing.base for standing in standings), 2),
        bonus=round(sum(standing.bonus for standing in standings), 2),
    )
