"""Which conditions differ: a test, an interval and an effect size for each pair.

Where scores vary alike: Tukey (1953), "The problem of multiple comparisons", with Kramer's (1956)
correction for unequal numbers of evaluators; for two conditions Student's (1908) unpaired t-test.
Where they need not: Games & Howell (1976), "Pairwise multiple comparison procedures with unequal
n's and/or variances", Journal of Educational Statistics 1; for two conditions Welch's (1938)
t-test. Both of these have Welch and Satterthwaite's degrees of freedom, each pair its own.

Tukey's and Games and Howell's p and intervals hold for all pairs together: with probability
1 - alpha, no interval misses its difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.statistics.effect_sizes import hedges_g
from hype.statistics.studentized_range import critical, survival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.statistics.anova import FloatArray, GroupMoments

TUKEY = "tukey-hsd"
STUDENT = "student-t"
GAMES_HOWELL = "games-howell"
WELCH = "welch-t"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two conditions compared.

    Parameters
    ----------
    a, b
        The conditions.
    difference
        Mean of the evaluators' scores in `a`, less that in `b`, in the score's unit.
    ci_low, ci_high
        Interval of the difference at confidence 1 - alpha; simultaneous for all pairs where the
        method is Tukey's or Games and Howell's.
    statistic
        The studentised range q (unsigned) of these two, or t (of the difference's sign) of
        Student's and Welch's.
    df
        Degrees of freedom of the error; fractional where variances are not pooled.
    p
        Two-sided; corrected for the number of pairs where the method is Tukey's or Games and
        Howell's.
    separable
        Whether p is below the level alpha.
    hedges_g
        The difference in standard deviations pooled over these two, corrected for small samples;
        None where no score varies within either, or they have fewer than four evaluators together.
    problem
        A sentence on why there is no test: all from ci_low to separable are None. Else empty.
    """

    a: str
    b: str
    difference: float
    ci_low: float | None = None
    ci_high: float | None = None
    statistic: float | None
    df: float | None = None
    p: float | None
    separable: bool | None
    hedges_g: float | None = None
    problem: str = ""


class _Test(NamedTuple):
    statistic: float
    df: float
    p: float
    half_width: float


class _Errors(NamedTuple):
    """Standard errors of the differences, and their degrees of freedom; shape (pairs,)."""

    standard: FloatArray
    df: FloatArray
    problems: Sequence[str]


def pooled_pairs(groups: GroupMoments, *, alpha: float, problem: str = "") -> tuple[Pair, ...]:
    """Compare every pair by Tukey's test, or by Student's where there are two conditions.

    Parameters
    ----------
    groups
        Two conditions or more.
    alpha
        The level below which a pair counts as separable.
    problem
        Why no pair can be tested; empty where scores vary in some condition.
    """
    a, b = _places(groups)
    variance = 0.0 if problem else groups.mean_square_within
    errors = _Errors(
        standard=np.sqrt(variance * (1 / groups.sizes[a] + 1 / groups.sizes[b])),
        df=np.full(len(a), float(groups.df_within)),
        problems=[problem] * len(a),
    )
    return _pairs(groups, errors, alpha=alpha)


def unpooled_pairs(groups: GroupMoments, *, alpha: float) -> tuple[Pair, ...]:
    """Compare every pair by Games and Howell's test, or by Welch's where there are two conditions.

    Parameters
    ----------
    groups
        Two conditions or more.
    alpha
        The level below which a pair counts as separable.

    Notes
    -----
    A pair of which one condition has evaluators who all score the same still has a test, with the
    other's degrees of freedom. Where both are so, or either has a single evaluator, there is none.
    """
    a, b = _places(groups)
    per_mean = groups.variances / groups.sizes
    variance = per_mean[a] + per_mean[b]
    shares = per_mean**2 / np.maximum(groups.sizes - 1, 1)
    problems = [_unpooled_problem(groups, i, j) for i, j in zip(a, b, strict=True)]
    defined = np.array([not problem for problem in problems])
    df = np.divide(variance**2, shares[a] + shares[b], out=np.ones(len(a)), where=defined)
    return _pairs(groups, _Errors(np.sqrt(variance), df, problems), alpha=alpha)


def _places(groups: GroupMoments) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(len(groups.names), k=1)


def _unpooled_problem(groups: GroupMoments, a: int, b: int) -> str:
    for i in (a, b):
        if groups.sizes[i] == 1:
            return f"{groups.names[i]} has a single evaluator, who shows no variance of its own."
    if not groups.squares[[a, b]].any():
        return f"All evaluators of {groups.names[a]} score the same, and all of {groups.names[b]}."
    return ""


def _pairs(groups: GroupMoments, errors: _Errors, *, alpha: float) -> tuple[Pair, ...]:
    a, b = _places(groups)
    differences = groups.means[a] - groups.means[b]
    effects = hedges_g(
        differences, groups.squares[a] + groups.squares[b], groups.sizes[a] + groups.sizes[b] - 2
    )
    tests = _tests(differences, errors, len(groups.names), alpha)
    return tuple(
        Pair(
            a=groups.names[a[i]],
            b=groups.names[b[i]],
            difference=difference,
            ci_low=test and difference - test.half_width,
            ci_high=test and difference + test.half_width,
            statistic=test and test.statistic,
            df=test and test.df,
            p=test and test.p,
            separable=test and test.p < alpha,
            hedges_g=effects[i],
            problem=errors.problems[i],
        )
        for i, (difference, test) in enumerate(zip(differences.tolist(), tests, strict=True))
    )


def _tests(
    differences: FloatArray, errors: _Errors, conditions: int, alpha: float
) -> list[_Test | None]:
    """Test all pairs that have no problem, together."""
    defined = np.array([not problem for problem in errors.problems])
    standard, df = errors.standard[defined], errors.df[defined]
    t = differences[defined] / standard
    if conditions == 2:
        statistic, p, quantile = _t_tests(t, df, alpha)
    else:
        statistic, p, quantile = _range_tests(t, df, conditions, alpha)
    columns = (statistic, df, p, quantile * standard)
    rows = iter(zip(*(column.tolist() for column in columns), strict=True))
    return [_Test(*next(rows)) if known else None for known in defined]


def _t_tests(t: FloatArray, df: FloatArray, alpha: float) -> tuple[FloatArray, ...]:
    p = np.asarray(2 * special.stdtr(df, -np.abs(t)), dtype=float)
    return t, p, -np.asarray(special.stdtrit(df, alpha / 2), dtype=float)


def _range_tests(
    t: FloatArray, df: FloatArray, conditions: int, alpha: float
) -> tuple[FloatArray, ...]:
    q = np.asarray(np.sqrt(2) * np.abs(t), dtype=float)
    quantile = np.asarray(critical(alpha, conditions, df) / np.sqrt(2), dtype=float)
    return q, survival(q, conditions, df), quantile
