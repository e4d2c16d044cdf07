"""Measure how often the intervals of distances between features contain the true average.

    python benchmarks/metrics.py --runs 400

Real and generated images are random vectors, normal or with heavy tails (Student's t); their number
and dimension vary. The mean of a statistic over all runs counts as its true average. The Fréchet
distance's limit is compared with the closed form for normal vectors, (shift)² + d(1 − sd)².
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Final

import numpy as np
from machine import Load, description
from timing_tables import print_table

from hype.statistics.distributions import BOUNDS, compare

SEED: Final = 2019
SHORT: Final = {
    "frechet_distance": "Fréchet",
    "frechet_distance_limit": "limit",
    "kernel_distance": "kernel",
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """How many real and generated vectors are drawn, and how the generated ones differ.

    ``freedom``: degrees of freedom of Student's t, whose tails are heavy; None for normal vectors.
    """

    real: int
    fake: int
    dimensions: int
    shift: float
    sd: float
    freedom: int | None = None

    @property
    def name(self) -> str:
        """The name of the row in the table."""
        kind = f"t of {self.freedom}" if self.freedom else "normal"
        return (
            f"{self.real}, {self.fake} · {self.dimensions} · {self.shift:g}, {self.sd:g} · {kind}"
        )

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw the vectors of the real and of the generated images."""
        x, y = (self._spread(rng, n) for n in (self.real, self.fake))
        y *= self.sd
        y[:, 0] += self.shift
        return x, y

    def _spread(self, rng: np.random.Generator, number: int) -> np.ndarray:
        normal = rng.standard_normal((number, self.dimensions))
        if self.freedom is None:
            return normal
        return normal / np.sqrt(rng.chisquare(self.freedom, (number, 1)) / self.freedom)


CELLS: Final = (
    Cell(real=100, fake=100, dimensions=4, shift=1.0, sd=1.0),
    Cell(real=40, fake=40, dimensions=8, shift=1.0, sd=1.0),
    Cell(real=200, fake=200, dimensions=8, shift=1.0, sd=0.8),
    Cell(real=200, fake=50, dimensions=16, shift=0.5, sd=0.6),
    Cell(real=50, fake=200, dimensions=16, shift=0.5, sd=0.6),
    Cell(real=100, fake=100, dimensions=64, shift=0.0, sd=0.7),
    Cell(real=100, fake=100, dimensions=16, shift=1.0, sd=0.9, freedom=5),
    Cell(real=100, fake=100, dimensions=64, shift=0.0, sd=0.7, freedom=5),
)


def coverage(cell: Cell, runs: int, draws: int) -> dict[str, float]:
    """Return how often the interval of each statistic contains its target."""
    found = []
    for run in range(runs):
        rng = np.random.default_rng((SEED, run))
        statistics = compare(*cell.draw(rng), rng=rng, draws=draws)
        found.append([(s.estimate.value, s.estimate.low, s.estimate.high) for s in statistics])
    values, low, high = np.moveaxis(np.array(found, dtype=float), 2, 0)
    truth = dict(zip(BOUNDS, values.mean(axis=0), strict=True))
    if cell.freedom is None:
        truth["frechet_distance_limit"] = cell.shift**2 + cell.dimensions * (1 - cell.sd) ** 2
    return {
        name: float(((low[:, k] <= truth[name]) & (truth[name] <= high[:, k])).mean())
        for k, name in enumerate(BOUNDS)
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400, metavar="N", help="of each cell")
    parser.add_argument("--draws", type=int, default=50, metavar="N", help="halves of a run")
    options, load = parser.parse_args(), Load()
    print(description(("numpy", "scipy")))
    rows = []
    for cell in CELLS:
        found = coverage(cell, options.runs, options.draws)
        rows.append([cell.name, *(f"{100 * found[name]:.1f}" for name in BOUNDS)])
    header = ("real, generated · values · shift, sd · kind", *(SHORT.get(n, n) for n in BOUNDS))
    print_table("Intervals that contain the true value, %", header, rows)
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
