"""Compute the expected results of HYPE_time from many staircases at once.

The rule is the preset "hype": 30 ms down after three correct answers in a row, 10 ms up after an
error, starting at 500 ms, within 100 to 1000 ms; three blocks of 150 trials; a block's score is its
mode, or the mean of several. `tests/experiments` compares the results with the program's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from expected import BIAS_SPREAD, LAPSE, Array
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

PEOPLE: Final = 4000
BLOCKS: Final = 3
TRIALS: Final = 150
STEP_MS: Final = 10
LEAST, START, MOST = 10, 50, 100  # in steps
DOWN: Final = 3
IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """The typical observer of one condition's flashed images, and how people differ."""

    threshold_ms: float
    slope: float
    ceiling: float
    bias: float
    threshold_spread: float
    ceiling_spread: float


def people_scores(observer: Timed, *, people: int = PEOPLE, seed: int = 0) -> Array:
    """Return the scores of many people, in ms, shape (people,).

    The same seed gives the same people and random numbers, so a small change of the observer
    changes scores only a little.
    """
    rng = np.random.default_rng(seed)
    slower, abler, biased = rng.standard_normal((3, people, 1))
    least = 0.0 if observer.ceiling >= 0.5 else -np.inf
    half_d = np.maximum(least, ndtri(observer.ceiling) + observer.ceiling_spread * abler)
    threshold_ms = observer.threshold_ms * np.exp(observer.threshold_spread * slower)
    criterion = observer.bias + BIAS_SPREAD * biased
    levels_ms = STEP_MS * np.arange(LEAST, MOST + 1)
    rise = 1 - 2.0 ** -((levels_ms / threshold_ms) ** observer.slope)
    seen = ndtri(0.5 + (ndtr(half_d) - 0.5) * rise)
    correct = np.stack([ndtr(seen - criterion), ndtr(seen + criterion)])  # of fakes, of reals
    return block_modes((1 - LAPSE) * correct + LAPSE / 2, rng).mean(axis=1)


def block_modes(correct: Array, rng: np.random.Generator) -> Array:
    """Run all staircases; return modes (people, blocks). ``correct``: (2, people, levels)."""
    people = correct.shape[1]
    who = np.repeat(np.arange(people), BLOCKS)
    truth = np.argsort(rng.random((len(who), TRIALS)), axis=1) % 2
    luck = rng.random((len(who), TRIALS))
    level, streak = np.full(len(who), START), np.zeros(len(who), dtype=int)
    spent = np.zeros((len(who), MOST + 1), dtype=int)
    blocks = np.arange(len(who))
    for trial in range(TRIALS):
        spent[blocks, level] += 1
        right = luck[:, trial] < correct[truth[:, trial], who, level - LEAST]
        streak = np.where(right, streak + 1, 0)
        down = streak == IN_A_ROW
        streak[down] = 0
        level = np.clip(level + np.where(right, -DOWN * down, 1), LEAST, MOST)
    return modes(spent).reshape(people, BLOCKS)


def modes(spent: NDArray[np.int_]) -> Array:
    """Return each row's mode in ms; ``spent``: the number of trials at each level."""
    tied = spent == spent.max(axis=1, keepdims=True)
    return STEP_MS * (tied @ np.arange(MOST + 1)) / tied.sum(axis=1)
