"""How often 95 % intervals cover what they should: studies simulated from a known truth.

    python benchmarks/recovery.py [--studies 200] [--draws 10000]

Every study is new: new evaluators, and new images where images vary. Its conditions are scored by
`hype.score` and its intervals set against the truth, which is over all evaluators and all images
that there could be.

HYPE_infinity: 30 evaluators per condition judge 50 fakes and 50 reals. Ability and criterion vary
between people with standard deviations of 0.3 and 0.2 on the normal-quantile scale, and images,
where they do, with 0.5. The truth is exact: a probit of a sum of normal terms is a probit.

HYPE_time: 30 evaluators per condition, 3 blocks of 150 trials, the staircase "hype". People are
those of `hype.observers` and vary as those do; images, where they do, in their thresholds, with a
standard deviation of 0.8 on the logarithmic scale. The truth is the mean over 15,000 other people.

With QUEST+ in the staircase's place blocks have 60 trials, and the truth is of 3,000 other people.

    python benchmarks/recovery.py --only QUEST+

Fixed seed. Takes about four minutes without QUEST+.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import binomtest

from hype.protocols.hype.block_scores import BlockMode
from hype.protocols.hype.error_rates import ErrorCounts, two_way
from hype.protocols.hype.inference import (
    EVERY,
    Inference,
    inference_of_errors,
    inference_of_exposures,
)
from hype.protocols.hype.observer import MOST_CERTAIN, Population, Psychometric
from hype.protocols.hype.quest_plus import QuestPlus, design, prior
from hype.protocols.hype.results import EvaluatorScore
from hype.protocols.hype.settling import modal, stepped
from hype.protocols.hype.staircase import PRESETS, Staircase
from hype.statistics.resampling import bootstrap

Array = npt.NDArray[np.float64]

SEED: Final = 20190
EVALUATORS: Final = 30
CONFIDENCE: Final = 0.95
HONEST: Final = (0.92, 0.98)
ERRORS: Final = (0.50, 0.40, 0.28, 0.19, 0.13, 0.04)
"""Error rates of the conditions of HYPE_infinity."""
THRESHOLDS_MS: Final = (150.0, 225.0, 300.0, 400.0, 550.0, 700.0)
"""Thresholds of the typical evaluator in the conditions of HYPE_time."""
SHOWN: Final = 50
"""Fakes, and as many reals, that each evaluator of HYPE_infinity judges."""
BLOCKS: Final = 3
TRIALS: Final = 150
STAIRCASE: Final = PRESETS["hype"]
QUEST: Final = QuestPlus(start_ms=500.0, min_ms=100.0, max_ms=1000.0, refresh_hz=60.0)
AT_ONCE: Final = 500
"""Blocks of QUEST+ that are played together."""
PEOPLE: Final = Population(typical={"": Psychometric(threshold_ms=1.0)})


@dataclass(frozen=True, kw_only=True)
class Case:
    """An interval set against the truth."""

    interval: str
    low: float
    high: float
    truth: float

    @property
    def covers(self) -> bool:
        """Whether it covers the truth."""
        return self.low <= self.truth <= self.high


def over_evaluators(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    truth: float,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[Case]:
    """Set both intervals of the bootstrap over evaluators against the truth."""
    found = bootstrap(totals, weights, draws=draws, rng=rng, confidence=CONFIDENCE)
    yield Case(interval="percentile", low=found.ci_low, high=found.ci_high, truth=truth)
    if found.bca_low is not None and found.bca_high is not None:
        yield Case(interval="BCa", low=found.bca_low, high=found.bca_high, truth=truth)


CONDITION: Final = "model"
NOBODY: Final = EvaluatorScore(
    evaluator="", score=0.0, counts=ErrorCounts(fakes=0, fakes_wrong=0, reals=0, reals_wrong=0)
)


def printed(inference: Inference, truth: float) -> Case:
    """Set the interval that `hype score` prints against the truth."""
    found = inference.interval(CONDITION, confidence=CONFIDENCE)
    low, high = found.ends if found else (-math.inf, math.inf)
    return Case(interval="printed", low=low, high=high, truth=truth)


# HYPE_infinity


@dataclass(frozen=True, kw_only=True)
class Untimed:
    """A design of HYPE_infinity.

    Attributes
    ----------
    image_spread
        Standard deviation between images on the normal-quantile scale.
    pool
        Fakes, and as many reals, in a study's condition. Of a pool of `SHOWN` everyone sees all.
    """

    image_spread: float
    pool: int
    ability_spread: float = 0.3
    bias_spread: float = 0.2

    def middle(self, error: float) -> float:
        """Give the typical evidence for the truth at which ``error`` of all answers are wrong."""
        spreads = self.ability_spread, self.bias_spread, self.image_spread
        return float(-ndtri(error) * math.sqrt(1 + sum(spread**2 for spread in spreads)))

    def judged(self, error: float, rng: np.random.Generator) -> pd.DataFrame:
        """Simulate the judgements of one condition of one study; axes: kind, evaluator, image."""
        seen = np.stack([rng.permutation(self.pool)[:SHOWN] for _ in range(2 * EVALUATORS)])
        images = seen.reshape(2, EVALUATORS, SHOWN)
        easier = self.image_spread * rng.standard_normal((2, self.pool))
        ease = np.stack([kind[own] for kind, own in zip(easier, images, strict=True)])
        able = self.ability_spread * rng.standard_normal((EVALUATORS, 1))
        bias = self.bias_spread * rng.standard_normal((EVALUATORS, 1)) * [[[1]], [[-1]]]
        wrong = rng.random(ease.shape) < ndtr(bias - self.middle(error) - able - ease)
        kind, evaluator, _ = np.indices(wrong.shape)
        names = np.array(["fake", "real"])
        answers = names[np.where(wrong, 1 - kind, kind)]
        columns = {"evaluator": evaluator, "truth": names[kind], "answer": answers, "image": images}
        return pd.DataFrame({name: cells.ravel() for name, cells in columns.items()})

    def cases(self, studies: int, draws: int, rng: np.random.Generator) -> Iterator[Case]:
        """Simulate and score."""
        for _, error in product(range(studies), ERRORS):
            judged = self.judged(error, rng)
            wrong = judged["truth"].ne(judged["answer"]).groupby(judged["evaluator"]).sum()
            weights = np.full(EVALUATORS, 2 * SHOWN)
            yield from over_evaluators(100 * wrong, weights, 100 * error, draws, rng)
            people = {CONDITION: [NOBODY] * EVALUATORS}
            whole = judged.assign(condition=CONDITION)
            yield printed(inference_of_errors(whole, people, "sample"), 100 * error)
            if self.image_spread:
                both = two_way(judged, draws=draws, rng=rng, confidence=CONFIDENCE)
                yield Case(
                    interval="two-way", low=both.ci_low, high=both.ci_high, truth=100 * error
                )


# HYPE_time


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """The blocks of a condition of many studies; axes: study, evaluator, block, and trial.

    ``images`` are numbered: the first half of the trials' images are fakes.
    """

    modes_ms: Array
    exposures_ms: Array
    correct: npt.NDArray[np.bool_]
    images: npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Timed:
    """A design of HYPE_time.

    Attributes
    ----------
    image_spread
        Standard deviation of the logarithm of the images' thresholds.
    pool
        Fakes, and as many reals, in a study's condition. Of a pool of half the trials everyone sees
        all in every block; of a larger one each sees others.
    people_spread
        The same of people's.
    quest_plus
        Whether QUEST+ chooses the exposures; else the staircase ``rule`` does.
    """

    image_spread: float
    pool: int = TRIALS // 2
    trials: int = TRIALS
    people_spread: float = PEOPLE.threshold_spread
    rule: Staircase = STAIRCASE
    quest_plus: bool = False
    thresholds_ms: tuple[float, ...] = THRESHOLDS_MS

    def blocks(
        self,
        threshold_ms: float,
        studies: int,
        evaluators: int,
        rng: np.random.Generator,
        reals: Array | None = None,
    ) -> Blocks:
        """Simulate one condition; ``reals`` are images of others (study, image), in deviations."""
        shape = studies, evaluators, BLOCKS
        slower, abler, biased = rng.standard_normal((3, studies, evaluators, 1))
        typical = replace(PEOPLE.typical[""], threshold_ms=threshold_ms)
        person_ms = threshold_ms * np.exp(self.people_spread * slower)
        ceiling = np.maximum(0.5, ndtr(ndtri(typical.ceiling) + PEOPLE.ceiling_spread * abler))
        effects = rng.standard_normal((studies, 2 * self.pool))
        if reals is not None:
            effects[:, self.pool :] = reals
        harder = np.exp(self.image_spread * effects)
        images = self.orders(shape, rng)
        walk = QuestPlusWalk(shape) if self.quest_plus else Walk(self.rule, shape)
        exposures_ms, correct = np.empty(images.shape), np.empty(images.shape, dtype=bool)
        for trial in range(self.trials):
            image = images[..., trial]
            factor = np.take_along_axis(harder, image.reshape(studies, -1), axis=1).reshape(shape)
            bias = np.where(image < self.pool, 1, -1) * PEOPLE.bias_spread * biased
            exposures_ms[..., trial] = walk.exposures_ms
            right = says_rightly(walk.exposures_ms, person_ms * factor, ceiling, bias, typical)
            correct[..., trial] = rng.random(shape) < right
            walk.step(correct[..., trial])
        scores = walk.thresholds_ms() if isinstance(walk, QuestPlusWalk) else modal(exposures_ms)
        return Blocks(modes_ms=scores, exposures_ms=exposures_ms, correct=correct, images=images)

    def orders(self, shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw the images of every trial, half of them fakes; without any twice in a block."""
        half = self.trials // 2
        shuffled = rng.random((*shape, self.trials), dtype=np.float32).argsort(axis=-1)
        if self.pool == half:
            return shuffled
        people = math.prod(shape[:-1])
        drawn = np.stack(
            [rng.permutation(self.pool)[: BLOCKS * half] for _ in range(2 * people)]
        ).reshape(2, *shape[:-1], BLOCKS, half)
        kinds = np.concatenate([drawn[0], self.pool + drawn[1]], axis=-1)
        return np.take_along_axis(kinds, shuffled, axis=-1)

    def cases(self, studies: int, draws: int, rng: np.random.Generator) -> Iterator[Case]:
        """Simulate and score."""
        for threshold_ms in self.thresholds_ms:
            others = 300 if self.quest_plus else 1500
            truth_ms = float(self.blocks(threshold_ms, others, 10, rng).modes_ms.mean())
            found = self.blocks(threshold_ms, studies, EVALUATORS, rng)
            for study, modes_ms in enumerate(found.modes_ms):
                ones = np.ones(EVALUATORS)
                yield from over_evaluators(modes_ms.mean(axis=1), ones, truth_ms, draws, rng)
                yield printed(self.inferred(found, study), truth_ms)

    def inferred(self, found: Blocks, study: int) -> Inference:
        """Take one study's scores as the program does."""
        people = [
            replace(
                NOBODY,
                evaluator=str(number),
                score=float(own_ms.mean()),
                blocks=tuple(
                    BlockMode(block=str(block), exposure_ms=float(ms))
                    for block, ms in enumerate(own_ms)
                ),
            )
            for number, own_ms in enumerate(found.modes_ms[study])
        ]
        judged = self.table(found, study).assign(condition=CONDITION)
        bounds_ms = STAIRCASE.min_ms, STAIRCASE.max_ms
        inferred = inference_of_exposures(
            judged, {CONDITION: people}, "sample", bounds_ms=bounds_ms
        )
        return replace(inferred, possible_ms=EVERY) if self.quest_plus else inferred

    def table(self, found: Blocks, study: int) -> pd.DataFrame:
        """Lay out the judgements of one study."""
        images = found.images[study].ravel()
        names = np.array(["real", "fake"])
        fake = images < self.pool
        return pd.DataFrame(
            {
                "evaluator": np.repeat(np.arange(EVALUATORS).astype(str), BLOCKS * self.trials),
                "block": np.tile(np.repeat(np.arange(BLOCKS), self.trials), EVALUATORS),
                "truth": names[fake.astype(int)],
                "answer": names[(fake == found.correct[study].ravel()).astype(int)],
                "image": images,
                "exposure_ms": found.exposures_ms[study].ravel(),
            }
        )


def says_rightly(
    exposures_ms: Array, threshold_ms: Array, ceiling: Array, bias: Array, typical: Psychometric
) -> Array:
    """Give what `Psychometric.says_fake` gives of a fake, for many at once."""
    rise = 1 - 2.0 ** -((exposures_ms / threshold_ms) ** typical.slope)
    evidence = ndtri(np.minimum(0.5 + (ceiling - 0.5) * rise, MOST_CERTAIN)) - bias
    seen: Array = (1 - typical.lapse) * ndtr(evidence) + typical.lapse / 2
    return seen


class Walk:
    """Many staircases at once."""

    def __init__(self, rule: Staircase, shape: tuple[int, ...]) -> None:
        self.rule, self.exposures_ms = rule, np.full(shape, rule.start_ms)
        self.streak = np.zeros(shape, dtype=np.int64)

    def step(self, correct: npt.NDArray[np.bool_]) -> None:
        """Take the answers to the trial whose exposures these are."""
        after = stepped(self.rule, self.exposures_ms, self.streak, correct)
        self.exposures_ms, self.streak = after


class QuestPlusWalk:
    """Many blocks of QUEST+ at once."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape, self.design = shape, design(QUEST)
        self.levels_ms = np.array(self.design.levels_ms)
        start = prior(QUEST)[:, np.newaxis, :]
        blocks = range(0, math.prod(shape), AT_ONCE)
        self.posteriors = [
            np.repeat(start, min(AT_ONCE, math.prod(shape) - first), axis=1) for first in blocks
        ]
        self._choose()

    def _choose(self) -> None:
        self.best = [self.design.best(each) for each in self.posteriors]
        self.exposures_ms = self.levels_ms[np.concatenate(self.best)].reshape(self.shape)

    def step(self, correct: npt.NDArray[np.bool_]) -> None:
        """Take the answers to it."""
        right = correct.ravel()
        for place, best in enumerate(self.best):
            own = right[place * AT_ONCE : (place + 1) * AT_ONCE]
            likely = np.moveaxis(self.design.accuracies[best], 0, 1)
            self.posteriors[place] *= np.where(own[np.newaxis, :, np.newaxis], likely, 1 - likely)
            self.posteriors[place] /= self.posteriors[place].sum(axis=(0, 2), keepdims=True)
        self._choose()

    def thresholds_ms(self) -> Array:
        """Give the scores: the thresholds that are estimated."""
        over = np.concatenate([each.sum(axis=-1) for each in self.posteriors], axis=1)
        return np.asarray(2 ** (np.log2(self.design.thresholds_ms) @ over)).reshape(self.shape)


def check_observers() -> None:
    """Stop unless the observers are those of `hype.observers`."""
    person = Psychometric(threshold_ms=310.0, ceiling=0.95, bias=0.2)
    exposures_ms = np.array([100.0, 250.0, 1000.0])
    for fake, sign in ((True, 1), (False, -1)):
        theirs = [person.says_fake(ms, fake=fake) for ms in exposures_ms]
        ours = says_rightly(
            exposures_ms, np.array(310.0), np.array(0.95), np.array(0.2 * sign), person
        )
        if not np.allclose(ours, theirs if fake else np.subtract(1, theirs)):
            raise SystemExit("the simulated evaluators are not those of hype.observers")


# The table

DESIGNS: Final = {
    "HYPE_∞, people vary": Untimed(image_spread=0, pool=SHOWN),
    "HYPE_∞, images vary, all share 50 + 50": Untimed(image_spread=0.5, pool=SHOWN),
    "HYPE_∞, images vary, of 5000 + 5000": Untimed(image_spread=0.5, pool=5000),
    "HYPE_time, people vary": Timed(image_spread=0),
    "HYPE_time, images vary, all share 75 + 75": Timed(image_spread=0.8),
    "HYPE_time, images vary, of 5000 + 5000": Timed(image_spread=0.8, pool=5000),
    "HYPE_time, bottomed out": Timed(image_spread=0, thresholds_ms=(60.0,)),
    "QUEST+ of 60 trials, people vary": Timed(
        image_spread=0, pool=30, trials=60, quest_plus=True, thresholds_ms=(225.0, 400.0)
    ),
    "QUEST+ of 60 trials, images vary, all share 30 + 30": Timed(
        image_spread=0.8, pool=30, trials=60, quest_plus=True, thresholds_ms=(225.0, 400.0)
    ),
    "QUEST+ of 60 trials, images vary, of 5000 + 5000": Timed(
        image_spread=0.8, pool=5000, trials=60, quest_plus=True, thresholds_ms=(225.0, 400.0)
    ),
}
AIMS: Final = {
    ("HYPE_∞, people vary", "percentile"): HONEST,
    ("HYPE_∞, people vary", "BCa"): HONEST,
    ("HYPE_∞, images vary, all share 50 + 50", "percentile"): (0, HONEST[0]),
    ("HYPE_∞, images vary, all share 50 + 50", "two-way"): HONEST,
    ("HYPE_∞, people vary", "printed"): HONEST,
    ("HYPE_∞, images vary, all share 50 + 50", "printed"): HONEST,
    ("HYPE_∞, images vary, of 5000 + 5000", "printed"): HONEST,
    ("HYPE_time, people vary", "printed"): HONEST,
    ("HYPE_time, images vary, of 5000 + 5000", "printed"): HONEST,
    ("HYPE_time, people vary", "percentile"): HONEST,
    ("HYPE_time, people vary", "BCa"): HONEST,
    ("HYPE_time, images vary, all share 75 + 75", "percentile"): (0, HONEST[0]),
    ("HYPE_time, images vary, all share 75 + 75", "printed"): HONEST,
}


def row(kind: str, interval: str, studies: int, cases: Iterable[Case]) -> str:
    """Sum up the intervals of one kind as a row of markdown."""
    each = [case for case in cases if case.interval == interval]
    covered = sum(case.covers for case in each)
    share = covered / len(each)
    sure = binomtest(covered, len(each)).proportion_ci(method="wilson")
    width = float(np.mean([case.high - case.low for case in each]))
    aim = AIMS.get((kind, interval))
    cells = [
        *(kind, interval, str(studies), str(len(each)), f"{100 * share:.1f}"),
        *(f"{100 * sure.low:.1f} – {100 * sure.high:.1f}", f"{width:.1f}"),
        f"{100 * aim[0]:.0f} – {100 * aim[1]:.0f}" if aim else "",
        ("yes" if aim[0] <= share <= aim[1] else "no") if aim else "",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Simulate all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--only", default="", help="designs whose names begin so")
    asked = parser.parse_args()
    check_observers()
    print(
        "| kind | interval | studies | intervals | covered (%) | 95% CI | mean width | aim | met |"
    )
    print("| --- | --- |" + " ---: |" * 7)
    for kind, simulated in DESIGNS.items():
        if not kind.startswith(asked.only):
            continue
        cases = list(simulated.cases(asked.studies, asked.draws, np.random.default_rng(SEED)))
        for interval in dict.fromkeys(case.interval for case in cases):
            print(row(kind, interval, asked.studies, cases), flush=True)


if __name__ == "__main__":
    main()
