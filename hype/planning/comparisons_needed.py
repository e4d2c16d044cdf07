"""How many comparisons tell a win rate from one half, and what a number of them can tell.

The normal approximation is that of the sources: N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)². The
binomial distribution says exactly what a test with N comparisons does.

Comparisons of one evaluator are not independent where evaluators differ. With m of them each and
an intraclass correlation ρ the number grows by the design effect 1 + (m - 1)ρ (Kish 1965, "Survey
sampling", section 5.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from scipy import special

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

SWEEP: Final = (0.51, 0.52, 0.53, 0.55, 0.60, 0.65, 0.70, 0.80, 0.90)
"""Win rates from nearly a tie to a landslide."""
MOST: Final = 10**12


@dataclass(frozen=True, kw_only=True)
class Needed:
    """What it takes to tell one win rate from one half."""

    win_rate: float  # the true one, as a proportion
    comparisons: int
    # What the exact binomial test with so many independent comparisons finds it with
    exact_power: float
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


def exact_power(comparisons: int, win_rate: float, *, alpha: float = 0.05) -> float:
    """Give the probability that the two-sided exact binomial test finds the difference.

    Comparisons are independent. It is never more often wrong than alpha, and mostly less often, so
    its power is somewhat below that of the normal approximation.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    low = _most_rejected(comparisons, alpha)
    if low < 0:
        return 0.0
    below = special.bdtr(low, comparisons, win_rate)
    above = special.bdtrc(comparisons - low - 1, comparisons, win_rate)
    return float(below + above)


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Give the probability that equals show a win rate, or a higher one, in so many comparisons.

    0.184 for .55 in 100, 0.003 in 778: chance alone makes headlines in small studies.
    """
    if comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
    # As the number is written: 0.55 of 100 is 55, though the nearest float is a little above.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def needed_table(
    win_rates: Sequence[float] = SWEEP,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    per_evaluator: float = 1.0,
    correlation: float = 0.0,
) -> tuple[Needed, ...]:
    """Give what each of some win rates takes.

    `Needed.exact_power` and `Needed.by_chance` count the comparisons without the design effect:
    those of the table are worth only so many independent ones.
    """
    rows = []
    for win_rate in win_rates:
        number = comparisons_needed(
            win_rate,
            alpha=alpha,
            power=power,
            per_evaluator=per_evaluator,
            correlation=correlation,
        )
        independent = comparisons_needed(win_rate, alpha=alpha, power=power)
        rows.append(
            Needed(
                win_rate=win_rate,
                comparisons=number,
                exact_power=exact_power(independent, win_rate, alpha=alpha),
                by_chance=chance_of_win_rate(max(win_rate, 1 - win_rate), independent),
            )
        )
    return tuple(rows)


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


def _most_rejected(comparisons: int, alpha: float) -> int:
    """Give the most wins with which the test finds a difference downwards; -1 without any."""
    low, high = -1, comparisons // 2
    while low < high:
        middle = (low + high + 1) // 2
        if 2 * special.bdtr(middle, comparisons, 0.5) <= alpha:
            low = middle
        else:
            high = middle - 1
    # With few comparisons and a large alpha both tails could meet.
    return min(low, (comparisons - 1) // 2)


def _check(win_rate: float, alpha: float, power: float) -> None:
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "allowed is a number above 0 and below 1 that is not 0.5: equals cannot be told"
        raise InputError("win rate", f"{win_rate:g}", f"{allowed} apart")
    if not 0 < alpha < 1:
        raise InputError("alpha", f"{alpha:g}", "allowed is a number above 0 and below 1")
    if not alpha < power < 1:
        raise InputError("power", f"{power:g}", "allowed is a number above alpha and below 1")
