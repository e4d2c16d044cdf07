"""Do the conditions vary alike: Levene's test, about the median.

Levene (1960), "Robust tests for equality of variances", with the median for a centre as Brown &
Forsythe (1974), "Robust tests for the equality of variances", Journal of the American Statistical
Association 69, propose: about the mean, scores that are skewed, as exposures and error rates near
a bound are, give too many false alarms. It is an analysis of variance of the distances between
scores and their condition's median.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hype.analysis.separability.anova import one_way
from hype.analysis.separability.group_moments import moments, rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.analysis.separability.group_moments import FloatArray

CENTRE = "median"

_TOO_FEW = "fewer than two of them have two evaluators or more"
_ALL_AS_FAR = "within each, all scores lie equally far from the median"


@dataclass(frozen=True, kw_only=True)
class Levene:
    """Levene's test of equal variances.

    Parameters
    ----------
    f, p
        None where `problem` says why.
    df_between, df_within
        Over the conditions with two evaluators or more.
    centre
        What distances are taken from: "median" (Brown and Forsythe's test).
    left_out
        Conditions with a single evaluator, who shows nothing of how evaluators vary.
    problem
        A sentence on why there is no f; empty where there is.
    """

    f: float | None
    df_between: int
    df_within: int
    p: float | None
    centre: str = CENTRE
    left_out: tuple[str, ...] = ()
    problem: str = ""


def levene(groups: Mapping[str, FloatArray]) -> Levene:
    """Test whether conditions vary alike.

    Parameters
    ----------
    groups
        Condition to its evaluators' scores, shape (evaluators,), finite, not empty.
    """
    left_out = tuple(name for name, values in groups.items() if len(values) == 1)
    kept = {name: values for name, values in groups.items() if len(values) > 1}
    if len(kept) < 2:
        return _untested(0, sum(map(len, kept.values())) - len(kept), left_out, _TOO_FEW)
    distances = {name: np.abs(values - np.median(values)) for name, values in kept.items()}
    test = one_way(moments(distances, rounding=rounding(kept)))
    if test.f is None:
        return _untested(test.df_between, test.df_within, left_out, _ALL_AS_FAR)
    return Levene(
        f=test.f,
        df_between=test.df_between,
        df_within=test.df_within,
        p=test.p,
        left_out=left_out,
    )


def _untested(df_between: int, df_within: int, left_out: tuple[str, ...], why: str) -> Levene:
    return Levene(
        f=None,
        df_between=df_between,
        df_within=df_within,
        p=None,
        left_out=left_out,
        problem=f"Whether conditions vary alike cannot be tested: {why}.",
    )
