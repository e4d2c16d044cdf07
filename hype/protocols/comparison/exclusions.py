"""Rows of a table of comparisons that are scored, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.protocols.comparison.quality import sides
from hype.protocols.comparison.rows import TASKS
from hype.tables.distinct import distinct, only_used, with_categories
from hype.tables.reasons import (
    DECLINED,
    SCORED,
    UNFINISHED,
    first_reasons,
    of_status,
    of_tasks,
    rows_by_reason,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from hype.protocols.comparison.results import PairwiseScore
    from hype.tables.reasons import BoolArray

FAILED: Final = "failed-validation"

ONE_SIDED: Final = "one-sided"

NO_ANSWER: Final = "no-answer"

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
    found = _found(votes, failed, one_sided)
    return first_reasons(found, list(MEANINGS), votes.index)


def _found(
    votes: pd.DataFrame, failed: Collection[str], one_sided: Collection[str]
) -> Iterator[tuple[str, BoolArray]]:
    if "excluded" in votes:
        cells = votes["excluded"]
        yield from ((str(r), cells.eq(r).to_numpy()) for r in cells.cat.categories if r)
    yield from of_status(votes)
    yield from of_tasks(votes, TASKS)
    for reason, people in ((FAILED, failed), (ONE_SIDED, one_sided)):
        if people:
            yield reason, votes["evaluator"].isin(list(people)).to_numpy()
    yield NO_ANSWER, votes["answer"].eq("none").to_numpy()


def left_out(votes: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOut, ...]:
    """Count the rows that are not scored by their reasons, in the order of `MEANINGS`."""
    found = []
    for reason, rows in rows_by_reason(reasons, list(MEANINGS)):
        people = votes["evaluator"][rows].nunique() if "evaluator" in votes else None
        found.append(LeftOut(reason=reason, evaluators=people, comparisons=int(rows.sum())))
    return tuple(found)


Kept = npt.NDArray[np.bool_]


def scored_rows(votes: pd.DataFrame, score: PairwiseScore) -> pd.DataFrame:
    """Keep the rows that were scored, over the conditions, evaluators and prompts they have.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them.
    score
        What `score_comparisons` made of them.
    """
    failed = score.validation.failed if score.validation else ()
    kept = reasons_of(votes, failed=failed).eq(SCORED).to_numpy()
    if any(one.reason == ONE_SIDED for one in score.exclusions):
        who = sides(votes[kept], alpha=score.alpha).always_one
        kept = reasons_of(votes, failed=failed, one_sided=who).eq(SCORED).to_numpy()
    return rows_of(votes, kept)


def rows_of(votes: pd.DataFrame, kept: Kept) -> pd.DataFrame:
    """Keep some rows, over the conditions, evaluators and prompts they have.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them.
    kept
        Shape (rows,).
    """
    rows = votes[kept].copy(deep=False)
    both = {side: distinct(rows[side]) for side in ("left", "right")}
    names = sorted({str(name) for side in both for name in rows[side].unique()})
    for side, cells in both.items():
        rows[side] = with_categories(cells.codes, cells.texts, names, rows.index)
    for name in ("evaluator", "prompt"):
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows
