"""Strengths, rates and places put together: a row for each condition, and one for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.protocols.ranking.results import RankedCondition, RankedPair
from hype.statistics.paired_counts import pair_rates, win_rates
from hype.statistics.resampling import Estimate, ratio_estimates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hype.protocols.ranking.orders import Expanded, Orders
    from hype.protocols.ranking.strengths import RankingStrengths
    from hype.protocols.ranking.units import Units
    from hype.statistics.paired_counts import PairRate, WinRate
    from hype.statistics.strength_intervals import ConditionEstimate, StrengthDifference
    from hype.statistics.strength_table import StrengthTable
    from hype.statistics.strengths import Ties

Three = tuple[float | None, float | None, float | None]


def ranked_conditions(
    rates: Iterable[tuple[WinRate, Estimate | None]],
    places: Iterable[Placement],
    strengths: RankingStrengths,
    by_pairs: StrengthTable,
) -> tuple[RankedCondition, ...]:
    """Give the rows: by strength, then those without one by win rate and name.

    Parameters
    ----------
    rates
        Of each condition its counts, and its win rate with the interval over units.
    places
        Of each condition, in the same order.
    strengths
        By Plackett and Luce.
    by_pairs
        By Bradley and Terry.
    """
    own = {found.condition: found for found in strengths.conditions}
    others = {found.condition: found for found in by_pairs.conditions}
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
                -(row.win_rate or 0.0),
                row.condition,
            ),
        )
    )


def _row(
    rate: WinRate,
    drawn: Estimate | None,
    place: Placement,
    own: ConditionEstimate | None,
    other: ConditionEstimate | None,
    strengths: RankingStrengths,
) -> RankedCondition:
    won, mean, first = _three(drawn), _three(place.mean_rank), _three(place.first)
    strength, elo, share = (
        _three(getattr(own, scale, None)) for scale in ("strength", "elo", "share100")
    )
    sandwich = _three(own.sandwich if own else None)
    bt, bt_elo = (_three(getattr(other, scale, None)) for scale in ("strength", "elo"))
    return RankedCondition(
        condition=rate.condition,
        rank=own.rank if own else None,
        images=place.images,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=won[0],
        ci_low=won[1],
        ci_high=won[2],
        mean_rank=mean[0],
        mean_rank_low=mean[1],
        mean_rank_high=mean[2],
        first_share=first[0],
        first_share_low=first[1],
        first_share_high=first[2],
        places=place.places,
        strength=strength[0],
        strength_low=strength[1],
        strength_high=strength[2],
        strength_sandwich_low=sandwich[1],
        strength_sandwich_high=sandwich[2],
        elo=elo[0],
        elo_low=elo[1],
        elo_high=elo[2],
        share100=share[0],
        share100_low=share[1],
        share100_high=share[2],
        rank_low=own.rank_low if own else None,
        rank_high=own.rank_high if own else None,
        bt_strength=bt[0],
        bt_strength_low=bt[1],
        bt_strength_high=bt[2],
        bt_elo=bt_elo[0],
        bt_elo_low=bt_elo[1],
        bt_elo_high=bt_elo[2],
        reason="" if own else strengths.reason(rate.condition),
    )


def _three(found: Estimate | None) -> Three:
    return (None, None, None) if found is None else (found.value, found.low, found.high)


def rates_of_conditions(
    pairs: Expanded, units: Units, *, ties: Ties, confidence: float
) -> Iterator[tuple[WinRate, Estimate | None]]:
    """Give the win rate of each condition, in the order of the comparisons' conditions.

    Parameters
    ----------
    pairs
        The comparisons.
    units
        Whose each ranking is.
    ties
        Half a win to either, or by the rule "none" no comparison.
    confidence
        Of the intervals, as a proportion.
    """
    points, comparisons = pairs.sums(units, ties=ties != "none")
    found = ratio_estimates(
        points.sum(axis=2), comparisons.sum(axis=2), share=True, confidence=confidence
    )
    return zip(win_rates(pairs.counts(), ties=ties), found, strict=True)


def ranked_pairs(
    pairs: Expanded,
    units: Units,
    bundles: Units,
    ranking: Sequence[RankedCondition],
    known: Iterable[StrengthDifference],
    *,
    ties: Ties,
    alpha: float,
    confidence: float,
) -> tuple[RankedPair, ...]:
    """Give the rows of the pairs that were compared, in the order of the ranking.

    Parameters
    ----------
    pairs
        The comparisons.
    units
        Whose each ranking is: the units of the test.
    bundles
        Those of the intervals.
    ties, confidence
        As for `rates_of_conditions`.
    ranking
        The conditions in their order.
    known
        Differences of strengths.
    alpha
        The level of the test.
    """
    rates = pair_rates(pairs.counts(), pairs.by_unit(units.of_ranking), ties=ties)
    place = {name: number for number, name in enumerate(pairs.conditions)}
    order = {row.condition: number for number, row in enumerate(ranking)}
    differences = {(one.a, one.b): one.sandwich for one in known}
    names = [tuple(sorted((rate.a, rate.b), key=order.__getitem__)) for rate in rates]
    first, second = ([place[two[side]] for two in names] for side in (0, 1))
    points, comparisons = pairs.sums(bundles, ties=ties != "none")
    found = ratio_estimates(
        points[:, first, second],
        comparisons[:, first, second],
        share=True,
        confidence=confidence,
    )
    rows = [
        _pair(rate, two[0], _three(own), _three(differences.get((two[0], two[1]))), alpha)
        for rate, two, own in zip(rates, names, found, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (order[row.a], order[row.b])))


def _pair(rate: PairRate, a: str, won: Three, difference: Three, alpha: float) -> RankedPair:
    turned = a != rate.a
    holm = rate.p_clustered_holm
    decided = rate.wins_a + rate.wins_b > 0
    return RankedPair(
        a=a,
        b=rate.a if turned else rate.b,
        comparisons=rate.comparisons,
        wins_a=rate.wins_b if turned else rate.wins_a,
        wins_b=rate.wins_a if turned else rate.wins_b,
        ties=rate.ties,
        win_rate=won[0],
        ci_low=won[1],
        ci_high=won[2],
        p=rate.p_clustered,
        p_holm=holm,
        difference=difference[0],
        difference_low=difference[1],
        difference_high=difference[2],
        separable=holm < alpha if decided and holm is not None else None,
    )


FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the images of a condition came.

    Parameters
    ----------
    condition
        Which.
    images
        Of it in all rankings: as many as rankings, where no group has two.
    mean_rank
        1 is the best; it depends on how many images a group has, and on the others.
    first
        The share of its images that came first.
    places
        The share of them at each place, the first one first.
    """

    condition: str
    images: int
    mean_rank: Estimate | None
    first: Estimate | None
    places: tuple[float, ...]


def placements(laid: Orders, units: Units, *, confidence: float) -> tuple[Placement, ...]:
    """Find the placements of each condition, in the order of the layout.

    Parameters
    ----------
    laid
        The rankings.
    units
        Whose each is.
    confidence
        Of the intervals, as a proportion.
    """
    number = _sums(laid, units, np.ones(len(laid.rank)))
    ranks = _sums(laid, units, laid.mid_ranks)
    firsts = _sums(laid, units, (laid.rank == 1) / laid.tied)
    mean = ratio_estimates(ranks, number, share=False, confidence=confidence)
    first = ratio_estimates(firsts, number, share=True, confidence=confidence)
    images, places = number.sum(axis=0), places_of(laid)
    return tuple(
        Placement(
            condition=name,
            images=int(images[place]),
            mean_rank=mean[place],
            first=first[place],
            places=tuple((places[place] / max(1, images[place])).tolist()),
        )
        for place, name in enumerate(laid.conditions)
    )


def places_of(laid: Orders) -> FloatArray:
    """Count the images of each condition at each place, shape (K, largest group)."""
    size, most = len(laid.conditions), int(laid.sizes.max(initial=0))
    tied = laid.tied
    entry = np.repeat(np.arange(len(tied)), tied)
    beside = np.arange(len(entry)) - np.repeat(np.cumsum(tied) - tied, tied)
    cell = laid.condition[entry] * most + laid.rank[entry] - 1 + beside
    counted = np.bincount(cell, 1 / tied[entry], minlength=size * most)
    return np.asarray(counted.reshape(size, most), dtype=float)


def _sums(laid: Orders, units: Units, values: FloatArray) -> FloatArray:
    size = len(laid.conditions)
    cell = units.of_ranking[laid.ranking] * size + laid.condition
    sums = np.bincount(cell, values, minlength=units.number * size)
    return np.asarray(sums.reshape(units.number, size), dtype=float)
