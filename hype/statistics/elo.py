"""Elo's numbers: strengths that move a little after every comparison.

Elo (1978), "The Rating of Chessplayers, Past and Present": the chosen one gains, and the other
loses, k times what was unexpected of it. That is one step of gradient ascent on Bradley and Terry's
log-likelihood of that one comparison, and suits a stream; k is a compromise between following and
forgetting, and the order matters, which says nothing of the conditions. For a
table that is complete, `hype.statistics.strengths` is what Elo's numbers hover around.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

K: Final = 4.0
START: Final = 1000.0
SCALE: Final = 400 / math.log(10)
"""400 points are odds of 10 to 1."""
_FIRST_SCORES: Final = {"left": 1.0, "right": 0.0, "tie": 0.5}


@dataclass(frozen=True, kw_only=True, eq=False)
class Matches:
    """Answered comparisons, in their order."""

    conditions: tuple[str, ...]
    # left, right: places in ``conditions``, shape (comparisons,)
    left: IntArray
    right: IntArray
    score: FloatArray  # 1 where the left was chosen, 0 where the right, ½ for a tie


@dataclass(frozen=True, kw_only=True)
class EloRatings:
    """Numbers after a stream of comparisons."""

    ratings: dict[str, float]  # condition to its number, highest first
    k: float  # the most that one comparison moves a number
    start: float  # the number with which every condition begins


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
