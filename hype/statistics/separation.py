"""Whether enough has been seen: who beats whom, however often and whenever one looks.

**Evidence.** Votes between two conditions are counted; ties are left out, so the question is which
of the two is chosen where one is preferred. If neither is better, each such vote is for either with
probability ½ whatever came before. Then a gambler who bets on θ with density Beta(a, a) has, after
w wins and l losses, a capital of

    M = 2ⁿ · B(a + w, a + l) / B(a, a),    n = w + l,

and no gambler can hope to grow rich: M is a martingale that starts at 1, so the probability that it
*ever* reaches 1/ε is at most ε (Ville 1939; Robbins 1970; Howard et al. 2021). With p in place of ½
the same holds of M(p) = 2⁻ⁿ M / (pʷ (1 − p)ˡ), and the p with M(p) < 1/ε are a confidence sequence:
the intervals of all moments together hold the true win rate with probability 1 − ε. Nobody need
plan when to look or to stop, and the next pair may depend on all that was seen before.

"i beats j" is claimed where i leads and M ≥ 1/ε. Half of the gambler bets on i: M = (M⁺ + M⁻)/2.
Where i leads M⁺ ≥ M, and M⁺ is a supermartingale wherever i wins at most half of the votes. So each
wrong claim, also of a true loser over a better one, has probability ε at most.

**The top** is known where one condition beats every other one, each directly. No correction for the
number of pairs is needed, beyond ε = α/(1 + α). Number the conditions from the best, equals in any
order. That r ≥ 3 be declared takes r − 1 wrong claims at the same moment, "r beats 1" to
"r beats r − 1". A vote changes one pair's M⁺ only, so their product is a supermartingale too, and
by Ville's inequality reaches ε^−(r−1) with probability ε^(r−1) at most. That 2 be declared, or,
where they are equal, 1, takes one M of the pair {1, 2}: ε. In all ε + ε² + … = ε/(1 − ε) = α. With
two conditions ε = α. It needs an order in which a better condition never loses to a worse one; any
strengths give one. A single claim has its own ε; all claims together are not covered.

**The ranking** is known where the claims, and what follows from them (i beats j, j beats k), order
all conditions. Every claim may count then, so ε is α over the number of pairs (Bonferroni), and all
claims and intervals are right together with probability 1 − α.

**Who votes.** All this holds if each vote, given all earlier ones, is for the better condition with
probability ½ at least: if evaluators are new or their tastes alike, and prompts drawn anew. Many
votes of one taste are worth fewer; then ask for evaluators (`separation_by_evaluator`). Each gives
one observation x of a pair, the share of their votes that went to i, a tie counting half, and the
stakes are linear in it (Waudby-Smith and Ramdas 2024): xθ/m + (1 − x)(1 − θ)/(1 − m) against a mean
m, with θ uniform over `BETS`. Evaluators must be drawn independently, and how often one is asked
about a pair must not depend on that evaluator's votes: choose a session's pairs before it begins.
One evaluator's shares of several pairs are related, so products will not do, and for the top
ε = α/(K − 1): a wrong top must beat 1, or, being 1, its equal, and 1 is in K − 1 pairs.

What is said follows from the present counts; the error rate is that of ever being wrong.

**Which pair to compare next** (`next_pair`). At random: every pair alike. Adaptively: the pair
whose next vote takes away most of the doubt about the order of its two conditions, among the pairs
whose order matters and is not known yet. For the goal "ranking"
these are all such pairs; for "top" those with the condition that leads, since the top is known once
it beats each other one directly. One vote in ten goes to a pair at random, so that a bad beginning
is mended and nothing is starved.

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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.statistics.arrays import BoolArray, FloatArray

Bounds = tuple[FloatArray, FloatArray]

Goal = Literal["top", "ranking"]

CONCENTRATION: Final = 30.0
"""The a of the bets' Beta(a, a): at .55 and ε = .05/1.05 857 votes on average, with 10 892."""
BETS: Final = (np.arange(100) + 0.5) / 100
"""Evaluators' shares vary less than votes, so nothing is known of the best bet."""
HALVINGS: Final = 40
SHIFT: Final = 8
"""From here on Stirling's series errs by less than 1e-11."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Separation:
    """What is known, with an error rate of ``alpha`` for the goal."""

    goal: Goal
    alpha: float
    level: float  # ε, the error rate of one pair's claim and interval
    beats: BoolArray  # ``beats[i, j]``: i is known to beat j; for the ranking also through others
    top: int | None  # the best condition, where it is known
    # All conditions from the best, where it is known; never with the goal "top"
    order: tuple[int, ...] | None
    # low, high: bounds of ``[i, j]``, how often i is chosen over j
    low: FloatArray
    high: FloatArray

    @property
    def reached(self) -> bool:
        return (self.top if self.goal == "top" else self.order) is not None


def separation(wins: npt.ArrayLike, *, goal: Goal = "top", alpha: float = 0.05) -> Separation:
    """Say what votes tell, ``wins[i, j]`` for i over j, without ties, of shape (K, K).

    `alpha` is the probability of ever being wrong that is allowed. InputError for what cannot be
    used.
    """
    won = checked(wins)
    level = level_for(goal, alpha, len(won))
    return concluded(goal, alpha, level, claims(won, level), interval(won, won.T, level)[0])


def separation_by_evaluator(
    pairs: npt.ArrayLike,
    shares: npt.ArrayLike,
    *,
    conditions: int,
    goal: Goal = "top",
    alpha: float = 0.05,
) -> Separation:
    """Say what evaluators tell, each with one taste.

    `pairs`, shape (N, 2), are conditions i and j, one row for each evaluator and pair; `shares`,
    shape (N,), that evaluator's share of votes for i, a tie half a vote. The rest as in
    `separation`.
    """
    level = level_for(goal, alpha, conditions, by_evaluator=True)
    first, second = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    share = np.asarray(shares, dtype=np.float64)
    if ((share < 0) | (share > 1)).any():
        raise InputError("shares", "are not all between 0 and 1")
    cell = np.concatenate([first * conditions + second, second * conditions + first])
    value = np.concatenate([share, 1 - share])
    number = np.bincount(cell, minlength=conditions**2)
    total = np.bincount(cell, value, minlength=conditions**2)
    mean = np.divide(total, number, out=np.full(total.shape, 0.5), where=number > 0)
    even = capitals(cell, value, np.full(mean.shape, 0.5))
    leads = mixed(even[:, BETS > 0.5]) > mixed(even[:, BETS < 0.5])
    direct = leads & (mixed(even) >= -math.log(level))
    low = lower_bounds(lambda rate: mixed(capitals(cell, value, rate)), mean, level)
    square = (conditions, conditions)
    return concluded(goal, alpha, level, direct.reshape(square), low.reshape(square))


def interval(wins: npt.ArrayLike, losses: npt.ArrayLike, alpha: float) -> Bounds:
    """Bound win rates: the intervals of all moments hold the truth with probability 1 − alpha."""
    won, lost = (np.asarray(counts, dtype=np.float64) for counts in (wins, losses))
    mean = np.divide(won, won + lost, out=np.full(won.shape, 0.5), where=won + lost > 0)
    mixture = evidence(won, lost) - (won + lost) * math.log(2)
    low = lower_bounds(lambda rate: mixture - log_likelihood(won, lost, rate), mean, alpha)
    lost_low = lower_bounds(lambda rate: mixture - log_likelihood(lost, won, rate), 1 - mean, alpha)
    return low, 1 - lost_low


def evidence(wins: npt.ArrayLike, losses: npt.ArrayLike) -> FloatArray:
    """Give ln M, the logarithm of the capital won against equal conditions."""
    won, lost = (np.asarray(counts, dtype=np.float64) for counts in (wins, losses))
    a, total = CONCENTRATION, won + lost
    mixture = log_gamma(a + won) + log_gamma(a + lost) - log_gamma(2 * a + total)
    return np.asarray(mixture - 2 * math.lgamma(a) + math.lgamma(2 * a) + total * math.log(2))


def log_likelihood(won: FloatArray, lost: FloatArray, rate: FloatArray) -> FloatArray:
    """Give the logarithm of the probability of one series of votes; rates below 1."""
    at = np.maximum(rate, np.finfo(float).tiny)
    return np.asarray(won * np.log(at) + lost * np.log1p(-at))


def claims(wins: FloatArray, level: float) -> BoolArray:
    """Mark who is directly known to beat whom; leading axes may hold separate tables."""
    losses = np.swapaxes(wins, -1, -2)
    return np.asarray((wins > losses) & (evidence(wins, losses) >= -math.log(level)))


def known_pairs(wins: FloatArray, *, goal: Goal, alpha: float) -> BoolArray:
    """Give ``Separation.beats`` alone, which is quick."""
    direct = claims(wins, level_for(goal, alpha, len(wins)))
    return closure(direct) if goal == "ranking" else direct


def level_for(goal: Goal, alpha: float, conditions: int, *, by_evaluator: bool = False) -> float:
    """Give ε, which keeps the error rate of the goal at alpha."""
    if not 0 < alpha < 1:
        raise InputError("alpha", f"is {alpha}", "allowed are numbers between 0 and 1")
    if goal not in get_args(Goal):
        raise InputError("goal", f"is {goal!r}", f"allowed are {', '.join(get_args(Goal))}")
    if conditions < 2:
        raise InputError("conditions", f"there is {conditions}", "a comparison takes two or more")
    if goal == "ranking":
        return alpha / math.comb(conditions, 2)
    if by_evaluator or conditions == 2:
        return alpha / (conditions - 1)
    return alpha / (1 + alpha)


def closure(beats: BoolArray) -> BoolArray:
    """Add what follows: who beats one that beats another beats that one."""
    reached = beats
    while True:
        steps = reached.astype(np.float32)
        further = reached | (steps @ steps > 0)
        if (further == reached).all():
            return further
        reached = further


def concluded(
    goal: Goal, alpha: float, level: float, direct: BoolArray, low: FloatArray
) -> Separation:
    beats = closure(direct) if goal == "ranking" else direct
    others = len(beats) - 1
    one_sided = beats & ~beats.T
    ranks = one_sided.sum(axis=1)
    first = np.flatnonzero(ranks == others)
    whole = goal == "ranking" and int(one_sided.sum()) == math.comb(others + 1, 2)
    return Separation(
        goal=goal,
        alpha=alpha,
        level=level,
        beats=beats,
        top=int(first[0]) if len(first) else None,
        order=tuple(int(place) for place in np.argsort(-ranks)) if whole else None,
        low=low,
        high=1 - low.T,
    )


def lower_bounds(
    capital: Callable[[FloatArray], FloatArray], mean: FloatArray, level: float
) -> FloatArray:
    """Find the lowest rates not refuted, by halving: ln M is convex, and below 0 at the mean."""
    out, inside = np.zeros_like(mean), mean
    for _ in range(HALVINGS):
        middle = (out + inside) / 2
        refuted = capital(middle) >= -math.log(level)
        out, inside = np.where(refuted, middle, out), np.where(refuted, inside, middle)
    return out


def checked(wins: npt.ArrayLike) -> FloatArray:
    table = np.asarray(wins, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InputError("wins", f"has the shape {table.shape}", "allowed is a square table")
    if not (np.isfinite(table) & (table >= 0)).all() or table.diagonal().any():
        raise InputError("wins", "holds what is no number of votes", "0 or more, 0 against itself")
    return table


def log_gamma(x: FloatArray) -> FloatArray:
    """Give ln Γ for x > 0, by Stirling's series; `math.lgamma` takes one number at a time."""
    y = x + SHIFT
    square = y * y
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / y
    below = np.log(math.prod(x + step for step in range(SHIFT)))
    return np.asarray((y - 0.5) * np.log(y) - y + 0.5 * math.log(2 * math.pi) + series - below)


def capitals(cell: npt.NDArray[np.intp], share: FloatArray, rate: FloatArray) -> FloatArray:
    """Give the logarithm of what each bet has won against each cell's rate, (cells, bets)."""
    at = np.maximum(rate, np.finfo(float).tiny)[cell][:, None]
    stake = share[:, None]
    won = np.log(stake * BETS / at + (1 - stake) * (1 - BETS) / (1 - at))
    total = np.zeros((len(rate), len(BETS)))
    np.add.at(total, cell, won)
    return total


def mixed(logs: FloatArray) -> FloatArray:
    most = logs.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(logs - most).mean(axis=-1)) + most[..., 0])


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
    wins, ties
        (K, K) votes so far, ``wins[i, j]`` for i over j; each tie in ``[i, j]`` and in ``[j, i]``.
    draw
        A number from [0, 1), drawn beforehand.
    goal, alpha
        What is to be known, and with which error rate; they matter to the adaptive rule.
    known
        ``Separation.beats``, if not what `separation` says of ``wins``: that of evaluators, say.
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

    Scores are (…, K, K) votes, ties counting half; leading axes may hold separate arenas.
    ``start``, (…, K), is where to begin, if not at equal strengths.
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
