"""How often verdicts of HYPE_time on equal models are wrong, and how often intervals hold.

    python benchmarks/exposure_inference.py [--studies 400] [--rules hype] [--processes 2]

Every study is new: new evaluators, and new images, of three models: two are equal, the third has
1.6 times their threshold of 250 ms. Each evaluator plays 3 blocks of 150 trials of one model; all
see the same 75 fakes and 75 reals in each block, and reals are shared by the models. Thresholds
vary between people and between images normally on the logarithmic scale. Each study is scored as
`hype score` does it. The truth of a score is over 15,000 other people, who see 1,500 other sets of
images.

False alarms: the two equal models are called separable, or two models equivalent whose difference
is just the margin. "Error said / real": as in `inference.py`. Rows come as they are simulated.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from recovery import BLOCKS, NOBODY, TRIALS, Blocks, Timed

from hype.protocols.hype.block_scores import BlockMode
from hype.protocols.hype.inference import Inference, inference_of_exposures
from hype.protocols.hype.results import EvaluatorScore
from hype.protocols.hype.staircase import PRESETS

SEED: Final = 20242
ALPHA: Final = 0.05
PEOPLE: Final = (2, 3, 5, 10, 30)
SPREADS: Final = tuple(product((0.0, 0.3, 0.5, 1.0), (0.0, 0.3, 0.6)))
"""Standard deviations of the logarithm of images' and of evaluators' thresholds."""
THRESHOLDS_MS: Final = {"a": 250.0, "b": 250.0, "c": 400.0}
FAKES: Final = TRIALS // 2
AT_ONCE: Final = 100
"""Studies that are simulated together."""
KINDS: Final = ("real", "fake")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A design: the rule, and what varies."""

    rule: str
    images: float
    tastes: float

    @property
    def design(self) -> Timed:
        return Timed(image_spread=self.images, people_spread=self.tastes, rule=PRESETS[self.rule])

    def truth_ms(self, threshold_ms: float, rng: np.random.Generator) -> float:
        parts = (self.design.blocks(threshold_ms, 250, 10, rng).modes_ms.mean() for _ in range(6))
        return float(np.mean(list(parts)))

    def studies(
        self, people: int, studies: int, rng: np.random.Generator
    ) -> Iterator[tuple[dict[str, Blocks], int]]:
        """Simulate studies; gives those that were simulated together, and the place of each."""
        for first in range(0, studies, AT_ONCE):
            together = min(AT_ONCE, studies - first)
            reals = rng.standard_normal((together, FAKES))
            played = {
                name: self.design.blocks(threshold_ms, together, people, rng, reals)
                for name, threshold_ms in THRESHOLDS_MS.items()
            }
            yield from ((played, study) for study in range(together))

    def inference(
        self, played: dict[str, Blocks], study: int
    ) -> tuple[Inference, dict[str, np.ndarray]]:
        """Take one study's scores as the program does; with them come people's own, in ms."""
        people, frames = {}, []
        for place, (name, blocks) in enumerate(played.items()):
            own_ms, images = blocks.modes_ms[study], blocks.images[study].ravel()
            who = len(own_ms) * place + np.arange(len(own_ms))
            people[name] = [scored(str(one), ms) for one, ms in zip(who, own_ms, strict=True)]
            fake = images < FAKES
            says_fake = fake == blocks.correct[study].ravel()
            columns = {
                "evaluator": np.repeat(who, BLOCKS * TRIALS),
                "condition": name,
                "block": np.tile(np.repeat(np.arange(BLOCKS), TRIALS), len(own_ms)),
                "image": np.where(fake, place, len(played)) * 2 * FAKES + images,
                "truth": pd.Categorical.from_codes(fake.astype(int), KINDS),
                "answer": pd.Categorical.from_codes(says_fake.astype(int), KINDS),
                "exposure_ms": blocks.exposures_ms[study].ravel(),
            }
            frames.append(pd.DataFrame(columns))
        bounds_ms = PRESETS[self.rule].min_ms, PRESETS[self.rule].max_ms
        judged = pd.concat(frames, ignore_index=True)
        found = inference_of_exposures(judged, people, "sample", bounds_ms=bounds_ms)
        return found, {name: np.array([e.score for e in own]) for name, own in people.items()}

    def figures(self, studies: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Say what held and what was claimed, for each number of people; shape (study, figure)."""
        same, other = (self.truth_ms(THRESHOLDS_MS[name], rng) for name in "ac")
        for people in PEOPLE:
            each = (self.inference(*one) for one in self.studies(people, studies, rng))
            yield np.array([figures_of(*one, same, other) for one in each], dtype=float)


def scored(evaluator: str, block_ms: np.ndarray) -> EvaluatorScore:
    blocks = tuple(
        BlockMode(block=str(block), exposure_ms=float(ms)) for block, ms in enumerate(block_ms)
    )
    return EvaluatorScore(
        evaluator=evaluator, score=float(block_ms.mean()), counts=NOBODY.counts, blocks=blocks
    )


def figures_of(
    inference: Inference, people: dict[str, np.ndarray], same: float, other: float
) -> tuple[float, ...]:
    equal, apart, _ = inference.pairs(people, alpha=ALPHA, margin=abs(same - other))
    interval = inference.interval("a", confidence=1 - ALPHA)
    low, high = interval.ends if interval else (np.nan, np.nan)
    error = inference.error("a")
    return (
        low <= same <= high if interval else np.nan,
        np.nan if apart.ci_low is None else apart.ci_low <= same - other <= apart.ci_high,
        equal.separable,
        apart.separable,
        (1.0 if apart.p_equivalent is None else apart.p_equivalent) < ALPHA,
        high - low,
        people["a"].mean(),
        error.variance if error else np.nan,
    )


def rows(cell: Cell, studies: int, seed: int) -> list[str]:
    """Simulate the studies of one cell; gives a row of markdown for each number of people."""
    lines = []
    rng = np.random.default_rng(seed)
    for people, figures in zip(PEOPLE, cell.figures(studies, rng), strict=True):
        *shares, width_ms = np.nanmean(figures[:, :6], axis=0)
        scores, variances = figures[:, 6:].T
        ratio = np.sqrt(np.nanmean(variances) / scores.var(ddof=1))
        design = (cell.rule, f"{cell.images:g}", f"{cell.tastes:g}", f"{people}", f"{studies}")
        percents = [f"{100 * share:.1f}" for share in shares]
        without = f"{np.isnan(figures[:, 0]).sum()}"
        cells = (*design, *percents, f"{width_ms:.0f}", f"{ratio:.2f}", without)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Simulate all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--rules", nargs="+", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    cells = [
        Cell(rule=rule, images=images, tastes=tastes)
        for rule, (images, tastes) in product(asked.rules, SPREADS)
    ]
    print(
        "| rule | SD of images | SD of evaluators | evaluators | studies | score covered (%) | "
        "difference covered (%) | equal: separable (%) | apart: separable (%) | "
        "just the margin: equivalent (%) | width (ms) | error said / real | no interval |"
    )
    print("| --- |" + " ---: |" * 12, flush=True)
    seeds = range(SEED, SEED + len(cells))
    with ProcessPoolExecutor(asked.processes) as pool:
        for lines in pool.map(rows, cells, [asked.studies] * len(cells), seeds):
            print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
