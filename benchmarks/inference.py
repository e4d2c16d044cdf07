"""How often verdicts on equal models are wrong, and how often intervals hold: HYPE_∞.

    python benchmarks/inference.py [--studies 400] [--processes 2]

Every study is new: new evaluators, and new images, of three models: two are equal, the third is
some logits from them. Each evaluator judges 50 fakes and 50 reals, all the same 100 of their
model; reals are shared by the models. Whether an answer is wrong is logistic in the model's mean,
the evaluator's and the image's own effect. Each study is scored as `hype score` does it.
The truth is over all evaluators and all images that there could be.

False alarms: the two equal models are called separable, any model hyper-realistic (at a true error
of 50 %), or two models equivalent whose difference is just the margin. Fixed seed.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from hype.protocols.hype.inference import inference_of_errors

SEED: Final = 20240
ALPHA: Final = 0.05
PEOPLE: Final = (2, 3, 5, 10, 30)
SPREADS: Final = ((0.0, 0.3), (0.3, 0.3), (0.5, 0.3), (1.0, 0.3), (0.5, 0.0), (0.5, 0.6))
"""Standard deviations of images and of evaluators, in logits."""
ERRORS: Final = (0.5, 0.2)
SHOWN: Final = 50
APART: Final = 0.5
"""Logits between the third model and the equal ones."""
NODES: Final = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A design: how many evaluators, what varies, and the typical error."""

    people: int
    images: float
    tastes: float
    error: float

    def truth_percent(self, logits: float) -> float:
        """Give the expected error over evaluators and images."""
        at, weights = NODES
        spread = np.hypot(self.images, self.tastes)
        return float(100 * weights @ expit(logits + spread * at) / weights.sum())

    def study(self, rng: np.random.Generator) -> pd.DataFrame:
        """Simulate the judgements of one study."""
        parts = []
        reals = rng.normal(0, self.images, SHOWN)
        for name, shift in (("a", 0.0), ("b", 0.0), ("c", -APART)):
            middle = np.log(self.error / (1 - self.error)) + shift
            looks = np.stack([rng.normal(0, self.images, SHOWN), reals])
            able = rng.normal(0, self.tastes, (self.people, 1, 1))
            wrong = rng.random((self.people, 2, SHOWN)) < expit(middle + able + looks)
            person, kind, image = (axis.ravel() for axis in np.indices(wrong.shape))
            kinds = np.array(["fake", "real"])
            owner = np.where(kind == 0, name, "real")
            parts.append(
                pd.DataFrame(
                    {
                        "evaluator": np.char.add(name, person.astype(str)),
                        "condition": name,
                        "truth": kinds[kind],
                        "answer": kinds[np.where(wrong.ravel(), 1 - kind, kind)],
                        "image": np.char.add(owner, image.astype(str)),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def found(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Score one study: what held, and what was claimed."""
        same, other = (
            self.truth_percent(np.log(self.error / (1 - self.error)) - shift)
            for shift in (0.0, APART)
        )
        frame = self.study(rng)
        wrong = 100 * (frame["truth"] != frame["answer"])
        means = wrong.groupby([frame["condition"], frame["evaluator"]]).mean()
        people = {name: means[name].to_numpy() for name in "abc"}
        inference = inference_of_errors(frame, people, "sample")
        equal, apart, _ = inference.pairs(people, alpha=ALPHA, margin=abs(same - other))
        interval = inference.interval("a", confidence=1 - ALPHA)
        return (
            interval.low <= same <= interval.high,
            apart.ci_low <= same - other <= apart.ci_high,
            equal.separable,
            apart.separable,
            apart.p_equivalent < ALPHA,
            bool(inference.hyper_realistic(alpha=ALPHA)),
            interval.high - interval.low,
        )


def row(cell: Cell, studies: int, seed: int) -> str:
    """Simulate the studies of one cell, as a row of markdown."""
    rng = np.random.default_rng(seed)
    means = np.mean([cell.found(rng) for _ in range(studies)], axis=0)
    shares = [f"{100 * mean:.1f}" for mean in means[:-1]]
    design = (f"{100 * cell.error:.0f}", f"{cell.people}", f"{cell.images:g}", f"{cell.tastes:g}")
    return f"| {' | '.join((*design, *shares, f'{means[-1]:.1f}'))} |"


def main() -> None:
    """Simulate all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    print(
        "| error (%) | evaluators | SD of images | SD of evaluators | score covered (%) | "
        "difference covered (%) | equal: separable (%) | apart: separable (%) | "
        "just the margin: equivalent (%) | hyper-realistic (%) | width (points) |"
    )
    print("|" + " ---: |" * 11, flush=True)
    cells = [
        Cell(people=people, images=images, tastes=tastes, error=error)
        for error, people, (images, tastes) in product(ERRORS, PEOPLE, SPREADS)
    ]
    seeds = range(SEED, SEED + len(cells))
    with ProcessPoolExecutor(asked.processes) as pool:
        for line in pool.map(row, cells, [asked.studies] * len(cells), seeds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
