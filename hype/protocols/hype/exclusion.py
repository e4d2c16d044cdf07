"""Judgements as they leave a study: who is careless, and why one is not scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Engine, Float, String, select

from hype.errors import InputError
from hype.protocols.hype.carelessness import Broken, Given, broken_rules, habits_of
from hype.protocols.studies import Study
from hype.session.outgoing import Adding, Cells, Exported, Outgoing
from hype.session.steps import Ending, Task
from hype.session.timing import Verdict
from hype.store.answer_tables import judgements
from hype.store.columns import column
from hype.store.reading import JUDGEMENTS
from hype.store.schema import evaluators

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
    found, who = judgements.c, evaluators.c
    columns = (found.task, found.trial, found.answer, found.correct, found.rt_ms)
    query = (
        select(who.evaluator, *columns)
        .join(evaluators, found.evaluator_id == who.id)
        .where(found.simulated == simulated, who.status == Ending.COMPLETE.value)
        .where(found.task.in_(LOOKED_AT))
        .order_by(found.evaluator_id, found.id)
    )
    rows = (row for row in connection.execute(query) if is_readable(row))
    theirs = groupby(rows, key=lambda row: row[0])
    broken = {
        code: broken_rules(habits_of((Given(*row[1:]) for row in own), rules.fast_ms), rules)
        for code, own in theirs
    }
    return {code: found for code, found in broken.items() if found}


def is_readable(row: Any) -> bool:
    """Whether an answer can be counted; a damaged one is for `hype verify`, and for its reader."""
    return isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)


class Excluded(str, Enum):
    """Why a judgement is not scored; where several hold, the first.

    What is so of an evaluator comes before what is so of a trial: all judgements of somebody who
    did not qualify say so.
    """

    UNFINISHED = "unfinished"
    UNQUALIFIED = "unqualified"
    DECLINED = "declined"
    CARELESS = "careless"
    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    CATCH = "catch"
    SPOILED = "spoiled"


REASONS: Final = {
    Excluded.UNFINISHED.value: "the evaluator has begun and not finished",
    Excluded.UNQUALIFIED.value: "the evaluator did not pass the qualification",
    Excluded.DECLINED.value: "the evaluator did not consent",
    Excluded.CARELESS.value: "the evaluator's answers break a rule of exclusion of the study",
    Excluded.PRACTICE.value: "practice is never scored",
    Excluded.QUALIFICATION.value: "the qualification is never scored",
    Excluded.CATCH.value: "catch trials, whose images are obvious, are never scored",
    Excluded.SPOILED.value: "the screen spoiled the trial, and the study leaves such trials out or "
    "repeats them",
}

ADDED: Final = (
    column("floor_ms", Float, "shortest exposure that the study's staircase allows", null=True),
    column("ceiling_ms", Float, "longest exposure that the study's staircase allows", null=True),
    column(
        "excluded",
        String(16),
        "why the judgement is not scored under the study's rules; empty where it is",
        blank=True,
        levels=REASONS,
    ),
    column(
        "careless",
        String(32),
        "the study's rules of exclusion that the evaluator's answers break, separated by spaces: "
        "speed, one-key, catch, run; empty where they break none",
        blank=True,
    ),
)

"""The columns that the study file makes: its staircase's bounds beside every exposure, why a
judgement is not scored, and whether its evaluator is careless."""

BY_STATUS: Final = {
    "active": Excluded.UNFINISHED.value,
    "unqualified": Excluded.UNQUALIFIED.value,
    "declined": Excluded.DECLINED.value,
}

BY_TASK: Final = {
    Task.PRACTICE.value: Excluded.PRACTICE.value,
    Task.QUALIFICATION.value: Excluded.QUALIFICATION.value,
    Task.CATCH.value: Excluded.CATCH.value,
}

SPOILED: Final = (Verdict.LATE.value, Verdict.DROPPED.value, Verdict.SEEN.value)


def bounds_and_reason(engine: Engine, study: Study, simulated: bool) -> Adding:
    """Give what adds to a judgement what the study file says of it."""
    staircase = study.settings.time.staircase
    bounds_ms = (staircase.min_ms, staircase.max_ms)
    reason = why_excluded(study)
    with engine.connect() as connection:
        flagged = careless_evaluators(connection, study, simulated=simulated)
    broken = {who: " ".join(one.rule.value for one in found) for who, found in flagged.items()}
    left_out = Excluded.CARELESS.value if study.settings.exclusion.leave_out else ""

    def added(
        evaluator: object, status: object, task: object, exposure_ms: object, verdict: object
    ) -> Cells:
        bounds = bounds_ms if exposure_ms is not None else (None, None)
        rules = broken.get(str(evaluator), "")
        return (*bounds, (rules and left_out) or reason(task, status, verdict), rules)

    return added


def why_excluded(study: Study) -> Callable[[object, object, object], str]:
    """Give what says why a judgement of a task, status and verdict is not scored; "" if it is."""
    spoils = study.settings.timing.spoiled_trials != "keep"

    def reason(task: object, status: object, verdict: object) -> str:
        spoiled = spoils and task == Task.TIME.value and verdict in SPOILED
        found = BY_STATUS.get(str(status)) or BY_TASK.get(str(task))
        return found or (Excluded.SPOILED.value if spoiled else "")

    return reason


JUDGED: Final = Outgoing(
    answers=JUDGEMENTS,
    added=ADDED,
    needed=("evaluator", "status", "task", "exposure_ms", "verdict"),
    adding=bounds_and_reason,
)

"""How judgements leave a study of HYPE's methods."""


def exported_judgements(
    engine: Engine, study: Study, *, simulated: bool, columns: Collection[str] = ()
) -> Exported:
    """Read judgements; of the record's columns those that are wanted, or without any all."""
    return JUDGED.read(engine, study, simulated=simulated, columns=columns)


def no_judgements(study: Study, *, simulated: bool) -> InputError:
    """Say that a record holds nothing of the kind that was asked for, and how there would be."""
    return JUDGED.none_of(study, simulated=simulated)
