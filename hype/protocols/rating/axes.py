"""How the axes go together, and the strengths of the conditions on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.comparison.rows import ANSWERS
from hype.protocols.rating.condition_means import codes_of
from hype.protocols.rating.results import AxisCorrelations, WithOverall
from hype.statistics.correlation import correlation_matrix
from hype.statistics.paired_counts import count, count_by_evaluator, win_rates
from hype.statistics.resampling import condition_rng
from hype.statistics.strength_table import fit_of, ranked, resampling_of, strengths_found
from hype.tables.distinct import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.protocols.rating.options import RatingOptions
    from hype.statistics.correlation import CorrelationMatrix
    from hype.statistics.strength_table import ConditionStrength, Fit, Resampling

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


class AxisStrengths(NamedTuple):
    """The strengths of an axis, how they were found and resampled."""

    strengths: tuple[ConditionStrength, ...]
    fit: Fit
    bootstrap: Resampling | None


def votes_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings of pairs into comparisons: left is the first image, and won if it is better.

    Parameters
    ----------
    ratings
        Of one axis, as `check_ratings` returns them; those that are not relevant give no row.

    Returns
    -------
    DataFrame
        Left, right, answer and, where known, evaluator, as `check_comparisons` gives them.
    """
    given = ratings[ratings["value"].notna().to_numpy()]
    value = given["value"].to_numpy()
    codes = np.where(value > 0, 0, np.where(value < 0, 1, 2))
    votes = pd.DataFrame({"left": given["first"], "right": given["second"]})
    votes["answer"] = pd.Categorical.from_codes(codes, categories=pd.Index(ANSWERS))
    if "evaluator" in given:
        votes["evaluator"] = given["evaluator"]
    return rows_of(votes, np.ones(len(votes), dtype=bool))


def axis_strengths(ratings: pd.DataFrame, axis: str, options: RatingOptions) -> AxisStrengths:
    """Estimate the strengths of the conditions on one axis.

    Parameters
    ----------
    ratings
        Those of the axis, one or more of them relevant.
    axis
        Its name; the bootstrap's randomness follows from it and the seed.
    options
        The choices of the study and the analyst.
    """
    votes = votes_of(ratings)
    counts = count(votes)
    table = strengths_found(
        counts,
        count_by_evaluator(votes),
        ties=options.ties,
        draws=options.draws,
        rng=condition_rng(options.seed, axis, "strengths"),
        confidence=options.confidence,
    )
    rates = win_rates(counts, ties=options.ties, confidence=options.confidence)
    fit = fit_of(table, ties=options.ties)
    return AxisStrengths(ranked(rates, table), fit, resampling_of(table, seed=options.seed))
