"""Verdicts and intervals that hold: of comparisons, ratings and rankings, by simulated studies.

    python benchmarks/verdicts.py [--studies 1000] [--only comparisons|answers|power]

People and images are drawn anew for each study. A condition is liked by its strength, an image of
it by so much more (normal, with the standard deviation of the column "images") and by each person
by so much more ("tastes"). All see the same images, one of each condition and prompt. Fixed seeds.

1. Comparisons of equal models, in 24 designs: how often any pair is separable, and how often the
   95 % intervals of differences hold 0. Pairs and prompts are drawn at random.
2. Answers of other kinds, on four models of an image each for ten prompts: comparisons, ratings of
   30 pairs each on five levels, rankings of the four images of each prompt, ratings of all images
   from 1 to 10, and yes or no. Of equal models how often any pair is separable; of models of the
   strengths 1, 0.4, -0.4 and -1 how many pairs are found, with the right sign and with a wrong one;
   and how often intervals of differences hold what these are of all people and images there could
   be.
3. Power: 20 models of strengths from 2 to -2, in 3,000 votes; and 15 models, 40 people and 30 votes
   each. How many pairs are separable, and how many are with Holm's rule in place of max-|t|.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
from machine import Load, description
from scipy.special import expit
from timing_tables import print_table

from hype.protocols.ranking.orders import choice_sets, expanded, orders, sampled
from hype.protocols.ranking.scoring import ranking_strengths
from hype.protocols.rating.axes import axis_strengths, condition_means, condition_values, mean_pairs
from hype.protocols.rating.scoring import RatingOptions
from hype.statistics.bradley_terry import fit_strengths
from hype.statistics.paired_counts import answers_of, count
from hype.statistics.proportions import holm
from hype.statistics.strength_table import Certainty, strength_table
from hype.statistics.strengths import fit, fit_plackett_luce

SEED: Final = 20_260
ALPHA: Final = 0.05
LEVELS: Final = (1.0, 0.4, -0.4, -1.0)
CROWDS: Final = ((5, 0.5, 0.3), (10, 0.0, 0.6), (30, 0.5, 0.3), (80, 1.0, 0.6))
"""People, and the SD of images and of tastes, of part 2."""
EACH: Final = 60
"""Comparisons by each person in part 2, and half as many pairs that each rates."""
STRANGERS: Final = 200_000

# models, people, votes a pair, prompts, SD of images, SD of tastes
EQUAL: Final = (
    *((3, 5, 20, 5, 0.5, 0.6), (3, 5, 200, 5, 0, 0), (3, 12, 40, 8, 0.5, 0.6)),
    *((3, 30, 200, 10, 0.5, 0), (3, 80, 20, 60, 0, 0.6), (3, 80, 200, 5, 0.5, 0.6)),
    *((6, 5, 40, 20, 0.5, 0), (6, 10, 20, 10, 0.5, 0.6), (6, 20, 20, 20, 0.5, 0.6)),
    *((6, 30, 60, 5, 0.5, 0.6), (6, 30, 200, 8, 0.5, 0.6), (6, 80, 200, 60, 0, 0.6)),
    *((12, 8, 20, 10, 0.5, 0.6), (12, 20, 10, 20, 0, 0), (12, 40, 20, 10, 0.5, 0)),
    *((12, 40, 40, 30, 0.5, 0.6), (12, 80, 20, 60, 0.5, 0.6), (20, 10, 20, 20, 0.5, 0.6)),
    *((20, 40, 6, 60, 0, 0.6), (20, 60, 20, 30, 0.5, 0.6), (20, 80, 10, 5, 0.5, 0)),
    *((50, 40, 2, 30, 0.5, 0.6), (50, 80, 4, 60, 0, 0), (50, 80, 10, 20, 0.5, 0.6)),
)

Difference = tuple[float | None, float | None, float, bool]
"""The ends of an interval, what it is to hold, and whether the two are called separable."""


@dataclass(frozen=True)
class World:
    """How much images and tastes differ, in the unit of strengths."""

    levels: tuple[float, ...]
    images: float
    tastes: float
    people: int = 30
    prompts: int = 10

    def liking(self, rng: np.random.Generator) -> np.ndarray:
        """Draw how much each person likes each image, shape (people, prompts, models)."""
        size = len(self.levels)
        images = self.images * rng.standard_normal((1, self.prompts, size))
        tastes = self.tastes * rng.standard_normal((self.people, 1, size))
        return np.asarray(self.levels) + images + tastes

    def strangers(self, rng: np.random.Generator) -> np.ndarray:
        """Draw the same of people who see one prompt each, which nobody else does."""
        shape = STRANGERS, 1, len(self.levels)
        spread = math.hypot(self.images, self.tastes)
        return np.asarray(self.levels) + spread * rng.standard_normal(shape)

    @property
    def is_level(self) -> bool:
        return len(set(self.levels)) == 1


def named(letter: str, codes: np.ndarray, number: int = 0) -> pd.Categorical:
    number = number or int(codes.max()) + 1
    return pd.Categorical.from_codes(codes, categories=[f"{letter}{n:06d}" for n in range(number)])


def some_pairs(
    liking: np.ndarray, votes: int, rng: np.random.Generator
) -> tuple[dict[str, pd.Categorical], np.ndarray]:
    """Draw pairs, each as often as any other, and how much better liked the first one is."""
    people, prompts, size = liking.shape
    first, second = np.triu_indices(size, 1)
    pair = rng.permutation(np.resize(np.arange(len(first)), votes))
    person = np.arange(votes) * people // votes
    prompt = rng.integers(prompts, size=votes) if people < STRANGERS else np.zeros(votes, int)
    a, b = first[pair], second[pair]
    columns = {
        "first": named("m", a, size),
        "second": named("m", b, size),
        "evaluator": named("e", person),
        "prompt": named("p", prompt),
    }
    return columns, liking[person, prompt, a] - liking[person, prompt, b]


def compared(liking: np.ndarray, votes: int, rng: np.random.Generator) -> pd.DataFrame:
    columns, apart = some_pairs(liking, votes, rng)
    won = rng.random(votes) < expit(apart)
    answer = pd.Categorical.from_codes(np.where(won, 0, 1), ["left", "right", "tie"])
    frame = pd.DataFrame(columns | {"answer": answer})
    return frame.rename(columns={"first": "left", "second": "right"})


def rated_pairs(liking: np.ndarray, votes: int, rng: np.random.Generator) -> pd.DataFrame:
    columns, apart = some_pairs(liking, votes, rng)
    latent = apart + rng.logistic(size=votes)
    levels = [latent > 1.5, latent > 0.5, latent > -0.5, latent > -1.5]
    return pd.DataFrame(columns | {"value": np.select(levels, [2.0, 1.0, 0.0, -1.0], -2.0)})


def ranked(liking: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    rank = 1 + (-liking - rng.gumbel(size=liking.shape)).argsort(axis=2).argsort(axis=2)
    person, prompt, condition = (each.ravel() for each in np.indices(liking.shape))
    columns = {
        "evaluator": named("e", person),
        "group": named("g", prompt if liking.shape[1] > 1 else person),
        "condition": named("m", condition),
        "rank": rank.ravel().astype(float),
        "finished": True,
        "ranking": person * liking.shape[1] + prompt,
    }
    return pd.DataFrame(columns)


def rated_images(liking: np.ndarray, rng: np.random.Generator, *, words: bool) -> pd.DataFrame:
    person, prompt, condition = (each.ravel() for each in np.indices(liking.shape))
    own = liking.ravel()
    value = np.clip(np.rint(5.5 + own + rng.standard_normal(len(own))), 1, 10)
    if words:
        value = (own + rng.logistic(size=len(own)) > 0).astype(float)
    columns = {
        "first": named("m", condition),
        "value": value,
        "evaluator": named("e", person),
        "prompt": named("p", prompt),
        "item": named("i", prompt * liking.shape[2] + condition),
    }
    return pd.DataFrame(columns)


def place_of(name: str) -> int:
    return int(name[1:])


def told_apart(pairs: Any, truth: np.ndarray) -> Iterator[Difference]:
    for pair in pairs:
        low, high = pair.difference.ends if pair.difference else (None, None)
        true = truth[place_of(pair.a)] - truth[place_of(pair.b)]
        yield low, high, float(true), pair.verdict == "separable"


def of_comparisons(world: World, rng: np.random.Generator) -> Iterator[Difference]:
    votes = compared(world.liking(rng), EACH * world.people, rng)
    table = strength_table(count(votes), answers_of(votes, "sample")[0], ties="half")
    return told_apart(table.differences, truth_of_comparisons(world))


def of_rated_pairs(world: World, rng: np.random.Generator) -> Iterator[Difference]:
    rated = rated_pairs(world.liking(rng), EACH // 2 * world.people, rng)
    return told_apart(axis_strengths(rated, RatingOptions()).pairs, truth_of_pairs(world))


def of_rankings(world: World, rng: np.random.Generator) -> Iterator[Difference]:
    laid = orders(table := ranked(world.liking(rng), rng))
    drawn, counts = sampled(table, laid, "sample"), expanded(laid).counts()
    found = ranking_strengths(laid, drawn, counts, Certainty())
    return told_apart(found.differences, truth_of_rankings(world))


def of_numbers(
    world: World, rng: np.random.Generator, *, words: bool = False
) -> Iterator[Difference]:
    rated = rated_images(world.liking(rng), rng, words=words)
    values = condition_values(rated, "sample")
    means = condition_means(values, scale=None if words else (1, 10), confidence=1 - ALPHA)
    pairs = mean_pairs(values, means, RatingOptions(), shares=words)
    return told_apart(pairs, truth_of_images(world, words=words))


def of_words(world: World, rng: np.random.Generator) -> Iterator[Difference]:
    return of_numbers(world, rng, words=True)


@cache
def truth_of_comparisons(world: World) -> np.ndarray:
    """Fit the strengths to how often each is chosen by all people, of all images."""
    points, weights = np.polynomial.hermite_e.hermegauss(61)
    spread = math.sqrt(2) * math.hypot(world.images, world.tastes)
    levels = np.asarray(world.levels)
    apart = (levels[:, None] - levels)[..., None] + spread * points
    return fit_strengths(expit(apart) @ weights / weights.sum()).log_strengths


@cache
def truth_of_pairs(world: World) -> np.ndarray:
    if world.is_level:
        return np.zeros(len(world.levels))
    from hype.protocols.rating.axes import votes_of

    rng = np.random.default_rng(SEED + 1)
    rated = rated_pairs(world.strangers(rng), STRANGERS, rng)
    return fit(count(votes_of(rated)), "davidson").log_strengths


@cache
def truth_of_rankings(world: World) -> np.ndarray:
    if world.is_level:
        return np.zeros(len(world.levels))
    rng = np.random.default_rng(SEED + 1)
    return fit_plackett_luce(choice_sets(orders(ranked(world.strangers(rng), rng)))).log_strengths


@cache
def truth_of_images(world: World, *, words: bool) -> np.ndarray:
    if world.is_level:
        return np.zeros(len(world.levels))
    rng = np.random.default_rng(SEED + 1)
    rated = rated_images(world.strangers(rng), rng, words=words)
    return rated.groupby("first", observed=True)["value"].mean().to_numpy()


@dataclass
class Found:
    """What some studies said."""

    any_wrong: list[bool] = field(default_factory=list)  # of each study
    # Of each difference
    held: list[bool] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, differences: Iterator[Difference]) -> None:
        wrong = False
        for low, high, true, separable in differences:
            if low is not None and high is not None:
                self.held.append(low <= true <= high)
            # The better one stands first.
            wrong |= separable and true <= 0
            self.right.append(separable and true > 0)
        self.any_wrong.append(wrong)


def percent(shares: Sequence[bool]) -> str:
    return f"{100 * np.mean(shares):.1f}" if len(shares) else ""


def equal_models(studies: int) -> Iterator[list[str]]:
    for models, people, each, prompts, images, tastes in EQUAL:
        world = World((0.0,) * models, images, tastes, people, prompts)
        found, votes = Found(), each * math.comb(models, 2)
        for number in range(studies):
            rng = np.random.default_rng((SEED, number))
            frame = compared(world.liking(rng), votes, rng)
            table = strength_table(count(frame), answers_of(frame, "sample")[0], ties="half")
            found.add(told_apart(table.differences, np.zeros(models)))
        yield [
            *map(str, (models, people, each, prompts, images, tastes)),
            *(percent(found.any_wrong), percent(found.held)),
        ]


Kind = Callable[[World, np.random.Generator], Iterator[Difference]]
KINDS: Final[dict[str, Kind]] = {
    "comparisons": of_comparisons,
    "ratings of pairs": of_rated_pairs,
    "rankings": of_rankings,
    "from 1 to 10": of_numbers,
    "yes or no": of_words,
}


def answers(studies: int) -> Iterator[list[str]]:
    for kind, drawn in KINDS.items():
        for people, images, tastes in (
            (5, 0.5, 0.3),
            (10, 0.0, 0.6),
            (30, 0.5, 0.3),
            (80, 1.0, 0.6),
        ):
            found: dict[bool, Found] = defaultdict(Found)
            for levels in ((0.0,) * 4, LEVELS):
                world = World(levels, images, tastes, people)
                for number in range(studies):
                    rng = np.random.default_rng((SEED, number))
                    found[world.is_level].add(drawn(world, rng))
            yield [
                *(kind, str(people), str(images), str(tastes), percent(found[True].any_wrong)),
                *(percent(found[True].held), percent(found[False].held)),
                *(percent(found[False].right), percent(found[False].any_wrong)),
            ]


def power(studies: int) -> Iterator[list[str]]:
    cases = [
        *((20, 2.0, 100, 30, 0, 0.0, 0.0), (20, 2.0, 100, 30, 100, 0.3, 0.3)),
        *((15, 1.0, 40, 30, 0, 0.0, 0.0), (15, 1.0, 40, 30, 1200, 0.3, 0.3)),
    ]
    for models, end, people, each, prompts, images, tastes in cases:
        levels = tuple(np.linspace(end, -end, models).tolist())
        world = World(levels, images, tastes, people, max(1, prompts))
        numbers, by_holm, wrong = [], [], 0
        for number in range(studies):
            rng = np.random.default_rng((SEED, number))
            frame = compared(world.liking(rng), people * each, rng)
            claim = "sample" if prompts else "fixed"
            pairs = strength_table(
                count(frame), answers_of(frame, claim)[0], ties="half"
            ).differences
            apart = [(pair.a, pair.b) for pair in pairs if pair.verdict == "separable"]
            numbers.append(len(apart))
            wrong += sum(a > b for a, b in apart)
            by_holm.append(int((holm([pair.p for pair in pairs]) < ALPHA).sum()))
        yield [
            *map(str, (models, people, people * each, prompts or "–", images, tastes)),
            *(f"{np.mean(numbers):.1f}", str(min(numbers)), f"{np.mean(by_holm):.1f}", str(wrong)),
            str(math.comb(models, 2)),
        ]


PARTS: Final = {
    "comparisons": (
        "1. Comparisons of equal models, in %",
        ("models", "people", "votes a pair", "prompts", "images", "tastes", "any false", "held"),
        equal_models,
    ),
    "answers": (
        "2. Four models, in %: equal, and of strengths 1, 0.4, −0.4, −1",
        (
            *("answers", "people", "images", "tastes", "equal: any false", "held"),
            *("unequal: held", "found", "any wrong sign"),
        ),
        answers,
    ),
    "power": (
        "3. Pairs that are separable",
        (
            *("models", "people", "votes", "prompts", "images", "tastes", "found, mean"),
            *("fewest", "by Holm's rule", "wrong signs", "of pairs"),
        ),
        power,
    ),
}


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--studies", type=int, default=200, metavar="N", help="of each design")
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args()
    begin, load = time.perf_counter(), Load()
    for part, (title, header, rows) in PARTS.items():
        if given.only in (None, part):
            print_table(
                f"{title}; {given.studies} studies of a design", header, rows(given.studies)
            )
    print(f"\n{description(['numpy', 'scipy'])}; {time.perf_counter() - begin:.0f} s, ", end="")
    print(f"other programs took {load.of_others():.1f} cores")


if __name__ == "__main__":
    main()
