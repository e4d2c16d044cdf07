"""How often verdicts on comparisons are wrong and intervals cover, for other people and images.

    python benchmarks/comparison_coverage.py                  400 studies a cell: some minutes
    python benchmarks/comparison_coverage.py --studies 1000   as in docs/benchmarks.md

Each study has new people and new images: three conditions with four images for each of ten prompts,
60 comparisons by each person, of pairs, prompts and images drawn at random. Log-strengths vary
between people (each has one of his own for each condition) and between images, normally; the
conditions are equal, or 0.5 apart. The truth is how often one is chosen by all people there could
be, of all images that there could be.

A false alarm is a study of equals in which any pair is separable, by Holm's rule at 5 %; or one in
which a pair at the very margin (a win rate of 60 %) is called equivalent. `people alone` says how
often it would be if only evaluators were taken for a sample, as `--images fixed` does. Fixed seeds.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri, stdtrit
from timing_tables import print_table

from hype.statistics.proportions import CrossedShare, crossed_shares, holm

Array = npt.NDArray[np.float64]

PROMPTS: Final = 10
IMAGES: Final = 4
EACH: Final = 60
PEOPLE: Final = (2, 3, 5, 10, 30)
OF_IMAGES: Final = (0.0, 0.3, 0.5, 1.0)
OF_TASTES: Final = (0.0, 0.3, 0.6)
APART: Final = 0.5
MARGIN: Final = 0.1
ALPHA: Final = 0.05
PAIRS: Final = ((0, 1), (0, 2), (1, 2))
SEED: Final = 20_240


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A population: standard deviations of log-strengths between images and between people."""

    images: float
    tastes: float

    def chosen(self, difference: float) -> float:
        """How often a condition is chosen that is so much stronger."""
        points, weights = np.polynomial.hermite_e.hermegauss(61)
        spread = np.sqrt(2 * (self.images**2 + self.tastes**2))
        return float(expit(difference + spread * points) @ weights / weights.sum())


def shares(
    spread: Spread,
    people: int,
    strengths: Sequence[float],
    studies: int,
    rng: np.random.Generator,
    *,
    fixed: bool = False,
) -> list[list[CrossedShare]]:
    """Simulate studies; the share of each pair in each."""
    votes = people * EACH
    study = np.repeat(np.arange(studies), votes)
    person = np.arange(studies * votes) // EACH
    prompt = rng.integers(PROMPTS, size=len(study))
    pair = rng.integers(3, size=len(study))
    sides = np.array(PAIRS)[pair].T
    own = spread.tastes * rng.normal(size=(studies * people, 3))
    looks = spread.images * rng.normal(size=(studies, PROMPTS, IMAGES, 3))
    images = rng.integers(IMAGES, size=(2, len(study)))
    liked = [
        np.array(strengths)[side] + own[person, side] + looks[study, prompt, image, side]
        for side, image in zip(sides, images, strict=True)
    ]
    points = (rng.random(len(study)) < expit(liked[0] - liked[1])).astype(float)
    items = None if fixed else study * PROMPTS + prompt
    found = crossed_shares(study * 3 + pair, points, person, items, groups=3 * studies)
    return [found[at : at + 3] for at in range(0, len(found), 3)]  # type: ignore[misc]


def alarms(found: list[list[CrossedShare]]) -> float:
    return float(np.mean([(holm([one.p for one in own]) < ALPHA).any() for own in found]))


def found_of(found: list[list[CrossedShare]]) -> float:
    return float(np.mean([holm([one.p for one in own]) < ALPHA for own in found]))


def covers(found: list[list[CrossedShare]], true: Sequence[float]) -> float:
    """Of win rates."""
    ends = [[one.estimate(1 - ALPHA).ends for one in own] for own in found]
    low, high = np.moveaxis(np.array(ends, dtype=float), -1, 0)
    return float(np.mean((low <= true) & (true <= high)))


def strengths_cover(found: list[list[CrossedShare]], true: Sequence[float]) -> float:
    """Of the differences of the two strengths of a pair, as of `crossed_strengths`."""
    inside = []
    for own in found:
        for one, rate in zip(own, true, strict=True):
            if not 0 < one.value < 1:
                continue  # without a finite strength
            slope = one.value * (1 - one.value)
            t, z = stdtrit(one.freedom, 1 - ALPHA / 2), ndtri(1 - ALPHA / 2)
            reach = max(t / np.sqrt(one.effective * slope), z / np.sqrt(one.answers * slope))
            inside.append(abs(logit(one.value) - logit(rate)) <= reach)
    return float(np.mean(inside))


def rows(studies: int) -> Iterator[list[str]]:
    strengths = (APART, 0.0, -APART)
    for images, tastes in itertools.product(OF_IMAGES, OF_TASTES):
        spread = Spread(images=images, tastes=tastes)
        true = [spread.chosen(strengths[a] - strengths[b]) for a, b in PAIRS]
        at_margin = brentq(lambda s, of=spread: of.chosen(s) - 0.5 - MARGIN, 0, 5)
        for people in PEOPLE:
            rng = np.random.default_rng(SEED)
            equal = shares(spread, people, (0.0, 0.0, 0.0), studies, rng)
            alone = shares(spread, people, (0.0, 0.0, 0.0), studies // 4, rng, fixed=True)
            apart = shares(spread, people, strengths, studies, rng)
            marginal = shares(spread, people, (at_margin, 0.0, 0.0), studies // 2, rng)
            alike = [own[0].p_equivalent(MARGIN) < ALPHA for own in marginal]
            yield [
                *(f"{images:g}", f"{tastes:g}", str(people)),
                *(f"{100 * alarms(equal):.1f}", f"{100 * alarms(alone):.0f}"),
                f"{100 * float(np.mean(alike)):.1f}",
                *(f"{100 * covers(equal, [0.5] * 3):.1f}", f"{100 * covers(apart, true):.1f}"),
                *(
                    f"{100 * strengths_cover(equal, [0.5] * 3):.1f}",
                    f"{100 * strengths_cover(apart, true):.1f}",
                ),
                f"{100 * found_of(apart):.0f}",
            ]


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--studies", type=int, default=400, metavar="N", help="of each cell")
    header = (
        *("SD of images", "of tastes", "people", "false alarms", "people alone"),
        *("equivalent at the margin", "win rates, equal", "apart", "strengths, equal", "apart"),
        "found",
    )
    print_table("Comparisons, in %", header, rows(parser.parse_args().studies))


if __name__ == "__main__":
    main()
