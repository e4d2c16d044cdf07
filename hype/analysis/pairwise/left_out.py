"""Rows of a table of comparisons that are not scored: each for one reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.completeness import COMPLETE
from hype.analysis.pairwise.vote_columns import SCORED_TASK, TASKS

if TYPE_CHECKING:
    from collections.abc import Collection

Flags = npt.NDArray[np.bool_]

DECLINED: Final = "declined"
UNFINISHED: Final = "unfinished"
FAILED: Final = "failed-validation"
ONE_SIDED: Final = "one-sided"
NO_ANSWER: Final = "no-answer"

SCORED: Final = ""
"""Stands where there is no reason."""

MEANINGS: Final = {
    DECLINED: "by somebody who declined",
    UNFINISHED: "by somebody who has not finished",
    FAILED: "by somebody who failed the comparisons with an obvious answer",
    ONE_SIDED: "by somebody who chose nothing but one side",
    NO_ANSWER: "not answered before the time limit",
    "validation": "with an obvious answer",
    "practice": "for practice",
}
"""Reasons in the order in which they are reported, and how a sentence says them."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Rows that are not scored.

    Parameters
    ----------
    reason
        A key of `MEANINGS`, or what the column excluded of a table from elsewhere says.
    evaluators
        How many evaluators they are of; None where these are not known.
    comparisons
        How many rows.
    """

    reason: str
    evaluators: int | None
    comparisons: int

    @property
    def meaning(self) -> str:
        """The reason as a sentence says it."""
        return MEANINGS.get(self.reason, self.reason)


def reasons_of(
    votes: pd.DataFrame, *, failed: Collection[str] = (), one_sided: Collection[str] = ()
) -> pd.Series:
    """Give for each row why it is not scored; empty where it is.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them.
    failed, one_sided
        Evaluators whom the study's rules leave out.

    Returns
    -------
    Series
        Categories. Of several reasons what the table itself says comes first, then the evaluator's
        status, the task, the rules, and last that there is no answer.
    """
    reasons = [SCORED, *MEANINGS]
    codes = np.zeros(len(votes), dtype=np.int16)

    def mark(reason: str, rows: Flags) -> None:
        codes[rows & (codes == 0)] = reasons.index(reason)

    for reason, rows in _told(votes):
        reasons += [reason] if reason not in reasons else []
        mark(reason, rows)
    for task in TASKS:
        if task != SCORED_TASK:
            mark(task, votes["task"].eq(task).to_numpy())
    for reason, people in ((FAILED, failed), (ONE_SIDED, one_sided)):
        if people:
            mark(reason, votes["evaluator"].isin(list(people)).to_numpy())
    mark(NO_ANSWER, votes["answer"].eq("none").to_numpy())
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(reasons)), votes.index)


def _told(votes: pd.DataFrame) -> list[tuple[str, Flags]]:
    """Give what the columns excluded and status say, and of which rows."""
    found = []
    if "excluded" in votes:
        cells = votes["excluded"]
        found += [(str(r), cells.eq(r).to_numpy()) for r in cells.cat.categories if r]
    if "status" in votes:
        cells = votes["status"]
        others = [str(status) for status in cells.cat.categories if status != COMPLETE]
        found += [
            (DECLINED if status == DECLINED else UNFINISHED, cells.eq(status).to_numpy())
            for status in others
        ]
    return found


def left_out(votes: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOut, ...]:
    """Count the rows that are not scored by their reasons, in the order of `MEANINGS`."""
    found = []
    for reason in sorted(reasons.cat.categories, key=_place):
        rows = reasons.eq(reason).to_numpy()
        if reason == SCORED or not rows.any():
            continue
        people = votes["evaluator"][rows].nunique() if "evaluator" in votes else None
        found.append(LeftOut(reason=reason, evaluators=people, comparisons=int(rows.sum())))
    return tuple(found)


def _place(reason: str) -> tuple[int, str]:
    known = list(MEANINGS)
    return (known.index(reason) if reason in MEANINGS else len(known), reason)
