"""How often each condition was chosen over each other one: what strengths are estimated from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import even_chance_p, holm, shares, sign_flip_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from hype.statistics.strengths import Ties

_COUNTED: Final = ("left", "right", "tie")

_LEFT, _RIGHT, _TIE = range(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts:
    """Answers to "which of two", counted by pairs of conditions."""

    conditions: tuple[str, ...]  # what was compared, K of them
    wins: FloatArray  # shape (K, K): ``wins[i, j]`` is how often i was chosen over j
    # Shape (K, K), symmetric, zero on the diagonal: each tie is counted once in ``[i, j]`` and once
    # in ``[j, i]``
    ties: FloatArray

    @property
    def comparisons(self) -> FloatArray:
        """How often the two were compared, shape (K, K), symmetric."""
        return self.wins + self.wins.T + self.ties

    @property
    def points(self) -> FloatArray:
        """Wins, and half a win for either of a tie, shape (K, K)."""
        return self.wins + self.ties / 2

    @property
    def total(self) -> int:
        return int(self.wins.sum() + self.ties.sum() / 2)

    def without_ties(self) -> Counts:
        return replace(self, ties=np.zeros_like(self.ties))

    def only(self, conditions: Sequence[str]) -> Counts:
        """Leave the comparisons among some of the conditions, in the order that is given."""
        kept = [self.conditions.index(name) for name in conditions]
        both = np.ix_(kept, kept)
        return replace(
            self, conditions=tuple(conditions), wins=self.wins[both], ties=self.ties[both]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluatorCounts:
    """The same, by evaluator; one entry for each of their outcomes that occurred."""

    conditions: tuple[str, ...]
    evaluators: int  # how many of them answered
    # Whose entry it is: numbers from 0 to ``evaluators`` - 1, ascending, shape (entries,)
    evaluator: IntArray
    # chosen, other: the two conditions, as places in ``conditions``; of a tie, the first one and
    # the second
    chosen: IntArray
    other: IntArray
    tied: BoolArray  # whether it was a tie
    times: FloatArray  # how often the evaluator gave this answer

    def without_ties(self) -> EvaluatorCounts:
        """Leave the ties out, and the evaluators who gave nothing else."""
        return self._where(~self.tied)

    def only(self, conditions: Sequence[str]) -> EvaluatorCounts:
        """Leave the comparisons among some of the conditions, and the evaluators who made any."""
        place = np.full(len(self.conditions), -1)
        place[[self.conditions.index(name) for name in conditions]] = range(len(conditions))
        kept = self._where((place[self.chosen] >= 0) & (place[self.other] >= 0))
        first, second = place[kept.chosen], place[kept.other]
        swapped = kept.tied & (first > second)
        return replace(
            kept,
            conditions=tuple(conditions),
            chosen=np.where(swapped, second, first),
            other=np.where(swapped, first, second),
        )

    def _where(self, kept: BoolArray) -> EvaluatorCounts:
        own, evaluator = np.unique(self.evaluator[kept], return_inverse=True)
        return EvaluatorCounts(
            conditions=self.conditions,
            evaluators=len(own),
            evaluator=evaluator,
            chosen=self.chosen[kept],
            other=self.other[kept],
            tied=self.tied[kept],
            times=self.times[kept],
        )


def count(votes: pd.DataFrame) -> Counts:
    """Count comparisons by pairs of conditions; rows without an answer are not counted.

    `votes` has the categoricals ``left``, ``right`` (over the same conditions) and ``answer``.
    """
    conditions, cells = _cells(votes)
    size = len(conditions)
    won, tied = np.bincount(cells[cells >= 0], minlength=2 * size**2).reshape(2, size, size)
    return Counts(conditions=conditions, wins=won.astype(float), ties=(tied + tied.T).astype(float))


def count_by_evaluator(votes: pd.DataFrame) -> EvaluatorCounts | None:
    """Count comparisons by evaluators and pairs of conditions, as `count` does.

    None where nobody knows who answered: there is no categorical ``evaluator``.
    """
    if "evaluator" not in votes:
        return None
    conditions, cells = _cells(votes)
    size = len(conditions)
    answered = cells >= 0
    codes = votes["evaluator"].cat.codes.to_numpy()[answered].astype(np.int64)
    keys, times = np.unique(codes * (2 * size**2) + cells[answered], return_counts=True)
    cell = keys % (2 * size**2)
    own, evaluator = np.unique(keys // (2 * size**2), return_inverse=True)
    return EvaluatorCounts(
        conditions=conditions,
        evaluators=len(own),
        evaluator=evaluator,
        chosen=cell % size**2 // size,
        other=cell % size,
        tied=cell >= size**2,
        times=times.astype(float),
    )


def _cells(votes: pd.DataFrame) -> tuple[tuple[str, ...], IntArray]:
    """Number answers: chosen x K + other, K² more for ties with the first one first; else -1."""
    names = votes["left"].cat.categories
    size = len(names)
    left = votes["left"].cat.codes.to_numpy().astype(np.int64)
    right = votes["right"].cat.set_categories(names).cat.codes.to_numpy().astype(np.int64)
    answer = votes["answer"].cat.set_categories(_COUNTED).cat.codes.to_numpy()
    first = np.where(
        answer == _LEFT, left, np.where(answer == _RIGHT, right, np.minimum(left, right))
    )
    cells = first * size + (left + right - first) + size**2 * (answer == _TIE)
    return tuple(map(str, names)), np.where(answer < 0, -1, cells)


@dataclass(frozen=True, kw_only=True)
class WinRate:
    """How often a condition was chosen."""

    condition: str
    # comparisons, wins, losses, ties: with it on either side, and how they went
    comparisons: int
    wins: int
    losses: int
    ties: int
    # As a proportion, with Wilson's interval; None without a comparison that counts
    rate: Estimate | None


@dataclass(frozen=True, kw_only=True)
class PairRate:
    """How often one condition was chosen over another."""

    # a, b: the conditions, in the order of the counts
    a: str
    b: str
    # comparisons, wins_a, wins_b, ties: of the two with each other, and how they went
    comparisons: int
    wins_a: int
    wins_b: int
    ties: int
    # Of `a` over `b`, as of `WinRate`
    rate: Estimate | None
    p: float  # as if comparisons were independent
    # p_holm, p_clustered_holm: the same by Holm's rule over all pairs that were compared
    p_holm: float
    # As far as evaluators are; None where they are not known, or fewer than two compared these
    p_clustered: float | None
    p_clustered_holm: float | None

    def turned(self) -> PairRate:
        """Give the same of `b` over `a`."""
        rate = self.rate and self.rate.complement()
        wins = {"wins_a": self.wins_b, "wins_b": self.wins_a}
        return replace(self, a=self.b, b=self.a, rate=rate, **wins)


def win_rates(counts: Counts, *, ties: Ties, confidence: float = 0.95) -> tuple[WinRate, ...]:
    won, lost, tied = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    rates = _rates(won, lost, tied, ties, confidence)
    return tuple(
        WinRate(
            condition=name,
            comparisons=int(won[place] + lost[place] + tied[place]),
            wins=int(won[place]),
            losses=int(lost[place]),
            ties=int(tied[place]),
            rate=rates[place],
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
    rates = _rates(won, lost, tied, ties, confidence)
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
) -> list[Estimate | None]:
    counted = np.zeros_like(tied) if ties == "none" else tied
    return shares(won + counted / 2, won + lost + counted, confidence=confidence)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
