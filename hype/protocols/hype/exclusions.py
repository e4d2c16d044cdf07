"""Which judgements of a table are not scored, and why: each for one reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pandas as pd

from hype.protocols.hype.completeness import COMPLETE, are_left_out
from hype.protocols.hype.rows import UNSCORED_TASKS
from hype.protocols.hype.spoiled import are_spoiled, check_treatment

if TYPE_CHECKING:
    from hype.protocols.hype.spoiled import Treatment

STATUSES: Final = {
    "declined": "declined",
    "unqualified": "did not pass the qualification",
    "active": "has not finished",
}
"""Reasons that lie with the evaluator, by their status."""

BY_RULES: Final = "careless by the study's rules"
SPOILED: Final = "trial spoiled by the screen"

SCORED: Final = ""
"""Stands where there is no reason."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """Judgements that are not scored.

    Parameters
    ----------
    reason
        Why, in a few words.
    condition
        Whose they would have been.
    evaluators, judgements
        How many evaluators gave them, and how many they are.
    """

    reason: str
    condition: str
    evaluators: int
    judgements: int


def exclusions(judgements: pd.DataFrame, treatment: Treatment) -> tuple[Exclusion, ...]:
    """Count the judgements that are not scored, by reason and condition.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them.
    treatment
        What becomes of trials that the screen spoiled.

    Returns
    -------
    tuple of Exclusion
        Evaluators first, then trials, then the tasks that are never scored; within a reason in
        the order of the conditions' names. Together with those that are scored they are all
        judgements.

    Raises
    ------
    InputError
        There is no such treatment.
    """
    check_treatment(treatment)
    reasons = reasons_of(judgements, treatment)
    excluded = judgements.loc[reasons.ne(SCORED), ["condition", "evaluator"]]
    groups = excluded.groupby([reasons[excluded.index], "condition"], observed=True)["evaluator"]
    counts = groups.agg(["nunique", "size"])
    found = [
        Exclusion(
            reason=str(reason),
            condition=str(condition),
            evaluators=int(evaluators),
            judgements=int(size),
        )
        for (reason, condition), evaluators, size in counts.itertuples(name=None)
    ]
    order = [*STATUSES.values(), BY_RULES, SPOILED, *UNSCORED_TASKS]
    ranks = {reason: rank for rank, reason in enumerate(order)}
    return tuple(sorted(found, key=lambda one: (ranks.get(one.reason, -1), one.condition)))


def reasons_of(judgements: pd.DataFrame, treatment: Treatment) -> pd.Series:
    """Give for each judgement why it is not scored; empty where it is.

    Where there are several reasons the evaluator's comes first: a judgement of somebody who did not
    pass the qualification is excluded for that, and not for being one of the qualification.
    """
    reasons = pd.Series(SCORED, index=judgements.index, dtype=object)
    if treatment == "leave-out":
        reasons[are_spoiled(judgements)] = SPOILED
    for task in UNSCORED_TASKS:
        reasons[judgements["task"].eq(task)] = task
    if "status" in judgements:
        for status in judgements["status"].cat.categories:
            if status != COMPLETE:
                reasons[judgements["status"].eq(status)] = reason_of_status(status)
    reasons[are_left_out(judgements)] = BY_RULES
    return reasons


def reason_of_status(status: str) -> str:
    """Say why somebody of a status is not scored."""
    return STATUSES.get(status, f"is not complete: {status}")
