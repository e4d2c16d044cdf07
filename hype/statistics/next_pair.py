"""Which pair of conditions to compare next.

At random: every pair alike. Adaptively: the pair whose next vote takes away most of the doubt about
the order of its two conditions, among the pairs whose order matters and is not known yet
(`hype.statistics.separation`). For the goal "ranking" these are all such pairs; for "top" those
with the condition that leads, since the top is known once it beats each other one directly. One
vote in ten goes to a pair at random, so that a bad beginning is mended and nothing is starved.

What is known of the log-strengths s is their Laplace posterior: Bradley and Terry's likelihood, a
tie half a vote for either, with a normal prior of `PRIOR_SD`. Of a pair's difference it gives the
mean d and the variance v. The doubt about the order is the entropy of which of the two is stronger,
in bits, for which Houlsby, Huszár, Ghahramani and Lengyel (2011) give

    H(d, v) ≈ exp(−d² / (v π ln 2)).

One more vote has the information q = σ(d)(1 − σ(d)), makes the variance v′ = v / (1 + vq), and
moves the mean to d + v′(1 − σ(d)) if it is for i and to d − v′σ(d) if it is for j, which happens
with probability p ≈ σ(d / √(1 + πv/8)) (MacKay 1992). A vote is worth

    H(d, v) − p·H(d + v′(1 − σ(d)), v′) − (1 − p)·H(d − v′σ(d), v′).

Nothing here is drawn: a number from [0, 1) comes with the question, and the same question has the
same answer. Choosing so leaves the error rate of the separation alone, since the choice rests on
votes that were already given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.statistics.separation import BoolArray, FloatArray, Goal, known_pairs

Rule = Literal["random", "adaptive"]
Pair = tuple[int, int]

PRIOR_SD: Final = 1.0
"""Of each log-strength; half of all pairs then have a better one that wins at least 72 %."""
RANDOM_SHARE: Final = 0.1
EQUAL: Final = 1e-9
"""Gains, and leaders, that differ by less are alike."""
STEP: Final = 1.0
"""The most that Newton's method moves a log-strength at a time, where the likelihood is flat."""
CONVERGED: Final = 1e-5
"""A step after one so small would be about its square."""
MOST_STEPS: Final = 100
ENTROPY_SCALE: Final = math.pi * math.log(2)


def next_pair(
    wins: npt.ArrayLike,
    ties: npt.ArrayLike,
    *,
    rule: Rule,
    draw: float,
    goal: Goal = "top",
    alpha: float = 0.05,
    known: BoolArray | None = None,
) -> Pair:
    """Choose the pair to compare next, the lower number first.

    Parameters
    ----------
    wins
        (K, K) votes so far, ``wins[i, j]`` for i over j.
    ties
        (K, K) ties so far, each in ``[i, j]`` and in ``[j, i]``.
    rule
        Whether all pairs are alike.
    draw
        A number from [0, 1), drawn beforehand.
    goal, alpha
        What is to be known, and with which error rate; they matter to the adaptive rule.
    known
        ``Separation.beats``, if not what `separation` says of ``wins``: that of evaluators, say.

    Raises
    ------
    InputError
        There is no such rule.
    """
    if rule not in get_args(Rule):
        raise InputError("rule", f"is {rule!r}", f"allowed are {', '.join(get_args(Rule))}")
    won = np.asarray(wins, dtype=np.float64)
    if rule == "random":
        return any_pair(len(won), draw)
    if draw < RANDOM_SHARE:
        return any_pair(len(won), draw / RANDOM_SHARE)
    if known is None:
        known = known_pairs(won, goal=goal, alpha=alpha)
    mean, covariance = posterior(won + np.asarray(ties) / 2)
    gain = np.where(open_pairs(mean, known, goal), worth(mean, covariance), -np.inf)
    return best_pair(gain, (draw - RANDOM_SHARE) / (1 - RANDOM_SHARE))


def next_pairs(
    wins: npt.ArrayLike,
    ties: npt.ArrayLike,
    *,
    rule: Rule,
    draws: Iterable[float],
    goal: Goal = "top",
    alpha: float = 0.05,
    known: BoolArray | None = None,
) -> list[Pair]:
    """Choose a session's pairs before it begins, as `separation_by_evaluator` asks.

    Each is chosen as if the votes on those before it had come out as they are expected to.
    """
    won, tied = (np.array(table, dtype=np.float64) for table in (wins, ties))
    if known is None:
        known = known_pairs(won, goal=goal, alpha=alpha)
    chosen = []
    for draw in draws:
        i, j = next_pair(won, tied, rule=rule, draw=draw, goal=goal, alpha=alpha, known=known)
        chosen.append((i, j))
        mean, _ = posterior(won + tied / 2)
        expected = float(logistic(mean[i] - mean[j]))
        won[i, j] += expected
        won[j, i] += 1 - expected
    return chosen


def any_pair(conditions: int, draw: float) -> Pair:
    return nth(np.triu(np.ones((conditions, conditions), dtype=bool), 1), draw)


def best_pair(gain: FloatArray, draw: float) -> Pair:
    """Choose the pair of most gain, any of the best ones where there are several."""
    upper = np.triu(np.ones(gain.shape, dtype=bool), 1)
    most = gain[upper].max()
    near = EQUAL * abs(most) if math.isfinite(most) else 0.0
    return nth(upper & (gain >= most - near), draw)


def nth(pairs: BoolArray, draw: float) -> Pair:
    places = np.flatnonzero(pairs)
    place = int(places[min(int(draw * len(places)), len(places) - 1)])
    return divmod(place, len(pairs))


def open_pairs(mean: FloatArray, known: BoolArray, goal: Goal) -> BoolArray:
    """Mark pairs whose order matters to the goal and is not known; all where it is reached.

    Leading axes may hold separate arenas.
    """
    unknown = ~(known | np.swapaxes(known, -1, -2)) & ~np.eye(mean.shape[-1], dtype=bool)
    if goal == "top":
        leader = leading(mean, known)
        unknown &= leader[..., :, None] | leader[..., None, :]
    return np.asarray(unknown | ~unknown.any(axis=(-1, -2), keepdims=True))


def leading(mean: FloatArray, known: BoolArray) -> BoolArray:
    """Mark the strongest of those that are not known to be beaten; several if they are equal."""
    beaten = known.any(axis=-2)
    beaten &= ~beaten.all(axis=-1, keepdims=True)
    left = np.where(beaten, -np.inf, mean)
    return np.asarray(left >= left.max(axis=-1, keepdims=True) - EQUAL)


def posterior(scores: FloatArray, start: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Give the mode of the log-strengths, and the inverse of the curvature there.

    Parameters
    ----------
    scores
        (…, K, K) votes, ties counting half; leading axes may hold separate arenas.
    start
        (…, K) where to begin, if not at equal strengths.
    """
    count = scores + np.swapaxes(scores, -1, -2)
    total = scores.sum(axis=-1)
    mean = np.zeros(total.shape) if start is None else start
    for _ in range(MOST_STEPS):
        rate = logistic(mean[..., :, None] - mean[..., None, :])
        slope = total - (count * rate).sum(axis=-1) - mean / PRIOR_SD**2
        curved = curvature(count * rate * (1 - rate))
        covariance = np.asarray(np.linalg.inv(curved), dtype=np.float64)
        step = (covariance @ slope[..., None])[..., 0]
        mean = mean + step / np.maximum(np.abs(step).max(axis=-1, keepdims=True) / STEP, 1)
        if np.abs(step).max() < CONVERGED:
            break
    return mean, covariance


def curvature(information: FloatArray) -> FloatArray:
    diagonal = information.sum(axis=-1) + PRIOR_SD**-2
    return np.asarray(np.eye(information.shape[-1]) * diagonal[..., None] - information)


def worth(mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Give how many bits of doubt about each pair's order its next vote is expected to remove."""
    variance_of = np.diagonal(covariance, axis1=-2, axis2=-1)
    ahead = mean[..., :, None] - mean[..., None, :]
    variance = variance_of[..., :, None] + variance_of[..., None, :] - 2 * covariance
    variance = np.maximum(variance, np.finfo(float).tiny)
    rate, chance = logistic(ahead), logistic(ahead / np.sqrt(1 + math.pi * variance / 8))
    after = variance / (1 + variance * rate * (1 - rate))
    won = doubt(ahead + after * (1 - rate), after)
    lost = doubt(ahead - after * rate, after)
    return np.asarray(doubt(ahead, variance) - chance * won - (1 - chance) * lost)


def doubt(ahead: FloatArray, variance: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(ahead**2) / (variance * ENTROPY_SCALE)))


def logistic(x: npt.ArrayLike) -> FloatArray:
    """Give σ(x), without overflow."""
    return np.asarray((1 + np.tanh(np.asarray(x) / 2)) / 2)
