"""Compute figures that the paper does not print, but implies: Stds, intervals, tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from published import EVALUATORS, Run
from scipy import stats

PRINTED_F: Final = {("celeba-64", "time"): 83.5, ("training", "infinity"): 63.3}
"""F of the runs whose Std. is not printed."""
BOTTOMED_OUT_MS: Final = (100.0, 110.0)
"""The paper: "around the minimum available exposure time of 100ms". We accept one step more."""
STD_AT_THE_FLOOR_MS: Final = 1.0
Z: Final = 1.96
VARIANCE_PER_STD: Final = EVALUATORS**2 / (EVALUATORS - 1)
"""The variance between evaluators, divided by the squared Std. of the bootstrap."""


def std_of_anova(runs: Sequence[Run], f: float) -> float:
    """Return the Std. that gives the printed F if models above the shortest exposure share it.

    F is 30 times the variance of the means, divided by the mean square within conditions.
    """
    varying = sum(not run.bottomed_out for run in runs)
    within = EVALUATORS * np.var([run.score for run in runs], ddof=1) / f
    return float(np.sqrt(within * len(runs) / varying / VARIANCE_PER_STD))


def std_of(run: Run, together: Sequence[Run]) -> float:
    """Return a run's Std., printed or implied; ``together``: all runs of the same ANOVA."""
    if run.std is not None:
        return run.std
    if run.bottomed_out:
        return STD_AT_THE_FLOOR_MS
    return std_of_anova(together, PRINTED_F[run.study, run.method])


def interval_of(run: Run, together: Sequence[Run]) -> tuple[float, float]:
    """Return a run's printed 95 % interval; if there is none, the score ± 1.96 Std."""
    if run.ci_low is not None and run.ci_high is not None:
        return run.ci_low, run.ci_high
    if run.bottomed_out:
        return BOTTOMED_OUT_MS
    half = Z * std_of(run, together)
    return run.score - half, run.score + half


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """The ANOVA and p values of pairs that printed figures imply (for two runs, Student's test)."""

    f: float
    df: tuple[int, int]
    p: float
    pairs: dict[tuple[str, str], float]


def tests_of(runs: Sequence[Run]) -> Tests:
    """Test the conditions of a study, from their means and Stds only."""
    names = [run.condition for run in runs]
    means = np.array([run.score for run in runs])
    within = np.mean([VARIANCE_PER_STD * std_of(run, runs) ** 2 for run in runs])
    df = len(runs) - 1, len(runs) * (EVALUATORS - 1)
    f = float(EVALUATORS * means.var(ddof=1) / within)
    error = np.sqrt(within / EVALUATORS)
    return Tests(
        f=f,
        df=df,
        p=float(stats.f.sf(f, *df)),
        pairs={
            (a, b): pair_p(abs(means[i] - means[j]) / error, len(runs))
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i != j
        },
    )


@cache
def pair_p(q: float, conditions: int) -> float:
    """Return the p of a studentised range; for two conditions it equals the p of Student's test."""
    df = conditions * (EVALUATORS - 1)
    if conditions == 2:
        return float(2 * stats.t.sf(q / np.sqrt(2), df))
    return float(np.clip(stats.studentized_range.sf(q, conditions, df), 0, 1))


@cache
def critical_q(conditions: int) -> float:
    """Return the studentised range above which a pair is separable at 5 %."""
    df = conditions * (EVALUATORS - 1)
    if conditions == 2:
        return float(np.sqrt(2) * stats.t.isf(0.025, df))
    return float(stats.studentized_range.isf(0.05, conditions, df))
