"""How many comparisons tell a win rate from one half, and what a number of them can tell.

The normal approximation is that of the sources: N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)².

Comparisons of one evaluator are not independent where evaluators differ. With m of them each and
an intraclass correlation ρ the number grows by the design effect 1 + (m - 1)ρ (Kish 1965, "Survey
sampling", section 5.4). Nor are those of one image, where images differ. A study's win rate has
the variance that its scoring allows for (`hype.statistics.crossed`),

    p(1 - p)·[(1 + (m - 1)ρ_person - 2ρ_image)/N + 2ρ_image/images],

ρ being the correlation of two choices by one person, or about one image, and images those of either
condition; more evaluators leave the second term as it is (Westfall, Kenny and Judd 2014). Tests are
Student's, at the level of the strictest step of Holm's rule over the pairs of conditions. An arena
is planned with the looks of its rule and what each may err with (`hype.statistics.separation`), by
drawing: what people add to an estimate shrinks from look to look, what images add stays. Its
strengths learn from all pairs, which at random count as K/2 times the votes of one, K being the
number of conditions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from scipy import special

from hype.errors import InputError
from hype.statistics.separation import looks_of

HALVINGS: Final = 60
ARENAS: Final = 2_000
STUDIES: Final = 4_000
"""That are drawn where no formula is at hand."""
MOST: Final = 10**12


@dataclass(frozen=True, kw_only=True)
class Needed:
    """What it takes to tell one win rate from one half."""

    win_rate: float  # the true one, as a proportion
    comparisons: int | None  # None where no number is enough
    # Probability that a study of so many shows the win rate, or a higher one, between equals
    by_chance: float


def comparisons_needed(
    win_rate: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> int:
    """Give the number of comparisons of two conditions that tells a win rate from one half.

    The win rate is above 0 and below 1 and not one half. `per_evaluator` of them are by the same
    evaluator, and alike by `correlation`: 0 where evaluators do not differ, 1 where each always
    answers the same. InputError for a number that is not allowed, and for more than 10^12
    comparisons.

    778 for a win rate of .55, 4,898 for .52 and 189 for .60.
    """
    _check(win_rate, alpha, power)
    effect = design_effect(per_evaluator, correlation)
    z = _z(alpha, power)
    needed = effect * z * z * win_rate * (1 - win_rate) / (win_rate - 0.5) ** 2
    if needed > MOST:
        raise InputError("win rate", f"{win_rate:g}", f"needs more than {MOST:,} comparisons")
    return math.ceil(needed)


def design_effect(per_evaluator: float, correlation: float) -> float:
    """Give how many times more comparisons are needed where an evaluator makes several."""
    if per_evaluator < 1:
        raise InputError("comparisons per evaluator", f"{per_evaluator:g}", "allowed is 1 or more")
    if not 0 <= correlation <= 1:
        raise InputError("correlation", f"{correlation:g}", "allowed is a number from 0 to 1")
    return 1 + (per_evaluator - 1) * correlation


def smallest_win_rate(
    comparisons: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> float:
    """Give the smallest win rate above one half that so many comparisons can tell from it.

    The inverse of `comparisons_needed`: p = ½ + ½·z / √(N + z²).
    """
    if comparisons <= 0:
        raise InputError("comparisons", f"{comparisons:g}", "allowed is 1 or more")
    _check(0.75, alpha, power)
    z = _z(alpha, power)
    independent = comparisons / design_effect(per_evaluator, correlation)
    return 0.5 + 0.5 * z / math.sqrt(independent + z * z)


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Give the probability that equals show a win rate, or a higher one, in so many comparisons.

    0.184 for .55 in 100, 0.003 in 778: chance alone makes headlines in small studies.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    # As the number is written: 0.55 of 100 is 55, though the nearest float is a little above.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


def _check(win_rate: float, alpha: float, power: float) -> None:
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "allowed is a number above 0 and below 1 that is not 0.5: equals cannot be told"
        raise InputError("win rate", f"{win_rate:g}", f"{allowed} apart")
    if not 0 < alpha < 1:
        raise InputError("alpha", f"{alpha:g}", "allowed is a number above 0 and below 1")
    if not alpha < power < 1:
        raise InputError("power", f"{power:g}", "allowed is a number above alpha and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePrecision:
    """What makes the votes on a pair of conditions more or less precise."""

    each: float = 1.0  # votes of one evaluator
    # of_person, of_image: correlation of two choices by one person, or about one of the two images
    of_person: float = 0.0
    of_image: float = 0.0
    # What is a sample: images of either condition, and the prompts they are for; people, if their
    # number is known
    images: float = math.inf
    prompts: float = math.inf
    people_known: bool = False
    # Whether an arena looks at the votes as they come, and how many times those of a pair count, as
    # strengths learn from the others
    looks: bool = False
    learnt: float = 1.0

    def variances(self, votes: float) -> tuple[float, float, float]:
        """Give the variance of a win rate, what scoring takes it for, and the latter's freedom.

        Both in units of p(1 - p). What images add is estimated from few prompts, and counts as 0 at
        least, so that on average it is taken for more than it is.
        """
        votes, each = self.learnt * votes, self.learnt * self.each
        alone = (1 - self.of_person - 2 * self.of_image) / votes
        of_people = alone + each * self.of_person / votes
        of_images = 2 * self.of_image / self.images
        prompts = max(1.0, self.prompts - 1)
        noise = (alone + of_images) * math.sqrt(2 / prompts)
        added = of_images
        if noise > 0:
            above = of_images / noise
            density = math.exp(-(above**2) / 2) / math.sqrt(2 * math.pi)
            added = of_images * float(special.ndtr(above)) + noise * density
        people = max(1.0, votes / each - 1) if self.people_known else math.inf
        doubt = of_people**2 / people + (alone + of_images) ** 2 / prompts
        taken = of_people + added
        return of_people + of_images, taken, max(1.0, taken**2 / doubt) if doubt else math.inf

    def power(self, votes: float, win_rate: float, alpha: float) -> float:
        """Give how often a win rate above one half is found."""
        if self.looks:
            return self.power_of_looks(votes, win_rate, alpha)
        variance, taken, freedom = self.variances(votes)
        t = float(special.stdtrit(freedom, 1 - alpha / 2))
        distance = (win_rate - 0.5) / math.sqrt(win_rate * (1 - win_rate))
        return float(
            special.stdtr(freedom, (distance - t * math.sqrt(taken)) / math.sqrt(variance))
        )

    def power_of_looks(self, votes: float, win_rate: float, alpha: float, pairs: int = 1) -> float:
        """Give how often an arena finds one pair, or so many at one look, as if independent."""
        rng, distance = np.random.default_rng(pairs), win_rate - 0.5
        distance /= math.sqrt(win_rate * (1 - win_rate))
        of_images = 2 * self.of_image / self.images
        shift = math.sqrt(of_images) * rng.normal(size=(ARENAS, pairs)) + distance
        summed, before = np.zeros((ARENAS, pairs)), 0
        known = np.zeros(ARENAS, dtype=bool)
        for look in looks_of(int(votes / self.each), alpha):
            variance, taken, freedom = self.variances(look.people * self.each)
            of_one = max(0.0, variance - of_images) * look.people
            summed += math.sqrt(of_one * (look.people - before)) * rng.normal(size=summed.shape)
            before = look.people
            t = float(special.stdtrit(freedom, 1 - look.level / 2))
            detected = shift + summed / look.people > t * math.sqrt(taken)
            known |= detected.all(axis=1)
        return float(known.mean())

    def smallest(self, votes: float, alpha: float, power: float) -> float:
        """Give the smallest win rate above one half that is found with some power."""
        low, high = 0.5, 1 - 1e-9
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            enough = self.power(votes, middle, alpha) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high

    def needed(self, win_rate: float, alpha: float, power: float) -> int | None:
        """Give how many votes find a win rate with some power; None where no number does."""
        win_rate = max(win_rate, 1 - win_rate)
        low, high = 0, MOST
        if self.power(high, win_rate, alpha) < power:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.power(middle, win_rate, alpha) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high


def power_of_all(power: float, pairs: int, alpha: float) -> float:
    """Give how often all pairs are found by Holm's rule, each by its first step with some power.

    As if pairs were independent; by drawing.
    """
    if pairs == 1:
        return power
    shift = special.ndtri(1 - alpha / pairs / 2) + special.ndtri(power)
    drawn = np.random.default_rng(pairs).normal(shift, size=(max(400, STUDIES // pairs), pairs))
    strictest = 1 - alpha / np.arange(1, pairs + 1) / 2
    return float((np.sort(drawn, axis=1) > special.ndtri(strictest)).all(axis=1).mean())
