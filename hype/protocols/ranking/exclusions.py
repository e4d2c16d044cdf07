"""Rankings that are not scored: each for one reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.protocols.ranking.rows import TASKS
from hype.protocols.ranking.table import codes_of
from hype.tables.reasons import (
    DECLINED,
    UNFINISHED,
    first_reasons,
    of_status,
    of_tasks,
    rows_by_reason,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from hype.tables.reasons import BoolArray

CHECKER: Final = "checker"
FAILED: Final = "failed-screening"
UNFINISHED_RANKING: Final = "unfinished-ranking"

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
    return first_reasons(_found(rankings, failed), list(MEANINGS), rankings.index)


def _found(rankings: pd.DataFrame, failed: Collection[str]) -> Iterator[tuple[str, BoolArray]]:
    if "excluded" in rankings:
        yield from _excluded(rankings)
    yield from of_status(rankings)
    yield CHECKER, rankings["checker"].to_numpy()
    yield from of_tasks(rankings, TASKS)
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
    for reason, rows in rows_by_reason(reasons, list(MEANINGS)):
        people = rankings["evaluator"][rows].nunique() if "evaluator" in rankings else None
        number = int(rankings["ranking"][rows].nunique())
        found.append(LeftOutRankings(reason=reason, evaluators=people, rankings=number))
    return tuple(found)
