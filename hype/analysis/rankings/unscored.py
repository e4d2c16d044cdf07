"""Rankings that are not scored: each for one reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.completeness import COMPLETE
from hype.analysis.rankings.members import codes_of
from hype.analysis.rankings.ranking_columns import SCORED_TASK, TASKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

BoolArray = npt.NDArray[np.bool_]

DECLINED: Final = "declined"
UNFINISHED: Final = "unfinished"
CHECKER: Final = "checker"
FAILED: Final = "failed-screening"
UNFINISHED_RANKING: Final = "unfinished-ranking"

SCORED: Final = ""
"""Stands where there is no reason."""

MEANINGS: Final = {
    DECLINED: "by somebody who declined",
    UNFINISHED: "by somebody who has not finished",
    FAILED: "by somebody whose first choices too often were not among a checker's first two",
    CHECKER: "by a checker",
    "test": "of the test",
    "check": "for a check",
    "practice": "for practice",
    UNFINISHED_RANKING: "in which not every image has its place",
}
"""Reasons in the order in which they are reported, and how a sentence says them."""


@dataclass(frozen=True, kw_only=True)
class LeftOutRankings:
    """Rankings that are not scored.

    Parameters
    ----------
    reason
        A key of `MEANINGS`, or what the column excluded of a table from elsewhere says.
    evaluators
        How many evaluators they are of; None where these are not known.
    rankings
        How many.
    """

    reason: str
    evaluators: int | None
    rankings: int

    @property
    def meaning(self) -> str:
        """The reason as a sentence says it."""
        return MEANINGS.get(self.reason, self.reason)


def reasons_of(rankings: pd.DataFrame, *, failed: Collection[str] = ()) -> pd.Series:
    """Give for each row why its ranking is not scored; empty where it is.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them.
    failed
        Evaluators whom the study's rule leaves out.

    Returns
    -------
    Series
        Categories. Of several reasons what the table itself says comes first, then the evaluator's
        status, that it is a checker's, the task, the rule, and last that it is unfinished.
    """
    reasons = [SCORED, *MEANINGS]
    codes = np.zeros(len(rankings), dtype=np.int16)
    for reason, rows in _found(rankings, failed):
        if reason not in reasons:
            reasons.append(reason)
        codes[rows & (codes == 0)] = reasons.index(reason)
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(reasons)), rankings.index)


def _found(rankings: pd.DataFrame, failed: Collection[str]) -> Iterator[tuple[str, BoolArray]]:
    if "excluded" in rankings:
        yield from _excluded(rankings)
    if "status" in rankings:
        cells = rankings["status"]
        for status in map(str, cells.cat.categories):
            if status != COMPLETE:
                yield DECLINED if status == DECLINED else UNFINISHED, cells.eq(status).to_numpy()
    yield CHECKER, rankings["checker"].to_numpy()
    for task in TASKS:
        if task != SCORED_TASK:
            yield task, rankings["task"].eq(task).to_numpy()
    if failed:
        yield FAILED, rankings["evaluator"].isin(list(failed)).to_numpy()
    yield UNFINISHED_RANKING, ~rankings["finished"].to_numpy()


def _excluded(rankings: pd.DataFrame) -> Iterator[tuple[str, BoolArray]]:
    """Give what the column says of any image of a ranking to all of it."""
    number = rankings["ranking"].to_numpy()
    said = np.zeros(int(number.max()) + 1, dtype=np.int64)
    cells = rankings["excluded"]
    places = np.array([0 if not name else 1 + k for k, name in enumerate(cells.cat.categories)])
    np.maximum.at(said, number, places[codes_of(cells)])
    for place, name in enumerate(map(str, cells.cat.categories)):
        if name:
            yield name, said[number] == 1 + place


def left_out(rankings: pd.DataFrame, reasons: pd.Series) -> tuple[LeftOutRankings, ...]:
    """Count the rankings that are not scored by their reasons, in the order of `MEANINGS`."""
    found = []
    for reason in sorted(map(str, reasons.cat.categories), key=_place):
        rows = reasons.eq(reason).to_numpy()
        if reason == SCORED or not rows.any():
            continue
        people = rankings["evaluator"][rows].nunique() if "evaluator" in rankings else None
        number = int(rankings["ranking"][rows].nunique())
        found.append(LeftOutRankings(reason=reason, evaluators=people, rankings=number))
    return tuple(found)


def _place(reason: str) -> tuple[int, str]:
    known = list(MEANINGS)
    return (known.index(reason) if reason in MEANINGS else len(known), reason)
