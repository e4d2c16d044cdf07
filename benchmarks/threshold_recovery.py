"""How far off settle points, thresholds and modes of HYPE_time are, and how often intervals hold.

Conditions are simulated whose true settle point is known: the median, over all people there could
be, of the exposure at which they are as often right as the staircase's rule settles at. People are
drawn anew for each study: 3 blocks of 150 trials, observers and spreads in ceiling and bias as
`hype simulate` has them. Coverage is counted over studies that have a median; those whose median
lies beyond what was shown have none.

    python benchmarks/threshold_recovery.py [--studies 201] [--rules hype] [--spreads 0.3]
    python benchmarks/threshold_recovery.py --psignifit --studies 15

With psignifit's fits, as `hype score --thresholds` has them, it takes a hundred times as long.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt
from recovery import PEOPLE, says_rightly
from scipy.special import ndtr, ndtri

from hype.protocols.hype.block_scores import turning_points
from hype.protocols.hype.settling import modal, observer_at, stepped
from hype.protocols.hype.staircase import PRESETS, Staircase
from hype.protocols.hype.thresholds import EvaluatorCurve, PeoplesThreshold, median_threshold
from hype.statistics.psychometric_fit import (
    LevelCounts,
    PsychometricFunction,
    count_levels,
    fit_each,
    fit_psychometric,
)

Array = npt.NDArray[np.float64]

SEED: Final = 20191
RULES: Final = {
    **PRESETS,
    "10 down after 3, 30 up": Staircase(down_ms=10, up_ms=30, correct_to_descend=3),
}
SETTLE_MS: Final = (150.0, 250.0, 400.0)
SPREADS: Final = (0.0, 0.3, 0.6)
"""Standard deviations of the logarithm of people's thresholds."""
NUMBERS: Final = (2, 3, 5, 10, 30)
MOST: Final = max(NUMBERS)
BLOCKS: Final = 3
TRIALS: Final = 150
ALL: Final = 40_000
"""People of whom the truth is the median."""
AT: Final = 0.75


@dataclass(frozen=True, kw_only=True)
class People:
    """Parameters of people, of shape (people,)."""

    threshold_ms: Array
    ceiling: Array
    bias: Array

    def right(self, exposures_ms: Array, fake: npt.NDArray[np.bool_]) -> Array:
        """Give the chance of a correct answer, of shape (people, …)."""
        own = (np.expand_dims(one, -1) for one in (self.threshold_ms, self.ceiling, self.bias))
        threshold_ms, ceiling, bias = own
        side = np.where(fake, bias, -bias)
        return says_rightly(exposures_ms, threshold_ms, ceiling, side, PEOPLE.typical[""])

    def exposure_ms_at(self, at: float) -> Array:
        """Find by halving where this share of answers is right."""
        low = np.full((len(self.bias), 1), 1.0)
        high = np.full_like(low, 1e5)
        for _ in range(50):
            middle = np.sqrt(low * high)
            share = (
                sum(self.right(middle, np.full(middle.shape, fake)) for fake in (True, False)) / 2
            )
            low, high = np.where(share < at, middle, low), np.where(share < at, high, middle)
        return low[:, 0]


def drawn(threshold_ms: float, spread: float, people: int, rng: np.random.Generator) -> People:
    """Draw people about a typical one."""
    slower, abler, biased = rng.standard_normal((3, people))
    able = ndtri(PEOPLE.typical[""].ceiling) + PEOPLE.ceiling_spread * abler
    return People(
        threshold_ms=threshold_ms * np.exp(spread * slower),
        ceiling=np.maximum(0.5, ndtr(able)),
        bias=PEOPLE.bias_spread * biased,
    )


def played(
    rule: Staircase, people: People, rng: np.random.Generator
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Play blocks; give exposures and whether answers were right (people, blocks, trials)."""
    shape = len(people.bias), BLOCKS
    at_ms, streak = np.full(shape, rule.start_ms), np.zeros(shape, dtype=np.int64)
    fake = rng.permuted(np.tile(np.arange(TRIALS) % 2 == 0, (*shape, 1)), axis=-1)
    exposures_ms, right = np.empty(fake.shape), np.empty(fake.shape, dtype=bool)
    for trial in range(TRIALS):
        exposures_ms[..., trial] = at_ms
        right[..., trial] = rng.random(shape) < people.right(at_ms, fake[..., trial])
        at_ms, streak = stepped(rule, at_ms, streak, right[..., trial])
    return exposures_ms, right


Fit = Callable[[Sequence[LevelCounts], tuple[float, float]], Sequence[PsychometricFunction]]


def psignifits(
    people: Sequence[LevelCounts], bounds_ms: tuple[float, float]
) -> list[PsychometricFunction]:
    """Do what `fit_each` does."""
    return [fit_psychometric(own, bounds_ms) for own in people]


@dataclass(kw_only=True)
class Cell:
    """What came of the studies of one rule and one spread."""

    rule: Staircase
    spread: float
    fit: Fit
    # mode, reversals: of each study's means, over the mean of its people's settle points
    mode: list[float] = field(default_factory=list)
    reversals: list[float] = field(default_factory=list)
    tied: list[bool] = field(default_factory=list)  # of each block
    # median, at_75, pooled: of each study, over the true ones; pooled is of one function for all
    median: list[float] = field(default_factory=list)
    at_75: list[float] = field(default_factory=list)
    pooled: list[float] = field(default_factory=list)
    held: dict[int, list[bool]] = field(default_factory=lambda: {n: [] for n in NUMBERS})
    held_at_75: list[bool] = field(default_factory=list)

    def row(self) -> list[str]:
        """Give it as cells of a table."""
        held = [share(self.held[n]) for n in NUMBERS]
        staircases = (off(self.mode), off(self.reversals), share(self.tied))
        return [
            *staircases,
            off(self.median),
            *held,
            off(self.at_75),
            share(self.held_at_75),
            off(self.pooled),
        ]


def off(ratios: list[float]) -> str:
    """Give the median deviation from the truth in per cent."""
    return f"{100 * (np.median(ratios) - 1):+.1f}" if ratios else "–"


def share(held: list[bool]) -> str:
    """Give a share in per cent."""
    return f"{100 * np.mean(held):.1f}" if held else "–"


def simulate(cell: Cell, studies: int, rng: np.random.Generator) -> None:
    """Simulate studies, a third of them of each settle point."""
    for settle_ms in SETTLE_MS:
        typical = observer_at(cell.rule, settle_ms, PEOPLE.typical[""])
        if typical is None:
            raise SystemExit("nobody settles there")
        everyone = drawn(typical.threshold_ms, cell.spread, ALL, rng)
        true_ms = {
            at: float(np.median(everyone.exposure_ms_at(at))) for at in (cell.rule.settles_at, AT)
        }
        for _ in range(studies // len(SETTLE_MS)):
            add(cell, drawn(typical.threshold_ms, cell.spread, MOST, rng), true_ms, rng)


def add(cell: Cell, people: People, true_ms: dict[float, float], rng: np.random.Generator) -> None:
    """Simulate one study, and add what came of it."""
    rule, at = cell.rule, cell.rule.settles_at
    exposures_ms, right = played(rule, people, rng)
    own_ms = people.exposure_ms_at(at).mean()
    cell.mode.append(float(modal(exposures_ms).mean() / own_ms))
    cell.tied.extend(is_tied(block) for block in exposures_ms.reshape(-1, TRIALS))
    cell.reversals.append(last_reversals(exposures_ms) / own_ms)
    counts = [count_levels(*own, tolerance=0) for own in flat(exposures_ms, right)]
    together = count_levels(exposures_ms.ravel(), right.ravel(), tolerance=0)
    *functions, pooled = cell.fit([*counts, together], (rule.min_ms, rule.max_ms))
    cell.pooled.append(pooled.exposure_ms_at(AT) / true_ms[AT])
    curves = [
        EvaluatorCurve(condition="", evaluator="", counts=own, function=one, against=None)
        for own, one in zip(counts, functions, strict=True)
    ]
    for n in NUMBERS:
        found = median_threshold([one.exposure_ms(at) for one in curves[:n]], at)
        cell.held[n].extend(holds(found, true_ms[at]))
    cell.median.extend([found.median_ms / true_ms[at]] if found.median_ms else [])
    found = median_threshold([one.exposure_ms(AT) for one in curves], AT)
    cell.held_at_75.extend(holds(found, true_ms[AT]))
    cell.at_75.extend([found.median_ms / true_ms[AT]] if found.median_ms else [])


def holds(found: PeoplesThreshold, true_ms: float) -> list[bool]:
    """Say whether an interval holds the truth; nothing where there is none."""
    low, high = found.median.ends if found.median else (None, None)
    if low is None and high is None:
        return []
    return [(low or 0.0) <= true_ms <= (high or math.inf)]


def flat(exposures_ms: Array, right: npt.NDArray[np.bool_]) -> Iterator[tuple[Array, Array]]:
    """Give everybody's trials of all blocks."""
    for shown_ms, correct in zip(exposures_ms, right, strict=True):
        yield shown_ms.ravel(), correct.ravel()


def is_tied(exposures_ms: Array) -> bool:
    """Whether the most frequent exposure of a block is not unique."""
    counts = np.unique(exposures_ms, return_counts=True)[1]
    return bool((counts == counts.max()).sum() > 1)


def last_reversals(exposures_ms: Array) -> float:
    """Give the mean of the last six reversals of all blocks."""
    turns = [turning_points(block)[0][-6:] for block in exposures_ms.reshape(-1, TRIALS)]
    return float(np.mean([levels_ms.mean() for levels_ms in turns if len(levels_ms) > 1]))


def main() -> None:
    """Simulate all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=201)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    parser.add_argument("--spreads", nargs="+", type=float, default=SPREADS)
    parser.add_argument("--psignifit", action="store_true")
    asked = parser.parse_args()
    heads = ["rule", "settles at", "people's SD", "mode", "last reversals", "tied", "settle point"]
    heads += [f"held, {n} people" for n in NUMBERS]
    heads += [f"at 75 %, {MOST} people", "held", "one fit of all"]
    print(f"| {' | '.join(heads)} |")
    print("|---|---|---|" + "---:|" * (len(heads) - 3))
    for name, spread in product(asked.rules, asked.spreads):
        cell = Cell(
            rule=RULES[name], spread=spread, fit=psignifits if asked.psignifit else fit_each
        )
        simulate(cell, asked.studies, np.random.default_rng(SEED))
        cells = [name, f"{100 * cell.rule.settles_at:.0f} %", f"{spread:g}", *cell.row()]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
