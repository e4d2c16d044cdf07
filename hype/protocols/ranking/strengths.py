"""Strengths of a study of rankings: which conditions have one, how large, and how certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hype.protocols.ranking.orders import choice_sets, expanded
from hype.protocols.ranking.results import RankedCondition, RankedPair
from hype.statistics.arrays import FloatArray
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.estimate import value_of
from hype.statistics.paired_counts import pair_rates, win_rates
from hype.statistics.plackett_luce import (
    draw_rankings,
    fit_plackett_luce,
    sandwich_of_units,
)
from hype.statistics.resampling import ratio_estimates
from hype.statistics.strength_intervals import condition_estimates, differences
from hype.statistics.strength_table import StrengthTable, strength_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np

    from hype.protocols.ranking.orders import Expanded, Orders, Placement, Units
    from hype.statistics.bradley_terry import Connectivity
    from hype.statistics.crossed_strengths import StrengthOf
    from hype.statistics.estimate import Estimate
    from hype.statistics.paired_counts import Counts, PairRate, WinRate
    from hype.statistics.strength_intervals import ConditionEstimate, StrengthDifference
    from hype.statistics.strengths import Fitted, Ties


def drawn_weights(units: int, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each unit is drawn, shape (draws, units)."""
    return rng.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)


NOTHING_DRAWN = (
    "a single group was ranked, by one evaluator: nothing is known of how other rankings would go"
)


@dataclass(frozen=True, kw_only=True)
class RankingStrengths:
    """The strengths by Plackett and Luce."""

    connectivity: Connectivity  # which conditions have a strength, and why the others have none
    fitted: Fitted | None = None  # None where no condition has one
    conditions: tuple[ConditionEstimate, ...] = ()  # those that have one, the strongest first
    differences: tuple[StrengthDifference, ...] = ()  # of every two of them
    undefined: int = 0  # draws of the bootstrap without finite strengths
    problems: tuple[str, ...] = ()  # all that is wrong, each in a sentence

    def reason(self, condition: str) -> str:
        problem = self.problems[-1] if self.problems else ""
        return self.connectivity.reasons.get(condition, problem)


def ranking_strengths(
    laid: Orders,
    units: Units,
    counts: Counts,
    weights: FloatArray | None,
    *,
    confidence: float,
) -> RankingStrengths:
    """Estimate strengths from rankings.

    ``units``: whose each is, as drawn. ``weights``: how often each unit was drawn, shape (draws,
    units); None where there is but one.
    """
    connected = connectivity(counts)
    if not connected.fitted:
        return RankingStrengths(connectivity=connected, problems=connected.problems)
    if weights is None:
        return RankingStrengths(
            connectivity=connected, problems=(*connected.problems, NOTHING_DRAWN)
        )
    kept = laid.only(connected.fitted)
    chosen = choice_sets(kept, units)
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return RankingStrengths(
            connectivity=connected, problems=(*connected.problems, str(problem))
        )
    points, _ = expanded(kept).sums(units)
    drawn = draw_rankings(chosen, points, fitted, weights)
    sandwich = sandwich_of_units(chosen, fitted)
    return RankingStrengths(
        connectivity=connected,
        fitted=fitted,
        conditions=condition_estimates(fitted, drawn, sandwich, confidence=confidence),
        differences=tuple(differences(fitted, drawn, sandwich, confidence=confidence)),
        undefined=drawn.undefined,
        problems=connected.problems,
    )


def strengths_of_pairs(
    pairs: Expanded,
    units: Units,
    *,
    ties: Ties,
    confidence: float,
) -> StrengthTable:
    """Estimate Bradley and Terry's strengths from comparisons, by the same units.

    ``units``: whose each ranking is, as drawn.
    """
    counts, by_unit = pairs.counts(), pairs.by_unit(units.of_ranking)
    connected = connectivity(counts.without_ties() if ties == "none" else counts)
    kept = by_unit.without_ties() if ties == "none" else by_unit
    if connected.fitted and kept.only(connected.fitted).evaluators < 2:
        # Then the comparisons themselves would be drawn, which are not independent.
        return StrengthTable(connectivity=connected, problems=(*connected.problems, NOTHING_DRAWN))
    try:
        return strength_table(counts, by_unit, ties=ties, confidence=confidence)
    except StrengthsNotFound as problem:
        return StrengthTable(connectivity=connected, problems=(*connected.problems, str(problem)))


def ranked_conditions(
    rates: Iterable[tuple[WinRate, Estimate | None]],
    places: Iterable[Placement],
    strengths: RankingStrengths,
    by_pairs: StrengthTable,
) -> tuple[RankedCondition, ...]:
    """Give the rows: by strength, then those without one by win rate and name.

    ``rates``: of each condition its counts, and its win rate with the interval over units.
    ``places``: of each condition, in the same order.
    """
    own = {condition.condition: condition for condition in strengths.conditions}
    others = {condition.condition: condition for condition in by_pairs.conditions}
    rows = [
        _row(rate, drawn, place, own.get(rate.condition), others.get(rate.condition), strengths)
        for (rate, drawn), place in zip(rates, places, strict=True)
    ]
    number = {name: place for place, name in enumerate(own)}
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                number.get(row.condition, len(number)),
                row.win_rate is None,
                -(value_of(row.win_rate) or 0.0),
                row.condition,
            ),
        )
    )


def _row(
    rate: WinRate,
    drawn: Estimate | None,
    place: Placement,
    own: ConditionEstimate | None,
    other: StrengthOf | None,
    strengths: RankingStrengths,
) -> RankedCondition:
    return RankedCondition(
        condition=rate.condition,
        rank=own.rank if own else None,
        images=place.images,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=drawn,
        mean_rank=place.mean_rank,
        first_share=place.first,
        places=place.places,
        strength=own.strength if own else None,
        strength_sandwich=own.sandwich if own else None,
        elo=own.elo if own else None,
        share100=own.share100 if own else None,
        rank_low=own.rank_low if own else None,
        rank_high=own.rank_high if own else None,
        bt_strength=other.strength if other else None,
        bt_elo=other.elo if other else None,
        reason="" if own else strengths.reason(rate.condition),
    )


def rates_of_conditions(
    pairs: Expanded, units: Units, *, ties: Ties, confidence: float
) -> Iterator[tuple[WinRate, Estimate | None]]:
    """Give the win rate of each condition, in the order of the comparisons' conditions.

    ``ties``: half a win to either, or by the rule "none" no comparison.
    """
    points, comparisons = pairs.sums(units, ties=ties != "none")
    rates = ratio_estimates(
        points.sum(axis=2), comparisons.sum(axis=2), share=True, confidence=confidence
    )
    return zip(win_rates(pairs.counts(), ties=ties), rates, strict=True)


def ranked_pairs(
    pairs: Expanded,
    units: Units,
    bundles: Units,
    ranking: Sequence[RankedCondition],
    estimated: Iterable[StrengthDifference],
    *,
    ties: Ties,
    alpha: float,
    confidence: float,
) -> tuple[RankedPair, ...]:
    """Give the rows of the pairs that were compared, in the order of the ranking.

    ``units``: whose each ranking is: the units of the test. ``bundles``: those of the intervals.
    ``ties``, ``confidence``: as for `rates_of_conditions`.
    """
    rates = pair_rates(pairs.counts(), pairs.by_unit(units.of_ranking), ties=ties)
    place = {name: number for number, name in enumerate(pairs.conditions)}
    order = {row.condition: number for number, row in enumerate(ranking)}
    differences = {(difference.a, difference.b): difference.sandwich for difference in estimated}
    names = [tuple(sorted((rate.a, rate.b), key=order.__getitem__)) for rate in rates]
    first, second = ([place[two[side]] for two in names] for side in (0, 1))
    points, comparisons = pairs.sums(bundles, ties=ties != "none")
    rates_drawn = ratio_estimates(
        points[:, first, second],
        comparisons[:, first, second],
        share=True,
        confidence=confidence,
    )
    rows = [
        _pair(rate, two[0], own, differences.get((two[0], two[1])), alpha)
        for rate, two, own in zip(rates, names, rates_drawn, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (order[row.a], order[row.b])))


def _pair(
    rate: PairRate, a: str, won: Estimate | None, difference: Estimate | None, alpha: float
) -> RankedPair:
    holm = rate.p_holm
    pair = rate if a == rate.a else rate.turned()
    return RankedPair(
        a=pair.a,
        b=pair.b,
        comparisons=pair.comparisons,
        wins_a=pair.wins_a,
        wins_b=pair.wins_b,
        ties=pair.ties,
        win_rate=won,
        p=pair.p,
        p_holm=holm,
        difference=difference,
        separable=holm < alpha if pair.wins_a + pair.wins_b and holm is not None else None,
    )
