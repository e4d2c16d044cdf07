"""Judgements as they leave a study: with what its file says of each, and why it is not scored."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Final

from sqlalchemy import Connection, Engine, select

from hype.protocols.hype.carelessness import GivenAnswer, broken_rules, rules_in_words
from hype.protocols.hype.record import JUDGEMENTS, judgements
from hype.protocols.hype.rows import SPOILED_VERDICTS, why_excluded
from hype.protocols.hype.settings import Study
from hype.protocols.hype.staircase import QUEST_PLUS, STAIRCASE
from hype.protocols.hype.trial import Task
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.session.steps import Ending
from hype.store.schema import evaluators

PAID_TASKS: Final = tuple(task.value for task in Task if task.paid)


def careless_evaluators(
    connection: Connection, study: Study, *, simulated: bool
) -> Mapping[str, Mapping[str, str]]:
    """Give the rules that evaluators break who are done, by their codes; not those who break none.

    Each rule by its name, with how it is broken in words.

    Evaluators who are not done are never called careless: a share of few answers says little.
    """
    rules = study.settings.exclusion
    if not rules_in_words(rules):
        return {}
    answers, who = judgements.c, evaluators.c
    columns = (answers.task, answers.trial, answers.answer, answers.correct, answers.rt_ms)
    query = (
        select(who.evaluator, *columns)
        .join(evaluators, answers.evaluator_id == who.id)
        .where(answers.simulated == simulated, who.status == Ending.COMPLETE.value)
        .where(answers.task.in_(PAID_TASKS))
        .order_by(answers.evaluator_id, answers.id)
    )
    rows = (
        row
        for row in connection.execute(query)
        # A damaged answer is for `hype verify`, and for who reads it
        if isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)
    )
    theirs = groupby(rows, key=lambda row: row[0])
    broken = {
        code: broken_rules((GivenAnswer(*row[1:]) for row in own), rules) for code, own in theirs
    }
    return {code: each for code, each in broken.items() if each}


def bounds_and_reason(engine: Engine, study: Study, simulated: bool) -> Adding:
    """Give what a study says of a judgement: how its exposure was chosen, why it is not scored."""
    staircase = study.settings.time.staircase
    chose = QUEST_PLUS if staircase.is_quest_plus else STAIRCASE
    of_exposure = (staircase.min_ms, staircase.max_ms, chose)
    are_spoiled_left_out = study.settings.timing.spoiled_trials != "keep"
    with engine.connect() as connection:
        careless = careless_evaluators(connection, study, simulated=simulated)
    leave_out = study.settings.exclusion.leave_out

    def added(
        evaluator: object, status: object, task: object, exposure_ms: object, verdict: object
    ) -> Cells:
        known = of_exposure if exposure_ms is not None else (None, None, None)
        rules = " ".join(careless.get(str(evaluator), ()))
        reason = why_excluded(
            status=status,
            is_careless=leave_out and bool(rules),
            task=task,
            is_spoiled=are_spoiled_left_out
            and task == Task.TIME.value
            and verdict in SPOILED_VERDICTS,
        )
        return (*known, reason, rules)

    return added


JUDGED: Final = Outgoing(
    answers=JUDGEMENTS,
    needed=("evaluator", "status", "task", "exposure_ms", "verdict"),
    adding=bounds_and_reason,
)
"""How judgements leave a study of HYPE's methods."""
