"""How many independent comparisons detect a win rate, and which win rate N comparisons detect.

The normal approximation is N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)². Votes of a study are not
independent: people and images differ. `hype.planning` simulates them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Final

from scipy import special

from hype.errors import InputError
from hype.report import tabular
from hype.report.tabular import Rows, Table

ALPHA: Final = 0.05
POWER: Final = 0.8
MOST: Final = 10**12
SWEEP: Final = (0.51, 0.52, 0.53, 0.55, 0.60, 0.65, 0.70, 0.80, 0.90)
"""Win rates, from a small to a large difference."""


def comparisons_needed(win_rate: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return how many comparisons of two conditions are needed to detect a win rate.

    The number is 778 for a win rate of .55, 4,898 for .52 and 189 for .60. Raises InputError: the
    win rate is not between 0 and 1, is 0.5, or needs more than 10^12 comparisons.
    """
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "it must be a number above 0 and below 1, but not 0.5, which means no difference"
        raise InputError("win rate", f"{win_rate:g}", allowed)
    z = _z(alpha, power)
    needed = z * z * win_rate * (1 - win_rate) / (win_rate - 0.5) ** 2
    if needed > MOST:
        raise InputError("win rate", f"{win_rate:g}", f"needs more than {MOST:,} comparisons")
    return math.ceil(needed)


def smallest_win_rate(comparisons: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the smallest win rate above one half that this many comparisons can detect.

    The formula is the inverse of `comparisons_needed`: p = ½ + ½·z / √(N + z²).
    """
    z = _z(alpha, power)
    return 0.5 + 0.5 * z / math.sqrt(comparisons + z * z)


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Return the probability that equal conditions show at least this win rate by chance.

    The probability is 0.184 for a win rate of .55 in 100 comparisons, and 0.003 in 778: small
    studies find large win rates by chance.
    """
    # Multiply exactly: 0.55 of 100 is 55, although 0.55 * 100 is slightly more in floats.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def power_of(win_rate: float, comparisons: int, *, alpha: float = ALPHA) -> float:
    """Return the power of comparisons to detect a win rate (normal approximation)."""
    spread = math.sqrt(win_rate * (1 - win_rate) / comparisons)
    return float(special.ndtr(abs(win_rate - 0.5) / spread - special.ndtri(1 - alpha / 2)))


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """What was fixed before comparisons were collected.

    ``win_rate``: the smallest win rate that the study should detect; None if none was planned.
    ``alpha``, ``power``: the significance level and power of the planned test. ``registration``:
    hash of the registered study, stimuli and analysis (`hype register`), or None.
    """

    win_rate: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    registration: str | None = None

    @property
    def needed(self) -> int | None:
        """How many independent comparisons a pair needs; None without a planned win rate."""
        if self.win_rate is None:
            return None
        return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)


@dataclass(frozen=True, kw_only=True)
class WinRates:
    """What independent comparisons of two conditions can detect."""

    comparisons: int | None  # the requested number
    needed: int | None  # comparisons needed for the requested win rate
    smallest: float | None  # smallest win rate that ``comparisons`` detect with 80 % power
    # For each true ``win_rate``: how many comparisons are ``needed`` to detect it with 80 % power;
    # the ``power`` of the requested (by default the needed) number of comparisons; and the
    # probability that equal conditions show this win rate or more ``by_chance``
    rows: Rows

    def sentences(self) -> Iterator[str]:
        if self.comparisons is None:
            those = "that many"
            yield f"{self.needed:,} comparisons of two conditions are needed, not counting ties."
        else:
            those = f"{self.comparisons:,}"
            yield (
                f"{those} comparisons detect a win rate of {self.smallest or 1:.1%} or more with "
                f"{POWER:.0%} power."
            )
        yield (
            f"Power: how often {those} comparisons detect this win rate. By chance: how often "
            f"{those} comparisons of two equal conditions show this win rate or more."
        )

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def table(self) -> Table:
        columns = (
            tabular.name("Win rate", "win_rate"),
            tabular.whole("Comparisons\nfor 80%", "needed"),
            tabular.percent("Power\n(%)", "power"),
            tabular.percent("By chance\n(%)", "by_chance", 2),
        )
        return tabular.tabulate(self.rows, name="win-rates", title="Win rates", columns=columns)


HEADING: Final = "Independent comparisons of two conditions: α = 0.05, power 80%"


def plan_win_rates(win_rate: float | None, comparisons: int | None) -> WinRates:
    """Return how many comparisons a win rate needs, or the smallest win rate that they detect."""
    if win_rate is None and comparisons is None:
        problem = "name a study, or plan without one: --win-rate P or --comparisons N"
        raise InputError("STUDY", "is missing", problem)
    if comparisons is not None and comparisons < 1:
        raise InputError("comparisons", str(comparisons), "it must be 1 or more")
    rows = []
    for rate in sorted({*SWEEP, *([] if win_rate is None else [win_rate])}):
        needed = comparisons_needed(rate)
        number = comparisons or needed
        rows.append(
            {
                "win_rate": rate,
                "needed": needed,
                "power": power_of(rate, number),
                "by_chance": chance_of_win_rate(max(rate, 1 - rate), number),
            }
        )
    return WinRates(
        comparisons=comparisons,
        needed=None if win_rate is None else comparisons_needed(win_rate),
        smallest=None if comparisons is None else smallest_win_rate(comparisons),
        rows=tuple(rows),
    )
