"""Comparisons with an obvious answer: how many each evaluator got right.

An evaluator below the study's bound is left out with all comparisons. The bound is fixed before,
and given: nothing here chooses one by looking at the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.statistics.proportions import wilson

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]

_ROUNDING: Final = 1e-9
"""A bound of 0.7 is met by 7 of 10."""


@dataclass(frozen=True, kw_only=True)
class EvaluatorValidation:
    """The validation comparisons of one evaluator.

    Parameters
    ----------
    evaluator
        Who.
    shown, right
        Validation comparisons answered, or missed by the time limit, and those answered right; a
        tie is not right.
    share, ci_low, ci_high
        Right over shown, with Wilson's interval; None where none was shown.
    passed
        Whether the share reaches the study's bound; None without a bound or without comparisons.
    comparisons
        Comparisons answered, validation among them, practice not.
    hasty, hasty_share
        How many of these were answered faster than the study's minimum; None where the table does
        not tell.
    """

    evaluator: str
    shown: int
    right: int
    share: float | None
    ci_low: float | None
    ci_high: float | None
    passed: bool | None
    comparisons: int
    hasty: int | None
    hasty_share: float | None


@dataclass(frozen=True, kw_only=True)
class Validation:
    """All validation comparisons, and the rule.

    Parameters
    ----------
    min_correct
        The study's bound, as a proportion; None where it has none.
    shown, right, share
        Over all evaluators.
    hasty
        Answers faster than the study's minimum, over all evaluators; None where the table does
        not tell.
    evaluators
        One row each, the lowest share first.
    failed
        Evaluators below the bound, whose comparisons are not scored.
    said
        The same in a sentence.
    """

    min_correct: float | None
    shown: int
    right: int
    share: float | None
    hasty: int | None
    evaluators: tuple[EvaluatorValidation, ...]
    failed: tuple[str, ...]
    said: str


def validation(
    votes: pd.DataFrame, *, min_correct: float | None = None, confidence: float = 0.95
) -> Validation | None:
    """Count what evaluators got right.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them, with all tasks.
    min_correct
        The share of validation comparisons that an evaluator must get right; None for no rule.
    confidence
        Coverage of the intervals, as a proportion.

    Returns
    -------
    Validation or None
        None where evaluators are not known, or the table tells neither of validation comparisons
        nor of haste.
    """
    told = votes["task"].eq("validation").any() or "hasty" in votes
    if "evaluator" not in votes or not told:
        return None
    rows = tuple(_rows(votes, min_correct, confidence))
    shown, right = sum(row.shown for row in rows), sum(row.right for row in rows)
    failed = tuple(sorted(row.evaluator for row in rows if row.passed is False))
    return Validation(
        min_correct=min_correct,
        shown=shown,
        right=right,
        share=right / shown if shown else None,
        hasty=sum(row.hasty or 0 for row in rows) if "hasty" in votes else None,
        evaluators=tuple(sorted(rows, key=_lowest_first)),
        failed=failed,
        said=_said(shown, right, len(rows), min_correct, failed),
    )


def _rows(
    votes: pd.DataFrame, min_correct: float | None, confidence: float
) -> list[EvaluatorValidation]:
    asked = votes["task"].eq("validation").to_numpy()
    answer = votes["answer"].astype(object).to_numpy()
    obvious = votes["obvious"].astype(object).to_numpy() if asked.any() else np.array([])
    right = asked & (answer == obvious) if asked.any() else asked
    answered = ~votes["task"].eq("practice").to_numpy() & (answer != "none")
    hasty = answered & votes["hasty"].to_numpy() if "hasty" in votes else None
    shown, correct, given = (_by_evaluator(votes, f) for f in (asked, right, answered))
    fast = None if hasty is None else _by_evaluator(votes, hasty)
    low, high = wilson(correct, shown, confidence=confidence)
    return [
        EvaluatorValidation(
            evaluator=str(name),
            shown=int(shown[i]),
            right=int(correct[i]),
            share=float(correct[i] / shown[i]) if shown[i] else None,
            ci_low=float(low[i]) if shown[i] else None,
            ci_high=float(high[i]) if shown[i] else None,
            passed=_passed(int(correct[i]), int(shown[i]), min_correct),
            comparisons=int(given[i]),
            hasty=None if fast is None else int(fast[i]),
            hasty_share=float(fast[i] / given[i]) if fast is not None and given[i] else None,
        )
        for i, name in enumerate(votes["evaluator"].cat.categories)
        if shown[i] or given[i]
    ]


def _by_evaluator(votes: pd.DataFrame, flags: npt.NDArray[np.bool_]) -> IntArray:
    cells = votes["evaluator"].cat
    return np.bincount(cells.codes.to_numpy()[flags], minlength=len(cells.categories))


def _passed(right: int, shown: int, min_correct: float | None) -> bool | None:
    if min_correct is None or not shown:
        return None
    return right >= min_correct * shown - _ROUNDING


def _lowest_first(row: EvaluatorValidation) -> tuple[bool, float, str]:
    return row.share is None, row.share or 0.0, row.evaluator


def _said(
    shown: int, right: int, evaluators: int, min_correct: float | None, failed: tuple[str, ...]
) -> str:
    if not shown:
        return "There were no comparisons with an obvious answer."
    said = f"{right:,} of {shown:,} comparisons with an obvious answer ({right / shown:.1%}) right"
    if min_correct is None:
        return f"{said}; the study has no rule for those who fail them."
    who = f"{len(failed)} of {evaluators} evaluators" if failed else "nobody"
    return f"{said}; {who} fell below the study's bound of {min_correct:.0%}."
