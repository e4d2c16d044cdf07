"""Counts of how often each condition was chosen over every other one, for estimating strengths.

A ranking lists images, the best first; it counts as one comparison for each pair of images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd

from hype.statistics.arrays import BoolArray, FloatArray, IntArray, renumber
from hype.statistics.crossed import FEWEST_ITEMS
from hype.statistics.estimate import Estimate, Images
from hype.statistics.proportions import CrossedShare, estimate_shares

if TYPE_CHECKING:
    from hype.statistics.strengths import Ties

_COUNTED: Final = ("left", "right", "tie")

_LEFT, _RIGHT, _TIE = range(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts:
    """Choices between two images, counted by pairs of conditions."""

    conditions: tuple[str, ...]  # the K compared conditions
    wins: FloatArray  # shape (K, K): ``wins[i, j]`` is how often i was chosen over j
    # Shape (K, K), symmetric, zero on the diagonal: each tie is counted once in ``[i, j]`` and once
    # in ``[j, i]``
    ties: FloatArray

    @property
    def comparisons(self) -> FloatArray:
        """How often each pair of conditions was compared, shape (K, K), symmetric."""
        return self.wins + self.wins.T + self.ties

    @property
    def points(self) -> FloatArray:
        """Wins, with a tie as half a win for both, shape (K, K)."""
        return self.wins + self.ties / 2

    @property
    def total(self) -> int:
        return int(self.wins.sum() + self.ties.sum() / 2)

    def drop_ties(self) -> Counts:
        return replace(self, ties=np.zeros_like(self.ties))

    def only(self, conditions: Sequence[str]) -> Counts:
        """Keep only the comparisons between some conditions, in the given order."""
        kept = [self.conditions.index(name) for name in conditions]
        both = np.ix_(kept, kept)
        return replace(
            self, conditions=tuple(conditions), wins=self.wins[both], ties=self.ties[both]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluatorCounts:
    """Answers as arrays, with one entry for each answer."""

    conditions: tuple[str, ...]
    evaluators: int  # number of people who answered
    # The person of each entry: numbers from 0 to ``evaluators`` - 1, shape (entries,)
    evaluator: IntArray
    # chosen, other: the two conditions, as indexes into ``conditions``; for a tie, the smaller
    # index is in ``chosen``
    chosen: IntArray
    other: IntArray
    tied: BoolArray  # whether it was a tie
    # The item of each entry: numbers from 0, shape (entries,), or (entries, 2) for two images; None
    # if fixed or unknown
    items: IntArray | None = None

    def drop_ties(self) -> EvaluatorCounts:
        """Leave out ties, and evaluators who gave only ties."""
        return self.where(~self.tied)

    def only(self, conditions: Sequence[str]) -> EvaluatorCounts:
        """Keep only comparisons between these conditions, and evaluators who made at least one."""
        place = np.full(len(self.conditions), -1)
        place[[self.conditions.index(name) for name in conditions]] = range(len(conditions))
        kept = self.where((place[self.chosen] >= 0) & (place[self.other] >= 0))
        first, second = place[kept.chosen], place[kept.other]
        swapped = kept.tied & (first > second)
        return replace(
            kept,
            conditions=tuple(conditions),
            chosen=np.where(swapped, second, first),
            other=np.where(swapped, first, second),
        )

    def where(self, kept: BoolArray) -> EvaluatorCounts:
        """Keep some answers, and the evaluators who gave them."""
        evaluators, evaluator = renumber(self.evaluator[kept])
        return EvaluatorCounts(
            conditions=self.conditions,
            evaluators=evaluators,
            evaluator=evaluator,
            chosen=self.chosen[kept],
            other=self.other[kept],
            tied=self.tied[kept],
            items=None if self.items is None else self.items[kept],
        )


def count(votes: pd.DataFrame) -> Counts:
    """Count comparisons by pairs of conditions; rows without an answer are not counted.

    `votes` has the categorical columns ``left``, ``right`` (the conditions) and ``answer``.
    """
    conditions, cells = _cells(votes)
    size = len(conditions)
    won, tied = np.bincount(cells[cells >= 0], minlength=2 * size**2).reshape(2, size, size)
    return Counts(conditions=conditions, wins=won.astype(float), ties=(tied + tied.T).astype(float))


@dataclass(frozen=True, kw_only=True)
class Randomness:
    """What intervals and tests treat as random: people, or people and items."""

    # "comparisons" or "ratings" if evaluators are unknown: each counts as one person's only answer.
    # "prompts" or "groups" of images for rankings by one evaluator or by unknown ones
    unit: Unit
    units: int
    # The items: prompts, or images if there are not several prompts; None if fixed or unknown
    item: Item | None
    items: int | None
    # The items, such as "3 prompts", if they are too few to generalise to other images; else empty
    few: str = ""


Unit = Literal["evaluators", "one evaluator", "comparisons", "ratings", "prompts", "groups"]
Item = Literal["prompts", "images", "groups"]


def answers_of(votes: pd.DataFrame, images: Images) -> tuple[EvaluatorCounts, Randomness]:
    """Encode each answer as numbers, with its person and item.

    ``votes``: as in `count`, with the categorical columns ``evaluator``, ``prompt``, ``left_image``
    and ``right_image`` if known. If there is one evaluator, or if they are unknown, each answer
    counts as a different person's.
    """
    conditions, cells = _cells(votes)
    answered = cells >= 0
    cell, size = cells[answered], len(conditions)
    people: IntArray = np.arange(len(cell))
    units = len(cell)
    unit: Unit = "comparisons"
    if "evaluator" in votes:
        codes = votes["evaluator"].cat.codes.to_numpy()[answered]
        known, numbered = renumber(codes)
        unit = "evaluators" if known > 1 else "one evaluator"
        if known > 1:
            people, units = numbered, known
    about = treat_as_sample(None, None) if images == "fixed" else _items(votes[answered])
    counted = EvaluatorCounts(
        conditions=conditions,
        evaluators=units,
        evaluator=people,
        chosen=cell % size**2 // size,
        other=cell % size,
        tied=cell >= size**2,
        items=about.codes,
    )
    return counted, about.random(unit, units)


class SampledItems(NamedTuple):
    """The items that people judge; the fields are as in `Randomness`."""

    item: Item | None
    codes: IntArray | None  # the item of each answer; None if ``item`` is None
    few: str

    def random(self, unit: Unit, units: int) -> Randomness:
        number = None if self.codes is None else int(self.codes.max(initial=-1)) + 1
        return Randomness(unit=unit, units=units, item=self.item, items=number, few=self.few)


def treat_as_sample(item: Item | None, codes: IntArray | None, *, each: int = 1) -> SampledItems:
    """Treat items as a sample if their number is at least ``each`` times `FEWEST_ITEMS`."""
    number = 0 if codes is None else int(codes.max(initial=-1)) + 1
    if codes is not None and number < FEWEST_ITEMS * each:
        return SampledItems(None, None, f"{number} {item}")
    return SampledItems(item, codes, "")


def _items(votes: pd.DataFrame) -> SampledItems:
    if "prompt" in votes:
        prompts, numbered = renumber(votes["prompt"].cat.codes.to_numpy())
        if prompts > 1:
            return treat_as_sample("prompts", numbered)
    sides = [(side, f"{side}_image") for side in ("left", "right")]
    if any(name not in votes or votes[name].eq("").any() for _, name in sides):
        return treat_as_sample(None, None)
    conditions = votes["left"].cat.categories
    names = votes["left_image"].cat.categories.union(votes["right_image"].cat.categories)
    # Images of different conditions may share a name.
    keys = [
        votes[side].cat.set_categories(conditions).cat.codes.to_numpy().astype(np.int64)
        * len(names)
        + votes[name].cat.set_categories(names).cat.codes.to_numpy()
        for side, name in sides
    ]
    numbered = np.unique(np.column_stack(keys), return_inverse=True)[1]
    return treat_as_sample("images", numbered.reshape(-1, 2), each=len(conditions))


def _cells(votes: pd.DataFrame) -> tuple[tuple[str, ...], IntArray]:
    """Number answers as chosen x K + other, plus K² for ties; -1 without an answer."""
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
class PairRate:
    """How often one condition was chosen over another."""

    a: str
    b: str
    # comparisons, wins_a, wins_b, ties: numbers of answers about these two conditions
    comparisons: int = 0
    wins_a: int = 0
    wins_b: int = 0
    ties: int = 0
    # The win rate of ``a`` over ``b``, as in `win_rates`; an interval needs `FEWEST_VOTES`
    win_rate: Estimate | None = None

    def swap(self) -> PairRate:
        rate = self.win_rate and self.win_rate.complement()
        wins = {"wins_a": self.wins_b, "wins_b": self.wins_a}
        return replace(self, a=self.b, b=self.a, win_rate=rate, **wins)


def win_rates(
    counts: Counts, answers: EvaluatorCounts, *, ties: Ties, confidence: float = 0.95
) -> list[dict[str, Any]]:
    """Return how often each ``condition`` was chosen; ``answers``: the answers that were counted.

    ``comparisons``, ``wins``, ``losses``, ``ties``: against all other conditions. ``win_rate``: a
    proportion; None if no comparison counts. It has no interval with fewer than two people.
    """
    kept = answers.drop_ties() if ties == "none" else answers
    half = kept.tied / 2
    crossed = estimate_shares(
        np.append(kept.chosen, kept.other),
        np.append(1 - half, half),
        np.tile(kept.evaluator, 2),
        None if kept.items is None else np.concatenate([kept.items, kept.items]),
        groups=len(counts.conditions),
    )
    won, lost, tied = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    rates = _rates(won, lost, tied, ties, crossed, confidence)
    columns = zip(*(each.astype(int).tolist() for each in (won, lost, tied)), rates, strict=True)
    return [
        {
            "condition": name,
            "comparisons": wins + losses + tied_with,
            "wins": wins,
            "losses": losses,
            "ties": tied_with,
            "win_rate": rate,
        }
        for name, (wins, losses, tied_with, rate) in zip(counts.conditions, columns, strict=True)
    ]


FEWEST_VOTES: Final = 20
"""With fewer votes, a pair gets no interval."""


def pair_rates(
    counts: Counts, answers: EvaluatorCounts, *, ties: Ties, confidence: float = 0.95
) -> tuple[PairRate, ...]:
    """Return the win rate of every compared pair, in the order of the counts.

    ``answers``: the answers that were counted.
    """
    first, second = np.nonzero(np.triu(counts.comparisons, 1))
    won, lost, tied = (each[first, second] for each in (counts.wins, counts.wins.T, counts.ties))
    answers = answers.drop_ties() if ties == "none" else answers
    size = int(second.max(initial=0)) + 1
    number = np.zeros(size**2, dtype=np.int64)
    number[first * size + second] = np.arange(len(first))
    lower = np.minimum(answers.chosen, answers.other)
    higher = np.maximum(answers.chosen, answers.other)
    crossed = estimate_shares(
        number[lower * size + higher],
        np.where(answers.tied, 0.5, answers.chosen == lower),
        answers.evaluator,
        answers.items,
        groups=len(first),
    )
    known = won + lost + (0 if ties == "none" else tied) >= FEWEST_VOTES
    crossed = [share if enough else None for share, enough in zip(crossed, known, strict=True)]
    rates = _rates(won, lost, tied, ties, crossed, confidence)
    columns = (each.astype(int).tolist() for each in (first, second, won, lost, tied))
    return tuple(
        PairRate(
            a=counts.conditions[a],
            b=counts.conditions[b],
            comparisons=wins + losses + tied_with,
            wins_a=wins,
            wins_b=losses,
            ties=tied_with,
            win_rate=rate,
        )
        for a, b, wins, losses, tied_with, rate in zip(*columns, rates, strict=True)
    )


def _rates(
    won: FloatArray,
    lost: FloatArray,
    tied: FloatArray,
    ties: Ties,
    crossed: list[CrossedShare | None],
    confidence: float,
) -> list[Estimate | None]:
    """Return the rates, with intervals where they were computed."""
    counted = np.zeros_like(tied) if ties == "none" else tied
    number = won + lost + counted
    values = ((won + counted / 2) / np.maximum(number, 1)).tolist()
    return [
        share.estimate(confidence) if share else Estimate(value=value) if some else None
        for share, value, some in zip(crossed, values, (number > 0).tolist(), strict=True)
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class Orders:
    """The images of R rankings, one ranking after the other, the best image first."""

    conditions: tuple[str, ...]  # the K conditions
    # row of each image in the table; this and the next three have the shape (images,)
    row: IntArray
    ranking: IntArray  # the ranking of each image, numbers from 0, ascending
    rank: IntArray  # the rank of each image: the number of better images, plus 1; equal in a tie
    condition: IntArray  # index of each image's condition in ``conditions``
    sizes: IntArray  # number of images in each ranking, shape (R,)

    @property
    def starts(self) -> IntArray:
        """The index of each ranking's first image, shape (R,)."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def leads(self) -> IntArray:
        """For each image, the first one that is tied with it, or itself; shape (images,)."""
        begins = np.append(True, self.ranking[1:] != self.ranking[:-1])
        begins |= np.append(True, self.rank[1:] != self.rank[:-1])
        return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))

    @property
    def tied(self) -> IntArray:
        """For each image, how many images share its rank, including itself; shape (images,)."""
        leads = self.leads
        return np.bincount(leads, minlength=len(leads))[leads]

    @property
    def mid_ranks(self) -> FloatArray:
        return np.asarray(self.rank + (self.tied - 1) / 2, dtype=float)

    def only(self, conditions: Sequence[str]) -> Orders:
        """Keep only the images of some conditions.

        Rankings keep their numbers, even if a ranking has no images left. Ranks keep their
        order, but may have gaps.
        """
        place = np.full(len(self.conditions), -1)
        place[[self.conditions.index(name) for name in conditions]] = range(len(conditions))
        kept = place[self.condition] >= 0
        return replace(
            self,
            conditions=tuple(conditions),
            row=self.row[kept],
            ranking=self.ranking[kept],
            rank=self.rank[kept],
            condition=place[self.condition[kept]],
            sizes=np.bincount(self.ranking[kept], minlength=len(self.sizes)),
        )


def orders(rankings: pd.DataFrame) -> Orders:
    """Encode the finished rankings of a table.

    ``rankings``: a table from `check_rankings`, or complete rankings from such a table.
    """
    row = np.flatnonzero(rankings["finished"].to_numpy())
    rank = rankings["rank"].to_numpy(dtype=float)[row].astype(np.int64)
    number, _ = pd.factorize(rankings["ranking"].to_numpy()[row])
    order = np.lexsort((rank, number))
    return Orders(
        conditions=tuple(map(str, rankings["condition"].cat.categories)),
        row=row[order],
        ranking=number[order].astype(np.int64),
        rank=rank[order],
        condition=rankings["condition"].cat.codes.to_numpy().astype(np.int64)[row[order]],
        sizes=np.bincount(number),
    )


def compare_rows(rankings: pd.DataFrame) -> tuple[IntArray, IntArray, BoolArray]:
    """Return every comparison in the finished rankings as a pair of rows of the table.

    ``rankings``: as in `orders`. Returns ``better`` and ``worse``, the positions in the table
    (for a tie, in any order), and ``tied``; all have shape (comparisons,).
    Comparisons between images of the same condition are included.
    """
    laid = orders(rankings)
    first, second = places_of_pairs(laid)
    return laid.row[first], laid.row[second], laid.rank[first] == laid.rank[second]


def places_of_pairs(laid: Orders) -> tuple[IntArray, IntArray]:
    """Return all pairs of images of each ranking, the better first, as indexes into ``laid``."""
    firsts, seconds = [], []
    for size in np.unique(laid.sizes).tolist():
        first, second = np.triu_indices(size, 1)
        starts = laid.starts[laid.sizes == size][:, np.newaxis]
        firsts.append((starts + first).ravel())
        seconds.append((starts + second).ravel())
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *firsts]), np.concatenate([none, *seconds])
