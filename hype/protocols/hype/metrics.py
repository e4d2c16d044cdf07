"""Do automated metrics rank conditions as people do: rank correlations with honest p-values.

Spearman (1904), "The proof and measurement of association between two things", for rho (ties take
mean ranks); Kendall (1945), "The treatment of ties in ranking problems", for tau-b. Both p-values
are two-sided and come from permuting the scores over the conditions (Pitman 1937): for few
conditions exactly, over all permutations, else over random ones, counting the observed one (Phipson
& Smyth 2010). Zhou et al. (2019, section 4.4) print the p of Student's t approximation, which has
no basis for six conditions: .20 where the exact one is .21, .96 where it is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from hype.errors import InputError
from hype.statistics.arrays import FloatArray
from hype.tables.table_files import read_text_cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.tables.table_files import TableSource

IntArray = npt.NDArray[np.intp]
EXACT_UP_TO: Final = 8
"""Conditions; 8 have 40,320 permutations."""
FEWEST: Final = 3
"""Conditions below which a rank correlation says nothing."""
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class MetricCorrelation:
    """How one metric goes with the scores."""

    metric: str
    n: int  # conditions that have both a score and the metric
    # spearman_rho, kendall_tau: from -1 to 1; positive where the metric rises with the score. None
    # where there is a problem.
    spearman_rho: float | None
    # spearman_p, kendall_p: two-sided; None where there is a problem
    spearman_p: float | None
    kendall_tau: float | None
    kendall_p: float | None
    # "exact permutation", or "permutation, 10000 draws"; empty where there is a problem
    method: str
    missing: tuple[str, ...]  # scored conditions for which the metric is unknown
    unscored: tuple[str, ...]  # conditions of the table that have no score
    problem: str  # a sentence on why there are no figures; empty where there are


def read_metrics(path: TableSource) -> pd.DataFrame:
    """Read a table of metrics.

    Parameters
    ----------
    path
        Comma-separated text: a column ``condition`` and at least one column of numbers. An empty
        cell means that the metric is unknown for that condition.

    Returns
    -------
    DataFrame
        One row per condition, which is the index; one column of floats per metric, NaN where
        unknown.

    Raises
    ------
    InputError
        The file is no such table, it has no column ``condition``, no other one or no row; a column
        without a name; a condition that is empty or stands there twice; a cell that is no finite
        number.
    """
    table = read_text_cells(path)
    table.columns = table.columns.str.strip()  # a person writes "condition, fid, kid"
    _refuse_columns(list(table.columns), path)
    if table.empty:
        raise InputError(path, "lists no condition", "one row per condition")
    names = table.pop("condition").astype(object).str.strip()
    _refuse_names(names, path)
    metrics = {name: _numbers(table[name], path) for name in table}
    return pd.DataFrame(metrics).set_axis(pd.Index(names, name="condition"), axis="index")


def correlate(
    scores: Mapping[str, float],
    metrics: pd.DataFrame,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
) -> tuple[MetricCorrelation, ...]:
    """Correlate scores with each metric, over the conditions that have both.

    In the order of the columns. With fewer than `FEWEST` conditions, or where the scores or the
    metric are all the same, there are no figures and `problem` says why. Beyond `EXACT_UP_TO`
    conditions permutations are drawn.
    """
    return tuple(
        _correlation(str(name), scores, metrics[name], rng=rng, draws=draws) for name in metrics
    )


def _refuse_columns(names: list[str], path: object) -> None:
    for name in names:
        if not name or not name.isprintable():
            raise InputError(path, f"a column is called {name!r}", "a printable name per column")
        if names.count(name) > 1:
            raise InputError(path, f"the column {name!r} appears twice", "each column once")
    allowed = f"needed are condition and at least one metric; found are {', '.join(names)}"
    if "condition" not in names:
        raise InputError(path, "the column 'condition' is missing", allowed)
    if len(names) == 1:
        raise InputError(path, "names no metric", allowed)


def _refuse_names(names: pd.Series, path: object) -> None:
    if (empty := names.eq("")).any():
        _refuse(names, empty, path, "the name of a condition")
    if (repeated := names.duplicated()).any():
        _refuse(names, repeated, path, "each condition once")


def _numbers(cells: pd.Series, path: object) -> pd.Series:
    text = cells.astype(object).astype(str).str.strip()
    values = pd.to_numeric(text, errors="coerce").astype(float)
    wrong = text.ne("") & ~np.isfinite(values)
    if wrong.any():
        _refuse(text, wrong, path, "a number, or an empty cell")
    return values


def _refuse(cells: pd.Series, refused: pd.Series, path: object, allowed: str) -> NoReturn:
    first = int(refused.to_numpy().argmax())
    where = f"{path}, row {cells.index[first]}, column {cells.name}"
    cell = str(cells.iloc[first])
    problem = f"{cell!r} is not allowed" if cell else "is empty"
    raise InputError(where, problem, f"allowed is {allowed}")


def _correlation(
    metric: str,
    scores: Mapping[str, float],
    column: pd.Series,
    *,
    rng: np.random.Generator,
    draws: int,
) -> MetricCorrelation:
    known = column.dropna()
    shared = [name for name in scores if name in known.index]
    x, y = np.array([scores[name] for name in shared], dtype=float), known[shared].to_numpy(float)
    problem = _problem(x, y)
    rho = rho_p = tau = tau_p = None
    method = ""
    if not problem:
        orders, exact = _orders(len(x), rng, draws)
        method = "exact permutation" if exact else f"permutation, {draws} draws"
        rho, tau = float(stats.spearmanr(x, y).statistic), float(stats.kendalltau(x, y).statistic)
        rho_p = _p(_rank_products(x, y, orders), _rank_products(x, y), exact=exact)
        tau_p = _p(_concordance(x, y, orders), _concordance(x, y), exact=exact)
    return MetricCorrelation(
        metric=metric,
        n=len(shared),
        spearman_rho=rho,
        spearman_p=rho_p,
        kendall_tau=tau,
        kendall_p=tau_p,
        method=method,
        missing=tuple(name for name in scores if name not in known.index),
        unscored=tuple(str(name) for name in column.index if name not in scores),
        problem=problem,
    )


def _problem(scores: FloatArray, metric: FloatArray) -> str:
    if len(scores) < FEWEST:
        return f"Fewer than {FEWEST} conditions have both a score and this metric."
    if np.ptp(scores) == 0:
        return "All conditions have the same score."
    if np.ptp(metric) == 0:
        return "The metric is the same for all conditions."
    return ""


def _orders(n: int, rng: np.random.Generator, draws: int) -> tuple[IntArray, bool]:
    """Give orders of n conditions, shape (orders, n), and whether they are all there are."""
    if n <= EXACT_UP_TO:
        return _all_orders(n), True
    return rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=1), False


@cache
def _all_orders(n: int) -> IntArray:
    orders = np.array(list(permutations(range(n))))
    orders.setflags(write=False)
    return orders


def _rank_products(x: FloatArray, y: FloatArray, orders: IntArray | None = None) -> FloatArray:
    """Give what Spearman's rho is in proportion to, for y in each order."""
    ranks_x, ranks_y = (stats.rankdata(values) - (len(x) + 1) / 2 for values in (x, y))
    return np.atleast_1d(ranks_y[_given(len(x), orders)] @ ranks_x)


def _concordance(x: FloatArray, y: FloatArray, orders: IntArray | None = None) -> FloatArray:
    """Give what Kendall's tau is in proportion to: concordant less discordant pairs."""
    signs_x, signs_y = (np.sign(values[:, None] - values).astype(np.int8) for values in (x, y))
    given = _given(len(x), orders)
    total = np.zeros(len(given))
    for first in range(len(x) - 1):
        signs = signs_y[given[:, first, None], given[:, first + 1 :]]
        total += signs @ signs_x[first, first + 1 :].astype(float)
    return total


def _given(n: int, orders: IntArray | None) -> IntArray:
    return np.arange(n)[None, :] if orders is None else orders


def _p(permuted: FloatArray, observed: FloatArray, *, exact: bool) -> float:
    extreme = int((np.abs(permuted) >= abs(observed[0]) - _ROUNDING).sum())
    return extreme / len(permuted) if exact else (extreme + 1) / (len(permuted) + 1)
