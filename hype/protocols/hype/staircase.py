"""The rules that choose exposures: the adaptive staircase, with published settings, and QUEST+.

QUEST+ chooses the exposure whose answer is expected to give the most information about the
threshold: Watson (2017), "QUEST+: A general multidimensional Bayesian adaptive psychometric
method", Journal of Vision 17(3):10, after Kontsevich & Tyler (1999), "Bayesian adaptive estimation
of psychometric slope and threshold", Vision Research 39, 2729-2737. Only the threshold matters, so
the posterior is summed over slope and lapses before the entropy is computed: Prins (2013), "The
psi-marginal adaptive method", Journal of Vision 13(7):3.

Accuracy at an exposure x is a Weibull function that rises from 1/2 (guessing) to 1 - lapse,

    1/2 + (1/2 - lapse) * (1 - (1 - r)**((x / threshold)**slope)),  r = (`AT` - 1/2) / (1/2 - lapse)

so the threshold is the exposure at which the share `AT` of all answers is correct, including lapses
and lucky guesses. The prior is uniform over a fixed grid of log thresholds, slopes and lapses; each
answer multiplies the prior by a likelihood. Nothing is random: the same answers lead to the same
exposures, so a session can be resumed and verified from its answers. Accuracies are rounded to
`ACCURACY_DECIMALS` and expected entropies to `ENTROPY_DECIMALS`, so that small differences between
processors do not matter. If several exposures are equally good, the shortest is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import ceil, log2
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from hype.statistics.arrays import FloatArray

CHANCE: Final = 0.5
"""Accuracy of an evaluator who guesses between real and fake."""
MOST_LEVELS: Final = 20_000
"""With more exposures than this, nearly equal exposures are listed as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staircase:
    """A rule that sets the next exposure after a correct or a wrong answer.

    After ``correct_to_descend`` consecutive correct answers the exposure falls by ``down_ms``;
    after every wrong one it rises by ``up_ms``. Exposures stay within [``min_ms``, ``max_ms``].
    """

    start_ms: float = 500.0
    min_ms: float = 100.0
    max_ms: float = 1000.0
    down_ms: float = 30.0
    up_ms: float = 10.0
    correct_to_descend: int = 3

    @property
    def settles_at(self) -> float:
        """The accuracy, 0 to 1, at which the exposure neither rises nor falls on average.

        A descent needs k correct answers in a row. With accuracy p, the expected change is zero
        when p**k = up / (up + down): Kaernbach 1991, eq. 1, for k = 1; Levitt 1971 for equal steps;
        García-Pérez 1998 for any k and unequal steps.
        """
        odds = self.up_ms / (self.up_ms + self.down_ms)
        return float(odds ** (1 / self.correct_to_descend))

    @property
    def settles_above_chance(self) -> bool:
        """Whether the rule settles above chance; otherwise exposures fall to the minimum."""
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
        """Return every exposure that the rule can reach, ascending.

        Steps without a common divisor can lead to more than `MOST_LEVELS` exposures. Then exposures
        closer together than 1 / `MOST_LEVELS` of the range count as one exposure.
        """
        return self.closure(0.0) or self.closure((self.max_ms - self.min_ms) / MOST_LEVELS)

    def closure(self, grain_ms: float) -> tuple[float, ...]:
        """Follow the rule until it reaches no new exposure.

        Exposures that round to the same multiple of ``grain_ms`` count as equal. If ``grain_ms`` is
        0 and there are more than `MOST_LEVELS` exposures, the result is empty.
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
    """Round an exposure to the nanosecond, so that rounding errors do not split a level in two."""
    return round(exposure_ms, 6)


@dataclass(frozen=True, slots=True)
class StaircaseState:
    """The state of a staircase: the next exposure, and the correct answers since the last step."""

    exposure_ms: float
    streak: int


PRESETS: Final = MappingProxyType(
    {
        # Zhou et al. 2019, section 2.1, print steps of 10 ms up and 30 ms down. Here "3-up/1-down"
        # means three correct answers, so the rule settles at 63 %, not at the paper's 75 %.
        "hype": Staircase(down_ms=30.0, up_ms=10.0, correct_to_descend=3),
        # Here "3-up/1-down" means the ratio of the steps, so the rule settles at 75 %.
        "weighted-75": Staircase(down_ms=10.0, up_ms=30.0, correct_to_descend=1),
    }
)

QUEST_PLUS: Final = "quest+"
STAIRCASE: Final = "staircase"
"""How tables name the two kinds of rules. In study files, "quest+" is a preset."""
AT: Final = 0.75
"""Accuracy at the threshold, from the paper."""
BEYOND: Final = 2.0
"""The prior extends by this factor below the shortest and above the longest exposure."""
THRESHOLDS_PER_DOUBLING: Final = 12
LEVELS_PER_DOUBLING: Final = 12
SLOPES: Final = (0.7, 1.1, 1.7, 2.7, 4.2)
LAPSES: Final = (0.0, 0.05, 0.1, 0.15, 0.2)
ACCURACY_DECIMALS: Final = 12
ENTROPY_DECIMALS: Final = 9
TINY: Final = 1e-300
FEWEST_TRIALS: Final = 40
"""With fewer trials than this, a threshold's root mean square error exceeds half a doubling:
it is 0.56 with 30 trials, 0.43 with 60 (`benchmarks/adaptive.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestPlus:
    """QUEST+ as a rule for the next exposure.

    ``start_ms`` is the exposure of practice trials; QUEST+ chooses a block's first exposure.
    """

    start_ms: float
    min_ms: float
    max_ms: float
    refresh_hz: float

    @property
    def settles_at(self) -> float:
        return AT

    @property
    def settles_above_chance(self) -> bool:
        return True

    def levels(self) -> tuple[float, ...]:
        """Return the possible exposures, ascending: whole frames, evenly spaced on a log scale.

        Empty if no whole number of frames is between ``min_ms`` and ``max_ms``.
        """
        frame_ms, slack = 1000 / self.refresh_hz, 1e-9
        fewest, most = ceil(self.min_ms / frame_ms - slack), int(self.max_ms / frame_ms + slack)
        if most < max(fewest, 1):
            return ()
        span = log2(most / fewest)
        steps = max(1, ceil(LEVELS_PER_DOUBLING * span))
        frames = {round(fewest * 2 ** (span * step / steps)) for step in range(steps + 1)}
        return tuple(round(number * frame_ms, 6) for number in sorted(frames))

    def start(self) -> QuestPlusState:
        return state_of(self, prior(self))

    def step(self, state: QuestPlusState, correct: bool) -> QuestPlusState:
        accuracies = design(self).accuracies[self.levels().index(state.exposure_ms)]
        posterior = state.posterior * (accuracies if correct else 1 - accuracies)
        return state_of(self, posterior / posterior.sum())


@dataclass(frozen=True, slots=True, eq=False)
class QuestPlusState:
    """The next exposure, and the posterior with shape (thresholds, shapes) and sum 1."""

    exposure_ms: float
    posterior: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Design:
    """The arrays that are computed once for a rule."""

    levels_ms: tuple[float, ...]
    accuracies: FloatArray  # shape (levels, thresholds, shapes)

    @cached_property
    def accuracies_by_threshold(self) -> FloatArray:
        """Return the accuracies in the shape (thresholds, shapes, levels)."""
        return np.ascontiguousarray(np.moveaxis(self.accuracies, 0, -1))

    def best(self, posteriors: FloatArray) -> npt.NDArray[np.int64]:
        """Choose each block's next level; ``posteriors``: shape (thresholds, blocks, shapes)."""
        right = np.matmul(posteriors, self.accuracies_by_threshold)
        wrong = posteriors.sum(axis=-1)[..., np.newaxis] - right
        # Expected entropy of the threshold (nats) after an answer; shape (blocks, levels)
        entropies = entropy_times_sum(right) + entropy_times_sum(wrong)
        best = np.round(entropies, ENTROPY_DECIMALS).argmin(axis=-1)
        return np.asarray(best, dtype=np.int64)


def entropy_times_sum(joint: FloatArray) -> FloatArray:
    """Return the entropy over the first axis, multiplied by the sum over this axis."""
    joint = np.maximum(joint, TINY)
    total = joint.sum(axis=0)
    return np.asarray(total * np.log(total) - (joint * np.log(joint)).sum(axis=0))


@lru_cache(maxsize=16)
def design(rule: QuestPlus) -> Design:
    levels_ms = rule.levels()
    thresholds_ms = thresholds(rule.min_ms, rule.max_ms)
    return Design(levels_ms=levels_ms, accuracies=accuracies(np.array(levels_ms), thresholds_ms))


def thresholds(min_ms: float, max_ms: float) -> FloatArray:
    low_ms, high_ms = min_ms / BEYOND, max_ms * BEYOND
    number = ceil(THRESHOLDS_PER_DOUBLING * log2(high_ms / low_ms)) + 1
    return np.geomspace(low_ms, high_ms, number)


def accuracies(exposures_ms: FloatArray, thresholds_ms: FloatArray) -> FloatArray:
    """Compute accuracies, shape (exposures, thresholds, shapes).

    A shape is a pair of a slope and a lapse rate.
    """
    slope, lapse = np.array(list(product(SLOPES, LAPSES))).T
    ratio = exposures_ms[:, np.newaxis, np.newaxis] / thresholds_ms[:, np.newaxis]
    reach = 1 - CHANCE - lapse
    rise = 1 - (1 - (AT - CHANCE) / reach) ** (ratio**slope)
    return np.asarray(np.round(CHANCE + reach * rise, ACCURACY_DECIMALS))


def prior(rule: QuestPlus) -> FloatArray:
    shape = design(rule).accuracies.shape[1:]
    return np.full(shape, 1 / (shape[0] * shape[1]))


def state_of(rule: QuestPlus, posterior: FloatArray) -> QuestPlusState:
    designed = design(rule)
    best = int(designed.best(posterior[:, np.newaxis, :])[0])
    return QuestPlusState(designed.levels_ms[best], posterior)


def estimate(
    exposures_ms: npt.ArrayLike, correct: npt.ArrayLike, bounds_ms: tuple[float, float]
) -> tuple[float, float]:
    """Estimate the threshold of a block from its trials in any order; arrays of shape (trials,).

    Returns the threshold in ms (its geometric mean in the posterior), and the posterior standard
    deviation of its logarithm to base 2. If all answers are right, or look like guesses at every
    exposure, the estimate is outside the shown exposures; its distance depends mostly on the grid
    of thresholds. ``bounds_ms``: the study's shortest and longest exposure (for the prior).
    """
    levels_ms, level = np.unique(np.asarray(exposures_ms, dtype=float), return_inverse=True)
    right = np.bincount(level, np.asarray(correct, dtype=float))
    wrong = np.bincount(level) - right
    thresholds_ms = thresholds(*bounds_ms)
    accuracy = accuracies(levels_ms, thresholds_ms)
    likely = np.tensordot(right, np.log(np.maximum(accuracy, TINY)), axes=1) + np.tensordot(
        wrong, np.log(np.maximum(1 - accuracy, TINY)), axes=1
    )
    return summary(np.exp(likely - likely.max()).sum(axis=-1), thresholds_ms)


def summary(weights: FloatArray, thresholds_ms: FloatArray) -> tuple[float, float]:
    """Summarise a posterior over thresholds; its sum may be any positive number."""
    places, share = np.log2(thresholds_ms), weights / weights.sum()
    mean = float(share @ places)
    return float(2**mean), float(np.sqrt(share @ (places - mean) ** 2))
