"""How often verdicts on equal models are wrong, and how often intervals hold: HYPE_∞.

    python benchmarks/inference.py [--by | --claims] [--studies 400] [--processes 2]

Every study is new: new evaluators, and new images, of three models: two are equal, the third is
some logits from them. Each evaluator judges 50 fakes and 50 reals, all the same 100 of their
model; reals are shared by the models. Whether an answer is wrong is logistic in the model's mean,
the evaluator's and the image's own effect. Each study is scored as `hype score` does it.
The truth is over all evaluators and all images that there could be.

False alarms: the two equal models are called separable, any model hyper-realistic (at a true error
of 50 %), or two models equivalent whose difference is just the margin. "Error said / real" holds
the crossed standard error (root mean square) against how much scores really vary over the simulated
studies, whose people and images are all drawn anew.

``--claims``: of three equal models, how often any is called hyper-realistic at a true error of
50 %, and how many are at 60 %. Rows come as they are simulated. Fixed seed.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from hype.protocols.hype.inference import Inference, inference_of_errors
from hype.statistics.cells import CellEstimates, cell_means, cell_scores

SEED: Final = 20240
ALPHA: Final = 0.05
PEOPLE: Final = (2, 3, 5, 10, 30)
SPREADS: Final = tuple(product((0.0, 0.3, 0.5, 1.0), (0.0, 0.3, 0.6)))
"""Standard deviations of images and of evaluators, in logits."""
ERRORS: Final = (0.5, 0.2)
SHOWN: Final = 50
MODELS: Final = "abc"
APART: Final = 0.5
"""Logits between the third model and the equal ones."""
ABOVE: Final = 0.6
"""The error of models that are hyper-realistic."""
NODES: Final = np.polynomial.hermite_e.hermegauss(60)


@cache
def layout(people: int) -> pd.DataFrame:
    """Lay out who judges what under which condition: a row for each judgement, without answers."""
    model, person, kind, image = (at.ravel() for at in np.indices((len(MODELS), people, 2, SHOWN)))
    owner = np.where(kind == 0, model, len(MODELS))
    columns = {
        "evaluator": model * people + person,
        "condition": model,
        "truth": kind,
        "image": owner * SHOWN + image,
    }
    return pd.DataFrame({name: named(name, codes) for name, codes in columns.items()})


def named(column: str, codes: np.ndarray) -> pd.Categorical:
    names = {"condition": list(MODELS), "truth": ["fake", "real"]}
    others = [f"{column}{number:05d}" for number in range(int(codes.max()) + 1)]
    return pd.Categorical.from_codes(codes, categories=names.get(column, others))


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A design: how many evaluators, what varies, and the typical error."""

    people: int
    images: float
    tastes: float
    error: float

    @property
    def middle(self) -> float:
        """Give the logits of an error that is typical."""
        return float(np.log(self.error / (1 - self.error)))

    def truth_percent(self, logits: float) -> float:
        """Give the expected error over evaluators and images."""
        at, weights = NODES
        spread = np.hypot(self.images, self.tastes)
        return float(100 * weights @ expit(logits + spread * at) / weights.sum())

    def inference(
        self, rng: np.random.Generator, logits: Sequence[float]
    ) -> tuple[Inference, dict[str, np.ndarray]]:
        """Simulate one study of three models and score it; with it come people's own errors."""
        fakes = rng.normal(0, self.images, (len(MODELS), 1, 1, SHOWN))
        reals = np.broadcast_to(rng.normal(0, self.images, SHOWN), fakes.shape)
        looks = np.concatenate([fakes, reals], axis=2)
        able = rng.normal(0, self.tastes, (len(MODELS), self.people, 1, 1))
        middle = np.array(logits)[:, None, None, None]
        wrong = rng.random((len(MODELS), self.people, 2, SHOWN)) < expit(middle + able + looks)
        says_real = wrong ^ np.array([[False], [True]])
        answer = pd.Categorical.from_codes(says_real.ravel().astype(int), ["fake", "real"])
        people = dict(zip(MODELS, 100 * wrong.mean(axis=(2, 3)), strict=True))
        frame = layout(self.people).assign(answer=answer)
        return inference_of_errors(frame, people, "sample"), people

    def found(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Score one study: what held, and what was claimed."""
        same, other = (self.truth_percent(self.middle - shift) for shift in (0.0, APART))
        inference, people = self.inference(rng, [self.middle, self.middle, self.middle - APART])
        equal, apart, _ = inference.pairs(people, alpha=ALPHA, margin=abs(same - other))
        interval = inference.interval("a", confidence=1 - ALPHA)
        difference, error = inference.contrast({"a": 1.0, "c": -1.0})
        return (
            interval.low <= same <= interval.high,
            apart.ci_low <= same - other <= apart.ci_high,
            equal.separable,
            apart.separable,
            apart.p_equivalent < ALPHA,
            bool(inference.hyper_realistic(alpha=ALPHA)),
            interval.high - interval.low,
            interval.value,
            inference.error("a").variance,
            difference,
            0.0 if isinstance(error, str) else error.variance,
        )

    def claims(self, studies: int, rng: np.random.Generator) -> np.ndarray:
        """Say how many of three equal models each study calls hyper-realistic."""
        logits = brentq(lambda at: self.truth_percent(at) - 100 * self.error, -9, 9)
        each = (self.inference(rng, [logits] * len(MODELS))[0] for _ in range(studies))
        return np.array([len(one.hyper_realistic(alpha=ALPHA)) for one in each])


def row(cell: Cell, studies: int, seed: int) -> str:
    """Simulate the studies of one cell, as a row of markdown."""
    rng = np.random.default_rng(seed)
    found = np.array([cell.found(rng) for _ in range(studies)], dtype=float)
    *means, width = found[:, :7].mean(axis=0)
    shares = [f"{100 * mean:.1f}" for mean in means]
    # What the crossed error says, over how much the estimates of all the studies vary.
    scores, variances, differences, theirs = found[:, 7:].T
    ratios = (
        f"{np.sqrt(said.mean() / are.var(ddof=1)):.2f}"
        for are, said in ((scores, variances), (differences, theirs))
    )
    design = (f"{100 * cell.error:.0f}", f"{cell.people}", f"{cell.images:g}", f"{cell.tastes:g}")
    return f"| {' | '.join((*design, str(studies), *shares, f'{width:.1f}', *ratios))} |"


def row_of_claims(cell: Cell, studies: int, seed: int) -> str:
    """Simulate three equal models, at chance and above it, as a row of markdown."""
    rng = np.random.default_rng(seed)
    wrong = 100 * (cell.claims(studies, rng) > 0).mean()
    above = 100 * (replace(cell, error=ABOVE).claims(studies // 4, rng) / len(MODELS)).mean()
    design = f"{cell.people} | {cell.images:g} | {cell.tastes:g} | {studies}"
    return f"| {design} | {wrong:.2f} | {above:.1f} |"


GROUPS: Final = 4
IMAGES: Final = 160
"""Of each model; everybody judges 40 of them."""
EACH: Final = 40
BASES: Final = (20.0, 35.0, 50.0)
TRUTHS: Final = ((0.0, 0.0), (5.0, 0.0), (4.0, 4.0))
"""SD of groups over all models, and of each model's own, in percentage points."""
LAYOUTS: Final = ("people, one model each", "people, all models", "images")
UNEQUAL: Final = (0.05, 0.1, 0.25, 0.6)


@dataclass(frozen=True, kw_only=True)
class ByGroup:
    """A design with groups, of ``people`` for each model."""

    layout: str
    people: int
    alike: float
    own: float
    shares: tuple[float, ...] = (1 / GROUPS,) * GROUPS
    spread: float = 0.5  # of evaluators and of images, in logits

    def logits(self, percent: float) -> float:
        """Give the logits at which the error expected over people and images is so many percent."""
        cell = Cell(people=1, images=self.spread, tastes=self.spread, error=0.5)
        return float(brentq(lambda logits: cell.truth_percent(logits) - percent, -9, 9))

    def truths(self, rng: np.random.Generator) -> np.ndarray:
        """Draw the true errors, shape (models, groups)."""
        shape = len(BASES), GROUPS
        alike = rng.normal(0, self.alike, GROUPS)
        return np.clip(np.array(BASES)[:, None] + alike + rng.normal(0, self.own, shape), 3, 97)

    def study(self, rng: np.random.Generator, truths: np.ndarray) -> CellEstimates:
        """Simulate the judgements of one study, and score its cells."""
        models = len(BASES)
        logits = np.vectorize(self.logits)(truths)
        whole = self.people if self.layout == LAYOUTS[1] else self.people * models
        looks = rng.normal(0, self.spread, (models, IMAGES))
        of_people = rng.choice(GROUPS, whole, p=self.shares)
        of_images = rng.choice(GROUPS, IMAGES, p=self.shares)
        model, group, person, image, wrong = [], [], [], [], []
        for who in range(whole):
            able = rng.normal(0, self.spread)
            for which in range(models) if self.layout == LAYOUTS[1] else [who % models]:
                seen = rng.choice(IMAGES, EACH, replace=False)
                own = of_images[seen] if self.layout == "images" else np.full(EACH, of_people[who])
                chance = expit(logits[which, own] + able + looks[which, seen])
                wrong.append(100.0 * (rng.random(EACH) < chance))
                model.append(np.full(EACH, which))
                group.append(own)
                person.append(np.full(EACH, who))
                image.append(which * IMAGES + seen)
        names = tuple(map(str, range(models))), tuple(map(str, range(GROUPS)))
        arrays = [np.concatenate(part) for part in (model, group, wrong, person, image)]
        return cell_means(names, *arrays, whole=100.0)

    def found(self, rng: np.random.Generator) -> dict[str, list[float]]:
        truths = self.truths(rng)
        scores = cell_scores(
            self.study(rng, truths),
            protocol="infinity",
            measure="error",
            unit="%",
            shares=dict.fromkeys(map(str, range(GROUPS)), 1 / GROUPS),
        )
        found: dict[str, list[float]] = {name: [] for name in FOUND}
        for cell in scores.cells:
            truth = truths[int(cell.condition), int(cell.group)]
            if cell.score.low is not None:
                found["cell"].append(cell.score.low <= truth <= cell.score.high)
        for total in scores.totals:
            if total.score and total.score.low is not None:
                truth = truths[int(total.condition)].mean()
                found["total"].append(total.score.low <= truth <= total.score.high)
        test = scores.interaction
        found["interaction"].append(test is not None and test.p < ALPHA)
        return found


FOUND: Final = ("cell", "total", "interaction")


def row_by_group(design: ByGroup, studies: int, seed: int) -> str:
    """Simulate the studies of one design, as a row of markdown."""
    rng = np.random.default_rng(seed)
    found = [design.found(rng) for _ in range(studies)]
    shares = [
        f"{100 * np.mean([one for each in found for one in each[name]]):.1f}" for name in FOUND
    ]
    sizes = "alike" if len(set(design.shares)) == 1 else "5, 10, 25, 60 %"
    truth = f"{design.alike:g}, {design.own:g}"
    return f"| {' | '.join((design.layout, sizes, str(design.people), truth, *shares))} |"


def by_group(studies: int, processes: int) -> None:
    """Simulate all designs with groups, and print a table."""
    print(
        "| groups of | sizes | evaluators | SD of groups (points): alike, own | cell covered (%) | "
        "total covered (%) | interaction (%) |"
    )
    print("| --- | --- |" + " ---: |" * 5, flush=True)
    equal = (1 / GROUPS,) * GROUPS
    designs = [
        ByGroup(layout=layout, people=people, alike=alike, own=own, shares=shares)
        for layout, shares, people, (alike, own) in product(
            LAYOUTS, (equal, UNEQUAL), (10, 30), TRUTHS
        )
    ]
    seeds = range(SEED, SEED + len(designs))
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(row_by_group, designs, [studies] * len(designs), seeds):
            print(line, flush=True)


def printed(
    header: str, make: Callable[[Cell, int, int], str], cells: Sequence[Cell], asked: Namespace
) -> None:
    """Print a table, row by row."""
    print(header)
    print("|" + " ---: |" * (header.count("|") - 1), flush=True)
    seeds = range(SEED, SEED + len(cells))
    with ProcessPoolExecutor(asked.processes) as pool:
        for line in pool.map(make, cells, [asked.studies] * len(cells), seeds):
            print(line, flush=True)


def main() -> None:
    """Simulate all, and print a table."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--by", action="store_true")
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    designs = [
        Cell(people=people, images=images, tastes=tastes, error=error)
        for error, people, (images, tastes) in product(ERRORS, PEOPLE, SPREADS)
    ]
    if asked.by:
        by_group(asked.studies, asked.processes)
    elif asked.claims:
        at_chance = [cell for cell in designs if cell.error == ERRORS[0]]
        printed(
            "| evaluators | SD of images | SD of evaluators | studies | 50 %: any (%) | 60 % (%) |",
            row_of_claims,
            at_chance,
            asked,
        )
    else:
        printed(
            "| error (%) | evaluators | SD of images | SD of evaluators | studies | "
            "score covered (%) | difference covered (%) | equal: separable (%) | "
            "apart: separable (%) | just the margin: equivalent (%) | hyper-realistic (%) | "
            "width (points) | error said / real, score | the same, difference |",
            row,
            designs,
            asked,
        )


if __name__ == "__main__":
    main()
