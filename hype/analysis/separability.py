"""Can the conditions be told apart: one-way ANOVA, then a test of each pair.

Fisher (1925) for the analysis of variance; Tukey (1953) with Kramer's (1956) correction for
unequal numbers of evaluators, for three conditions or more; Student's (1908) unpaired t-test for
two. All of them assume that an evaluator serves one condition and that scores vary alike in all.

The degrees of freedom are k - 1 and N - k, for k conditions and N evaluators in all: 3 and 116 for
four conditions of 30. (Zhou et al. print F(3, 29) for that design.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FloatArray = npt.NDArray[np.float64]

TUKEY = "tukey-hsd"
STUDENT = "student-t"


@dataclass(frozen=True, kw_only=True)
class Anova:
    """A one-way analysis of variance; f and p are None where the data allow none."""

    f: float | None
    df_between: int
    df_within: int
    p: float | None


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two conditions compared.

    Parameters
    ----------
    a, b
        The conditions.
    difference
        Mean of the evaluators' scores in `a`, less that in `b`, in the score's unit.
    statistic
        Tukey's studentised range q (unsigned), or Student's t (of the difference's sign).
    p
        Two-sided; corrected for the number of pairs where the method is Tukey's.
    separable
        Whether p is below the level alpha; None where the data allow no test.
    """

    a: str
    b: str
    difference: float
    statistic: float | None
    p: float | None
    separable: bool | None


@dataclass(frozen=True, kw_only=True)
class Separability:
    """The outcome of `compare_conditions`, with its settings.

    Parameters
    ----------
    anova
        None where there is only one condition.
    pairwise
        Every pair once, in the order of the conditions given.
    method
        "tukey-hsd", "student-t", or None where there is only one condition.
    alpha
        The level below which a pair counts as separable.
    problem
        A sentence on why there are no statistics; empty where there are.
    """

    anova: Anova | None
    pairwise: tuple[Pair, ...]
    method: str | None
    alpha: float
    problem: str


def compare_conditions(scores: Mapping[str, npt.ArrayLike], *, alpha: float = 0.05) -> Separability:
    """Test whether conditions differ, all together and in pairs.

    Parameters
    ----------
    scores
        Condition to its evaluators' scores, shape (evaluators,), at least one each.
    alpha
        The level below which a pair counts as separable.

    Notes
    -----
    Where no score varies within its condition, or every condition has a single evaluator, there
    is nothing to measure differences against: degrees of freedom and differences are still
    given, statistics are None, and `problem` says so.
    """
    groups = {name: np.asarray(values, dtype=float) for name, values in scores.items()}
    if len(groups) == 1:
        return Separability(anova=None, pairwise=(), method=None, alpha=alpha, problem="")
    problem = _problem(list(groups.values()))
    method = STUDENT if len(groups) == 2 else TUKEY
    return Separability(
        anova=_anova(list(groups.values()), testable=not problem),
        pairwise=tuple(_pairs(groups, method=method, alpha=alpha, testable=not problem)),
        method=method,
        alpha=alpha,
        problem=problem,
    )


def _problem(groups: Sequence[FloatArray]) -> str:
    if all(len(group) == 1 for group in groups):
        return (
            "Every condition has a single evaluator, so nothing shows how much evaluators vary: "
            "no F and no p can be computed."
        )
    if all(np.ptp(group) == 0 for group in groups):
        return (
            "Within every condition all evaluators have the same score, so the variance that "
            "differences are measured against is zero: no F and no p can be computed."
        )
    return ""


def _anova(groups: Sequence[FloatArray], *, testable: bool) -> Anova:
    df_between, df_within = len(groups) - 1, _df_within(groups)
    if not testable:
        return Anova(f=None, df_between=df_between, df_within=df_within, p=None)
    f, p = stats.f_oneway(*groups)
    return Anova(f=float(f), df_between=df_between, df_within=df_within, p=float(p))


def _df_within(groups: Sequence[FloatArray]) -> int:
    return sum(map(len, groups)) - len(groups)


def _mean_square_within(groups: Sequence[FloatArray]) -> float:
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    return squares / _df_within(groups)


def _pairs(
    groups: Mapping[str, FloatArray], *, method: str, alpha: float, testable: bool
) -> Iterator[Pair]:
    within = list(groups.values())
    df = _df_within(within)
    variance = _mean_square_within(within) if testable else np.nan
    for a, b in combinations(groups, 2):
        difference = float(groups[a].mean() - groups[b].mean())
        statistic = p = separable = None
        if testable:
            standard_error = np.sqrt(variance * (1 / len(groups[a]) + 1 / len(groups[b])))
            t = difference / standard_error
            statistic, p = _student(t, df) if method == STUDENT else _tukey(t, len(groups), df)
            separable = p < alpha
        yield Pair(a=a, b=b, difference=difference, statistic=statistic, p=p, separable=separable)


def _student(t: float, df: int) -> tuple[float, float]:
    return float(t), float(2 * stats.t.sf(abs(t), df))


def _tukey(t: float, conditions: int, df: int) -> tuple[float, float]:
    # scipy.stats.tukey_hsd computes the same, but refuses a condition with one evaluator.
    q = np.sqrt(2) * abs(t)
    p = stats.studentized_range.sf(q, conditions, df)
    return float(q), float(np.clip(p, 0, 1))
