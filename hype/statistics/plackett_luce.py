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

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.bradley_terry import (
    MOST_STEPS,
    SMALLEST_STEP,
    StrengthsNotFound,
    anchored,
    damping,
    newton_step,
)
from hype.statistics.strength_intervals import StrengthDraws
from hype.statistics.strengths import Fitted, Sandwich

_CELLS: Final = 2**22
"""Numbers held at once while information is summed."""
_CELLS_OF_DRAWS: Final = 2**21
"""Numbers of sets times draws held at once."""
_MOST_CHORDS: Final = 25


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


def information_by_unit(choices: ChoiceSets, log_strengths: FloatArray) -> FloatArray:
    """Give the information that each unit's rankings carry, shape (units, K, K)."""
    size = len(choices.conditions)
    shares, _ = _shares(log_strengths, choices.members)
    minus = np.zeros((choices.chosen.shape[0], size**2))
    step = max(1, _CELLS // size**2)
    by_set = choices.times.tocsc()
    for begin in range(0, len(shares), step):
        part = shares[begin : begin + step]
        minus += by_set[:, begin : begin + step] @ (
            part[:, :, np.newaxis] * part[:, np.newaxis, :]
        ).reshape(len(part), -1)
    information = -minus.reshape(-1, size, size)
    diagonal = np.arange(size)
    information[:, diagonal, diagonal] += choices.times @ shares
    return information


def sandwich_of_units(choices: ChoiceSets, fitted: Fitted) -> Sandwich:
    """Take units, two and more, to be independent; as `sandwich_of_evaluators` of comparisons."""
    units = choices.chosen.shape[0]
    shares, _ = _shares(fitted.log_strengths, choices.members)
    unexpected = choices.chosen - choices.times @ shares
    inverse = fitted.inverse
    meat = unexpected.T @ unexpected * units / (units - 1)
    return Sandwich(covariance=inverse @ meat @ inverse, evaluators=units)


def draw_rankings(
    choices: ChoiceSets, points: FloatArray, fitted: Fitted, weights: FloatArray
) -> StrengthDraws:
    """Fit resampled rankings.

    `points` of each unit, shape (units, K, K), is how often i was put above j in the same rankings,
    ties as halves; `weights` how often each was drawn, shape (draws, units).
    """
    inverse = _inverses(choices, fitted, weights)
    finite = _connected(points, weights)
    found = np.full((len(weights), len(fitted.conditions)), np.nan)
    step = max(1, _CELLS_OF_DRAWS // max(1, len(choices.members)))
    with threadpool_limits(1):
        for begin in range(0, len(weights), step):
            own = begin + np.flatnonzero(finite[begin : begin + step])
            if len(own):
                found[own] = _refitted(choices, fitted, weights[own], inverse[own])
    done = ~np.isnan(found[:, 0])
    return StrengthDraws(
        conditions=fitted.conditions,
        log_strengths=found[done] - found[done].mean(axis=1, keepdims=True),
        nu=None,
        undefined=int((~done).sum()),
        draws=len(weights),
        evaluators=weights.shape[1],
    )


def _inverses(choices: ChoiceSets, fitted: Fitted, weights: FloatArray) -> FloatArray:
    """Invert the information of each draw, among vectors of mean 0; shape (draws, K, K)."""
    size = len(fitted.conditions)
    per_unit = information_by_unit(choices, fitted.log_strengths).reshape(-1, size**2)
    information = (weights @ per_unit).reshape(-1, size, size)
    scale = np.trace(information, axis1=1, axis2=2) / size
    scale = np.where(scale > 0, scale, 1.0)
    # A draw without some condition has no inverse, and no strengths either.
    ridge = scale[:, np.newaxis, np.newaxis] * (1 / size + 1e-12 * np.eye(size))
    return np.asarray(np.linalg.inv(information + ridge), dtype=float)


def _connected(points: FloatArray, weights: FloatArray) -> BoolArray:
    """Tell which draws have finite strengths: each condition was above each other, by some path."""
    size = points.shape[1]
    drawn = weights @ points.reshape(len(points), -1)
    reach = (drawn > 0).reshape(-1, size, size) | np.eye(size, dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(size)))):
        single = reach.astype(np.float32)
        reach = np.matmul(single, single) > 0
    return np.asarray(reach.all(axis=(1, 2)))


def _refitted(
    choices: ChoiceSets, fitted: Fitted, weights: FloatArray, inverse: FloatArray
) -> FloatArray:
    """Fit some draws; NaN where one was not found."""
    chosen = weights @ choices.chosen
    times = np.asarray((choices.times.T @ weights.T).T)
    found = np.tile(fitted.log_strengths, (len(weights), 1))
    going = np.arange(len(weights))
    for _ in range(_MOST_CHORDS):
        strengths = np.exp(found[going])
        ratio = times[going] / (strengths @ choices.members.T)
        left = chosen[going] - strengths * (ratio @ choices.members)
        step = np.einsum("dij,dj->di", inverse[going], left)
        found[going] += step
        going = going[~(np.abs(step).max(axis=1) <= SMALLEST_STEP)]
        if not len(going):
            break
    for draw in going.tolist():
        found[draw] = _alone(chosen[draw], times[draw], choices.members, fitted)
    return found


def _alone(
    chosen: FloatArray, times: FloatArray, members: FloatArray, fitted: Fitted
) -> FloatArray:
    try:
        return fit_choices(chosen, times, members, start=fitted.log_strengths)[0]
    except StrengthsNotFound:
        return np.full(len(chosen), np.nan)


def _shares(log_strengths: FloatArray, members: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give how likely each condition is to be chosen from each set, and the sets' sums."""
    weighed = members * np.exp(log_strengths)
    sums = weighed.sum(axis=1)
    return weighed / sums[:, np.newaxis], sums


def _information(times: FloatArray, shares: FloatArray) -> FloatArray:
    return np.asarray(np.diag(times @ shares) - (shares.T * times) @ shares, dtype=float)
