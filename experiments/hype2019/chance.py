"""Compute how often thirty other evaluators would give the paper's results.

Evaluators' scores are normally distributed, as if the published means and Stds were true.
Only the sampling of people is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from implied import VARIANCE_PER_STD, critical_q, interval_of, std_of
from numpy.typing import NDArray
from published import EVALUATORS, Run, Verdict
from scipy import stats

REPEATS: Final = 20_000
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Means, and variances within conditions, of many repeated studies; shape (repeats, runs)."""

    runs: Sequence[Run]
    means: Array
    variances: Array

    def inside(self) -> NDArray[np.bool_]:
        """Return for each repeat and run whether the score is within the published interval."""
        limits = np.array([interval_of(run, self.runs) for run in self.runs])
        return (self.means >= limits[:, 0]) & (self.means <= limits[:, 1])

    def same(self, verdict: Verdict) -> NDArray[np.bool_]:
        """Return for each repeat whether the verdict is the published one."""
        return self.separable(verdict) == verdict.separable

    def separable(self, verdict: Verdict) -> NDArray[np.bool_]:
        """Return for each repeat whether the conditions, or two of them, are separable at 5 %."""
        error = self.variances.mean(axis=1) / EVALUATORS
        k = len(self.runs)
        if verdict.test == "anova":
            f = self.means.var(axis=1, ddof=1) / error
            return f > stats.f.isf(0.05, k - 1, k * (EVALUATORS - 1))
        names = [run.condition for run in self.runs]
        a, b = (self.means[:, names.index(name)] for name in (verdict.a, verdict.b))
        return np.abs(a - b) / np.sqrt(error) > critical_q(k)

    def same_order(self) -> NDArray[np.bool_]:
        """Return for each repeat whether the conditions rank as published."""
        return np.array([same_order(self.runs, means) for means in self.means])


def repeat(runs: Sequence[Run], *, seed: int = 0) -> Repeats:
    """Repeat a study: draw normal means and chi-squared variances around the published ones."""
    rng = np.random.default_rng(seed)
    variance = np.array([VARIANCE_PER_STD * std_of(run, runs) ** 2 for run in runs])
    shape = (REPEATS, len(runs))
    means = rng.standard_normal(shape) * np.sqrt(variance / EVALUATORS)
    at_the_floor = [run.bottomed_out for run in runs]
    means[:, at_the_floor] = np.abs(means[:, at_the_floor])  # no mean is below the floor
    means += [run.score for run in runs]
    df = EVALUATORS - 1
    return Repeats(runs=runs, means=means, variances=variance * rng.chisquare(df, shape) / df)


def same_order(runs: Sequence[Run], scores: Sequence[float] | Array) -> bool:
    """Return whether scores rank as published; those at the shortest exposure count as equal."""
    ranked = sorted(range(len(runs)), key=lambda i: -runs[i].score)
    return all(
        scores[one] > scores[other] or (runs[one].bottomed_out and runs[other].bottomed_out)
        for one, other in pairwise(ranked)
    )
