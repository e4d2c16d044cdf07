"""Ratings and rankings by other people about other images: intervals and verdicts that hold.

    python benchmarks/rating_coverage.py                        every cell, 400 studies: hours
    python benchmarks/rating_coverage.py --studies 100 --people 3 10 --images 0 1 --tastes 0.3

Four conditions have an image each of ten prompts. A condition is liked by its strength (0 of all,
or 1, 0.4, -0.4 and -1), an image of it by so much more (normal, with the standard deviation of the
column "images"), and by each person by so much more ("tastes"). People put the four images of each
prompt in order, by Gumbel's noise; or rate half of the sixty pairs on five levels, by logistic
noise; or all forty images from 1 to 10, by normal noise, and with yes or no. What a model's figures
truly are is what they are over 200,000 people with images of their own.

"Covered": how many of the 95 % intervals hold that, of log-strengths, of mean ranks or mean
ratings, and "agreement": of Krippendorff's alpha of ranks, or of ratings over images, of the share
of equal choices of two people, and of r of two axes. "Wrong": in how many studies of equal models
any pair is separable. "Found": how many of the pairs that differ are separable. Fixed seeds.

``--fixed``: the same images in all studies, of which alone scores speak (`--images fixed`). Those
of four prompts have the same four effects, one place further each time, those of four others the
opposite ones: so of these images too equal models are equal, each against each.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from timing_tables import print_table

from hype.statistics.crossed import Images

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "made"))

PROMPTS: Final = 10
LEVELS: Final = np.array([1.0, 0.4, -0.4, -1.0])
SEED: Final = 20260
TRUTH: Final = 200_000
PEOPLE: Final = (2, 3, 5, 10, 30)
IMAGES: Final = (0.0, 0.3, 0.5, 1.0)
TASTES: Final = (0.0, 0.3, 0.6)

Found = Iterator[tuple[str, float]]
"""What each study says: covered, wrong or found, and how often."""


@dataclass(frozen=True, kw_only=True)
class World:
    """How much images and tastes differ, in the unit of strengths."""

    images: float
    tastes: float
    levels: tuple[float, ...]
    claim: Images = "sample"

    def effects(self, rng: np.random.Generator, prompts: int) -> np.ndarray:
        """Draw images' own effects, shape (prompts, conditions); those that are fixed are drawn."""
        if self.claim == "sample":
            return self.images * rng.standard_normal((prompts, len(self.levels)))
        size = len(self.levels)
        drawn = np.random.default_rng((SEED, 3)).standard_normal(size)
        turned = [np.roll(own, place) for own in (drawn, -drawn) for place in range(size)]
        plain = np.zeros((PROMPTS - len(turned), size))
        return self.images * np.resize(np.vstack([*turned, plain]), (prompts, size))

    def liking(self, rng: np.random.Generator, people: int, prompts: int = PROMPTS) -> np.ndarray:
        """Draw how much each person likes each image, shape (people, prompts, conditions)."""
        size = len(self.levels)
        images = self.effects(rng, prompts)[np.newaxis]
        tastes = self.tastes * rng.standard_normal((people, 1, size))
        return np.asarray(self.levels) + images + tastes

    def strangers(self) -> np.ndarray:
        """Draw the same of people who see one prompt each, which nobody else does."""
        rng, size = np.random.default_rng(SEED), len(self.levels)
        tastes = self.tastes * rng.standard_normal((TRUTH, 1, size))
        return np.asarray(self.levels) + tastes + self.effects(rng, TRUTH)[:, np.newaxis]

    @property
    def is_level(self) -> bool:
        return len(set(self.levels)) == 1


def rows_of(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Give person, prompt and condition of each cell, in its order."""
    return tuple(each.ravel() for each in np.indices(values.shape))


def named(letter: str, codes: np.ndarray, number: int = 0) -> pd.Categorical:
    number = number or int(codes.max()) + 1
    return pd.Categorical.from_codes(codes, categories=[f"{letter}{n:06d}" for n in range(number)])


def rankings(liking: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Let people put the images of each prompt in order."""
    utility = liking + rng.gumbel(size=liking.shape)
    rank = 1 + (-utility).argsort(axis=2).argsort(axis=2)
    person, prompt, condition = rows_of(utility)
    return pd.DataFrame(
        {
            "evaluator": named("e", person),
            "group": named("g", prompt if len(liking) < TRUTH else person),
            "condition": named("m", condition),
            "rank": rank.ravel().astype(float),
            "finished": True,
            "ranking": person * liking.shape[1] + prompt,
        }
    )


def score_of_rankings(table: pd.DataFrame, claim: Images) -> tuple[Any, Any, Any, Any]:
    from hype.protocols.ranking.orders import expanded, orders, placements, sampled
    from hype.protocols.ranking.scoring import ranking_strengths
    from hype.statistics.paired_counts import pair_rates

    laid = orders(table)
    drawn, pairs = sampled(table, laid, claim), expanded(laid)
    strengths = ranking_strengths(laid, drawn, pairs.counts(), confidence=0.95)
    rates = pair_rates(pairs.counts(), pairs.answers(drawn), ties="davidson")
    return strengths.conditions, placements(laid, drawn, confidence=0.95), rates, laid.conditions


def agreed(world: World, measured: Callable[[np.ndarray, np.random.Generator], Any]) -> np.ndarray:
    """Give what figures of agreement are over very many people and prompts."""
    rngs = [np.random.default_rng((SEED, 2, number)) for number in range(8)]
    return np.mean([measured(world.liking(rng, 40, 250), rng) for rng in rngs], axis=0)


def agreement_of_rankings(
    liking: np.ndarray, rng: np.random.Generator, claim: Images = "sample"
) -> list[Any]:
    from hype.protocols.ranking.agreement import ranking_agreement

    found = ranking_agreement(rankings(liking, rng), images=claim)
    return [found.alpha.alpha, found.single_single]


@cache
def truth_of_agreement(world: World) -> np.ndarray:
    return agreed(world, lambda *by: [each.value for each in agreement_of_rankings(*by)])


@cache
def truth_of_rankings(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Give log-strengths and mean ranks of very many people."""
    from hype.protocols.ranking.orders import choice_sets, orders
    from hype.statistics.strengths import fit_plackett_luce

    rng = np.random.default_rng(SEED + 1)
    if world.is_level:
        return np.zeros(len(world.levels)), np.full(len(world.levels), (len(world.levels) + 1) / 2)
    table = rankings(world.strangers(), rng)
    strengths = fit_plackett_luce(choice_sets(orders(table))).log_strengths
    return strengths, table.groupby("condition", observed=True)["rank"].mean().to_numpy()


def ranked(world: World, people: int, rng: np.random.Generator) -> Found:
    liking = world.liking(rng, people)
    agreement = agreement_of_rankings(liking, rng, world.claim)
    yield from covered("agreement", zip(agreement, truth_of_agreement(world), strict=True))
    table = rankings(liking, rng)
    strengths, places, rates, names = score_of_rankings(table, world.claim)
    true, mean = truth_of_rankings(world)
    place = {name: number for number, name in enumerate(names)}
    own = ((row.strength, true[place[row.condition]]) for row in strengths)
    yield from covered("strengths", own)
    yield from covered("means", zip((row.mean_rank for row in places), mean, strict=True))
    apart = [rate.p_holm is not None and rate.p_holm < 0.05 for rate in rates]
    yield from verdicts(world, "pairs", apart)


def rated_pairs(liking: np.ndarray, rng: np.random.Generator, each: int = 30) -> pd.DataFrame:
    """Let people rate pairs of images of one prompt on five levels, as many pairs each."""
    people, prompts, size = liking.shape
    first, second = np.triu_indices(size, 1)
    pairs = len(first)
    chosen = rng.random((people, prompts * pairs)).argsort(axis=1)[:, :each].ravel()
    person, prompt, pair = np.repeat(np.arange(people), each), chosen // pairs, chosen % pairs
    # Strangers have a prompt each, of which all pairs are rated.
    if each > prompts * pairs:
        person, prompt = np.repeat(np.arange(people), pairs), np.zeros(people * pairs, dtype=int)
        pair = np.tile(np.arange(pairs), people)
    a, b = first[pair], second[pair]
    apart = liking[person, prompt, a] - liking[person, prompt, b]
    latent = apart + rng.logistic(size=len(apart))
    value = np.select([latent > 1.5, latent > 0.5, latent > -0.5, latent > -1.5], [2, 1, 0, -1], -2)
    return pd.DataFrame(
        {
            "first": named("m", a, size),
            "second": named("m", b, size),
            "value": value.astype(float),
            "evaluator": named("e", person),
            "prompt": named("p", prompt),
        }
    )


def rated_images(liking: np.ndarray, rng: np.random.Generator, *, words: bool) -> pd.DataFrame:
    """Let people rate each image from 1 to 10, or with yes or no."""
    person, prompt, condition = rows_of(liking)
    own = liking.ravel()
    if words:
        value = (own + rng.logistic(size=len(own)) > 0).astype(float)
    else:
        value = np.clip(np.rint(5.5 + own + rng.standard_normal(len(own))), 1, 10)
    return pd.DataFrame(
        {
            "first": named("m", condition, liking.shape[2]),
            "value": value,
            "evaluator": named("e", person),
            "prompt": named("p", prompt),
            "item": named("i", prompt * liking.shape[2] + condition),
        }
    )


@cache
def truth_of_pairs(world: World) -> tuple[np.ndarray, np.ndarray]:
    from hype.protocols.rating.axes import condition_values, votes_of
    from hype.statistics.paired_counts import count
    from hype.statistics.strengths import fit

    if world.is_level:
        return np.zeros(4), np.zeros(4)
    table = rated_pairs(world.strangers(), np.random.default_rng(SEED + 1))
    values = condition_values(table, "fixed")
    sums = np.bincount(values.condition, values.value) / np.bincount(values.condition)
    return fit(count(votes_of(table)), "davidson").log_strengths, sums


def pairs_rated(world: World, people: int, rng: np.random.Generator) -> Found:
    from hype.protocols.rating.axes import axis_strengths, condition_means, condition_values
    from hype.protocols.rating.scoring import RatingOptions

    table = rated_pairs(world.liking(rng, people), rng)
    true, mean = truth_of_pairs(world)
    found = axis_strengths(table, RatingOptions(images=world.claim))
    rows = found.strengths
    yield from verdicts(world, "pairs", [bool(pair.separable) for pair in found.pairs])
    yield from covered("strengths", ((row.strength, true[place_of(row)]) for row in rows))
    values = condition_values(table, world.claim)
    means = condition_means(values, shares=False, confidence=0.95)
    yield from covered("means", ((row.mean, mean[place_of(row)]) for row in means))


@cache
def truth_of_images(world: World, *, words: bool) -> np.ndarray:
    table = rated_images(world.strangers(), np.random.default_rng(SEED + 1), words=words)
    means = table.groupby("first", observed=True)["value"].mean().to_numpy()
    return np.full(len(means), means.mean()) if world.is_level else means


def agreement_of_images(
    liking: np.ndarray, rng: np.random.Generator, claim: Images = "sample"
) -> list[Any]:
    """Give alpha over images, and r of two axes, whose noise is half the same."""
    from hype.protocols.rating.axes import condition_values
    from hype.statistics.agreement import unit_alpha
    from hype.statistics.correlation import correlation
    from hype.statistics.estimate import Estimate

    noise = rng.standard_normal((3, *liking.shape))
    one, other = (np.clip(np.rint(5.5 + liking + noise[k] + noise[2]), 1, 10) for k in (0, 1))
    table = rated_images(liking, rng, words=False)
    values, unit = condition_values(table, claim), table["item"].cat.codes.to_numpy()
    by = one.ravel(), values.people, values.items
    found = unit_alpha(unit, *by, what="items", level="ordinal", confidence=0.95)
    r = correlation(one.ravel(), other.ravel(), *by[1:])
    return [found.alpha, Estimate(value=r.r, low=r.low, high=r.high)]


@cache
def truth_of_agreement_on_images(world: World) -> np.ndarray:
    return agreed(world, lambda *by: [each.value for each in agreement_of_images(*by)])


def images_rated(world: World, people: int, rng: np.random.Generator, *, words: bool) -> Found:
    from hype.protocols.rating.axes import condition_means, condition_values, mean_pairs
    from hype.protocols.rating.scoring import RatingOptions

    liking = world.liking(rng, people)
    if not words:
        true = truth_of_agreement_on_images(world)
        own = agreement_of_images(liking, np.random.default_rng(rng), world.claim)
        yield from covered("agreement", zip(own, true, strict=True))
    table = rated_images(liking, rng, words=words)
    values = condition_values(table, world.claim)
    means = condition_means(values, shares=words, confidence=0.95)
    pairs = mean_pairs(values, means, RatingOptions(images=world.claim), shares=words)
    yield from verdicts(world, "pairs", [bool(pair.separable) for pair in pairs])
    mean = truth_of_images(world, words=words)
    yield from covered("means", ((row.mean, mean[place_of(row)]) for row in means))


def place_of(row: Any) -> int:
    return int(row.condition[1:])


def covered(what: str, pairs: Any) -> Found:
    for estimate, truth in pairs:
        if estimate is not None and estimate.low is not None:
            yield f"{what} covered", float(estimate.low <= truth <= estimate.high)


def verdicts(world: World, what: str, apart: Sequence[bool]) -> Found:
    if world.is_level:
        yield f"{what} wrong", float(any(apart))
    else:
        yield from ((f"{what} found", float(one)) for one in apart)


Kind = Callable[[World, int, np.random.Generator], Found]
KINDS: Final[dict[str, Kind]] = {
    "rankings": ranked,
    "pairs": pairs_rated,
    "numbers": partial(images_rated, words=False),
    "yes-no": partial(images_rated, words=True),
}


def cell(
    studies: int, claim: Images, design: tuple[str, int, float, float]
) -> tuple[tuple[str, int, float, float], dict[str, float]]:
    """Simulate the studies of a design: equal models, and such that differ."""
    from threadpoolctl import threadpool_limits

    kind, people, images, tastes = design
    found: dict[str, list[float]] = defaultdict(list)
    with threadpool_limits(1):
        for levels in (np.zeros(4), LEVELS):
            own = tuple(levels.tolist())
            world = World(images=images, tastes=tastes, levels=own, claim=claim)
            for number in range(studies):
                rng = np.random.default_rng((SEED, number))
                for what, value in KINDS[kind](world, people, rng):
                    found[what].append(value)
    return design, {what: float(np.mean(values)) for what, values in found.items()}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--studies", type=int, default=400, metavar="N", help="of each design")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--people", nargs="+", type=int, default=PEOPLE)
    parser.add_argument("--images", nargs="+", type=float, default=IMAGES)
    parser.add_argument("--tastes", nargs="+", type=float, default=TASTES)
    parser.add_argument("--fixed", action="store_true", help="speak of the same images alone")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    """Simulate and print."""
    options = arguments()
    designs = product(options.kinds, options.people, options.images, options.tastes)
    rows, columns = [], []
    studied = partial(cell, options.studies, "fixed" if options.fixed else "sample")
    with ProcessPoolExecutor(options.processes) as pool:
        for design, shares in pool.map(studied, designs):
            print(design, shares, file=sys.stderr, flush=True)
            columns += [what for what in shares if what not in columns]
            rows.append((design, shares))
    shown = [
        [*map(str, design), *(f"{100 * shares.get(what, np.nan):.1f}" for what in columns)]
        for design, shares in rows
    ]
    title = f"95 % intervals and verdicts over {options.studies} studies of either kind, in %"
    print_table(title, ("answers", "people", "images", "tastes", *columns), shown)


if __name__ == "__main__":
    main()
