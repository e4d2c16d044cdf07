"""How often each condition was chosen over each other one: what strengths are estimated from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_COUNTED: Final = ("left", "right", "tie")
_LEFT, _RIGHT, _TIE = range(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts:
    """Answers to "which of two", counted by pairs of conditions.

    Parameters
    ----------
    conditions
        What was compared, K of them.
    wins
        Shape (K, K): ``wins[i, j]`` is how often i was chosen over j.
    ties
        Shape (K, K), symmetric, zero on the diagonal: each tie is counted once in ``[i, j]`` and
        once in ``[j, i]``.
    """

    conditions: tuple[str, ...]
    wins: FloatArray
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
    """The same, by evaluator; one entry for each of their outcomes that occurred.

    Parameters
    ----------
    conditions
        What was compared.
    evaluators
        How many of them answered.
    evaluator
        Whose entry it is: numbers from 0 to ``evaluators`` - 1, ascending, shape (entries,).
    chosen, other
        The two conditions, as places in ``conditions``; of a tie, the first one and the second.
    tied
        Whether it was a tie.
    times
        How often the evaluator gave this answer.
    """

    conditions: tuple[str, ...]
    evaluators: int
    evaluator: IntArray
    chosen: IntArray
    other: IntArray
    tied: BoolArray
    times: FloatArray

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
    """Count comparisons by pairs of conditions.

    Parameters
    ----------
    votes
        A checked table of comparisons with the categoricals ``left``, ``right`` (over the same
        conditions) and ``answer``. Rows without an answer are not counted.
    """
    conditions, cells = _cells(votes)
    size = len(conditions)
    won, tied = np.bincount(cells[cells >= 0], minlength=2 * size**2).reshape(2, size, size)
    return Counts(conditions=conditions, wins=won.astype(float), ties=(tied + tied.T).astype(float))


def count_by_evaluator(votes: pd.DataFrame) -> EvaluatorCounts | None:
    """Count comparisons by evaluators and pairs of conditions.

    Parameters
    ----------
    votes
        As for `count`, with the categorical ``evaluator``.

    Returns
    -------
    EvaluatorCounts or None
        None where nobody knows who answered: there is no such column.
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
