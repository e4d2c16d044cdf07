"""Elo's numbers: strengths that move a little after every comparison.

Elo (1978), "The Rating of Chessplayers, Past and Present": the chosen one gains, and the other
loses, k times what was unexpected of it. That is one step of gradient ascent on Bradley and Terry's
log-likelihood of that one comparison, and suits a stream; k is a compromise between following and
forgetting, and the order matters, which says nothing of the conditions. `elo_over_orders` shows by
how much. For a table that is complete, `hype.statistics.strengths` is what Elo's numbers
hover around.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

K: Final = 4.0
START: Final = 1000.0
SCALE: Final = 400 / math.log(10)
"""400 points are odds of 10 to 1."""
_FIRST_SCORES: Final = {"left": 1.0, "right": 0.0, "tie": 0.5}


@dataclass(frozen=True, kw_only=True, eq=False)
class Matches:
    """Answered comparisons, in their order.

    Parameters
    ----------
    conditions
        What was compared.
    left, right
        Places in ``conditions``, shape (comparisons,).
    score
        1 where the left was chosen, 0 where the right, ½ for a tie.
    """

    conditions: tuple[str, ...]
    left: IntArray
    right: IntArray
    score: FloatArray


@dataclass(frozen=True, kw_only=True)
class EloRatings:
    """Numbers after a stream of comparisons.

    Parameters
    ----------
    ratings
        Condition to its number, highest first.
    k
        The most that one comparison moves a number.
    start
        The number with which every condition begins.
    """

    ratings: dict[str, float]
    k: float
    start: float


@dataclass(frozen=True, kw_only=True)
class EloOrders:
    """Numbers after the same comparisons in random orders.

    Parameters
    ----------
    means
        Condition to the mean of its numbers, highest first.
    deviations
        Condition to their standard deviation (n - 1), in the same order: what the order alone
        does to a number.
    orders
        How many there were.
    k, start
        As of `EloRatings`.
    """

    means: dict[str, float]
    deviations: dict[str, float]
    orders: int
    k: float
    start: float


def matches(votes: pd.DataFrame) -> Matches:
    """Take the answered comparisons of a checked table, in its order; see `counts.count`."""
    names = votes["left"].cat.categories
    answers = votes["answer"].cat
    scores = np.array([_FIRST_SCORES.get(str(answer), np.nan) for answer in answers.categories])
    score = scores[answers.codes.to_numpy()]
    answered = ~np.isnan(score)
    right = votes["right"].cat.set_categories(names)
    return Matches(
        conditions=tuple(map(str, names)),
        left=votes["left"].cat.codes.to_numpy()[answered].astype(np.int64),
        right=right.cat.codes.to_numpy()[answered].astype(np.int64),
        score=score[answered],
    )


def elo_stream(played: Matches, *, k: float = K, start: float = START) -> EloRatings:
    own = _played(played, np.arange(len(played.left)), k, start)
    return EloRatings(ratings=_highest_first(played.conditions, own), k=k, start=start)


def elo_over_orders(
    played: Matches,
    *,
    rng: np.random.Generator,
    orders: int = 20,
    k: float = K,
    start: float = START,
) -> EloOrders:
    """Update in random orders, two and more, each of all comparisons."""
    number = len(played.left)
    each = np.stack([_played(played, rng.permutation(number), k, start) for _ in range(orders)])
    means = _highest_first(played.conditions, each.mean(axis=0))
    deviations = dict(zip(played.conditions, each.std(axis=0, ddof=1).tolist(), strict=True))
    return EloOrders(
        means=means,
        deviations={name: deviations[name] for name in means},
        orders=orders,
        k=k,
        start=start,
    )


def _played(played: Matches, order: IntArray, k: float, start: float) -> FloatArray:
    ratings = [start] * len(played.conditions)
    columns = (played.left[order], played.right[order], played.score[order])
    for left, right, score in zip(*(column.tolist() for column in columns), strict=True):
        moved = k * (score - 1 / (1 + math.exp((ratings[right] - ratings[left]) / SCALE)))
        ratings[left] += moved
        ratings[right] -= moved
    return np.array(ratings)


def _highest_first(names: tuple[str, ...], ratings: FloatArray) -> dict[str, float]:
    places = np.argsort(-ratings, kind="stable").tolist()
    return {names[place]: float(ratings[place]) for place in places}
