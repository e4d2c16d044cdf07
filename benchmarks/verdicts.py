"""Measure how often verdicts and intervals are right in simulated studies.

    python benchmarks/verdicts.py [--only KIND …] [--designs DESIGN …] [--studies 300]
    python benchmarks/verdicts.py --spread [--designs DESIGN …] [--sds IMAGES TASTES] [--seed N]

A `World` is the truth: the number of conditions and their distances, the standard deviations of
their images and of people's tastes, and anything unusual. Each kind of answer is tested in the same
`DESIGNS`. People and images are drawn anew for each study, and each study is scored by the
functions of `hype score`. Each design is simulated twice: with equal conditions, and with evenly
spaced ones. For the latter the margin is the smallest true difference, so that it is wrong to call
any two equivalent. The true scores are about all possible people and images: they are estimated
from many strangers, who each see one image that nobody else sees.

For each kind and design it prints, in %: studies of equal conditions with any false verdict;
studies of unequal conditions in which a worse condition is called better, or two are falsely
equivalent; intervals of scores and of differences that contain the true value (if intervals are for
all pairs together, studies in which all do); and the share of different pairs that are found. Seeds
are fixed.

- HYPE_∞, HYPE_time: each person judges one condition; conditions share reals. *Hyper-realistic*:
  the error is 50 % at level 0; the verdict is false unless the error is above 50 %.
- By group: four groups of people do not differ, so any difference that is found is false.
- Arenas: a look that names a wrong best condition or pair is false; "found" means the best one.
- Judges are compared with people. One judge answers each time like a new person: it is false to
  call it worse, and "found" means that it is called as good. The other guesses half of the time,
  and the margin is what it loses by that: it is false to call it as good as people.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from machine import Load, description
from scipy.special import expit
from timing_tables import print_table

from hype.asking.questions import name_of_pair
from hype.judges.choices import judge_comparisons, judge_judgements
from hype.judges.files import Judges
from hype.judges.ratings import judge_ratings
from hype.judges.results import JudgeOptions
from hype.protocols.comparison import score as comparisons
from hype.protocols.hype.block_scores import count_blocks, score_blocks, verdicts_off_bounds
from hype.protocols.hype.condition_scores import JudgementRows, Options, select_rows
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.settling import accuracy, step_many
from hype.protocols.hype.staircase import PRESETS
from hype.protocols.ranking.orders import choice_sets, expand, find_order_sample
from hype.protocols.ranking.score import RankingOptions, ranking_strengths
from hype.protocols.rating import axes
from hype.protocols.rating.axes import RatingOptions
from hype.protocols.rating.table import check_ratings
from hype.statistics.cells import cell_means, cell_scores
from hype.statistics.looks import looks_of
from hype.statistics.paired_counts import count, orders
from hype.statistics.separation import FinishedVotes, Separation, look_at, next_pairs, separations
from hype.statistics.strengths import fit, fit_plackett_luce

Array = np.ndarray
Random = np.random.Generator

SEED, OF_STRANGERS = 20_260, 20_261
ALPHA: Final = 0.05
EACH: Final = 30
"""Number of votes, or of rated pairs, of each person."""
RANKED: Final = 4
"""Maximum number of images in a ranking."""
STRANGERS: Final = 1_000_000
"""Approximate number of images that strangers judge."""


# What is true


@dataclass(frozen=True)
class World:
    """A design. Levels, images and tastes are in log odds of a vote."""

    name: str
    size: int = 4  # conditions
    people: int = 30
    prompts: int = 20
    images: float = 0.5  # SD of a condition's images
    tastes: float = 0.3  # SD, over people, of what they think of a condition
    best: float = 0.6  # level of the best condition; the worst has the opposite level
    unusual: str = ""  # "heavy tails", "lapses", "learning" or "unbalanced"
    each: int = EACH
    part: float = 1.0  # share of the studies to simulate
    equal: bool = False
    strange: bool = False  # whether people see each image only once

    @property
    def levels(self) -> Array:
        return np.linspace(self.best, -self.best, self.size) * (not self.equal)

    def strangers(self, people: int = 1) -> World:
        return replace(self, people=people, prompts=STRANGERS // self.size, strange=True)

    def deviations(self, rng: Random, *shape: int) -> Array:
        """Draw values with an SD of 1; heavy tails are Student's t with 3 degrees of freedom."""
        if self.unusual == "heavy tails":
            return rng.standard_t(3, shape) / math.sqrt(3)
        return rng.standard_normal(shape)

    def looks(self, rng: Random) -> Array:
        """Draw the values of images, shape (prompts, conditions)."""
        return self.levels + self.images * self.deviations(rng, self.prompts, self.size)

    def likings(self, rng: Random, looks: Array) -> Array:
        """Draw how much people like images, shape (people, prompts, conditions)."""
        times = len(looks) if self.strange else 1
        return looks + self.tastes * self.deviations(rng, self.people, times, self.size)

    def seen(self, evidence: Array, rng: Random) -> Array:
        """If people learn, halve the evidence in a third of the answers, drawn at random."""
        if self.unusual != "learning":
            return evidence
        return np.where(rng.random(evidence.shape) < 1 / 3, evidence / 2, evidence)

    def given(self, answers: Array, dice: Array, rng: Random) -> Array:
        """If people lapse, replace one answer in twenty by a guess."""
        if self.unusual != "lapses":
            return answers
        return np.where(rng.random(answers.shape) < 0.05, dice, answers)

    def shown(self, rng: Random, *shape: int) -> Array:
        """Return which conditions are shown; if unbalanced, the first in only a third of cases."""
        everything = np.ones((*shape, self.size), dtype=bool)
        if self.unusual == "unbalanced":
            everything[..., 0] = rng.random(shape) < 1 / 3
        return everything

    def serve(self, people: int) -> Array:
        """Return who judges which condition; if unbalanced, only a third judge the first one."""
        number = np.full(self.size, people)
        if self.unusual == "unbalanced" and not self.strange:
            number[0] = people // 3
        return np.arange(people)[:, None] < number


DESIGNS: Final = (
    World("usual"),
    World("two conditions", size=2),
    World("few people", people=5),
    World("few prompts", prompts=5),
    World("all alike", images=0, tastes=0),
    World("all unlike", people=80, prompts=10, images=1, tastes=0.6),
    *(World(name, unusual=name) for name in ("heavy tails", "lapses", "learning", "unbalanced")),
    World("20 conditions", size=20, people=100, prompts=30, images=0.3, best=2, part=0.5),
    World("50 conditions", size=50, people=40, best=2, part=0.2),
)

SPREAD: Final = tuple(
    World(
        f"{size} × {people} × {prompts}, {images:g}/{tastes:g}, {votes} votes",
        *(size, people, prompts, images, tastes),
        each=math.ceil(votes * math.comb(size, 2) / people),
        equal=True,
    )
    for size, people, prompts, images, tastes, votes in (
        (3, 5, 5, 0, 0, 20),
        (3, 10, 10, 0.5, 0, 60),
        (3, 20, 20, 0, 0.6, 100),
        (3, 40, 60, 0.5, 0.6, 200),
        (3, 80, 5, 0.5, 0.6, 200),
        (6, 5, 20, 0.5, 0.6, 10),
        (6, 10, 60, 0, 0, 20),
        (6, 20, 5, 0.5, 0, 40),
        (6, 40, 10, 0, 0.6, 100),
        (6, 80, 20, 0.5, 0.6, 200),
        (12, 5, 60, 0, 0.6, 5),
        (12, 10, 5, 0.5, 0.6, 10),
        (12, 20, 10, 0, 0, 20),
        (12, 40, 20, 0.5, 0, 50),
        (12, 80, 60, 0.5, 0.6, 100),
        (20, 5, 10, 0.5, 0, 2),
        (20, 10, 20, 0, 0.6, 5),
        (20, 20, 60, 0.5, 0.6, 10),
        (20, 40, 5, 0, 0, 20),
        (20, 80, 10, 0.5, 0.6, 50),
        (50, 10, 20, 0, 0, 2),
        (50, 20, 60, 0.5, 0, 2),
        (50, 40, 10, 0.5, 0.6, 5),
        (50, 80, 20, 0, 0.6, 10),
    )
)
"""Comparisons of equal conditions, named: conditions × people × prompts, SDs, votes per pair."""


class Truth(NamedTuple):
    """The score of each condition, and the parameter of ties (ν of Davidson's model)."""

    scores: Array
    ties: float = 0.0

    @property
    def smallest(self) -> float | None:
        """The smallest difference between two scores; None for equal conditions."""
        return float(np.diff(np.sort(self.scores)).min()) or None

    @property
    def win_rate_margin(self) -> float | None:
        """How far the win rate between the two closest conditions is from one half."""
        if self.smallest is None:
            return None
        odds = math.exp(self.smallest / 2)
        return (odds + self.ties / 2) / (odds + 1 / odds + self.ties) - 0.5


# The results of a study


class Said(NamedTuple):
    """The results of a study: the interval of each condition's score, and of each pair."""

    intervals: dict[str, Any]
    pairs: Iterable[Any]


COLUMNS: Final = {
    "false": "equal, any false",
    "turned": "wrong way round",
    "equivalent": "falsely equivalent",
    "scores": "scores held",
    "differences": "differences held",
    "found": "found",
}
Found = defaultdict[str, list[bool]]
"""For each column of the table: in which cases its event occurred."""


def number_of(name: str) -> int:
    return int(name[1:])


def hold(found: Found, said: Said, truth: Truth, world: World) -> None:
    """Add the results of a study to ``found``."""
    for name, one in said.intervals.items():
        if one and one.low is not None:
            found["scores"].append(one.low <= truth.scores[number_of(name)] <= one.high)
    held, turned, equivalent, together = [], False, False, False
    for pair in said.pairs:
        true = truth.scores[number_of(pair.a)] - truth.scores[number_of(pair.b)]
        together = hasattr(pair, "ci_low")  # HYPE's intervals are for all pairs together
        difference = pair.difference
        value = difference if together else difference.value
        low, high = (pair.ci_low, pair.ci_high) if together else (difference.low, difference.high)
        if low is not None:
            held.append(low <= true <= high)
        turned |= pair.verdict == "separable" and value * true <= 0
        equivalent |= pair.verdict == "equivalent"
        if not world.equal:
            found["found"].append(pair.verdict == "separable" and value * true > 0)
    found["differences"] += [all(held)] if together and held else held
    found["false" if world.equal else "turned"].append(turned)
    if not world.equal:
        found["equivalent"].append(equivalent)


def named(letter: str, codes: Array, number: int = 0) -> pd.Categorical:
    number = number or int(codes.max(initial=0)) + 1
    return pd.Categorical.from_codes(codes, categories=[f"{letter}{n:06d}" for n in range(number)])


# Comparisons, ratings of pairs and rankings, all scored as strengths

Asked = tuple[Array, Array, Array, Array]
"""Person, prompt and two conditions of each vote; shape (votes,) each."""


def pairs_asked(world: World, rng: Random) -> Asked:
    first, second = np.triu_indices(world.size, 1)
    weights = np.where(first == 0, 1 / 3, 1) if world.unusual == "unbalanced" else first * 0 + 1
    each = world.prompts * (world.size // 2) if world.strange else world.each
    person = np.repeat(np.arange(world.people), each)
    if world.strange:  # judges are compared with people who all answer the same questions
        prompt = np.tile(np.arange(each) // (world.size // 2), world.people)
        pair = np.tile(rng.choice(len(first), each, p=weights / weights.sum()), world.people)
    else:
        prompt = rng.integers(world.prompts, size=len(person))
        pair = rng.choice(len(first), len(person), p=weights / weights.sum())
    return person, prompt, first[pair], second[pair]


def ahead(likings: Array, asked: Asked) -> Array:
    person, prompt, a, b = asked
    return likings[person, prompt, a] - likings[person, prompt, b]


def won(world: World, evidence: Array, rng: Random) -> Array:
    """Return whether people choose the first of two conditions."""
    chosen = rng.random(evidence.shape) < expit(world.seen(evidence, rng))
    return world.given(chosen, rng.random(evidence.shape) < 0.5, rng)


def votes_on(world: World, asked: Asked, column: str, answers: Any) -> pd.DataFrame:
    person, prompt, a, b = asked
    columns = {"left": named("m", a, world.size), "right": named("m", b, world.size)}
    columns |= {"evaluator": named("e", person), "prompt": named("p", prompt), column: answers}
    return pd.DataFrame(columns)


def compared(world: World, rng: Random, looks: Array | None = None) -> pd.DataFrame:
    asked = pairs_asked(world, rng)
    looks = world.looks(rng) if looks is None else looks
    chosen = won(world, ahead(world.likings(rng, looks), asked), rng)
    answers = pd.Categorical.from_codes(np.where(chosen, 0, 1), ["left", "right", "tie"])
    return votes_on(world, asked, "answer", answers)


def rated_pairs(world: World, rng: Random) -> pd.DataFrame:
    asked = pairs_asked(world, rng)
    evidence = world.seen(ahead(world.likings(rng, world.looks(rng)), asked), rng)
    value = np.digitize(evidence + rng.logistic(size=len(evidence)), (-1.5, -0.5, 0.5, 1.5)) - 2.0
    value = world.given(value, rng.integers(-2, 3, len(value)).astype(float), rng)
    frame = votes_on(world, asked, "value", value)
    return frame.rename(columns={"left": "first", "right": "second"})


def ranked(world: World, rng: Random) -> pd.DataFrame:
    likings = world.likings(rng, world.looks(rng))
    rankings = likings.shape[:2]
    shown = rng.random(likings.shape).argsort(axis=2).argsort(axis=2) < RANKED
    shown &= world.shown(rng, *rankings)
    utility = world.seen(likings, rng) + rng.gumbel(size=likings.shape)
    lapsed = world.given(np.zeros(rankings), np.ones(rankings), rng) > 0
    utility[lapsed] = rng.random((int(lapsed.sum()), world.size))
    rank = 1.0 + np.where(shown, -utility, np.inf).argsort(axis=2).argsort(axis=2)
    person, prompt, condition = np.nonzero(shown)
    columns = {
        "evaluator": named("e", person, world.people),
        "group": named("g", prompt, world.prompts),
        "prompt": named("p", prompt, world.prompts),
        "condition": named("m", condition, world.size),
        "rank": rank[shown],
        "finished": True,
        "ranking": person * world.prompts + prompt,
    }
    return pd.DataFrame(columns)


def said_by(table: Any) -> Said:
    return Said({row.condition: row.strength for row in table.conditions}, table.differences)


def score_comparisons(frame: pd.DataFrame, truth: Truth) -> Said:
    options = comparisons.PairwiseOptions(margin=truth.win_rate_margin)
    return said_by(comparisons.strengths_of(frame, options))


def score_rated_pairs(frame: pd.DataFrame, truth: Truth) -> Said:
    return said_by(axes.strengths_of(frame, RatingOptions(margin=truth.win_rate_margin)))


def score_rankings(frame: pd.DataFrame, truth: Truth) -> Said:
    options, laid = RankingOptions(margin=truth.win_rate_margin), orders(frame)
    drawn = find_order_sample(frame, laid, options.images)
    certainty = options.certainty(drawn.random)
    return said_by(ranking_strengths(laid, drawn, expand(laid).counts(), certainty))


def truth_of_votes(frame: pd.DataFrame) -> Truth:
    fitted = fit(count(frame if "left" in frame else axes.votes_of(frame)), "davidson")
    return Truth(fitted.log_strengths, fitted.nu or 0.0)


def truth_of_rankings(frame: pd.DataFrame) -> Truth:
    return Truth(fit_plackett_luce(choice_sets(orders(frame))).log_strengths)


# Ratings of single images: numbers, and yes or no


def rated(world: World, rng: Random, likings: Array, *, words: bool = False) -> Array:
    """Draw ratings from people's ``likings``, in an array of the same shape."""
    seen, shape = world.seen(likings, rng), likings.shape
    if words:
        yes = rng.random(shape) < expit(seen)
        return world.given(yes, rng.random(shape) < 0.5, rng).astype(float)
    value = np.clip(np.rint(5.5 + 1.5 * seen + rng.standard_normal(shape)), 1, 10)
    return world.given(value, rng.integers(1, 11, shape), rng)


def rated_images(world: World, rng: Random, *, words: bool = False) -> pd.DataFrame:
    likings = world.likings(rng, world.looks(rng))
    value = rated(world, rng, likings, words=words)
    shown = world.shown(rng, *likings.shape[:2])
    person, prompt, condition = np.nonzero(shown)
    columns = {
        "first": named("m", condition, world.size),
        "value": value[shown],
        "evaluator": named("e", person, world.people),
        "prompt": named("p", prompt, world.prompts),
        "item": named("i", prompt * world.size + condition, world.prompts * world.size),
    }
    return pd.DataFrame(columns)


def score_means(frame: pd.DataFrame, truth: Truth, *, words: bool = False) -> Said:
    values = axes.condition_values(frame, "sample")
    scale = None if words else (1, 10)
    means = axes.condition_means(values, scale=scale, confidence=1 - ALPHA)
    options = RatingOptions(margin=truth.smallest and truth.smallest / (1 if words else 9))
    pairs = axes.mean_pairs(values, means, options, shares=words)
    own = {row["condition"]: row["value"] for row in means}
    return Said(own, [SimpleNamespace(**pair) for pair in pairs])


def truth_of_means(frame: pd.DataFrame) -> Truth:
    return Truth(frame.groupby("first", observed=True)["value"].mean().to_numpy())


# HYPE_∞: real or fake, without a time limit

USUAL_ERROR: Final = -0.6
"""The log odds of an error at level 0."""
FAKES: Final = 2
"""Number of a condition's fakes for each prompt; there are as many real images."""
KINDS: Final = ("fake", "real")


def looks_of_kinds(world: World, rng: Random) -> Array:
    """Draw log odds of errors minus the usual, (images, conditions): first fakes, then reals."""
    more = replace(world, prompts=world.prompts * (1 if world.strange else FAKES))
    reals = world.levels + world.images * more.deviations(rng, more.prompts, 1)
    return np.concatenate([more.looks(rng), reals])


def erred(world: World, rng: Random, likings: Array) -> Array:
    wrong = rng.random(likings.shape) < expit(world.seen(likings, rng))
    return world.given(wrong, rng.random(likings.shape) < 0.5, rng).astype(int)


def judged(world: World, rng: Random, usual: float = USUAL_ERROR) -> pd.DataFrame:
    return judged_images(world, rng, usual + looks_of_kinds(world, rng))


def judged_images(world: World, rng: Random, looks: Array) -> pd.DataFrame:
    wrong, fakes = erred(world, rng, world.likings(rng, looks)), len(looks) // 2
    there = np.broadcast_to(world.serve(world.people)[:, None], wrong.shape)
    person, image, condition = np.nonzero(there)
    kind = (image >= fakes).astype(int)
    columns = {
        "evaluator": named("e", condition * world.people + person),
        "condition": named("m", condition, world.size),
        "truth": pd.Categorical.from_codes(kind, KINDS),
        "answer": pd.Categorical.from_codes(kind ^ wrong[there], KINDS),
        "image": named("i", number_of_image(world, image, condition, fakes)),
    }
    return pd.DataFrame(columns)


def number_of_image(world: World, image: Array, condition: Array, fakes: int) -> Array:
    """Number images; a fake belongs to one condition, a real image to all."""
    return np.where(image < fakes, condition, world.size - 1) * fakes + image


def score_errors(frame: pd.DataFrame, truth: Truth) -> Said:
    return infer(select_rows(frame, "infinity", Options()), truth)


def infer(rows: JudgementRows, truth: Truth) -> Said:
    inferred = rows.infer("sample")
    names = inferred.conditions
    intervals = {name: inferred.interval(name, confidence=1 - ALPHA) for name in names}
    tested = rows.tested(inferred, names)
    return Said(intervals, inferred.pairs(tested, alpha=ALPHA, margin=truth.smallest))


def truth_of_errors(frame: pd.DataFrame) -> Truth:
    wrong = frame["truth"].cat.codes != frame["answer"].cat.codes
    return Truth(100 * wrong.groupby(frame["condition"], observed=True).mean().to_numpy())


# HYPE_time: the staircase of the paper; the score is the mode

RULE: Final = PRESETS["hype"]
BLOCKS, TRIALS = 3, 150
TYPICAL: Final = Psychometric(threshold_ms=1.0)
USUAL_MS: Final = 250.0
"""Threshold at level 0; level 1 lengthens it by a factor of √e."""


def timed(world: World, rng: Random) -> pd.DataFrame:
    """Run staircases. In a block, people all see the same images; strangers see different ones."""
    half, size = TRIALS // 2, world.size
    people = STRANGERS // 60 // size if world.strange else world.people
    own = people if world.strange else 1
    fakes = world.images * world.deviations(rng, own, half, size)
    reals = np.broadcast_to(world.images * world.deviations(rng, own, half, 1), fakes.shape)
    harder = np.concatenate([fakes, reals], axis=1).swapaxes(1, 2)
    harder = np.broadcast_to(harder, (people, size, TRIALS))
    slower = world.levels / 2 + world.tastes * world.deviations(rng, people, size)
    shape = people, size, 1 if world.strange else BLOCKS
    images = rng.random((*shape, TRIALS)).argsort(axis=-1)
    at_ms, streak = np.full(shape, RULE.start_ms), np.zeros(shape, dtype=np.int64)
    exposures_ms, correct = np.empty(images.shape), np.empty(images.shape, dtype=bool)
    for trial in range(TRIALS):
        exposures_ms[..., trial] = at_ms
        of_image = np.take_along_axis(harder, images[..., trial], axis=2)
        threshold_ms = USUAL_MS * np.exp(slower[..., None] + of_image)
        learns = world.unusual == "learning" and trial < TRIALS / 3
        right = rng.random(shape) < accuracy(TYPICAL, at_ms / threshold_ms / (1 + learns))
        correct[..., trial] = world.given(right, rng.random(shape) < 0.5, rng)
        at_ms, streak = step_many(RULE, at_ms, streak, correct[..., trial])
    there = np.broadcast_to(world.serve(people)[..., None, None], images.shape)
    person, condition, block, trials = np.nonzero(there)
    kind = (images[there] >= half).astype(int)
    columns = {
        "evaluator": named("e", condition * people + person),
        "condition": named("m", condition, size),
        "task": "time",
        "block": named("b", block),
        "trial": trials,
        "truth": pd.Categorical.from_codes(kind, KINDS),
        "answer": pd.Categorical.from_codes(kind ^ ~correct[there], KINDS),
        "image": named("i", np.where(kind == 0, condition, size) * TRIALS + images[there]),
        "exposure_ms": exposures_ms[there],
        "floor_ms": RULE.min_ms,
        "ceiling_ms": RULE.max_ms,
    }
    return pd.DataFrame(columns)


def score_exposures(frame: pd.DataFrame, truth: Truth) -> Said:
    rows = select_rows(frame, "time", Options())
    said = infer(rows, truth)
    stairs = count_blocks(rows.blocks, rows.bounds_ms)
    return Said(said.intervals, verdicts_off_bounds(said.pairs, stairs, said.intervals))


def truth_of_modes(frame: pd.DataFrame) -> Truth:
    first = score_blocks(frame).groupby(["condition", "evaluator"])["exposure_ms"].first()
    return Truth(first.groupby("condition").mean().to_numpy())


# Judges compared with people


class Panel(NamedTuple):
    """People's answers; and for each item, a new person's answer and a guess (``dice``)."""

    people: pd.DataFrame
    items: list[str]
    answers: Array
    dice: Array


def image_names(numbers: Array) -> list[str]:
    return [f"i{number:06d}" for number in numbers]


def panel_of_votes(world: World, rng: Random) -> Panel:
    looks = world.looks(rng)
    votes = compared(world, rng, looks)
    columns = (votes[name].cat.codes.to_numpy(int) for name in ("prompt", "left", "right"))
    prompt, a, b = codes = np.array(list(columns))
    for side, at in (("left", a), ("right", b)):
        votes[f"{side}_image"] = named("i", prompt * world.size + at, looks.size)
    prompt, a, b = np.unique(codes, axis=1)
    new = replace(world, people=1, strange=True).likings(rng, looks)
    first = won(world, ahead(new, (prompt * 0, prompt, a, b)), rng)
    sides = (image_names(prompt * world.size + at) for at in (a, b))
    items = list(map(name_of_pair, *sides))
    return Panel(votes, items, np.where(first, "1", "3"), rng.choice(["1", "3"], len(items)))


def panel_of_ratings(world: World, rng: Random) -> Panel:
    looks = world.looks(rng)
    each = (replace(world, people=1, strange=True), world)
    new, people = (rated(one, rng, one.likings(rng, looks)) for one in each)
    person, item = (at.ravel() for at in np.indices((world.people, looks.size)))
    columns = {
        "evaluator": named("e", person),
        "item": named("i", item),
        "axis": "overall",
        "answer": people.ravel().astype(int).astype(str),
        "first": named("m", item % world.size),
        "prompt": named("p", item // world.size),
    }
    answers = new.ravel().astype(int).astype(str)
    items = image_names(np.arange(looks.size))
    return Panel(check_ratings(pd.DataFrame(columns)), items, answers, rng.permutation(answers))


def panel_of_judgements(world: World, rng: Random) -> Panel:
    looks = USUAL_ERROR + looks_of_kinds(world, rng)
    new = replace(world, people=1, strange=True)
    wrong, fakes = erred(new, rng, new.likings(rng, looks))[0], len(looks) // 2
    image, condition = (at.ravel() for at in np.indices(looks.shape))
    once = (image < fakes) | (condition == 0)  # all conditions share the reals
    image, condition = image[once], condition[once]
    says_real = (image >= fakes) ^ (wrong[image, condition] > 0)
    items = image_names(number_of_image(world, image, condition, fakes))
    dice = rng.choice(["yes", "no"], len(items))
    return Panel(judged_images(world, rng, looks), items, np.where(says_real, "yes", "no"), dice)


def agreement_of_votes(world: World, rng: Random) -> float:
    """Return the share of votes on which two people agree, minus one half (guessing)."""
    one, other = compared(world, rng)["answer"].cat.codes.to_numpy().reshape(2, -1)
    return float((one == other).mean()) - 0.5


def agreement_of_ratings(world: World, rng: Random) -> float:
    one, other = rated(world, rng, world.likings(rng, world.looks(rng)))
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


def agreement_of_judgements(world: World, rng: Random) -> float:
    one, other = erred(world, rng, world.likings(rng, USUAL_ERROR + looks_of_kinds(world, rng)))
    return float((one == other).mean()) - 0.5


@dataclass(frozen=True)
class Judged:
    """Answers that judges also give; with many conditions, two people rarely share a question."""

    panel: Callable[[World, Random], Panel]
    judge: Callable[[pd.DataFrame, Judges, JudgeOptions], Any]
    agreement: Callable[[World, Random], float]
    equal: bool = False  # whether conditions are equal in all studies
    axis: str = ""
    most_conditions: int = 4
    part: float = 1.0

    def found(self, design: World, studies: int, seed: int) -> Found:
        found: Found = defaultdict(list)
        world = replace(design, equal=self.equal)
        margin = self.agreement(world.strangers(people=2), np.random.default_rng(OF_STRANGERS)) / 2
        for number in range(studies):
            rng = np.random.default_rng((seed, number))
            panel = self.panel(world, rng)
            thrown = np.where(rng.random(len(panel.items)) < 0.5, panel.dice, panel.answers)
            for answers, true in ((panel.answers, 0.0), (thrown, -margin)):
                judges, options = self.judges(panel, answers), JudgeOptions(margin=margin)
                judge = self.judge(panel.people, judges, options).judges[0]
                judge = judge.axis(self.axis) if self.axis else judge
                if judge.difference and judge.difference.low is not None:
                    held = judge.difference.low <= true <= judge.difference.high
                    found["differences"].append(held)
                found["found" if true == 0 else "equivalent"].append(judge.verdict == "as good")
                if true == 0:
                    found["false"].append(judge.verdict == "worse")
        return found

    def judges(self, panel: Panel, answers: Array) -> Judges:
        columns = {"judge": "judge", "item": panel.items, "axis": self.axis, "answer": answers}
        columns |= {"first_side": "", "repeat": "", "missing": ""}
        table = pd.DataFrame(columns).astype("category")
        table["file"], table["row"] = "simulated", np.arange(len(table))
        return Judges(answers=table, scores=pd.DataFrame())


# All kinds


@dataclass(frozen=True)
class Answers:
    """A kind of answers: how they are drawn, their truth, and how they are scored."""

    drawn: Callable[[World, Random], pd.DataFrame]
    truth: Callable[[pd.DataFrame], Truth]
    scored: Callable[[pd.DataFrame, Truth], Said]
    most_conditions: int = 50
    part: float = 1.0  # share of the studies to simulate

    def found(self, design: World, studies: int, seed: int) -> Found:
        found: Found = defaultdict(list)
        for world in dict.fromkeys((replace(design, equal=True), design)):
            truth = self.truth(self.drawn(world.strangers(), np.random.default_rng(OF_STRANGERS)))
            if world.equal:
                truth = truth._replace(scores=np.full(world.size, truth.scores.mean()))
            for number in range(studies):
                self.study(found, np.random.default_rng((seed, number)), truth, world)
        return found

    def study(self, found: Found, rng: Random, truth: Truth, world: World) -> None:
        hold(found, self.scored(self.drawn(world, rng), truth), truth, world)


class Claims(Answers):
    """Answers whose verdicts say which conditions are hyper-realistic."""

    def study(self, found: Found, rng: Random, truth: Truth, world: World) -> None:
        rows = select_rows(self.drawn(world, rng), "infinity", Options())
        claims = rows.infer("sample").hyper_realistic(alpha=ALPHA)
        above = set() if world.equal else set(np.flatnonzero(truth.scores > 50).tolist())
        called = set(map(number_of, claims))
        found["false" if world.equal else "turned"].append(bool(called - above))
        found["found"] += [place in called for place in above]


class ByGroup(Answers):
    """Scores within four groups of people that do not differ; any difference found is false."""

    def study(self, found: Found, rng: Random, truth: Truth, world: World) -> None:
        frame, groups = self.drawn(world, rng), "0123"
        names = ("condition", "evaluator", "image", "truth", "answer")
        condition, people, images, true, said = (frame[n].cat.codes.to_numpy(int) for n in names)
        cells = cell_means(
            (frame["condition"].cat.categories, groups),
            *(condition, people % len(groups), 100.0 * (true != said), people, images),
            whole=100.0,
        )
        shares = dict.fromkeys(groups, 1 / len(groups))
        scores = cell_scores(cells, protocol="infinity", measure="error", unit="%", shares=shares)
        for one in (*scores.cells, *scores.totals):
            if one.score and one.score.low is not None:
                held = one.score.low <= truth.scores[number_of(one.condition)] <= one.score.high
                found["scores"].append(held)
        found["false"].append(scores.interaction is not None and scores.interaction.p < ALPHA)


class Arenas(Answers):
    """Votes that are analysed several times while they arrive."""

    def study(self, found: Found, rng: Random, truth: Truth, world: World) -> None:
        better = truth.scores[:, None] > truth.scores
        wrong = known = False
        for look in self.looks(rng, world):
            beaten = look.top is not None and (world.equal or better[:, look.top].any())
            wrong |= bool(beaten or (look.apart & ~better).any())
            known |= look.top is not None and not beaten
        found["false" if world.equal else "turned"].append(wrong)
        if not world.equal:
            found["found"].append(known)

    def looks(self, rng: Random, world: World) -> Iterable[Separation]:
        votes = self.drawn(world, rng)
        names = ("left", "right", "evaluator", "prompt")
        left, right, people, prompts = (votes[name].cat.codes.to_numpy(int) for name in names)
        first = votes["answer"].eq("left").to_numpy()
        chosen, other = np.where(first, left, right), np.where(first, right, left)
        return separations(finished(world, chosen, other, people, prompts), looks_of(world.people))


class AdaptiveArenas(Arenas):
    """Arenas in which the next pairs depend on the votes so far."""

    def looks(self, rng: Random, world: World) -> Iterator[Separation]:
        likings = world.likings(rng, world.looks(rng))
        looks = {look.people: look for look in looks_of(world.people)}
        points = np.zeros((world.size, world.size))
        known, votes = points > 0, np.zeros((4, 0), dtype=int)
        for person in range(world.people):
            pairs = next_pairs(points, rule="adaptive", draws=rng.random(EACH), known=known)
            who, (a, b) = np.full(EACH, person), np.array(pairs).T
            prompt = rng.integers(world.prompts, size=EACH)
            first = won(world, ahead(likings, (who, prompt, a, b)), rng)
            own = np.array([np.where(first, a, b), np.where(first, b, a), who, prompt])
            np.add.at(points, (own[0], own[1]), 1)
            votes = np.concatenate([votes, own], axis=1)
            if look := looks.get(person + 1):
                yield (said := look_at(finished(world, *votes), look, "top"))
                known = said.beats
                if said.reached:
                    return


def finished(world: World, chosen: Array, other: Array, people: Array, items: Array) -> Any:
    return FinishedVotes(
        conditions=world.size,
        chosen=chosen,
        other=other,
        tied=np.zeros(len(chosen), dtype=bool),
        people=people,
        items=items,
    )


ALL: Final[dict[str, Answers | Judged]] = {
    "HYPE_∞": Answers(judged, truth_of_errors, score_errors),
    "hyper-realistic": Claims(partial(judged, usual=0.0), truth_of_errors, score_errors, 20),
    "HYPE_∞ by group": ByGroup(judged, truth_of_errors, score_errors, 20),
    "HYPE_time": Answers(timed, truth_of_modes, score_exposures, 4, part=0.2),
    "comparisons": Answers(compared, truth_of_votes, score_comparisons),
    "ratings of pairs": Answers(rated_pairs, truth_of_votes, score_rated_pairs),
    "rankings": Answers(ranked, truth_of_rankings, score_rankings),
    "from 1 to 10": Answers(rated_images, truth_of_means, score_means),
    "yes or no": Answers(
        partial(rated_images, words=True), truth_of_means, partial(score_means, words=True)
    ),
    "arenas": Arenas(compared, truth_of_votes, score_comparisons, 20),
    "adaptive arenas": AdaptiveArenas(compared, truth_of_votes, score_comparisons, 4, part=0.2),
    "judges of comparisons": Judged(panel_of_votes, judge_comparisons, agreement_of_votes),
    "judges of ratings": Judged(
        panel_of_ratings, judge_ratings, agreement_of_ratings, axis="overall"
    ),
    "judges of real or fake": Judged(
        panel_of_judgements, judge_judgements, agreement_of_judgements, equal=True
    ),
}


def row(kind: str, design: World, studies: int, seed: int) -> list[str]:
    own = max(1, round(studies * ALL[kind].part * design.part))
    found = ALL[kind].found(design, own, seed)
    shares = (f"{100 * np.mean(found[column]):.1f}" if found[column] else "" for column in COLUMNS)
    return [kind, design.name, str(own), *shares]


def ranges(rows: list[list[str]]) -> Iterator[list[str]]:
    """Yield a row for each kind: the lowest and highest figure of its designs in each column."""
    for kind in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == kind]
        columns = (
            [float(cell) for cell in column if cell] for column in list(zip(*own, strict=True))[3:]
        )
        cells = (f"{min(one):g}–{max(one):g}" if one else "" for one in columns)
        yield [kind, str(len(own)), own[0][2], *cells]


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--studies", type=int, default=300, metavar="N", help="of each world")
    parser.add_argument("--only", nargs="+", choices=ALL, default=list(ALL), metavar="KIND")
    names = [design.name for design in (*DESIGNS, *SPREAD)]
    parser.add_argument("--designs", nargs="+", choices=names, default=names, metavar="DESIGN")
    parser.add_argument("--spread", action="store_true", help="only comparisons, in 24 designs")
    parser.add_argument(
        "--sds",
        type=float,
        nargs=2,
        metavar=("IMAGES", "TASTES"),
        help="SDs to use instead of the designs' SDs",
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    begin, load, rows = time.perf_counter(), Load(), []
    kinds = ["comparisons"] if given.spread else given.only
    designs = [one for one in (SPREAD if given.spread else DESIGNS) if one.name in given.designs]
    if given.sds:
        images, tastes = given.sds
        designs = [replace(design, images=images, tastes=tastes) for design in designs]
    asked = [(k, d) for k in kinds for d in designs if d.size <= ALL[k].most_conditions]

    def simulated() -> Iterator[list[str]]:
        with ProcessPoolExecutor(given.processes) as pool:
            alike = ([one] * len(asked) for one in (given.studies, given.seed))
            for each in pool.map(row, *zip(*asked, strict=True), *alike):
                rows.append(each)
                yield each

    figures = "studies", *COLUMNS.values()
    print_table("Each design, in %", ("answers", "design", *figures), simulated())
    print_table("Lowest and highest, in %", ("answers", "designs", *figures), ranges(rows))
    print(f"\n{description(['numpy', 'scipy'])}; {time.perf_counter() - begin:.0f} s, ", end="")
    print(f"other programs took {load.of_others():.1f} cores")


if __name__ == "__main__":
    main()
