"""Answers of one simulated evaluator on staircases, with a known psychometric function."""

import numpy as np

from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.staircase import PRESETS


def on_staircases(
    person: Psychometric, rng: np.random.Generator, *, preset: str = "hype", blocks: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    """Return the exposures of 150 trials per block, and which answers were correct."""
    rule = PRESETS[preset]
    exposures_ms, correct = [], []
    for _ in range(blocks):
        state = rule.start()
        for _ in range(150):
            fake = bool(rng.random() < 0.5)
            says_fake = rng.random() < person.says_fake(state.exposure_ms, fake=fake)
            exposures_ms.append(state.exposure_ms)
            correct.append(says_fake == fake)
            state = rule.step(state, correct[-1])
    return np.array(exposures_ms), np.array(correct)


def accuracy(person: Psychometric, exposure_ms: float) -> float:
    """Return the probability of a correct answer, with lapses and bias."""
    fakes = person.says_fake(exposure_ms, fake=True)
    reals = 1 - person.says_fake(exposure_ms, fake=False)
    return (fakes + reals) / 2


def true_threshold_ms(person: Psychometric, at: float = 0.75) -> float:
    """Find the exposure at which accuracy is `at`, by bisection."""
    low, high = 1.0, 1e5
    while high - low > 1e-6 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if accuracy(person, middle) < at else (low, middle)
    return low
