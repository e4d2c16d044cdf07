"""Who is careless by a study's own rules, as its record has it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select

from hype.protocol.carelessness import Broken, Given, broken_rules, habits_of
from hype.protocol.steps import Ending, Task
from hype.store.answer_tables import judgements
from hype.store.schema import evaluators
from hype.study.studies import Study

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
