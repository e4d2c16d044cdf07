"""Analysis of variance between conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError
from hype.statistics.arrays import FloatArray


def eta_squared(*, between: float, within: float) -> float:
    """Return the share of variance between conditions, from sums of squares (not both 0)."""
    return between / (between + within)


def omega_squared(*, between: float, within: float, df_between: int, df_within: int) -> float:
    """Estimate the share of the population's variance that is between conditions; at most 1.

    Eta squared is too large on average; this estimate is not. The estimate is below 0 if conditions
    differ less than chance predicts (F < 1). ``within`` must be above 0.
    """
    error = within / df_within
    return (between - df_between * error) / (between + within + error)


def hedges_g(difference: FloatArray, squares: FloatArray, df: FloatArray) -> list[float | None]:
    """Return Hedges' g: a difference of means in standard deviations, corrected for small samples.

    J(df) · difference / s, where s² = squares / df pools the variances of the two conditions only:
    ``squares`` is the sum of squared deviations within both, df the number of evaluators in both
    minus 2; all have shape (pairs,). J(df) = Γ(df/2) / (√(df/2)·Γ((df - 1)/2)), about 1 - 3/(4·df -
    1), corrects the mean bias of a standardised difference: Hedges (1981). None if the difference
    is missing, no score varies in either condition, or df is below 2, where J is not defined.
    """
    defined = (squares > 0) & (df >= 2) & ~np.isnan(difference)
    half, g = df[defined] / 2, np.full(len(df), np.nan)
    correction = np.exp(special.gammaln(half) - special.gammaln(half - 0.5)) / np.sqrt(half)
    g[defined] = correction * difference[defined] / np.sqrt(squares[defined] / df[defined])
    return [float(value) if known else None for value, known in zip(g, defined, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Anova:
    """An analysis of variance: one-way, or with repeated measures."""

    # f, p: None if no score varies within its condition
    f: float | None
    # df_between, df_within: k - 1 and N - k for k conditions and N scores; for repeated measures of
    # n people k - 1 and (k - 1)·(n - 1)
    df_between: int
    df_within: int
    p: float | None
    # The share of all variance that is between conditions, 0 to 1; None if f is None
    eta_squared: float | None = None
    # An estimate of this share in the population; it may be below 0. None if f is None.
    omega_squared: float | None = None
    # For repeated measures: Greenhouse and Geisser's factor; it multiplies the degrees of freedom
    epsilon: float | None = None


@dataclass(frozen=True, kw_only=True)
class WelchAnova:
    """Welch's analysis of variance, in which every condition has its own variance."""

    # f, df_within, p: None if a condition has a single score or only equal scores
    f: float | None
    df_between: int  # k - 1
    df_within: float | None
    p: float | None
    problem: str = ""  # why f is None, as a sentence; otherwise empty


def one_way(groups: GroupMoments) -> Anova:
    """Compare the means of conditions, assuming equal variances."""
    df_between, df_within = groups.df_between, groups.df_within
    if not groups.varies:
        return Anova(f=None, df_between=df_between, df_within=df_within, p=None)
    grand_mean = np.average(groups.means, weights=groups.sizes)
    between = float((groups.sizes * (groups.means - grand_mean) ** 2).sum())
    within = float(groups.squares.sum())
    f = between / df_between / (within / df_within)
    return Anova(
        f=f,
        df_between=df_between,
        df_within=df_within,
        p=float(special.fdtrc(df_between, df_within, f)),
        eta_squared=eta_squared(between=between, within=within),
        omega_squared=omega_squared(
            between=between, within=within, df_between=df_between, df_within=df_within
        ),
    )


def compare_repeated(scores: FloatArray) -> Anova:
    """Compare conditions that the same people judged; ``scores``: shape (people, conditions).

    The differences may have unequal variances, so the degrees of freedom are corrected as in
    Greenhouse and Geisser (1959), "On methods in the analysis of profile data", Psychometrika 24.
    """
    people, conditions = scores.shape
    df_between, df_within = conditions - 1, (conditions - 1) * (people - 1)
    own = scores - scores.mean(axis=1, keepdims=True)
    left = own - own.mean(axis=0)
    between = float(people * np.square(own.mean(axis=0)).sum())
    within = float(np.square(left).sum())
    if df_within == 0 or within <= ROUNDING**2 * float(np.square(scores).sum()):
        return Anova(f=None, df_between=df_between, df_within=df_within, p=None)
    spread = left.T @ left
    epsilon = float(np.trace(spread) ** 2 / (df_between * np.square(spread).sum()))
    f = between / df_between / (within / df_within)
    return Anova(
        f=f,
        df_between=df_between,
        df_within=df_within,
        p=float(special.fdtrc(epsilon * df_between, epsilon * df_within, f)),
        eta_squared=eta_squared(between=between, within=within),
        epsilon=epsilon,
    )


def welch(groups: GroupMoments) -> WelchAnova:
    """Compare the means of conditions that may have unequal variances: Welch (1951).

    `scipy.stats.f_oneway` also computes this F and p, but it returns no degrees of freedom, and it
    needs SciPy 1.16 and Python 3.11.
    """
    k, df_between = len(groups.names), groups.df_between
    if (constant := groups.squares == 0).any():
        names = ", ".join(np.array(groups.names, dtype=object)[constant])
        problem = (
            "Welch's analysis of variance divides by each condition's variance, which is unknown "
            f"or 0 for {names} (a single evaluator, or equal scores)."
        )
        return WelchAnova(f=None, df_between=df_between, df_within=None, p=None, problem=problem)
    weights = groups.sizes / groups.variances
    share = weights / weights.sum()
    between = (weights * (groups.means - share @ groups.means) ** 2).sum() / df_between
    uncertainty = ((1 - share) ** 2 / (groups.sizes - 1)).sum() / (k**2 - 1)
    f = float(between / (1 + 2 * (k - 2) * uncertainty))
    df_within = float(1 / (3 * uncertainty))
    return WelchAnova(
        f=f,
        df_between=df_between,
        df_within=df_within,
        p=float(special.fdtrc(df_between, df_within, f)),
    )


ROUNDING = 1e-12
"""Scores count as equal if they differ by at most this share of the largest score."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMoments:
    """Summaries of scores for the tests; every array has shape (conditions,)."""

    names: tuple[str, ...]  # the conditions in the given order
    sizes: FloatArray  # the number of evaluators in each condition
    means: FloatArray  # mean scores, in the score's unit
    # Sum of squared deviations from the condition's mean; exactly 0 if all scores are equal
    squares: FloatArray

    @property
    def df_between(self) -> int:
        return len(self.names) - 1

    @property
    def df_within(self) -> int:
        return int(self.sizes.sum()) - len(self.names)

    @property
    def varies(self) -> bool:
        return bool(self.squares.any())

    @property
    def variances(self) -> FloatArray:
        """Sample variance in each condition; 0 for a single evaluator."""
        return np.asarray(self.squares / np.maximum(self.sizes - 1, 1))


def make_arrays(scores: Mapping[str, npt.ArrayLike]) -> dict[str, FloatArray]:
    """Turn scores into arrays of shape (evaluators,).

    Raises InputError: no condition; a condition without scores; a missing or infinite score.
    """
    if not scores:
        raise InputError("scores", "there is no condition", "give one condition or more")
    arrays = {name: np.asarray(values, dtype=float).ravel() for name, values in scores.items()}
    for name, values in arrays.items():
        if not (values.size and np.isfinite(values).all()):
            problem = "a score is missing or infinite" if values.size else "there is no score"
            raise InputError(f"scores of {name}", problem, "give one or more finite numbers")
    return arrays


def rounding(groups: Mapping[str, FloatArray]) -> float:
    return ROUNDING * max(float(np.abs(values).max()) for values in groups.values())


def moments(groups: Mapping[str, FloatArray], *, rounding: float) -> GroupMoments:
    """Summarise each condition's scores: an array of shape (evaluators,) that is not empty.

    Scores of a condition count as equal if they differ by ``rounding`` or less.
    """
    squares = [
        float(((values - values.mean()) ** 2).sum()) if np.ptp(values) > rounding else 0.0
        for values in groups.values()
    ]
    return GroupMoments(
        names=tuple(groups),
        sizes=np.array([len(values) for values in groups.values()], dtype=float),
        means=np.array([values.mean() for values in groups.values()]),
        squares=np.array(squares),
    )
