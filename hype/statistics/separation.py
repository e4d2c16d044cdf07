"""Whether there are enough votes to know which conditions are better.

**What is random.** People differ in taste, and a model makes some images that are better than
others. One person's votes reflect one taste, and votes on one prompt are about the same images. A
sequential rule that treats votes or people as independent finds a difference between equal models,
as the study's prompts happen to favour one. More prompts help against this; more votes do not. The
crossed error of `hype.statistics.crossed` covers both samples, but no known test with this error
stays valid after every vote. The crossed error is valid if the number of people is fixed
beforehand. So the votes are analysed only a few times, at numbers of people fixed beforehand.

**Each analysis (a look)** estimates Bradley and Terry's log-strengths. A tie counts as half a vote
for both. A normal prior with the SD `PRIOR_SD` keeps the estimates finite. The look claims "i beats
j" if Student's t interval of the difference of the two log-strengths, with level 1 − ε, is above
0; its error treats people and items as two crossed samples. The items are the prompts with all
their images, or the images if there is only one prompt. There are no items if only these images
matter. The intervals of all looks together contain the truth with probability 1 − α, no matter when
the arena stops ("repeated confidence intervals", Jennison and Turnbull 1989, "Interim analyses").

**The top** is known if one condition beats every other one at a look. This claim needs no
correction for the number of conditions: a winner is wrong only if its claims against all equal or
better conditions are wrong at once. If two conditions are equal and best, one is claimed to be the
top with probability ε. If more are equal, this is rarer: the winner must beat all of them.
**The ranking** is known if the claims, and what follows from them, order all conditions. A wrong
ranking also has probability ε, since it needs claims about all neighbours. Each single claim is
wrong with probability ε. For all claims in `apart`, the probability that any is wrong is at most ε:
each interval has the level 1 − ε / (number of pairs) (Bonferroni). When the goal is reached, the
pairs that decide it are known too, with the same ε. Then the looks end.

**Which pair to compare next** (`next_pair`). The random rule gives every pair the same chance.
Among the pairs whose order is not known yet, the adaptive rule chooses the one whose next vote
removes the most doubt about this order. For the goal "top", it considers only pairs that contain
the leading condition. One vote in ten goes to a random pair, so that a bad start is corrected and
no pair is neglected.

The posterior of the log-strengths s is Laplace's approximation, for the likelihood and the prior of
a look. A pair's difference then has the mean d and the variance v. The doubt about the order is the
entropy, in bits, of the event that the first is stronger. Houlsby, Huszár, Ghahramani and Lengyel
(2011) approximate it:

    H(d, v) ≈ exp(−d² / (v π ln 2)).

One more vote has the information q = σ(d)(1 − σ(d)), and changes the variance to v′ = v / (1 + vq).
A vote for i moves the mean to d + v′(1 − σ(d)), with probability p ≈ σ(d / √(1 + πv/8)) (MacKay
1992); a vote for j moves it to d − v′σ(d). On average, a vote removes this many bits of doubt:

    H(d, v) − p·H(d + v′(1 − σ(d)), v′) − (1 − p)·H(d − v′σ(d), v′).

Nothing is random here: the caller gives a number from [0, 1), and the same arguments give the same
pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from hype.errors import InputError
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.crossed import FEWEST_ITEMS, Crossed
from hype.statistics.estimate import Images
from hype.statistics.looks import Goal, Look, Rule


@dataclass(frozen=True, kw_only=True, eq=False)
class FinishedVotes:
    """The votes of people who have finished."""

    conditions: int  # K
    # chosen, other: the two conditions, from 0, in any order for a tie; shape (votes,)
    chosen: IntArray
    other: IntArray
    tied: BoolArray
    # The person of each vote: numbers from 0 in the order in which people finished
    people: IntArray
    # The item of each vote: numbers from 0, shape (votes,), or (votes, 2) for two items; None if
    # items are not a sample
    items: IntArray | None

    def __post_init__(self) -> None:
        if self.conditions < 2:
            allowed = "a comparison needs two conditions or more"
            raise InputError("conditions", f"there is {self.conditions}", allowed)

    @property
    def number(self) -> int:
        return int(self.people.max(initial=-1)) + 1

    def keep_first(self, people: int) -> FinishedVotes:
        own = self.people < people
        kept = {name: getattr(self, name)[own] for name in ("chosen", "other", "tied", "people")}
        return replace(self, **kept, items=None if self.items is None else self.items[own])

    def points(self) -> FloatArray:
        """Count votes for i over j as ``[i, j]``, a tie as half a vote for both; shape (K, K)."""
        won = np.where(self.tied, 0.5, 1.0)
        table = np.zeros((self.conditions, self.conditions))
        np.add.at(table, (self.chosen, self.other), won)
        np.add.at(table, (self.other, self.chosen), 1 - won)
        return table


def items_of(
    prompts: npt.ArrayLike, images: npt.ArrayLike, kind: Images, *, conditions: int
) -> IntArray | None:
    """Number the items of votes: their prompts or, without several prompts, their two images.

    ``prompts``: names of shape (votes,); ``images``: (votes, 2). None if only these images matter,
    or if there are fewer than `FEWEST_ITEMS` prompts (or, with one prompt, images per condition).
    """
    if kind == "fixed":
        return None
    names, numbers = np.unique(prompts, return_inverse=True)
    if len(names) > 1:
        return numbers if len(names) >= FEWEST_ITEMS else None
    names, numbers = np.unique(images, return_inverse=True)
    return numbers.reshape(-1, 2) if len(names) >= FEWEST_ITEMS * conditions else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Separation:
    """The results of a look."""

    goal: Goal
    look: Look
    votes: int  # number of votes in the look
    # ``beats[i, j]``: i beats j; for the goal "ranking", also if it follows from other pairs
    beats: BoolArray
    # like ``beats``, but with ε for all pairs together; includes the pairs that decided the goal
    apart: BoolArray
    top: int | None  # the best condition, if known
    # All conditions, the best first; None if unknown, and for the goal "top"
    order: tuple[int, ...] | None
    # difference: log-strength of i minus that of j; reach: half the width of its interval, infinite
    # if no votes connect the two
    difference: FloatArray
    reach: FloatArray

    @property
    def settled(self) -> bool:
        """Whether the goal is reached for all conditions that have joined so far."""
        return self.reached and not self.look.without

    @property
    def reached(self) -> bool:
        return (self.top if self.goal == "top" else self.order) is not None


def separations(
    votes: FinishedVotes, looks: Iterable[Look], *, goal: Goal = "top"
) -> Iterator[Separation]:
    """Yield the result of each look with enough finished people; the last result is the verdict.

    After the goal is reached, there is no look until a condition joins.
    """
    settled: frozenset[int] | None = None
    for look in looks:
        if votes.number < look.people:
            return
        if look.without == settled:
            continue
        separation = look_at(votes.keep_first(look.people), look, goal)
        yield separation
        if separation.reached:
            settled = look.without


def look_at(votes: FinishedVotes, look: Look, goal: Goal) -> Separation:
    points = votes.points()
    mean, covariance = posterior(points)
    levels = look.level, look.level / math.comb(votes.conditions, 2)
    reach, wider = reaches(votes, points, mean, covariance, levels)
    difference = mean[:, None] - mean
    direct, apart = difference > reach, difference > wider
    beats = closure(direct) if goal == "ranking" else direct
    there = np.array([at for at in range(votes.conditions) if at not in look.without])
    others = len(there) - 1
    one_sided = (beats & ~beats.T)[np.ix_(there, there)]
    ranks = one_sided.sum(axis=1)
    first = there[ranks == others]
    whole = goal == "ranking" and int(one_sided.sum()) == math.comb(others + 1, 2)
    for best in there if whole else first:
        apart[best, there] |= beats[best, there]
    return Separation(
        goal=goal,
        look=look,
        votes=len(votes.chosen),
        beats=beats,
        apart=apart,
        top=int(first[0]) if len(first) else None,
        order=tuple(int(place) for place in there[np.argsort(-ranks)]) if whole else None,
        difference=difference,
        reach=reach,
    )


def reaches(
    votes: FinishedVotes,
    points: FloatArray,
    mean: FloatArray,
    covariance: FloatArray,
    levels: Sequence[float],
) -> FloatArray:
    """Return the half-widths of the intervals of log-strength differences, shape (levels, K, K)."""
    reach = np.full((len(levels), votes.conditions, votes.conditions), np.inf)
    rows = np.arange(len(votes.chosen))
    both = np.concatenate([rows, rows]), np.concatenate([votes.chosen, votes.other])
    shape = len(rows), votes.conditions
    expected = expit(mean[votes.chosen] - mean[votes.other])
    left = np.where(votes.tied, 0.5, 1.0) - expected
    information = np.tile(expected * (1 - expected), 2)
    total = np.bincount(both[1], information, minlength=votes.conditions)
    crossed = Crossed(
        csr_array((np.concatenate([left, -left]), both), shape=shape),
        csr_array((information / total[both[1]], both), shape=shape),
        votes.people,
        votes.items,
        inverse=covariance,
    )
    _, piece = connected_components(points, directed=False)
    first, second = np.nonzero(np.triu(piece[:, None] == piece, 1))
    errors = crossed.errors_of_differences(first, second)
    for place, level in enumerate(levels):
        reach[place, first, second] = reach[place, second, first] = errors.reach(1 - level)
    return reach


def closure(beats: BoolArray) -> BoolArray:
    """Add the consequences: if i beats j and j beats k, then i beats k."""
    reached = beats
    while True:
        steps = reached.astype(np.float32)
        further = reached | (steps @ steps > 0)
        if (further == reached).all():
            return further
        reached = further


Pair = tuple[int, int]

PRIOR_SD: Final = 1.0
"""Standard deviation of each log-strength's prior.

In half of all pairs, the better one then wins at least 72 % of its comparisons.
"""
RANDOM_SHARE: Final = 0.1
EQUAL: Final = 1e-9
"""Gains of pairs, or strengths of leaders, that differ by less than this count as equal."""
STEP: Final = 1.0
"""Largest step of a log-strength in Newton's method; a flat likelihood would give longer steps."""
CONVERGED: Final = 1e-5
"""The search ends after a step this small; another step would be about the square of this."""
MOST_STEPS: Final = 100
ENTROPY_SCALE: Final = math.pi * math.log(2)


def next_pair(
    points: npt.ArrayLike,
    *,
    rule: Rule,
    draw: float,
    known: BoolArray,
    goal: Goal = "top",
    joined: Sequence[int] = (),
) -> Pair:
    """Choose the pair to compare next, the lower number first.

    ``points``: votes so far, as `FinishedVotes.points` counts them, shape (K, K). ``draw``: a
    random number from [0, 1). ``known``, ``goal``: `Separation.beats`, and the arena's goal; only
    the adaptive rule uses them. ``joined``: conditions that joined later, in order; their pairs
    come first until they have enough votes.
    """
    scores = np.asarray(points, dtype=np.float64)
    first = pairs_behind(scores, joined)
    if rule == "random":
        return nth(np.triu(first, 1), draw)
    if draw < RANDOM_SHARE:
        return nth(np.triu(np.ones(known.shape, dtype=bool), 1), draw / RANDOM_SHARE)
    mean, covariance = posterior(scores)
    free = open_pairs(mean, known, goal)
    free = free & first if (free & first).any() else first
    gain = np.where(free, worth(mean, covariance), -np.inf)
    upper = np.triu(np.ones(gain.shape, dtype=bool), 1)
    most = gain[upper].max()
    near = EQUAL * abs(most) if math.isfinite(most) else 0.0
    return nth(upper & (gain >= most - near), (draw - RANDOM_SHARE) / (1 - RANDOM_SHARE))


def next_pairs(
    points: npt.ArrayLike,
    *,
    rule: Rule,
    draws: Iterable[float],
    known: BoolArray,
    goal: Goal = "top",
    joined: Sequence[int] = (),
) -> list[Pair]:
    """Choose a session's pairs before it starts, so that its own votes have no effect on them.

    Each pair is chosen as if the votes on the session's earlier pairs had gone as expected.
    """
    own = np.array(points, dtype=np.float64)
    chosen = []
    for draw in draws:
        i, j = next_pair(own, rule=rule, draw=draw, known=known, goal=goal, joined=joined)
        chosen.append((i, j))
        mean, _ = posterior(own)
        expected = float(expit(mean[i] - mean[j]))
        own[i, j] += expected
        own[j, i] += 1 - expected
    return chosen


def pairs_behind(points: FloatArray, joined: Sequence[int]) -> BoolArray:
    """Mark pairs that contain a joined condition with too few votes; if there are none, all pairs.

    "Too few" means fewer than the median of the earlier conditions.
    """
    votes = (points + points.T).sum(axis=1)
    behind = np.zeros(len(votes), dtype=bool)
    for number, condition in enumerate(joined):
        others = [at for at in range(len(votes)) if at not in joined[number:]]
        behind[condition] = votes[condition] < np.median(votes[others])
    if not behind.any():
        return np.ones(points.shape, dtype=bool)
    return np.asarray((behind[:, None] | behind) & ~np.eye(len(votes), dtype=bool))


def nth(pairs: BoolArray, draw: float) -> Pair:
    places = np.flatnonzero(pairs)
    place = int(places[min(int(draw * len(places)), len(places) - 1)])
    return divmod(place, len(pairs))


def open_pairs(mean: FloatArray, known: BoolArray, goal: Goal) -> BoolArray:
    """Mark pairs of unknown order that matter for the goal; if there are none, mark all pairs.

    For "top", these pairs contain the strongest unbeaten condition, or one of several equal ones.
    """
    unknown = ~(known | known.T) & ~np.eye(len(mean), dtype=bool)
    if goal == "top":
        beaten = known.any(axis=0)
        left = mean if beaten.all() else np.where(beaten, -np.inf, mean)
        leads = left >= left.max() - EQUAL
        unknown &= leads[:, None] | leads
    return unknown if unknown.any() else np.ones(known.shape, dtype=bool)


def posterior(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the posterior mode of the log-strengths, and the inverse of the curvature there.

    ``points[i, j]``: votes for i over j; a tie counts half. The shape is (K, K).
    """
    count, total = points + points.T, points.sum(axis=1)
    mean = np.zeros(len(points))
    for _ in range(MOST_STEPS):
        rate = expit(mean[:, None] - mean)
        slope = total - (count * rate).sum(axis=1) - mean / PRIOR_SD**2
        information = count * rate * (1 - rate)
        curved = np.diag(information.sum(axis=1) + PRIOR_SD**-2) - information
        covariance = np.asarray(np.linalg.inv(curved), dtype=np.float64)
        step = covariance @ slope
        furthest = np.abs(step).max()
        mean = mean + step / max(furthest / STEP, 1)
        if furthest < CONVERGED:
            break
    return mean, covariance


def worth(mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return, for each pair, how many bits of doubt its next vote removes on average."""

    def doubt(ahead: FloatArray, variance: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-(ahead**2) / (variance * ENTROPY_SCALE)))

    own, ahead = np.diag(covariance), mean[:, None] - mean
    variance = np.maximum(own[:, None] + own - 2 * covariance, np.finfo(float).tiny)
    rate, chance = expit(ahead), expit(ahead / np.sqrt(1 + math.pi * variance / 8))
    after = variance / (1 + variance * rate * (1 - rate))
    won = doubt(ahead + after * (1 - rate), after)
    lost = doubt(ahead - after * rate, after)
    return np.asarray(doubt(ahead, variance) - chance * won - (1 - chance) * lost)
