"""Compare how well blocks of two staircases and of QUEST+ find a threshold.

    python benchmarks/adaptive.py [--blocks 200]

Simulated observers with known accuracy do blocks of 300 trials with each rule. The first 30, 60, …
trials of a block are scored. A staircase's score is the most frequent exposure, compared with the
exposure at which its rule settles (63 or 75 % correct). QUEST+'s score is the posterior mean,
compared with the exposure at which 75 % are correct. The posterior mean of the staircases' trials
is printed too: it shows whether QUEST+ gains by its estimate or by its choice of exposures.

Observers have true thresholds (75 % correct) of 150 to 700 ms, and several slopes and lapse rates.
Some do not fit the model: their accuracy rises as a log-normal or as a logistic in ms, each image
has its own threshold (SD of the logarithms: 0.8), or attention wanes (lapses rise from 0 in the
first trial to 0.2 in the 300th; the true threshold ignores lapses).

Errors are in doublings of the exposure: 0.26 doublings are 20 %. Fixed seed. Takes about six
minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from hype.protocols.hype.settling import find_modes, step_many
from hype.protocols.hype.staircase import (
    AT,
    CHANCE,
    PRESETS,
    QuestPlus,
    Staircase,
    design,
    estimate,
    prior,
)

Array = npt.NDArray[np.float64]
SEED: Final = 2017
TRIALS: Final = (30, 60, 100, 150, 200, 300)
THRESHOLDS_MS: Final = (150.0, 250.0, 450.0, 700.0)
QUEST: Final = QuestPlus(start_ms=500.0, min_ms=100.0, max_ms=1000.0, refresh_hz=60.0)
BOUNDS_MS: Final = (QUEST.min_ms, QUEST.max_ms)
SIGMA: Final = 1.96
IMAGES_SPREAD: Final = 0.8

Rise = Callable[[Array], Array]
"""A function of the exposure divided by the scale; it returns accuracy, from 0 (guessing) to 1 (the
observer's highest)."""


def weibull(slope: float) -> Rise:
    return lambda ratio: 1 - 2.0 ** -(ratio**slope)


def log_normal(spread: float) -> Rise:
    return lambda ratio: np.asarray(ndtr(np.log(np.maximum(ratio, 1e-12)) / spread))


def logistic(ratio: Array) -> Array:
    return np.asarray(expit(4 * (ratio - 1)))


def over_images(ratio: Array) -> Array:
    """Average a Weibull function over images."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    factors = np.exp(IMAGES_SPREAD * nodes)
    each = weibull(1.5)(np.asarray(ratio)[..., np.newaxis] / factors)
    return np.asarray(each @ weights / weights.sum())


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Observers who differ only in their thresholds."""

    name: str
    rise: Rise
    lapse: float = 0.06  # 1 minus the accuracy at an endless exposure
    waning: float = 0.0  # how much ``lapse`` grows over the trials

    def accuracy(self, ratio: Array, trial: int = 0) -> Array:
        reach = 1 - CHANCE - self.lapse - self.waning * trial / TRIALS[-1]
        return CHANCE + reach * self.rise(ratio)

    def scale(self, at: float) -> float:
        """Return the ratio (exposure / scale) at which accuracy is ``at``."""
        found = brentq(lambda place: float(self.accuracy(np.array(2.0**place))) - at, -12, 12)
        return 2.0 ** float(found)


KINDS: Final = (
    Kind(name="of the form, slope 1", rise=weibull(1.0)),
    Kind(name="of the form, slope 1.5", rise=weibull(1.5)),
    Kind(name="of the form, slope 3", rise=weibull(3.0)),
    Kind(name="no lapses", rise=weibull(1.5), lapse=0.0),
    Kind(name="lapses 0.15", rise=weibull(1.5), lapse=0.15),
    Kind(name="log-normal rise", rise=log_normal(0.7)),
    Kind(name="logistic rise in ms", rise=logistic),
    Kind(name="images vary", rise=over_images),
    Kind(name="attention wanes", rise=weibull(1.5), lapse=0.0, waning=0.2),
)


@dataclass(frozen=True, kw_only=True)
class Played:
    """Simulated blocks of one observer; arrays of shape (blocks, trials)."""

    exposures_ms: Array
    correct: npt.NDArray[np.bool_]


def staircases(rule: Staircase, seen: Callable[[Array, int], Array], blocks: int) -> Played:
    at_ms, streak = np.full((blocks,), rule.start_ms), np.zeros(blocks, dtype=np.int64)
    shown, right = [], []
    for trial in range(TRIALS[-1]):
        shown.append(at_ms)
        right.append(seen(at_ms, trial))
        at_ms, streak = step_many(rule, at_ms, streak, right[-1])
    return Played(exposures_ms=np.stack(shown, axis=1), correct=np.stack(right, axis=1))


def quest_plus(seen: Callable[[Array, int], Array], blocks: int) -> Played:
    found, levels_ms = design(QUEST), np.array(QUEST.levels())
    posteriors = np.repeat(prior(QUEST)[:, np.newaxis, :], blocks, axis=1)
    shown, right = [], []
    for trial in range(TRIALS[-1]):
        best = found.best(posteriors)
        shown.append(levels_ms[best])
        right.append(seen(shown[-1], trial))
        likely = np.moveaxis(found.accuracies[best], 0, 1)
        posteriors *= np.where(right[-1][np.newaxis, :, np.newaxis], likely, 1 - likely)
        posteriors /= posteriors.sum(axis=(0, 2), keepdims=True)
    return Played(exposures_ms=np.stack(shown, axis=1), correct=np.stack(right, axis=1))


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Errors of the thresholds found in one observer's blocks, in doublings; shape (blocks,)."""

    errors: Array
    covered: Array | None  # whether estimate ± 1.96 posterior SDs covers the true threshold


def by_mode(played: Played, true_ms: float, trials: int) -> Errors:
    modes_ms = find_modes(played.exposures_ms[:, :trials])
    return Errors(errors=np.log2(modes_ms / true_ms), covered=None)


def by_posterior(played: Played, true_ms: float, trials: int) -> Errors:
    found = [
        estimate(shown[:trials], right[:trials], BOUNDS_MS)
        for shown, right in zip(played.exposures_ms, played.correct, strict=True)
    ]
    errors = np.log2([one.threshold_ms / true_ms for one in found])
    reach = SIGMA * np.array([one.sd_doublings for one in found])
    return Errors(errors=errors, covered=np.abs(errors) <= reach)


METHODS: Final = ("hype, mode", "weighted-75, mode", "hype, posterior", "weighted-75, posterior")
QUEST_METHOD: Final = "QUEST+"


def errors_of(
    kind: Kind, threshold_ms: float, blocks: int, rng: np.random.Generator
) -> Iterator[tuple[str, int, Errors]]:
    scale_ms = threshold_ms / kind.scale(AT)

    def seen(exposures_ms: Array, trial: int) -> npt.NDArray[np.bool_]:
        return rng.random(exposures_ms.shape) < kind.accuracy(exposures_ms / scale_ms, trial)

    for name, rule in PRESETS.items():
        played = staircases(rule, seen, blocks)
        for trials in TRIALS:
            settled_ms = scale_ms * kind.scale(rule.settles_at)
            yield f"{name}, mode", trials, by_mode(played, settled_ms, trials)
            yield f"{name}, posterior", trials, by_posterior(played, threshold_ms, trials)
    played = quest_plus(seen, blocks)
    for trials in TRIALS:
        yield QUEST_METHOD, trials, by_posterior(played, threshold_ms, trials)


def rms(values: list[float]) -> float:
    return math.sqrt(math.fsum(value**2 for value in values) / len(values))


def row(name: str, method: str, found: dict[tuple[str, int], list[Errors]]) -> str:
    """Write a table row: root mean squares, over thresholds, of biases, SDs and errors."""
    cells = []
    for trials in TRIALS:
        each = found[method, trials]
        bias = rms([float(one.errors.mean()) for one in each])
        spread = rms([float(one.errors.std(ddof=1)) for one in each])
        whole = rms([error for one in each for error in one.errors.tolist()])
        covered = [one.covered.mean() for one in each if one.covered is not None]
        share = f", {100 * float(np.mean(covered)):.0f} %" if covered else ""
        cells.append(f"{bias:.2f}, {spread:.2f}, **{whole:.2f}**{share}")
    return f"| {name} | {method} | {' | '.join(cells)} |"


def error(found: dict[tuple[str, int], list[Errors]], method: str, trials: int) -> float:
    return rms([error for one in found[method, trials] for error in one.errors.tolist()])


def worth(found: dict[tuple[str, int], list[Errors]], given: tuple[str, int], method: str) -> str:
    """Return how many trials of ``method`` give the error of ``given``, a (method, trials) pair."""
    wanted, own = error(found, *given), [error(found, method, n) for n in TRIALS]
    if wanted >= own[0]:
        return f"≤ {TRIALS[0]}"
    if wanted < min(own):
        return f"> {TRIALS[-1]}"
    return f"{np.exp(np.interp(-wanted, np.negative(own), np.log(TRIALS))):.0f}"


def main() -> None:
    """Simulate all observers, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=200)
    blocks = parser.parse_args().blocks
    rng = np.random.default_rng(SEED)
    every: dict[tuple[str, int], list[Errors]] = {}
    rows, worths = [], []
    for kind in KINDS:
        found: dict[tuple[str, int], list[Errors]] = {}
        for threshold_ms in THRESHOLDS_MS:
            for method, trials, errors in errors_of(kind, threshold_ms, blocks, rng):
                found.setdefault((method, trials), []).append(errors)
                every.setdefault((method, trials), []).append(errors)
        rows += [row(kind.name, method, found) for method in (*METHODS, QUEST_METHOD)]
        worths.append((kind.name, found))
    print("| observers | score | " + " | ".join(f"{n} trials" for n in TRIALS) + " |")
    print("| --- | --- |" + " --- |" * len(TRIALS))
    all_rows = [row("all", method, every) for method in (*METHODS, QUEST_METHOD)]
    print("\n".join([*all_rows, *rows]))
    given = [(QUEST_METHOD, 60), (QUEST_METHOD, 60), *((method, 150) for method in METHODS)]
    asked = [*METHODS[:2], *(QUEST_METHOD for _ in METHODS)]
    heads = [f"{n} of {one} in {other}" for (one, n), other in zip(given, asked, strict=True)]
    print(f"\n| observers | {' | '.join(heads)} |\n| --- |" + " ---: |" * len(heads))
    for name, found in [("all", every), *worths]:
        cells = [worth(found, one, other) for one, other in zip(given, asked, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
