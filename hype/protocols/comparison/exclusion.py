"""Which comparisons are scored, and why the others are not: one rule for records and tables.

`why_excluded` is the rule. `hype.protocols.comparison.export` follows it row by row where
comparisons leave a study, and `reasons_of` where a table is scored.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import Choice
from hype.tables.reasons import (
    BY_PEOPLE,
    COMPLETE,
    OF_PEOPLE,
    SCORED,
    by_rule,
    facts_in,
    reason_of_row,
)

if TYPE_CHECKING:
    import pandas as pd

ROUNDING: Final = 1e-9
"""A share such as 0.7 is no sum of powers of two: 0.7 of 10 is to be 7."""


FAILED_VALIDATION: Final = "failed-validation"
ONE_SIDED: Final = "one-sided"
NO_ANSWER: Final = "no-answer"
PRACTICE: Final = ComparisonTask.PRACTICE.value
VALIDATION: Final = ComparisonTask.VALIDATION.value
"""Why a comparison is not scored, beside what is so in all protocols (`OF_PEOPLE`).

An answer that came hastily is none of these: it is marked (``hasty``) and counts.
"""
RECORDED: Final = {
    **OF_PEOPLE,
    FAILED_VALIDATION: "the evaluator answered too few comparisons correctly "
    "whose answer is obvious, by the study's rule",
    PRACTICE: "practice is never scored",
    VALIDATION: "comparisons whose answer is obvious are never scored",
    NO_ANSWER: "the time limit passed",
}
"""The reasons that a study's record gives, and what they mean."""
MEANINGS: Final = {
    **BY_PEOPLE,
    FAILED_VALIDATION: "by somebody who failed the comparisons with an obvious answer",
    ONE_SIDED: "by somebody who chose nothing but one side",
    NO_ANSWER: "not answered before the time limit",
    VALIDATION: "with an obvious answer",
    PRACTICE: "for practice",
}
"""All reasons in the order in which they are reported, and how a sentence says them."""


def why_excluded(
    *,
    status: str = COMPLETE,
    task: str = ComparisonTask.COMPARISON.value,
    answered: bool = True,
    failed: bool = False,
    one_sided: bool = False,
    excluded: str = "",
) -> str:
    """Say why a comparison is not scored; `SCORED` where it is. The first reason that holds counts.

    What a table says in its column ``excluded`` comes first, then what is so of the evaluator:
    their status, and whether the study's rules leave them out; then what is so of the comparison:
    what it is for, and whether it was answered before the time limit.
    """
    if reason := reason_of_row(status=status, excluded=excluded):
        return reason
    if failed:
        return FAILED_VALIDATION
    if one_sided:
        return ONE_SIDED
    if task != ComparisonTask.COMPARISON.value:
        return task
    return SCORED if answered else NO_ANSWER


def is_enough(correct: int, shown: int, min_correct: float) -> bool:
    """Tell whether somebody got enough comparisons with an obvious answer right; none is enough."""
    return correct >= min_correct * shown - ROUNDING


def reasons_of(
    votes: pd.DataFrame, *, failed: Collection[str] = (), one_sided: Collection[str] = ()
) -> pd.Series:
    """Give for each row why it is not scored; `SCORED` where it is.

    ``votes``: as `check_comparisons` returns them. ``failed``, ``one_sided``: evaluators whom the
    study's rules leave out. Gives categories. What the column excluded says comes before what
    `why_excluded` says.
    """
    facts = facts_in(votes, "status", "task", "excluded")
    facts["answered"] = votes["answer"].ne(Choice.NONE.value)
    for name, people in (("failed", failed), ("one_sided", one_sided)):
        if people:
            facts[name] = votes["evaluator"].isin(list(people))
    return by_rule(why_excluded, facts, list(MEANINGS), votes.index)
