"""The adaptive staircase: one general rule of which the published ones are settings."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

CHANCE: Final = 0.5
"""Accuracy of an evaluator who guesses between real and fake."""
MOST_LEVELS: Final = 20_000
"""From this many exposures on, those that nearly coincide are listed as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staircase:
    """A rule for the next exposure, given whether the last answer was correct.

    After ``correct_to_descend`` consecutive correct answers the exposure falls by ``down_ms``;
    after every wrong one it rises by ``up_ms``. It stays within [``min_ms``, ``max_ms``].
    """

    start_ms: float = 500.0
    min_ms: float = 100.0
    max_ms: float = 1000.0
    down_ms: float = 30.0
    up_ms: float = 10.0
    correct_to_descend: int = 3

    @property
    def settles_at(self) -> float:
        """Accuracy, 0 to 1, at which the exposure neither rises nor falls on average.

        A descent needs k correct answers in a row. Where accuracy is p, the expected change is
        zero when p**k = up / (up + down): Kaernbach 1991, eq. 1, for k = 1; Levitt 1971 for
        equal steps; García-Pérez 1998 for both.
        """
        odds = self.up_ms / (self.up_ms + self.down_ms)
        return float(odds ** (1 / self.correct_to_descend))

    @property
    def settles_above_chance(self) -> bool:
        """Whether the rule has a threshold to settle at, and not just the floor to fall to."""
        return self.settles_at > CHANCE

    def start(self) -> StaircaseState:
        return StaircaseState(self.start_ms, 0)

    def step(self, state: StaircaseState, correct: bool) -> StaircaseState:
        if not correct:
            return StaircaseState(self.longer(state.exposure_ms), 0)
        streak = state.streak + 1
        if streak < self.correct_to_descend:
            return StaircaseState(state.exposure_ms, streak)
        return StaircaseState(self.shorter(state.exposure_ms), 0)

    def longer(self, exposure_ms: float) -> float:
        return min(level(exposure_ms + self.up_ms), self.max_ms)

    def shorter(self, exposure_ms: float) -> float:
        return max(level(exposure_ms - self.down_ms), self.min_ms)

    def levels(self) -> tuple[float, ...]:
        """Give every exposure that the rule can ask for, ascending.

        Steps without a common measure can make more than `MOST_LEVELS` of them. Then exposures
        that lie nearer together than a `MOST_LEVELS`-th of the range are listed as one, and so
        are those that follow from them.
        """
        return self.closure(0.0) or self.closure((self.max_ms - self.min_ms) / MOST_LEVELS)

    def closure(self, grain_ms: float) -> tuple[float, ...]:
        """Follow the rule until it leads to nothing new, where ``grain_ms`` makes no difference.

        Without a grain, give nothing if there are more than `MOST_LEVELS` exposures.
        """
        probabilities: dict[float, float] = {}
        fresh = [self.start_ms]
        while fresh:
            exposure_ms = fresh.pop()
            place = round(exposure_ms / grain_ms) if grain_ms else exposure_ms
            if place not in probabilities:
                probabilities[place] = exposure_ms
                fresh += [self.longer(exposure_ms), self.shorter(exposure_ms)]
            if not grain_ms and len(probabilities) > MOST_LEVELS:
                return ()
        return tuple(sorted(probabilities.values()))


def level(exposure_ms: float) -> float:
    """Give an exposure to the nanosecond: sums of fractions must meet again, or no mode is one."""
    return round(exposure_ms, 6)


@dataclass(frozen=True, slots=True)
class StaircaseState:
    """Where a staircase stands: the next exposure, and correct answers since the last change."""

    exposure_ms: float
    streak: int


PRESETS: Final = MappingProxyType(
    {
        # Zhou et al. 2019, section 2.1, as printed: steps 10 up and 30 down, "3-up/1-down" read
        # as a count of correct answers. Settles at 63 %, not at the 75 % the paper names.
        "hype": Staircase(down_ms=30.0, up_ms=10.0, correct_to_descend=3),
        # The other reading, "3-up/1-down" as the ratio of the steps: settles at the stated 75 %.
        "weighted-75": Staircase(down_ms=10.0, up_ms=30.0, correct_to_descend=1),
    }
)
