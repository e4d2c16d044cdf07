"""Do the conditions differ at all: analysis of variance, with equal variances and without.

Fisher (1925), "Statistical Methods for Research Workers", where scores vary alike in all
conditions; Welch (1951), "On the comparison of several mean values: an alternative approach",
Biometrika 38, where they do not. The first has k - 1 and N - k degrees of freedom, for k conditions
and N evaluators in all: 3 and 116 for four conditions of 30. (Zhou et al. print F(3, 29) for that
design.) Welch's second is estimated from the data, and is no whole number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from hype.analysis.separability.effect_sizes import eta_squared, omega_squared

if TYPE_CHECKING:
    from hype.analysis.separability.group_moments import GroupMoments


@dataclass(frozen=True, kw_only=True)
class Anova:
    """A one-way analysis of variance.

    Parameters
    ----------
    f, p
        None where no score varies within its condition.
    df_between, df_within
        k - 1 and N - k.
    eta_squared
        Share of the variance that lies between conditions, in [0, 1]; None where f is.
    omega_squared
        The same, estimated for the population; may be below 0. None where f is.
    """

    f: float | None
    df_between: int
    df_within: int
    p: float | None
    eta_squared: float | None = None
    omega_squared: float | None = None


@dataclass(frozen=True, kw_only=True)
class WelchAnova:
    """Welch's analysis of variance, which lets every condition have a variance of its own.

    Parameters
    ----------
    f, df_within, p
        None where some condition has a single evaluator, or evaluators who all score the same.
    df_between
        k - 1.
    problem
        A sentence on why there is no f; empty where there is.
    """

    f: float | None
    df_between: int
    df_within: float | None
    p: float | None
    problem: str = ""


def one_way(groups: GroupMoments) -> Anova:
    """Compare the means of conditions that vary alike."""
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


def welch(groups: GroupMoments) -> WelchAnova:
    """Compare the means of conditions that need not vary alike: Welch (1951)."""
    k, df_between = len(groups.names), groups.df_between
    if problem := _welch_problem(groups):
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


def _welch_problem(groups: GroupMoments) -> str:
    constant = groups.squares == 0
    if not constant.any():
        return ""
    names = ", ".join(np.array(groups.names, dtype=object)[constant])
    return (
        "Welch's analysis of variance weights conditions by their variances, and there is none in: "
        f"{names} (a single evaluator, or all with the same score)."
    )
