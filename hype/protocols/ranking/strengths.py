"""Strengths of a study of rankings: which conditions have one, how large, and how certain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from hype.protocols.ranking.orders import choices, expanded
from hype.statistics.bradley_terry import SMALLEST_STEP, StrengthsNotFound, connectivity
from hype.statistics.plackett_luce import (
    fit_choices,
    fit_plackett_luce,
    information_by_unit,
    sandwich_of_units,
)
from hype.statistics.strength_intervals import StrengthDraws, condition_estimates, differences
from hype.statistics.strength_table import StrengthTable, strength_table

if TYPE_CHECKING:
    from hype.protocols.ranking.orders import Expanded, Orders
    from hype.protocols.ranking.units import Units
    from hype.statistics.bradley_terry import Connectivity
    from hype.statistics.paired_counts import Counts
    from hype.statistics.plackett_luce import PlackettLuce, SetChoices
    from hype.statistics.strength_intervals import ConditionEstimate, StrengthDifference
    from hype.statistics.strengths import Ties

FloatArray = npt.NDArray[np.float64]

BoolArray = npt.NDArray[np.bool_]

_CELLS: Final = 2**21

"""Numbers of sets times draws held at once."""

_MOST_CHORDS: Final = 25


def drawn_weights(units: int, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each unit is drawn, shape (draws, units)."""
    return rng.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)


def draw_rankings(
    choices: SetChoices, points: FloatArray, fitted: PlackettLuce, weights: FloatArray
) -> StrengthDraws:
    """Fit resampled rankings.

    Parameters
    ----------
    choices
        Of the conditions of ``fitted``.
    points
        Of each unit, shape (units, K, K): `hype.protocols.ranking.orders.Expanded.sums` of the
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
    return StrengthDraws(
        conditions=fitted.conditions,
        log_strengths=found[done] - found[done].mean(axis=1, keepdims=True),
        nu=None,
        undefined=int((~done).sum()),
        draws=len(weights),
        evaluators=weights.shape[1],
    )


def _inverses(choices: SetChoices, fitted: PlackettLuce, weights: FloatArray) -> FloatArray:
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
    choices: SetChoices, fitted: PlackettLuce, weights: FloatArray, inverse: FloatArray
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


NOTHING_DRAWN = (
    "a single group was ranked, by one evaluator: nothing is known of how other rankings would go"
)


@dataclass(frozen=True, kw_only=True)
class RankingStrengths:
    """The strengths by Plackett and Luce.

    Parameters
    ----------
    connectivity
        Which conditions have a strength, and why the others have none.
    fitted
        None where no condition has one.
    conditions
        Those that have one, the strongest first.
    differences
        Of every two of them.
    undefined
        Draws of the bootstrap without finite strengths.
    problems
        All that is wrong, each in a sentence.
    """

    connectivity: Connectivity
    fitted: PlackettLuce | None = None
    conditions: tuple[ConditionEstimate, ...] = ()
    differences: tuple[StrengthDifference, ...] = ()
    undefined: int = 0
    problems: tuple[str, ...] = ()

    def reason(self, condition: str) -> str:
        problem = self.problems[-1] if self.problems else ""
        return self.connectivity.reasons.get(condition, problem)


def ranking_strengths(
    laid: Orders,
    units: Units,
    counts: Counts,
    weights: npt.NDArray[np.float64] | None,
    *,
    confidence: float,
) -> RankingStrengths:
    """Estimate strengths from rankings.

    Parameters
    ----------
    laid
        The rankings.
    units
        Whose each is, as drawn.
    counts
        Their comparisons.
    weights
        How often each unit was drawn, shape (draws, units); None where there is but one.
    confidence
        Coverage that intervals aim at, as a proportion.
    """
    found = connectivity(counts)
    if not found.fitted:
        return RankingStrengths(connectivity=found, problems=found.problems)
    if weights is None:
        return RankingStrengths(connectivity=found, problems=(*found.problems, NOTHING_DRAWN))
    kept = laid.only(found.fitted)
    chosen = choices(kept, units)
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return RankingStrengths(connectivity=found, problems=(*found.problems, str(problem)))
    points, _ = expanded(kept).sums(units)
    drawn = draw_rankings(chosen, points, fitted, weights)
    same, sandwich = fitted.as_fitted(), sandwich_of_units(chosen, fitted)
    return RankingStrengths(
        connectivity=found,
        fitted=fitted,
        conditions=condition_estimates(same, drawn, sandwich, confidence=confidence),
        differences=tuple(differences(same, drawn, sandwich, confidence=confidence)),
        undefined=drawn.undefined,
        problems=found.problems,
    )


def strengths_of_pairs(
    pairs: Expanded,
    units: Units,
    *,
    ties: Ties,
    draws: int,
    rng: np.random.Generator,
    confidence: float,
) -> StrengthTable:
    """Estimate Bradley and Terry's strengths from comparisons, by the same units.

    Parameters
    ----------
    pairs
        The comparisons.
    units
        Whose each ranking is, as drawn.
    ties
        What becomes of ties.
    draws, rng
        Of the bootstrap.
    confidence
        Coverage that intervals aim at, as a proportion.
    """
    counts, by_unit = pairs.counts(), pairs.by_unit(units.of_ranking)
    found = connectivity(counts.without_ties() if ties == "none" else counts)
    kept = by_unit.without_ties() if ties == "none" else by_unit
    if found.fitted and kept.only(found.fitted).evaluators < 2:
        # Then the comparisons themselves would be drawn, which are not independent.
        return StrengthTable(connectivity=found, problems=(*found.problems, NOTHING_DRAWN))
    try:
        return strength_table(
            counts, by_unit, ties=ties, draws=draws, rng=rng, confidence=confidence
        )
    except StrengthsNotFound as problem:
        return StrengthTable(connectivity=found, problems=(*found.problems, str(problem)))
