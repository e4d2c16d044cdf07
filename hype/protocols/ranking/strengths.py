"""Strengths of a study of rankings: which conditions have one, how large, and how certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.sparse import csr_array

from hype.protocols.ranking.orders import choice_sets
from hype.protocols.ranking.results import RankedCondition
from hype.statistics.bradley_terry import StrengthsNotFound, connectivity
from hype.statistics.estimate import value_of
from hype.statistics.strength_table import (
    StrengthTable,
    crossed_strengths,
    standing_of,
    with_strengths,
)
from hype.statistics.strengths import fit_plackett_luce, scores_of_rankings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hype.protocols.ranking.orders import Expanded, Orders, Placement, Sampled
    from hype.statistics.bradley_terry import Connectivity
    from hype.statistics.paired_counts import Counts, WinRate
    from hype.statistics.strength_table import Difference, StrengthOf
    from hype.statistics.strengths import Fitted, Ties


NOTHING_DRAWN = (
    "a single group was ranked, by one evaluator: nothing is known of how other rankings would go"
)


@dataclass(frozen=True, kw_only=True)
class RankingStrengths:
    """The strengths by Plackett and Luce."""

    connectivity: Connectivity  # which conditions have a strength, and why the others have none
    fitted: Fitted | None = None  # None where no condition has one
    conditions: tuple[StrengthOf, ...] = ()  # those that have one, the strongest first
    differences: tuple[Difference, ...] = ()  # of every two of them
    problems: tuple[str, ...] = ()  # all that is wrong, each in a sentence

    def reason(self, condition: str) -> str:
        problem = self.problems[-1] if self.problems else ""
        return self.connectivity.reasons.get(condition, problem)


def ranking_strengths(
    laid: Orders, drawn: Sampled, counts: Counts, *, confidence: float
) -> RankingStrengths:
    """Estimate strengths from rankings."""
    connected = connectivity(counts)
    if not connected.fitted:
        return RankingStrengths(connectivity=connected, problems=connected.problems)
    if drawn.units < 2:
        return RankingStrengths(
            connectivity=connected, problems=(*connected.problems, NOTHING_DRAWN)
        )
    chosen = choice_sets(laid.only(connected.fitted))
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return RankingStrengths(
            connectivity=connected, problems=(*connected.problems, str(problem))
        )
    choices = chosen.chosen.sum(axis=1, keepdims=True)
    crossed = crossed_strengths(
        fitted,
        csr_array(scores_of_rankings(chosen, fitted)),
        csr_array(choices / choices.sum()),
        drawn.of_ranking,
        drawn.items,
        confidence=confidence,
    )
    return RankingStrengths(
        connectivity=connected,
        fitted=fitted,
        conditions=crossed.conditions,
        differences=crossed.differences,
        problems=connected.problems,
    )


def strengths_of_pairs(
    pairs: Expanded, drawn: Sampled, *, ties: Ties, confidence: float
) -> StrengthTable:
    """Estimate Bradley and Terry's strengths from comparisons, by the same units."""
    counts = pairs.counts()
    if drawn.units > 1:
        return with_strengths(counts, pairs.answers(drawn), ties=ties, confidence=confidence)
    joined = connectivity(counts.without_ties() if ties == "none" else counts)
    return StrengthTable(connectivity=joined, problems=(*joined.problems, NOTHING_DRAWN))


def ranked_conditions(
    rates: Iterable[WinRate],
    places: Iterable[Placement],
    strengths: RankingStrengths,
    by_pairs: StrengthTable,
) -> tuple[RankedCondition, ...]:
    """Give the rows: by strength, then those without one by win rate and name.

    ``rates``, ``places``: of each condition, in the same order.
    """
    own = {condition.condition: condition for condition in strengths.conditions}
    others = {condition.condition: condition for condition in by_pairs.conditions}
    rows = [
        _row(rate, place, own.get(rate.condition), others.get(rate.condition), strengths)
        for rate, place in zip(rates, places, strict=True)
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
    place: Placement,
    own: StrengthOf | None,
    other: StrengthOf | None,
    strengths: RankingStrengths,
) -> RankedCondition:
    return RankedCondition(
        condition=rate.condition,
        images=place.images,
        comparisons=rate.comparisons,
        wins=rate.wins,
        losses=rate.losses,
        ties=rate.ties,
        win_rate=rate.rate,
        mean_rank=place.mean_rank,
        first_share=place.first,
        places=place.places,
        **standing_of(own),
        bt_strength=other.strength if other else None,
        bt_elo=other.elo if other else None,
        reason="" if own else strengths.reason(rate.condition),
    )
