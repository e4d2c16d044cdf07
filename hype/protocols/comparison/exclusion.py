"""Which comparisons are scored, and why the others are not: one rule for records and tables.

`why_excluded` is the rule. `hype.protocols.comparison.export` follows it row by row where
comparisons leave a study, and `reasons_of` where a table is scored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from hype.protocols.comparison.trial import ComparisonTask
from hype.protocols.prompted.trial import Choice
from hype.tables.reasons import (
    BY_PEOPLE,
    COMPLETE,
    OF_PEOPLE,
    SCORED,
    by_rule,
    counted_by_reason,
    facts_in,
    reason_of_status,
)

if TYPE_CHECKING:
    import pandas as pd

ROUNDING: Final = 1e-9
"""A share such as 0.7 is no sum of powers of two: 0.7 of 10 is to be 7."""


class ExclusionReason(str, Enum):
    """Why a comparison is not scored, beside what is so in all protocols (`OF_PEOPLE`).

    An answer that came hastily is none of these: it is marked (``hasty``) and counts.
    """

    FAILED_VALIDATION = "failed-validation"
    ONE_SIDED = "one-sided"
    PRACTICE = "practice"
    VALIDATION = "validation"
    NO_ANSWER = "no-answer"


RECORDED: Final = {
    **OF_PEOPLE,
    ExclusionReason.FAILED_VALIDATION.value: "the evaluator answered too few comparisons correctly "
    "whose answer is obvious, by the study's rule",
    ExclusionReason.PRACTICE.value: "practice is never scored",
    ExclusionReason.VALIDATION.value: "comparisons whose answer is obvious are never scored",
    ExclusionReason.NO_ANSWER.value: "the time limit passed",
}
"""The reasons that a study's record gives, and what they mean."""
MEANINGS: Final = {
    **BY_PEOPLE,
    ExclusionReason.FAILED_VALIDATION.value: "by somebody who failed the comparisons with an "
    "obvious answer",
    ExclusionReason.ONE_SIDED.value: "by somebody who chose nothing but one side",
    ExclusionReason.NO_ANSWER.value: "not answered before the time limit",
    ExclusionReason.VALIDATION.value: "with an obvious answer",
    ExclusionReason.PRACTICE.value: "for practice",
}
"""All reasons in the order in which they are reported, and how a sentence says them."""
_BY_TASK: Final = {
    ComparisonTask.PRACTICE.value: ExclusionReason.PRACTICE.value,
    ComparisonTask.VALIDATION.value: ExclusionReason.VALIDATION.value,
}


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
    if reason := excluded or reason_of_status(status):
        return reason
    if failed:
        return ExclusionReason.FAILED_VALIDATION.value
    if one_sided:
        return ExclusionReason.ONE_SIDED.value
    if task in _BY_TASK:
        return _BY_TASK[task]
    return SCORED if answered else ExclusionReason.NO_ANSWER.value


def is_enough(correct: int, shown: int, min_correct: float) -> bool:
    """Tell whether somebody got enough comparisons with an obvious answer right; none is enough."""
    return correct >= min_correct * shown - ROUNDING


@dataclass(frozen=True, kw_only=True)
class ExcludedComparisons:
    """Rows that are not scored.

    ``reason``: a key of `MEANINGS`, or what the column excluded of a table from elsewhere says.
    ``evaluators``: how many evaluators they are of; None where these are not known.
    """

    reason: str
    evaluators: int | None
    comparisons: int

    @property
    def meaning(self) -> str:
        return MEANINGS.get(self.reason, self.reason)


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


def excluded(votes: pd.DataFrame, reasons: pd.Series) -> tuple[ExcludedComparisons, ...]:
    """Count the rows that are not scored by their reasons, in the order of `MEANINGS`."""
    return tuple(
        ExcludedComparisons(reason=reason, evaluators=people, comparisons=number)
        for reason, people, number in counted_by_reason(votes, reasons, list(MEANINGS))
    )
