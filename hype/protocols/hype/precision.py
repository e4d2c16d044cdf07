"""How exact a score would be with other numbers of evaluators: the paper's Figure 4.

Zhou et al. (2019), section 3: the interval of the bootstrap for 10 to 120 evaluators, drawn with
replacement from those there are. The shape is what the data in hand promise: the interval narrows
with the square root of the number of evaluators, as long as more of them would vary as these do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.statistics.resampling import check_draws

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SIZES: Final = tuple(range(10, 121, 10))
"""Numbers of evaluators in the paper's Figure 4."""
_CELLS: Final = 2**17
"""Evaluators times draws held in memory at once; few enough for a processor's cache."""


@dataclass(frozen=True, kw_only=True)
class Precision:
    """Spread of a score of so many evaluators, in the score's unit.

    Parameters
    ----------
    evaluators
        How many are drawn.
    std
        Standard deviation of their scores over the draws (n - 1 in the denominator).
    ci_low, ci_high
        Percentile interval.
    """

    evaluators: int
    std: float
    ci_low: float
    ci_high: float

    @property
    def width(self) -> float:
        return self.ci_high - self.ci_low


def precision(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
    sizes: Iterable[int] = SIZES,
) -> tuple[Precision, ...]:
    """Resample evaluators, more and more of them, and tell how their score varies.

    A draw of 20 evaluators is a draw of 10 and ten more, so that the curve is smooth.

    Parameters
    ----------
    totals, weights
        One number per evaluator, shape (evaluators,), for two evaluators or more; weights above 0.
        A score is the sum of totals over the sum of weights, as in `hype.analysis.bootstrap`.
    draws
        Number of resamples.
    rng
        Source of randomness.
    confidence
        Coverage the intervals are to have, as a proportion.
    sizes
        Numbers of evaluators, each 1 or more.

    Returns
    -------
    tuple of Precision
        One for each size, ascending.

    Raises
    ------
    InputError
        For fewer than two draws, or a size below 1.
    """
    check_draws(draws)
    wanted = sorted(set(sizes))
    if not wanted or wanted[0] < 1:
        allowed = "allowed are whole numbers, 1 or more"
        raise InputError("sizes", ", ".join(map(str, wanted)) or "none", allowed)
    people = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    scores = np.hstack(list(_scores(people, wanted, draws, rng)))
    tail = (1 - confidence) / 2
    bounds = np.quantile(scores, (tail, 1 - tail), axis=1)
    return tuple(
        Precision(evaluators=size, std=float(std), ci_low=float(low), ci_high=float(high))
        for size, std, (low, high) in zip(wanted, scores.std(axis=1, ddof=1), bounds.T, strict=True)
    )


def evaluators_needed(curve: Sequence[Precision], *, width: float) -> int | None:
    """Give the smallest number of evaluators whose interval is at most ``width`` wide.

    Parameters
    ----------
    curve
        As `precision` returns it.
    width
        In the score's unit.

    Returns
    -------
    int or None
        None where none of the curve's numbers is enough.
    """
    return next((point.evaluators for point in curve if point.width <= width), None)


def _scores(
    people: tuple[FloatArray, FloatArray],
    sizes: Sequence[int],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Score growing groups of evaluators; shape (sizes, draws), some draws at a time."""
    step = max(1, _CELLS // sizes[-1])
    joining = list(pairwise((0, *sizes)))
    for start in range(0, draws, step):
        drawn = rng.integers(len(people[0]), size=(sizes[-1], min(step, draws - start)))
        total, weight = (_grown(each, drawn, joining) for each in people)
        yield np.broadcast_to(total / weight, (len(sizes), drawn.shape[1]))


def _grown(values: FloatArray, drawn: IntArray, joining: Sequence[tuple[int, int]]) -> FloatArray:
    """Sum the values of growing groups; shape (sizes, draws), or (sizes, 1) where all are equal."""
    if np.all(values == values[0]):  # as weights often are
        heads = np.array([[high] for _, high in joining], dtype=float)
        return heads * float(values[0])
    sums = np.array([values[drawn[low:high]].sum(axis=0) for low, high in joining], dtype=float)
    return np.cumsum(sums, axis=0)
