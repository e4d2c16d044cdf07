"""How the axes go together, over what one person said of one item.

Pearson's correlations between axes, as Parthasarathy, Collins & Stephenson (2025), "What Makes a
Good Generated Image?", compute them. An answer that is not relevant is missing, so that each two
axes are correlated over the items for which both were answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.correlation import correlation_matrix
from hype.analysis.ratings.condition_means import codes_of
from hype.analysis.ratings.scores import AxisCorrelations, WithOverall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.analysis.correlation import CorrelationMatrix

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class AxisTable(NamedTuple):
    """Values by what one person said of one item.

    `values` has the shape (rows, axes), NaN where missing; `item` and `evaluator` are codes of the
    table's categories, shape (rows,), the second None where evaluators are not known; `dropped` are
    the items that several unknown people answered, so that nobody knows which answers belong
    together.
    """

    values: FloatArray
    item: IntArray
    evaluator: IntArray | None
    dropped: int


def axis_table(ratings: pd.DataFrame, axes: Sequence[str]) -> AxisTable:
    """Lay ratings out with a column for each axis.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them.
    axes
        The columns; ratings on others are left out.
    """
    place = ratings["axis"].cat.categories.get_indexer(pd.Index(axes))
    column_of = np.full(len(ratings["axis"].cat.categories), -1)
    column_of[place] = np.arange(len(axes))
    column = column_of[codes_of(ratings, "axis")]
    item = codes_of(ratings, "item")
    person = codes_of(ratings, "evaluator") if "evaluator" in ratings else None
    kept, dropped = _told_apart(item, column, person)
    key = item[kept] if person is None else person[kept] * (item.max() + 1) + item[kept]
    row, keys = pd.factorize(key)
    values = np.full((len(keys), len(axes)), np.nan)
    values[row, column[kept]] = ratings["value"].to_numpy()[kept]
    first = np.flatnonzero(~pd.Series(row).duplicated().to_numpy())
    whose = None if person is None else person[kept][first]
    return AxisTable(values=values, item=item[kept][first], evaluator=whose, dropped=dropped)


def _told_apart(
    item: IntArray, column: IntArray, person: IntArray | None
) -> tuple[npt.NDArray[np.bool_], int]:
    """Tell which rows can be matched with others: all, if it is known who answered."""
    kept = column >= 0
    if person is not None:
        return kept, 0
    twice = pd.Series(item * (int(column.max(initial=0)) + 2) + column).duplicated().to_numpy()
    several = np.zeros(int(item.max(initial=-1)) + 1, dtype=bool)
    several[item[twice & kept]] = True
    return kept & ~several[item], int(several.sum())


def axis_correlations(
    table: AxisTable, axes: Sequence[str], overall: str | None, *, confidence: float
) -> AxisCorrelations | None:
    """Correlate the axes; None with a single one, or no row."""
    if len(axes) < 2 or not len(table.values):
        return None
    matrix = correlation_matrix(table.values, table.evaluator, confidence=confidence)
    return AxisCorrelations(
        axes=tuple(axes),
        matrix=matrix,
        with_overall=_with_overall(matrix, axes, overall) if overall in axes else (),
    )


def _with_overall(
    matrix: CorrelationMatrix, axes: Sequence[str], overall: str | None
) -> tuple[WithOverall, ...]:
    whole = list(axes).index(str(overall))
    rows = [
        WithOverall(
            axis=axis,
            r=_known(matrix.r[whole, place]),
            low=_known(matrix.low[whole, place]),
            high=_known(matrix.high[whole, place]),
            n=int(matrix.n[whole, place]),
        )
        for place, axis in enumerate(axes)
        if place != whole
    ]
    return tuple(sorted(rows, key=lambda row: (row.r is None, -(row.r or 0.0), row.axis)))


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
