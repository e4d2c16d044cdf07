"""Strengths of resampled evaluators: the bootstrap behind the intervals of rankings.

As many evaluators as there are (or groups, see `hype.analysis.rankings.ranking_units`) are drawn
with replacement, each with all of their rankings; Efron (1979), "Bootstrap methods: another look at
the jackknife". All draws are fitted together: Newton's steps from the strengths of the whole study,
each with the information of its own draw there, until none moves any more. Draws without finite
strengths are counted, as in `hype.analysis.pairwise.strength_draws`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from hype.analysis.pairwise.strength_draws import Draws
from hype.analysis.rankings.plackett_luce import fit_choices, information_by_unit
from hype.protocol.strengths import SMALLEST_STEP, StrengthsNotFound

if TYPE_CHECKING:
    from hype.analysis.rankings.choices import Choices
    from hype.analysis.rankings.plackett_luce import PlackettLuce

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_CELLS: Final = 2**21
"""Numbers of sets times draws held at once."""
_MOST_CHORDS: Final = 25


def drawn_weights(units: int, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each unit is drawn, shape (draws, units)."""
    return rng.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)


def draw_rankings(
    choices: Choices, points: FloatArray, fitted: PlackettLuce, weights: FloatArray
) -> Draws:
    """Fit resampled rankings.

    Parameters
    ----------
    choices
        Of the conditions of ``fitted``.
    points
        Of each unit, shape (units, K, K): `hype.analysis.rankings.expanded.Expanded.sums` of the
        same rankings.
    fitted
        The strengths of the whole study.
    weights
        How often each unit was drawn, shape (draws, units).
    """
    inverse = _inverses(choices, fitted, weights)
    finite = _connected(points, weights)
    found = np.full((len(weights), len(fitted.conditions)), np.nan)
    step = max(1, _CELLS // max(1, len(choices.members)))
    with threadpool_limits(1):
        for begin in range(0, len(weights), step):
            own = begin + np.flatnonzero(finite[begin : begin + step])
            if len(own):
                found[own] = _refitted(choices, fitted, weights[own], inverse[own])
    done = ~np.isnan(found[:, 0])
    return Draws(
        conditions=fitted.conditions,
        log_strengths=found[done] - found[done].mean(axis=1, keepdims=True),
        nu=None,
        undefined=int((~done).sum()),
        draws=len(weights),
        evaluators=weights.shape[1],
    )


def _inverses(choices: Choices, fitted: PlackettLuce, weights: FloatArray) -> FloatArray:
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
    choices: Choices, fitted: PlackettLuce, weights: FloatArray, inverse: FloatArray
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
    chosen: FloatArray, times: FloatArray, members: FloatArray, fitted: PlackettLuce
) -> FloatArray:
    try:
        return fit_choices(chosen, times, members, start=fitted.log_strengths)[0]
    except StrengthsNotFound:
        return np.full(len(chosen), np.nan)
