"""Correlations between axes, and with an external leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from hype.protocols.prompted.scoring import AnalysisOptions
from hype.protocols.rating.axes import who_rated_what
from hype.report import tabular
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.correlation import CorrelationMatrix, correlation_matrix, fisher_interval
from hype.statistics.estimate import Estimate, value_of
from hype.statistics.proportions import number_or_none
from hype.tables.cells import codes_of


class AxisTable(NamedTuple):
    """A table of ratings with one row per person and item, and one column per axis.

    ``values``: shape (rows, axes); NaN where a rating is missing. ``item`` and ``evaluator`` (None
    if unknown) are codes of the table's categories, shape (rows,). ``first``: the first rating of
    each row. ``dropped``: the number of items left out because it is unknown which of their answers
    are from the same person.
    """

    values: FloatArray
    item: IntArray
    evaluator: IntArray | None
    first: pd.DataFrame
    dropped: int


def axis_table(ratings: pd.DataFrame, axes: Sequence[str]) -> AxisTable:
    """Arrange ratings with a column for each axis.

    ``ratings``: from `check_ratings`. ``axes``: the columns; ratings on other axes are left out.
    """
    place = ratings["axis"].cat.categories.get_indexer(pd.Index(axes))
    column_of = np.full(len(ratings["axis"].cat.categories), -1)
    column_of[place] = np.arange(len(axes))
    column = column_of[codes_of(ratings["axis"])]
    item = codes_of(ratings["item"])
    person = codes_of(ratings["evaluator"]) if "evaluator" in ratings else None
    kept, several = column >= 0, np.zeros(int(item.max(initial=-1)) + 1, dtype=bool)
    if person is None:  # several unknown people may have answered an item
        twice = pd.Series(item * (int(column.max(initial=0)) + 2) + column).duplicated().to_numpy()
        several[item[twice & kept]] = True
        kept &= ~several[item]
    key = item[kept] if person is None else person[kept] * (item.max() + 1) + item[kept]
    row, keys = pd.factorize(key)
    values = np.full((len(keys), len(axes)), np.nan)
    values[row, column[kept]] = ratings["value"].to_numpy()[kept]
    first = np.flatnonzero(~pd.Series(row).duplicated().to_numpy())
    whose = None if person is None else person[kept][first]
    return AxisTable(
        values=values,
        item=item[kept][first],
        evaluator=whose,
        first=ratings.iloc[np.flatnonzero(kept)[first]],
        dropped=int(several.sum()),
    )


def axis_correlations(table: AxisTable, axes: Sequence[str], options: AnalysisOptions) -> Rows:
    """Compute Pearson's ``r`` for all pairs of axes; empty if the table is empty.

    A pair is two ratings of one item by one person; answers "not relevant" count as missing.
    ``axis`` and ``other_axis`` are in the order of ``axes``. ``ratings``: the number of pairs.
    """
    if not len(table.values):
        return ()
    _, items, _ = who_rated_what(table.first.assign(value=0.0), options.images)
    matrix = correlation_matrix(table.values, table.evaluator, items, confidence=options.confidence)
    return tuple(
        {
            "axis": axes[one],
            "other_axis": axes[other],
            "r": _estimate(matrix, one, other),
            "ratings": int(matrix.n[one, other]),
        }
        for one, other in combinations(range(len(axes)), 2)
    )


def _estimate(matrix: CorrelationMatrix, row: int, column: int) -> Estimate | None:
    r, *ends = (number_or_none(each[row, column]) for each in (matrix.r, matrix.low, matrix.high))
    return None if r is None else Estimate(value=r, low=ends[0], high=ends[1])


def overall_table(correlated: Rows, overall: str | None) -> Rows:
    """Return the correlations of the other axes with the overall axis, the largest first."""
    rows = [
        {"axis": row["axis"] if row["other_axis"] == overall else row["other_axis"]}
        | {name: row[name] for name in ("r", "ratings")}
        for row in correlated
        if overall in (row["axis"], row["other_axis"])
    ]
    rows.sort(key=lambda row: (row["r"] is None, -(value_of(row["r"]) or 0.0), row["axis"]))
    return tuple(rows)


def correlation_tables(
    correlated: Rows, closest: Rows, overall: str | None, confidence: float
) -> tuple[Table, Table]:
    columns = (
        tabular.number("r", "r", 2),
        tabular.interval(f"{confidence:.0%} CI", "r", 2),
        tabular.whole("Ratings of\nboth", "ratings"),
    )
    return (
        tabulate(
            correlated,
            name="rating-correlations",
            title="Correlations between axes",
            columns=(tabular.name("Axis", "axis"), tabular.name("and", "other_axis"), *columns),
        ),
        tabulate(
            closest,
            name="rating-with-overall",
            title=f"Correlations of axes with “{overall}”",
            columns=(tabular.name("Axis", "axis"), *columns),
        ),
    )


FEWEST: Final = 3
"""With fewer conditions than this, a correlation is meaningless and not computed."""


def correlate_with_leaderboard(
    axes: Rows, scores: Mapping[str, float], overall: str | None, *, confidence: float
) -> Rows:
    """Correlate each axis's strengths (pairs) or means (single images) with a leaderboard.

    The correlations are Pearson's and Spearman's, with the intervals of `fisher_interval`. Each
    condition is one point, so with few conditions both intervals are wide, even if there are many
    ratings. Parthasarathy, Collins & Stephenson (2025) find a correlation of .87 over 14 models.

    ``axes``: rows with `axis`, `kind` and `conditions`. ``scores``: scores of conditions on the
    leaderboard (higher is better). ``overall``: the axis that comes first, or None.

    Returns a row for each axis. ``what``: which value is correlated, "strength" (Bradley–Terry) or
    "mean". ``conditions``: the number of conditions with both this value and a leaderboard score.
    ``pearson`` has Fisher's interval over conditions, ``spearman`` has Bonett and Wright's; with
    fewer than four conditions, their ends are None. ``problem``: why both correlations are None, or
    "". ``missing``: conditions only in the study; ``unrated``: conditions only on the leaderboard.
    """
    rated = sorted({row["condition"] for axis in axes for row in axis["conditions"]})
    apart = {
        "missing": tuple(name for name in rated if name not in scores),
        "unrated": tuple(name for name in scores if name not in rated),
    }
    ordered = sorted(axes, key=lambda axis: axis["axis"] != overall)
    return tuple(_correlate_axis(axis, scores, confidence) | apart for axis in ordered)


def _correlate_axis(axis: Row, scores: Mapping[str, float], confidence: float) -> Row:
    what = "strength" if axis["kind"] == "levels" else "mean"
    key = "strength" if axis["kind"] == "levels" else "value"
    known_ones = ((row["condition"], row[key]) for row in axis["conditions"])
    own = {name: estimate.value for name, estimate in known_ones if estimate and name in scores}
    x, y = np.array([*own.values()]), np.array([scores[name] for name in own])
    problem = _problem(x, y, what)
    row: Row = {"axis": axis["axis"], "what": what, "conditions": len(own), "problem": problem}
    if problem:
        return row | {"pearson": None, "spearman": None}
    pearson = float(np.corrcoef(x, y)[0, 1])
    spearman = float(np.corrcoef(scipy.stats.rankdata(x), scipy.stats.rankdata(y))[0, 1])
    low, high = fisher_interval(pearson, len(own), confidence=confidence)
    below, above = fisher_interval(spearman, len(own), confidence=confidence, of_ranks=True)
    return row | {
        "pearson": Estimate(value=pearson, low=number_or_none(low), high=number_or_none(high)),
        "spearman": Estimate(value=spearman, low=number_or_none(below), high=number_or_none(above)),
    }


def _problem(own: FloatArray, scores: FloatArray, what: str) -> str:
    if len(own) < FEWEST:
        return f"Fewer than {FEWEST} conditions have both a {what} and a place on the leaderboard."
    if np.ptp(own) == 0:
        return f"All conditions have the same {what}."
    if np.ptp(scores) == 0:
        return "All conditions have the same score on the leaderboard."
    return ""


def leaderboard_table(rows: Rows, confidence: float) -> Table:
    ci = f"{confidence:.0%} CI"
    lacks = any(row["problem"] for row in rows)
    return tabulate(
        rows,
        name="rating-leaderboard",
        title="Compared with the leaderboard",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.whole("Condi-\ntions", "conditions"),
            tabular.number("Pear-\nson", "pearson", 2),
            tabular.interval(ci, "pearson", 2),
            tabular.number("Spear-\nman", "spearman", 2),
            tabular.interval(ci, "spearman", 2),
            *([tabular.words("Not known, since", "problem")] if lacks else []),
        ),
    )
