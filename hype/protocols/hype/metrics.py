"""Rank correlations of automated metrics with people's scores, with exact p-values.

Spearman (1904), "The proof and measurement of association between two things", for rho (ties take
mean ranks); Kendall (1945), "The treatment of ties in ranking problems", for tau-b. Both p-values
are two-sided and come from permuting the scores over the conditions (Pitman 1937). With few
conditions, all permutations are used, so p is exact; with more, random permutations and the
observed order (Phipson & Smyth 2010). Zhou et al. (2019, section 4.4) print the p of Student's t,
which has no basis for six conditions: .20 instead of the exact .21, and .96 instead of 1.

A point is a condition, or a condition and a class (section 5.1: 3 models x 5 classes are 15 points,
which the paper treats as independent). Points of one model are related, and so are points of one
class. So whole conditions and classes are permuted (Hubert & Schultz 1976, "Quadratic assignment as
a general data analysis strategy"), 3 x 5 points in 6 x 120 ways; rho's interval generalises to
other models and classes (`hype.statistics.correlation`, for ranks). Without classes, the interval
is that of Bonett & Wright (2000), "Sample size requirements for estimating Pearson, Kendall and
Spearman correlations", whose variance of Fisher's z is (1 + rho²/2)/(n - 3).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from hype.errors import InputError
from hype.statistics.arrays import FloatArray
from hype.statistics.correlation import correlation, fisher_interval
from hype.statistics.proportions import number_or_none
from hype.statistics.resampling import condition_rng
from hype.tables.formats import read_text_cells
from hype.tables.table_files import TableSource

IntArray = npt.NDArray[np.intp]
MOST_ORDERS: Final = 40_320
"""Up to this many permutations, all are used (for 8 conditions, or 3 conditions x 7 classes)."""
FEWEST: Final = 3
"""With fewer points, a rank correlation means nothing."""
Point = str | tuple[str, str]
"""A condition, or a condition and a class."""
_ROUNDING: Final = 1e-9


def read_metrics(path: TableSource, by: str | None = None) -> pd.DataFrame:
    """Read a table of metrics, with a column ``condition`` and at least one column of numbers.

    If ``by`` names a column of classes, a condition has one row per class; otherwise it has one
    row. An empty cell means that the metric is unknown. The index of the result is the condition,
    or condition and class; each metric is a column of floats, NaN if unknown.

    InputError: the file is not a table; it has no column ``condition``, only this column, or no
    rows; a column has no name; a condition is empty or appears twice (in one class); a cell is not
    a finite number.
    """
    table = read_text_cells(path)
    # people write spaces in headers: "condition, fid, kid"
    table.columns = table.columns.str.strip()
    keys = ["condition", *(name for name in table.columns if name == by != "condition")]
    columns = list(table.columns)
    for name in columns:
        if not name or not name.isprintable():
            raise InputError(path, f"a column is called {name!r}", "a printable name per column")
        if columns.count(name) > 1:
            raise InputError(path, f"the column {name!r} appears twice", "each column once")
    allowed = f"required: condition and at least one metric; found: {', '.join(columns)}"
    if "condition" not in columns:
        raise InputError(path, "the column 'condition' is missing", allowed)
    if len(columns) == len(keys):
        raise InputError(path, "names no metric", allowed)
    if table.empty:
        raise InputError(path, "lists no condition", "one row per condition")
    names = table[keys].astype(object).apply(lambda column: column.str.strip())
    for key in keys:
        if (empty := names[key].eq("")).any():
            _refuse(names[key], empty, path, f"the name of a {key}")
    if (repeated := names.duplicated()).any():
        hint = "each condition once" + (" in a class" if len(keys) > 1 else "")
        _refuse(names["condition"], repeated, path, hint)
    metrics = {}
    for name in columns:
        if name in keys:
            continue
        text = table[name].astype(object).astype(str).str.strip()
        metrics[name] = pd.to_numeric(text, errors="coerce").astype(float)
        if (wrong := text.ne("") & ~np.isfinite(metrics[name])).any():
            _refuse(text, wrong, path, "a number, or an empty cell")
    index = pd.Index(names["condition"]) if len(keys) == 1 else pd.MultiIndex.from_frame(names)
    return pd.DataFrame(metrics).set_axis(index, axis="index")


def _refuse(cells: pd.Series, refused: pd.Series, path: object, allowed: str) -> NoReturn:
    first = int(refused.to_numpy().argmax())
    where = f"{path}, row {cells.index[first]}, column {cells.name}"
    cell = str(cells.iloc[first])
    problem = f"{cell!r} is not allowed" if cell else "is empty"
    raise InputError(where, problem, f"it must be {allowed}")


def correlate(
    scores: Mapping[Any, float],
    metrics: pd.DataFrame,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
) -> tuple[dict[str, Any], ...]:
    """Correlate scores with each metric, over the points that have a score and the metric.

    ``scores``: indexed by condition, or by condition and class, like ``metrics``. If there are more
    than `MOST_ORDERS` permutations, random ones are drawn.

    Returns a row for each ``metric``, in the order of the columns: ``n``, the number of such
    points; Spearman's ρ and Kendall's τ-b (``spearman_rho``, ``kendall_tau``), positive if the
    metric rises with the score; their two-sided ``spearman_p`` and ``kendall_p``; ρ's interval,
    ``spearman_low`` to ``spearman_high``, None if unknown; ``method`` ("exact permutation", or
    "permutation, 10000 draws"). With fewer than `FEWEST` points, or if scores or metrics are all
    equal, the numbers after ``n`` are None and ``problem`` says why.
    """
    points: dict[Point, float] = dict(scores)
    return tuple(
        _correlate_one(str(name), points, metrics[name], rng=rng, draws=draws) for name in metrics
    )


def _correlate_one(
    metric: str,
    scores: Mapping[Point, float],
    column: pd.Series,
    *,
    rng: np.random.Generator,
    draws: int,
) -> dict[str, Any]:
    known = column.dropna()
    shared = [point for point in scores if point in known.index]
    x, y = (np.array([of[point] for point in shared], dtype=float) for of in (scores, known))
    problem = _problem(x, y)
    rho = rho_p = tau = tau_p = low = high = None
    method = ""
    if not problem:
        grid = PointGrid.of(shared)
        orders, exact = grid.orders(rng, draws)
        method = "exact permutation" if exact else f"permutation, {draws} draws"
        method += " of conditions and classes" if grid.classes > 1 else ""
        wide_x, wide_y = grid.spread(x), grid.spread(y)
        rho, tau = (
            float(scipy.stats.spearmanr(x, y).statistic),
            float(scipy.stats.kendalltau(x, y).statistic),
        )
        same = np.arange(len(wide_x))[None, :]
        rho_p, tau_p = (
            _p(measure(wide_x, wide_y, orders), measure(wide_x, wide_y, same), exact=exact)
            for measure in (_rank_products, _concordance)
        )
        low, high = grid.interval(x, y, rho)
    return {
        "metric": metric,
        "n": len(shared),
        "spearman_rho": rho,
        "spearman_p": rho_p,
        "spearman_low": low,
        "spearman_high": high,
        "kendall_tau": tau,
        "kendall_p": tau_p,
        "method": method,
        "problem": problem,
    }


def correlate_with(
    column: str, table: pd.DataFrame, path: object, *, seed: int
) -> tuple[dict[str, Any], ...]:
    """Correlate one column of a table from `read_metrics` with each of the others.

    Raises InputError: there is no such column, or no other column.
    """
    if column not in table or len(table.columns) == 1:
        found = ", ".join(map(str, table.columns))
        problem = f"has no column {column!r}, or no other metric"
        raise InputError(
            path, problem, f"--against names the column with the scores; found: {found}"
        )
    scores = table.pop(column).dropna()
    points = {point: float(value) for point, value in scores.items()}
    return correlate(points, table, rng=condition_rng(seed, "", "metrics"))


@dataclass(frozen=True, kw_only=True)
class PointGrid:
    """A grid of conditions x classes (one class if there are none), and the points in it."""

    conditions: int
    classes: int
    condition: IntArray  # of each point
    group: IntArray  # of each point

    @staticmethod
    def of(points: Sequence[Point]) -> PointGrid:
        pairs = [(point, "") if isinstance(point, str) else point for point in points]
        codes = [pd.factorize(np.array(names, dtype=object)) for names in zip(*pairs, strict=True)]
        (condition, conditions), (group, groups) = codes
        return PointGrid(
            conditions=len(conditions), classes=len(groups), condition=condition, group=group
        )

    def spread(self, values: FloatArray) -> FloatArray:
        """Arrange values over the grid, with NaN where there is no point."""
        places = np.full((self.conditions, self.classes), np.nan)
        places[self.condition, self.group] = values
        return places.ravel()

    def orders(self, rng: np.random.Generator, draws: int) -> tuple[IntArray, bool]:
        """Return permutations of places, shape (orders, places), and whether these are all.

        Each permutation moves whole conditions and whole classes.
        """
        sizes = (self.conditions, self.classes)
        exact = math.prod(map(math.factorial, sizes)) <= MOST_ORDERS
        if exact:
            rows, columns = (_all_orders(n) for n in sizes)
            rows, columns = np.repeat(rows, len(columns), 0), np.tile(columns, (len(rows), 1))
        else:
            rows, columns = (rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=1) for n in sizes)
        places = rows[:, :, None] * self.classes + columns[:, None, :]
        return places.reshape(len(rows), -1), exact

    def interval(
        self, x: FloatArray, y: FloatArray, rho: float
    ) -> tuple[float | None, float | None]:
        if self.classes > 1:
            ranks = [scipy.stats.rankdata(values) for values in (x, y)]
            crossed = correlation(ranks[0], ranks[1], self.condition, self.group)
            return crossed.low, crossed.high
        low, high = fisher_interval(rho, len(x), confidence=0.95, of_ranks=True)
        return number_or_none(low), number_or_none(high)


def _problem(scores: FloatArray, metric: FloatArray) -> str:
    if len(scores) < FEWEST:
        return f"Fewer than {FEWEST} conditions have both a score and this metric."
    if np.ptp(scores) == 0:
        return "All conditions have the same score."
    if np.ptp(metric) == 0:
        return "The metric is the same for all conditions."
    return ""


@cache
def _all_orders(n: int) -> IntArray:
    orders = np.array(list(permutations(range(n))))
    orders.setflags(write=False)
    return orders


def _rank_products(x: FloatArray, y: FloatArray, orders: IntArray) -> FloatArray:
    """Return a value proportional to Spearman's rho for each order of y; NaN is ignored."""
    ranks_x, ranks_y = (
        np.nan_to_num(scipy.stats.rankdata(v, nan_policy="omit") - (np.sum(~np.isnan(v)) + 1) / 2)
        for v in (x, y)
    )
    return np.atleast_1d(ranks_y[orders] @ ranks_x)


def _concordance(x: FloatArray, y: FloatArray, orders: IntArray) -> FloatArray:
    """Return a value proportional to Kendall's tau: concordant minus discordant pairs."""
    signs_x, signs_y = (
        np.nan_to_num(np.sign(values[:, None] - values)).astype(np.int8) for values in (x, y)
    )
    total = np.zeros(len(orders))
    for first in range(len(x) - 1):
        signs = signs_y[orders[:, first, None], orders[:, first + 1 :]]
        total += signs @ signs_x[first, first + 1 :].astype(float)
    return total


def _p(permuted: FloatArray, observed: FloatArray, *, exact: bool) -> float:
    extreme = int((np.abs(permuted) >= abs(observed[0]) - _ROUNDING).sum())
    return extreme / len(permuted) if exact else (extreme + 1) / (len(permuted) + 1)
