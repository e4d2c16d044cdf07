"""How often each condition was chosen, over all others and over each one.

A tie is half a win to either, or by the rule "none" no comparison at all. Intervals are Wilson's:
they take comparisons to be independent. p is two-sided, of wins against losses, where ties are
always left out: the exact binomial test (the sign test); and beside it the same with evaluators as
the independent units (`hype.statistics.sign_flip`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.statistics.proportions import even_chance_p, holm, wilson
from hype.statistics.sign_flip import sign_flip_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.strengths import Ties

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class WinRate:
    """How often a condition was chosen.

    Parameters
    ----------
    condition
        Which.
    comparisons, wins, losses, ties
        With it on either side, and how they went.
    rate, low, high
        As proportions, with Wilson's interval; None without a comparison that counts.
    """

    condition: str
    comparisons: int
    wins: int
    losses: int
    ties: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class PairRate:
    """How often one condition was chosen over another.

    Parameters
    ----------
    a, b
        The conditions, in the order of the counts.
    comparisons, wins_a, wins_b, ties
        Of the two with each other, and how they went.
    rate, low, high
        Of `a` over `b`, as of `WinRate`.
    p
        As if comparisons were independent.
    p_clustered
        As far as evaluators are; None where they are not known, or fewer than two compared these.
    p_holm, p_clustered_holm
        The same by Holm's rule over all pairs that were compared.
    """

    a: str
    b: str
    comparisons: int
    wins_a: int
    wins_b: int
    ties: int
    rate: float | None
    low: float | None
    high: float | None
    p: float
    p_holm: float
    p_clustered: float | None
    p_clustered_holm: float | None


def win_rates(counts: Counts, *, ties: Ties, confidence: float = 0.95) -> tuple[WinRate, ...]:
    """Give the win rate of each condition, in the order of the counts."""
    won, lost, tied = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    rates, lows, highs = _rates(won, lost, tied, ties, confidence)
    return tuple(
        WinRate(
            condition=name,
            comparisons=int(won[place] + lost[place] + tied[place]),
            wins=int(won[place]),
            losses=int(lost[place]),
            ties=int(tied[place]),
            rate=rates[place],
            low=lows[place],
            high=highs[place],
        )
        for place, name in enumerate(counts.conditions)
    )


def pair_rates(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    confidence: float = 0.95,
) -> tuple[PairRate, ...]:
    """Give the win rate of every two conditions that were compared, in the order of the counts."""
    first, second = np.nonzero(np.triu(counts.comparisons, 1))
    won, lost, tied = (
        counts.wins[first, second],
        counts.wins[second, first],
        counts.ties[first, second],
    )
    rates, lows, highs = _rates(won, lost, tied, ties, confidence)
    alone = even_chance_p(won, won + lost)
    clustered = np.full(len(first), np.nan)
    if by_evaluator is not None:
        found = dict(_clustered(by_evaluator))
        clustered[:] = [
            found.get(pair, np.nan) for pair in zip(first.tolist(), second.tolist(), strict=True)
        ]
    corrected, clustered_corrected = holm(alone), holm(clustered)
    return tuple(
        PairRate(
            a=counts.conditions[first[place]],
            b=counts.conditions[second[place]],
            comparisons=int(won[place] + lost[place] + tied[place]),
            wins_a=int(won[place]),
            wins_b=int(lost[place]),
            ties=int(tied[place]),
            rate=rates[place],
            low=lows[place],
            high=highs[place],
            p=float(alone[place]),
            p_holm=float(corrected[place]),
            p_clustered=_known(clustered[place]),
            p_clustered_holm=_known(clustered_corrected[place]),
        )
        for place in range(len(first))
    )


def _clustered(by_evaluator: EvaluatorCounts) -> Iterator[tuple[tuple[int, int], float]]:
    """Test each two conditions that two evaluators or more compared."""
    size, people = len(by_evaluator.conditions), by_evaluator.evaluators
    first = np.minimum(by_evaluator.chosen, by_evaluator.other)
    second = np.maximum(by_evaluator.chosen, by_evaluator.other)
    sign = np.where(by_evaluator.chosen == first, 1, -1) * ~by_evaluator.tied
    keys, entry = np.unique(
        (first * size + second) * people + by_evaluator.evaluator, return_inverse=True
    )
    net = np.rint(np.bincount(entry, sign * by_evaluator.times)).astype(np.int64)
    pairs, begins = np.unique(keys // people, return_index=True)
    for pair, own in zip(pairs.tolist(), np.split(net, begins[1:]), strict=True):
        if len(own) > 1:
            yield divmod(pair, size), sign_flip_p(own)


def _rates(
    won: FloatArray, lost: FloatArray, tied: FloatArray, ties: Ties, confidence: float
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    counted = np.zeros_like(tied) if ties == "none" else tied
    successes, trials = won + counted / 2, won + lost + counted
    low, high = wilson(successes, trials, confidence=confidence)
    rate = np.divide(successes, trials, out=np.full(len(won), np.nan), where=trials > 0)
    return [_known(x) for x in rate], [_known(x) for x in low], [_known(x) for x in high]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
