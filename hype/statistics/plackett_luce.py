"""The strengths of conditions in rankings: Plackett and Luce's model by maximum likelihood.

A condition is chosen from a set with probability exp(s_i) over the sum of exp(s_j) of the set.
Log-strengths have the mean 0, and the same scale as Bradley and Terry's: under the model, i is
ranked above j with probability 1 / (1 + exp(s_j - s_i)).

The likelihood has a finite maximum exactly where that of the expanded pairs has one (Hunter 2004,
"MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, assumption 1), so
that `hype.statistics.bradley_terry` says which conditions have a strength. It is concave; the
maximum is found by Newton's method with the damping of `hype.statistics.bradley_terry`, which holds
for choices from sets too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from hype.statistics.arrays import FloatArray
from hype.statistics.bradley_terry import (
    MOST_STEPS,
    SMALLEST_STEP,
    StrengthsNotFound,
    anchored,
    damping,
    newton_step,
)
from hype.statistics.strengths import Fitted

_CELLS: Final = 2**22
"""Numbers held at once while information is summed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ChoiceSets:
    """What the likelihood of Plackett and Luce needs, by unit."""

    conditions: tuple[str, ...]  # K of them
    members: FloatArray  # how many images of each condition each of the S sets has, shape (S, K)
    chosen: FloatArray  # how often each unit chose each condition, shape (units, K)
    times: csr_array  # how often each unit chose from each set, shape (units, S)


def fit_plackett_luce(choices: ChoiceSets) -> Fitted:
    """Find the log-strengths under which the rankings are the most likely.

    All conditions must have a strength: see `hype.statistics.bradley_terry`. `StrengthsNotFound`
    where these lie too far apart for floating-point numbers, or are not finite.
    """
    chosen = choices.chosen.sum(axis=0)
    times = np.asarray(choices.times.sum(axis=0), dtype=float)
    found, steps = fit_choices(chosen, times, choices.members)
    shares, sums = _shares(found, choices.members)
    return Fitted(
        conditions=choices.conditions,
        ties="half",
        log_strengths=found,
        information=_information(times, shares),
        log_likelihood=float(chosen @ found - times @ np.log(sums)),
        steps=steps,
        gradient=0.0,
    )


def fit_choices(
    chosen: FloatArray, times: FloatArray, members: FloatArray, *, start: FloatArray | None = None
) -> tuple[FloatArray, int]:
    """Fit log-strengths of mean 0 from ``start``, or from equal ones, and count the steps.

    `chosen`, shape (K,), is how often each condition was chosen, `times`, shape (S,), how often
    there was each set to choose from, and `members` are the sets, shape (S, K).
    """
    used = times > 0
    times, members = times[used], members[used]
    strengths = np.zeros(len(chosen)) if start is None else start.copy()
    for steps in range(MOST_STEPS):
        shares, _ = _shares(strengths, members)
        information = _information(times, shares)
        step = newton_step(anchored(information), chosen - times @ shares)
        width = float(np.ptp(step))
        if width <= SMALLEST_STEP:
            return strengths, steps
        strengths = strengths + damping(width) * step
        strengths -= strengths.mean()
    raise StrengthsNotFound(f"the strengths were not found in {MOST_STEPS} steps")


def scores_of_rankings(choices: ChoiceSets, fitted: Fitted) -> FloatArray:
    """Give the first derivatives of each ranking's log-likelihood, shape (units, K)."""
    shares, _ = _shares(fitted.log_strengths, choices.members)
    scores: FloatArray = choices.chosen - choices.times @ shares
    return scores


def _shares(log_strengths: FloatArray, members: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give how likely each condition is to be chosen from each set, and the sets' sums."""
    weighed = members * np.exp(log_strengths)
    sums = weighed.sum(axis=1)
    return weighed / sums[:, np.newaxis], sums


def _information(times: FloatArray, shares: FloatArray) -> FloatArray:
    return np.asarray(np.diag(times @ shares) - (shares.T * times) @ shares, dtype=float)
