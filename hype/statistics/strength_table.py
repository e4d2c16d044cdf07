"""Everything on strengths: which conditions have one, how large it is, and how certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.estimate import Estimate
from hype.statistics.strength_intervals import (
    Unit,
    condition_estimates,
    differences,
    draw_comparisons,
    draw_evaluators,
)
from hype.statistics.strengths import (
    Ties,
    fit,
    has_finite_maximum,
    sandwich_of_comparisons,
    sandwich_of_evaluators,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.random import Generator

    from hype.statistics.bradley_terry import Connectivity
    from hype.statistics.paired_counts import Counts, EvaluatorCounts, WinRate
    from hype.statistics.strength_intervals import ConditionEstimate, Difference, Draws
    from hype.statistics.strengths import Fitted, Sandwich

NO_FINITE_TIES = (
    "wins and ties lie so that no finite strengths and no finite ν of Davidson's model fit best; "
    "counted as half a win to either, ties leave strengths"
)


@dataclass(frozen=True, kw_only=True)
class StrengthTable:
    """The strengths of a study.

    Parameters
    ----------
    connectivity
        Which conditions have a strength, and why the others have none.
    fitted
        The fit; None where no condition has a strength.
    conditions
        Those that have one, the strongest first.
    differences
        Of every two of them.
    draws
        The bootstrap; None without a fit.
    sandwich
        None without a fit, or with a single evaluator.
    problems
        All that is wrong, each in a sentence.
    """

    connectivity: Connectivity
    fitted: Fitted | None = None
    conditions: tuple[ConditionEstimate, ...] = ()
    differences: tuple[Difference, ...] = ()
    draws: Draws | None = None
    sandwich: Sandwich | None = None
    problems: tuple[str, ...] = ()


def strength_table(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> StrengthTable:
    """Estimate strengths with their intervals.

    Parameters
    ----------
    counts
        All comparisons that are scored.
    by_evaluator
        The same by evaluator. With two evaluators and more these are what is drawn, and what the
        sandwich takes to be independent; with None, or fewer, comparisons are.
    ties
        What becomes of ties.
    draws
        Of the bootstrap.
    rng
        Source of randomness.
    confidence
        Coverage that intervals aim at, as a proportion.

    Raises
    ------
    InputError
        For fewer than two draws.
    StrengthsNotFound
        Strengths lie too far apart for floating-point numbers.
    """
    if ties == "none":
        counts, by_evaluator = counts.without_ties(), by_evaluator and by_evaluator.without_ties()
    found = connectivity(counts)
    counts, by_evaluator = (
        counts.only(found.fitted),
        by_evaluator and by_evaluator.only(found.fitted),
    )
    if not found.fitted:
        return StrengthTable(connectivity=found, problems=found.problems)
    if ties == "davidson" and counts.ties.any() and not has_finite_maximum(counts):
        return StrengthTable(connectivity=found, problems=(*found.problems, NO_FINITE_TIES))
    fitted = fit(counts, ties)
    if by_evaluator is None or by_evaluator.evaluators < 2:
        drawn = draw_comparisons(counts, fitted, draws=draws, rng=rng)
        sandwich: Sandwich | None = sandwich_of_comparisons(counts, fitted)
    else:
        drawn = draw_evaluators(by_evaluator, fitted, draws=draws, rng=rng)
        sandwich = sandwich_of_evaluators(by_evaluator, fitted)
    return StrengthTable(
        connectivity=found,
        fitted=fitted,
        conditions=condition_estimates(fitted, drawn, sandwich, confidence=confidence),
        differences=tuple(differences(fitted, drawn, sandwich, confidence=confidence)),
        draws=drawn,
        sandwich=sandwich,
        problems=found.problems,
    )


@dataclass(frozen=True, kw_only=True)
class ConditionStrength:
    """One row of the ranking.

    Parameters
    ----------
    condition
        What made the images.
    rank
        By strength, 1 is the strongest, equals share one; None without a strength.
    comparisons, wins, losses, ties
        Scored comparisons with this condition on either side, and how they went.
    win_rate, ci_low, ci_high
        Wins and half the ties over comparisons (without ties where they are not counted), as
        proportions, with Wilson's interval; None without any comparison. It depends on which
        others the condition met.
    strength, strength_low, strength_high
        Bradley and Terry's log-strength, whose mean over the conditions is 0, with the percentile
        interval of the bootstrap.
    strength_sandwich_low, strength_sandwich_high
        The same with the sandwich's standard error.
    elo, elo_low, elo_high
        The strength on Elo's scale, 400 points for odds of 10 to 1; the mean is 1000.
    share100, share100_low, share100_high
        The strengths as numbers that sum to 100: P(a chosen over b) = a / (a + b).
    rank_low, rank_high
        The best and the worst rank that the bootstrap leaves open.
    reason
        Why there is no strength, and so neither rank, Elo number nor share; else empty. An end of
        an interval alone is None where too many draws of the bootstrap have no strengths.
    """

    condition: str
    rank: int | None
    comparisons: int
    wins: int
    losses: int
    ties: int
    win_rate: float | None
    ci_low: float | None
    ci_high: float | None
    strength: float | None = None
    strength_low: float | None = None
    strength_high: float | None = None
    strength_sandwich_low: float | None = None
    strength_sandwich_high: float | None = None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    share100: float | None = None
    share100_low: float | None = None
    share100_high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How the strengths were found.

    Parameters
    ----------
    ties
        "davidson", "half" or "none".
    iterations, log_likelihood
        Of the maximum-likelihood fit; None without one.
    tie_parameter
        Davidson's ν, 0 where there are no ties; None by another rule, or without a fit.
    pieces
        The conditions in groups that no comparison joins; a study as it should be has one.
    groups
        The conditions in groups within which each was chosen over each other one by some path; a
        study as it should be has one.
    unbeaten, winless
        Conditions that never lost, and that never won.
    problems
        Why some or all conditions have no strength, each in a sentence.
    """

    ties: Ties
    iterations: int | None
    log_likelihood: float | None
    tie_parameter: float | None
    pieces: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    unbeaten: tuple[str, ...] = ()
    winless: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The bootstrap of the strengths.

    Parameters
    ----------
    draws, seed
        How many, and what they follow from.
    unit
        What was drawn.
    undefined
        Draws without finite strengths; they count as lying beyond either end of every interval.
    """

    draws: int
    seed: int
    unit: Unit
    undefined: int = 0


_NONE = Estimate(value=0.0, low=None, high=None)


def ranked(rates: Iterable[WinRate], table: StrengthTable) -> tuple[ConditionStrength, ...]:
    """Give the rows of the ranking: by strength, then those without one by win rate and name."""
    by_name = {rate.condition: rate for rate in rates}
    strong = [_row(by_name[found.condition], found) for found in table.conditions]
    done = {row.condition for row in strong}
    weak = [
        _without(rate, table.connectivity.reasons.get(rate.condition, _all(table)))
        for rate in by_name.values()
        if rate.condition not in done
    ]
    weak.sort(key=lambda row: (row.win_rate is None, -(row.win_rate or 0.0), row.condition))
    return (*strong, *weak)


def _all(table: StrengthTable) -> str:
    return table.problems[-1] if table.problems else ""


def _row(rate: WinRate, found: ConditionEstimate) -> ConditionStrength:
    sandwich = found.sandwich or _NONE
    return ConditionStrength(
        condition=rate.condition,
        rank=found.rank,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        ci_low=rate.low,
        ci_high=rate.high,
        strength=found.strength.value,
        strength_low=found.strength.low,
        strength_high=found.strength.high,
        strength_sandwich_low=sandwich.low,
        strength_sandwich_high=sandwich.high,
        elo=found.elo.value,
        elo_low=found.elo.low,
        elo_high=found.elo.high,
        share100=found.share100.value,
        share100_low=found.share100.low,
        share100_high=found.share100.high,
        rank_low=found.rank_low,
        rank_high=found.rank_high,
    )


def _without(rate: WinRate, reason: str) -> ConditionStrength:
    return ConditionStrength(
        condition=rate.condition,
        rank=None,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        ci_low=rate.low,
        ci_high=rate.high,
        reason=reason,
    )


def strengths_found(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    draws: int,
    rng: Generator,
    confidence: float,
) -> StrengthTable:
    """Estimate strengths as `strength_table` does; where that fails, say so among the problems."""
    try:
        return strength_table(
            counts, by_evaluator, ties=ties, draws=draws, rng=rng, confidence=confidence
        )
    except StrengthsNotFound as problem:
        found = connectivity(counts.without_ties() if ties == "none" else counts)
        return StrengthTable(connectivity=found, problems=(*found.problems, str(problem)))


def fit_of(table: StrengthTable, *, ties: Ties) -> Fit:
    """Say how the strengths of a table were found."""
    fitted = table.fitted
    return Fit(
        ties=ties,
        iterations=fitted.steps if fitted else None,
        log_likelihood=fitted.log_likelihood if fitted else None,
        tie_parameter=fitted.nu if fitted else None,
        pieces=table.connectivity.pieces,
        groups=table.connectivity.groups,
        unbeaten=table.connectivity.unbeaten,
        winless=table.connectivity.winless,
        problems=table.problems,
    )


def resampling_of(table: StrengthTable, *, seed: int) -> Resampling | None:
    """Say how the strengths of a table were resampled; None where they were not."""
    if table.draws is None:
        return None
    return Resampling(
        draws=table.draws.draws,
        seed=seed,
        unit=table.draws.unit,
        undefined=table.draws.undefined,
    )
