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
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
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
    """What is known, with an error rate of ``alpha`` for the goal.

    Attributes
    ----------
    level
        ε, the error rate of one pair's claim and interval.
    beats
        ``beats[i, j]``: i is known to beat j; for the ranking also through others.
    top
        The best condition, where it is known.
    order
        All conditions from the best, where it is known; never with the goal "top".
    low, high
        Bounds of ``[i, j]``, how often i is chosen over j.
    """

    goal: Goal
    alpha: float
    level: float
    beats: BoolArray
    top: int | None
    order: tuple[int, ...] | None
    low: FloatArray
    high: FloatArray

    @property
    def reached(self) -> bool:
        return (self.top if self.goal == "top" else self.order) is not None

    @property
    def circular(self) -> bool:
        """Whether some conditions beat each other in a circle, so that there is no ranking."""
        return bool(closure(self.beats).diagonal().any())


def separation(wins: npt.ArrayLike, *, goal: Goal = "top", alpha: float = 0.05) -> Separation:
    """Say what votes tell.

    Parameters
    ----------
    wins
        (K, K) numbers of votes, ``wins[i, j]`` for i over j; without ties.
    goal
        Whether to know the best condition, or the order of all.
    alpha
        The probability of ever being wrong that is allowed.

    Raises
    ------
    InputError
        ``alpha``, ``goal`` or the table of votes cannot be used.
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

    Parameters
    ----------
    pairs
        (N, 2) conditions i and j, one row for each evaluator and pair.
    shares
        (N,) that evaluator's share of votes for i, a tie half a vote.
    conditions
        How many there are.
    goal, alpha
        As in `separation`.
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
    """Draw the conclusions from the claims."""
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
    """Refuse what is no table of votes."""
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
