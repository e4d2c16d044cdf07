"""How many independent comparisons tell a win rate from one half, and what a number of them tells.

The normal approximation is that of the sources: N = (z₁₋α/₂ + z_power)²·p(1 - p) / (p - ½)². Votes
of a study are not independent, since people and images differ: `hype.planning` simulates those.
"""

from __future__ import annotations

import math
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
"""Win rates from nearly a tie to a landslide."""


def comparisons_needed(win_rate: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return the number of comparisons of two conditions that tells a win rate from one half.

    InputError for a win rate that is not a share, or is 0.5, and for more than 10^12 comparisons.

    778 for a win rate of .55, 4,898 for .52 and 189 for .60.
    """
    if not 0 < win_rate < 1 or win_rate == 0.5:
        allowed = "allowed is a number above 0 and below 1 that is not 0.5: equals cannot be told"
        raise InputError("win rate", f"{win_rate:g}", f"{allowed} apart")
    z = _z(alpha, power)
    needed = z * z * win_rate * (1 - win_rate) / (win_rate - 0.5) ** 2
    if needed > MOST:
        raise InputError("win rate", f"{win_rate:g}", f"needs more than {MOST:,} comparisons")
    return math.ceil(needed)


def smallest_win_rate(comparisons: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the smallest win rate above one half that a number of comparisons can tell from it.

    The inverse of `comparisons_needed`: p = ½ + ½·z / √(N + z²).
    """
    z = _z(alpha, power)
    return 0.5 + 0.5 * z / math.sqrt(comparisons + z * z)


def chance_of_win_rate(win_rate: float, comparisons: int) -> float:
    """Return the probability that equals show a win rate, or a higher one, by chance.

    0.184 for .55 in 100, 0.003 in 778: chance alone makes headlines in small studies.
    """
    # As the number is written: 0.55 of 100 is 55, though the nearest float is a little above.
    wins = math.ceil(Fraction(repr(float(win_rate))) * comparisons)
    return float(special.bdtrc(wins - 1, comparisons, 0.5)) if wins > 0 else 1.0


def power_of(win_rate: float, comparisons: int, *, alpha: float = ALPHA) -> float:
    """Return how often comparisons tell a win rate from one half, by the same formula."""
    spread = math.sqrt(win_rate * (1 - win_rate) / comparisons)
    return float(special.ndtr(abs(win_rate - 0.5) / spread - special.ndtri(1 - alpha / 2)))


def _z(alpha: float, power: float) -> float:
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """What was fixed before comparisons were collected.

    ``win_rate``: the smallest win rate the study is to tell from one half; None if none was
    planned. ``alpha``, ``power``: of the test it was planned for. ``registration``: hash under
    which study, stimuli and analysis were frozen (`hype register`); None without.
    """

    win_rate: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    registration: str | None = None

    @property
    def needed(self) -> int | None:
        """Independent comparisons that a pair needs; None if no win rate was planned."""
        if self.win_rate is None:
            return None
        return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)


@dataclass(frozen=True, kw_only=True)
class WinRates:
    """What independent comparisons of two conditions can tell."""

    comparisons: int | None  # the number asked about
    needed: int | None  # comparisons needed for the requested win rate
    smallest: float | None  # win rate that the number tells with a power of 80 %
    # Of each true `win_rate` how many comparisons are `needed` to tell it with a power of 80 %; and
    # of the number asked about, or else the number needed, its `power`, and how often equals show
    # such a win rate or a higher one `by_chance`
    rows: Rows

    @property
    def sentence(self) -> str:
        if self.comparisons is None:
            return f"It takes {self.needed:,} comparisons of the two conditions, ties not counted."
        return (
            f"{self.comparisons:,} comparisons tell a win rate of {self.smallest or 1:.1%} or more "
            f"from one half with a power of {POWER:.0%}."
        )

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def table(self) -> Table:
        columns = (
            tabular.name("Win rate", "win_rate"),
            tabular.whole("Comparisons\nneeded", "needed"),
            tabular.percent("Told\n(%)", "power"),
            tabular.percent("Equals show it\nby chance (%)", "by_chance", 2),
        )
        return tabular.tabulate(self.rows, name="win-rates", title="Win rates", columns=columns)


HEADING: Final = "Independent comparisons of two conditions: α = 0.05, power 80%"


def plan_win_rates(win_rate: float | None, comparisons: int | None) -> WinRates:
    """Return the comparisons that a win rate needs, or the win rate that a number detects."""
    if win_rate is None and comparisons is None:
        problem = "a study; or of comparisons in general --win-rate P or --comparisons N"
        raise InputError("STUDY", "is missing", problem)
    if comparisons is not None and comparisons < 1:
        raise InputError("comparisons", str(comparisons), "allowed is 1 or more")
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
