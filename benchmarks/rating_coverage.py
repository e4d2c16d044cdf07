"""Studies of ratings and of rankings simulated from a known truth, for `ratings.py`.

What is simulated, and its truth, is made by what the tests use: `made_ratings`, `made_rankings`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import binomtest
from timing_tables import print_table

MADE: Final = Path(__file__).parents[1] / "tests" / "made"
HONEST: Final = (0.92, 0.98)
CONFIDENCE: Final = 0.95
DRAWS: Final = 1_000
SEED: Final = 20250
LEVELS: Final = (1.0, 0.4, -0.4, -1.0)
"""Log-strengths of four conditions that are ranked."""

Interval = tuple[str, float | None, float, float | None]
"""What it is of, and its low end, the truth, and its high end."""
Study = Callable[[np.random.Generator], Iterator[Interval]]


@dataclass(frozen=True, kw_only=True)
class Rated:
    """A study of ratings: how many people, the pairs of each, and what is not relevant."""

    people: int
    each: int
    taste: float = 0.3
    not_relevant: float = 0.0

    @property
    def name(self) -> str:
        """What was simulated."""
        gone = f", {self.not_relevant:.0%} of one axis not relevant" if self.not_relevant else ""
        return f"{self.people} people rate {self.each} pairs each on 3 axes{gone}"

    def study(self) -> Study:
        """Give what makes one study and yields its intervals."""
        from made_ratings import THREE, made_ratings, true_alpha, true_correlation, true_means

        from hype.protocols.rating.scoring import RatingOptions, score_ratings

        world = replace(THREE, taste=self.taste)
        places = range(len(world.axes))
        pairs = {(i, j): true_correlation(world, i, j) for i in places for j in range(i)}
        means = [true_means(world, axis) for axis in places]
        alphas = [true_alpha(world, axis, level="ordinal") for axis in places]
        gone = {world.axes[0]: self.not_relevant} if self.not_relevant else None
        options = RatingOptions(draws=DRAWS, axes=world.axes)

        def intervals(rng: np.random.Generator) -> Iterator[Interval]:
            rows = made_ratings(
                world, rng, evaluators=self.people, each=self.each, not_relevant=gone
            )
            score = score_ratings(rows, options)
            found = score.correlations.matrix
            for (i, j), truth in pairs.items():
                yield "correlation of axes", found.low[i, j], truth, found.high[i, j]
            for place, axis in enumerate(score.axes):
                for row in axis.means:
                    yield "mean", row.low, means[place][int(row.condition[1:])], row.high
                for row in axis.strengths:
                    truth = world.strengths[place][int(row.condition[1:])]
                    yield "strength", row.strength_low, truth, row.strength_high
                alpha = axis.alphas[0]
                yield "α over conditions", alpha.low, alphas[place], alpha.high

        return intervals


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A study of rankings: how many people, the groups of each, and how much tastes differ."""

    people: int
    groups: int
    taste: float = 0.5
    ties: float = 0.0

    @property
    def name(self) -> str:
        """What was simulated."""
        return f"{self.people} people rank {self.groups} groups of 4 each"

    def study(self) -> Study:
        """Give what makes one study and yields its intervals."""
        from made_rankings import drawn

        from hype.protocols.ranking.scoring import RankingOptions, score_rankings

        options = RankingOptions(draws=DRAWS)
        design = {"taste": self.taste, "groups": self.groups, "ties": self.ties}
        many = drawn(LEVELS, rng=np.random.default_rng(SEED), evaluators=20_000, **design)
        truth = {
            row.condition: row for row in score_rankings(many, RankingOptions(draws=2)).conditions
        }

        def intervals(rng: np.random.Generator) -> Iterator[Interval]:
            rows = drawn(LEVELS, rng=rng, evaluators=self.people, **design)
            for row in score_rankings(rows, options).conditions:
                true = truth[row.condition]
                ends = row.strength_sandwich_low, true.strength, row.strength_sandwich_high
                yield "strength, sandwich", *ends
                yield "strength, bootstrap", row.strength_low, true.strength, row.strength_high
                yield "mean rank", row.mean_rank_low, true.mean_rank, row.mean_rank_high
                yield (
                    "share of first places",
                    row.first_share_low,
                    true.first_share,
                    row.first_share_high,
                )

        return intervals


DESIGNS: Final = (
    Rated(people=40, each=30),
    Rated(people=40, each=30, not_relevant=0.4),
    Rated(people=12, each=30),
    Ranked(people=5, groups=10),
    Ranked(people=10, groups=10),
    Ranked(people=30, groups=10),
)


def coverage(design: Any, studies: int) -> Iterator[list[str]]:
    """Simulate studies of a design; yields a row for each kind of interval."""
    intervals = design.study()
    held: dict[str, list[bool]] = defaultdict(list)
    for number in range(studies):
        for what, low, truth, high in intervals(np.random.default_rng((SEED, number))):
            held[what].append((low is None or low <= truth) and (high is None or truth <= high))
    for what, each in held.items():
        share = sum(each) / len(each)
        bounds = binomtest(sum(each), len(each)).proportion_ci(method="wilson")
        met = "yes" if HONEST[0] <= share <= HONEST[1] else "no"
        yield [
            *(design.name, what, f"{studies:,}", f"{share:.1%}"),
            *(f"{bounds.low:.1%} to {bounds.high:.1%}", met),
        ]


def print_coverage(studies: int) -> None:
    """Simulate studies, and print how often their intervals cover the truth."""
    sys.path.insert(0, str(MADE))
    rows = []
    for design in DESIGNS:
        print(f"{design.name}: {studies} studies", file=sys.stderr)
        rows += list(coverage(design, studies))
    header = ("design", "interval", "studies", "covered", "95 % interval", "within 92 to 98 %")
    print_table(f"How often {CONFIDENCE:.0%} intervals cover the truth", header, rows)
