"""Which comparisons are scored, and why the others are not: one rule for records and tables.

`why_excluded` is the rule. `hype.protocols.comparison.export` follows it row by row where
comparisons leave a study, and `reasons_of` where a table is scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hype.protocols.comparison.trial import Choice, ComparisonTask
from hype.session.steps import Ending

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

BoolArray = npt.NDArray[np.bool_]

SCORED: Final = ""
"""Stands where there is no reason."""
ROUNDING: Final = 1e-9
"""A share such as 0.7 is no sum of powers of two: 0.7 of 10 is to be 7."""


class ExclusionReason(str, Enum):
    """Why a comparison is not scored.

    An answer that came hastily is none of these: it is marked (``hasty``) and counts.
    """

    UNFINISHED = "unfinished"
    DECLINED = "declined"
    FAILED_VALIDATION = "failed-validation"
    ONE_SIDED = "one-sided"
    PRACTICE = "practice"
    VALIDATION = "validation"
    NO_ANSWER = "no-answer"


RECORDED: Final = {
    ExclusionReason.UNFINISHED.value: "the evaluator has begun and not finished",
    ExclusionReason.DECLINED.value: "the evaluator did not consent",
    ExclusionReason.FAILED_VALIDATION.value: "the evaluator answered too few comparisons correctly "
    "whose answer is obvious, by the study's rule",
    ExclusionReason.PRACTICE.value: "practice is never scored",
    ExclusionReason.VALIDATION.value: "comparisons whose answer is obvious are never scored",
    ExclusionReason.NO_ANSWER.value: "the time limit passed",
}
"""The reasons that a study's record gives, and what they mean."""
MEANINGS: Final = {
    ExclusionReason.DECLINED.value: "by somebody who declined",
    ExclusionReason.UNFINISHED.value: "by somebody who has not finished",
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
    *, status: str, task: str, answered: bool, failed: bool, one_sided: bool = False
) -> str:
    """Say why a comparison is not scored; `SCORED` where it is. The first reason that holds counts.

    What is so of an evaluator comes before what is so of a comparison.

    ``task``, ``answered``: what the comparison is for, and whether it was answered before the time
    limit. ``failed``, ``one_sided``: whether the study's rules leave the evaluator out.
    """
    if status == Ending.DECLINED.value:
        return ExclusionReason.DECLINED.value
    if status != Ending.COMPLETE.value:
        return ExclusionReason.UNFINISHED.value
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
    from hype.tables.reasons import first_reasons

    exclusions = (*_excluded_by_table(votes), *_excluded_by_rule(votes, failed, one_sided))
    return first_reasons(exclusions, list(MEANINGS), votes.index)


def _excluded_by_table(votes: pd.DataFrame) -> Iterator[tuple[str, BoolArray]]:
    if "excluded" in votes:
        cells = votes["excluded"]
        yield from ((str(r), cells.eq(r).to_numpy()) for r in cells.cat.categories if r)


def _excluded_by_rule(
    votes: pd.DataFrame, failed: Collection[str], one_sided: Collection[str]
) -> Iterator[tuple[str, BoolArray]]:
    """Apply the rule to each combination of what it asks for, and give the rows of each."""
    answered = votes["answer"].ne(Choice.NONE.value).to_numpy()
    facts = (
        _values(votes, "status", Ending.COMPLETE.value),
        _values(votes, "task", ComparisonTask.COMPARISON.value),
        _either(answered),
        _either(_are_of(votes, failed)),
        _either(_are_of(votes, one_sided)),
    )
    names = ("status", "task", "answered", "failed", "one_sided")
    for combination in product(*facts):
        rows = np.logical_and.reduce([rows for _, rows in combination])
        if rows.any():
            values = (value for value, _ in combination)
            yield why_excluded(**dict(zip(names, values, strict=True))), rows


def _values(votes: pd.DataFrame, name: str, usual: str) -> list[tuple[Any, BoolArray]]:
    """Give the values of a column, and their rows; where it is missing all rows are as usual."""
    if name not in votes:
        return [(usual, np.ones(len(votes), dtype=bool))]
    cells = votes[name]
    return [(str(value), cells.eq(value).to_numpy()) for value in cells.unique()]


def _are_of(votes: pd.DataFrame, people: Collection[str]) -> BoolArray:
    if not people:
        return np.zeros(len(votes), dtype=bool)
    return np.asarray(votes["evaluator"].isin(list(people)).to_numpy())


def _either(flags: BoolArray) -> list[tuple[Any, BoolArray]]:
    return [(value, rows) for value, rows in ((True, flags), (False, ~flags)) if rows.any()]


def excluded(votes: pd.DataFrame, reasons: pd.Series) -> tuple[ExcludedComparisons, ...]:
    """Count the rows that are not scored by their reasons, in the order of `MEANINGS`."""
    from hype.tables.reasons import rows_by_reason

    counted = []
    for reason, rows in rows_by_reason(reasons, list(MEANINGS)):
        people = votes["evaluator"][rows].nunique() if "evaluator" in votes else None
        number = int(rows.sum())
        counted.append(ExcludedComparisons(reason=reason, evaluators=people, comparisons=number))
    return tuple(counted)
