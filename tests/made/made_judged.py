"""Studies whose truth is known, and judges who know more or less.

A person's answer about a pair of images is a level of: the difference of the models, of the images,
of the person's taste for the models, and noise. Axes go together by a part of all of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from hype.judges.choices import judge_comparisons, judge_judgements
from hype.judges.files import Judges
from hype.judges.ratings import judge_ratings
from hype.judges.results import (
    ComparingAgreement,
    DetectorAgreement,
    JudgeAgreement,
    JudgeOptions,
)
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.hype.table import check_judgements
from hype.protocols.rating.table import check_ratings

FloatArray = np.ndarray
NO_SCORES = pd.DataFrame()
OF_R, OF_SHARES = 0.1, 0.05
"""Margins within which a judge is as good as a second person."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """Who rates what: each item by `each` of the people, or by all of them."""

    people: int = 20
    items: int = 120
    each: int = 3
    axes: int = 1
    models: int = 4
    spread: float = 0.8  # SD of differences of models
    images: float = 0.8  # SD of images of one pair of models
    taste: float = 0.4  # SD between people, of what they find of a model
    noise: float = 1.0
    halo: float = 0.4  # the part of each variance that all axes share
    lapse: float = 0.02

    def __str__(self) -> str:
        axes = f" on {self.axes} axes" if self.axes > 1 else ""
        each = "all" if self.each >= self.people else f"{self.each}"
        close = ", who agree closely" if self.noise < 1 else ""
        return f"{self.people} people, {self.items} pairs by {each}{axes}{close}"


class Study:
    """One study: what all share, what each person said, and what judges would see."""

    def __init__(self, design: Design, rng: np.random.Generator) -> None:
        self.design, self.rng = design, rng
        d = design
        strengths = self._mixed(d.models) * d.spread / np.sqrt(2)
        self.first = rng.integers(d.models, size=d.items)
        self.second = (self.first + rng.integers(1, d.models, d.items)) % d.models
        self.of_models = strengths[self.first] - strengths[self.second]
        self.truth = self.of_models + d.images * self._mixed(d.items)
        each = min(d.each, d.people)
        turn = rng.permuted(np.tile(np.arange(d.people), (d.items, 1)), axis=1)[:, :each]
        self.who = np.sort(turn, axis=1)
        tastes = self._mixed(d.people * d.models).reshape(d.people, d.models, d.axes)
        self.answers = np.stack(
            [self._answer(tastes[self.who[:, m]]) for m in range(each)], axis=1
        )  # items, raters, axes

    def _mixed(self, size: int) -> FloatArray:
        d = self.design
        own = self.rng.normal(size=(size, d.axes))
        common = self.rng.normal(size=(size, 1))
        return np.sqrt(d.halo) * common + np.sqrt(1 - d.halo) * own

    def _answer(self, tastes: FloatArray) -> FloatArray:
        place = np.arange(self.design.items)
        liked = tastes[place, self.first] - tastes[place, self.second]
        seen = self.truth + self.design.taste / np.sqrt(2) * liked
        return self.levels(seen + self.design.noise * self._mixed(len(place)))

    def levels(self, seen: FloatArray) -> FloatArray:
        lapse = self.rng.random(seen.shape) < self.design.lapse
        answer = np.clip(np.rint(3 - seen), 1, 5)
        return np.where(lapse, self.rng.integers(1, 6, seen.shape), answer)

    def judge(self, noise: float = 1.0) -> FloatArray:
        """Answer without a taste, with so many times people's noise."""
        return self.levels(self.truth + noise * self.design.noise * self._mixed(self.design.items))

    def person(self, noise: float = 1.0) -> FloatArray:
        """Answer like one more person, whose noise is so many times theirs."""
        d = self.design
        tastes = np.broadcast_to(self._mixed(d.models), (d.items, d.models, d.axes))
        place = np.arange(d.items)
        liked = tastes[place, self.first] - tastes[place, self.second]
        seen = self.truth + d.taste / np.sqrt(2) * liked
        return self.levels(seen + noise * d.noise * self._mixed(d.items))

    def ratings(self) -> pd.DataFrame:
        d = self.design
        item, turn, axis = (each.ravel() for each in np.indices(self.answers.shape))
        frame = pd.DataFrame(
            {
                "item": [f"i{i:04d}" for i in item],
                "axis": [f"a{a}" for a in axis],
                "answer": self.answers.ravel().astype(int).astype(str),
                "first": [f"m{self.first[i]}" for i in item],
                "second": [f"m{self.second[i]}" for i in item],
                "evaluator": [f"p{self.who[i, t]:02d}" for i, t in zip(item, turn, strict=True)],
            }
        )
        frame.loc[frame["axis"].eq(f"a{d.axes - 1}"), "axis"] = "overall"
        return check_ratings(frame)

    def judged(self, judges: dict[str, FloatArray]) -> dict[str, JudgeAgreement]:
        d = self.design
        item, axis = (each.ravel() for each in np.indices((d.items, d.axes)))
        names = [f"a{a}" for a in range(d.axes - 1)] + ["overall"]
        rows = [
            pd.DataFrame(
                {
                    "judge": name,
                    "item": [f"i{i:04d}" for i in item],
                    "axis": [names[a] for a in axis],
                    "answer": answers.ravel().astype(int).astype(str),
                    "first_side": "",
                    "repeat": "",
                }
            )
            for name, answers in judges.items()
        ]
        table = pd.concat(rows, ignore_index=True).astype("category")
        table["file"], table["row"] = "simulated", np.arange(len(table))
        found = judge_ratings(
            self.ratings(), Judges(answers=table, scores=NO_SCORES), JudgeOptions(margin=OF_R)
        )
        return {judge.judge: judge for judge in found.judges}


@dataclass(frozen=True, kw_only=True)
class ComparedDesign:
    """Who compares what: every two models on each prompt, by `each` of the people, or by all."""

    people: int = 20
    prompts: int = 40
    models: int = 4
    each: int = 5
    spread: float = 0.6
    images: float = 0.6
    taste: float = 0.4
    noise: float = 1.0
    careless: float = 0.0  # the part of people who throw dice half of the time

    def __str__(self) -> str:
        each = "all" if self.each >= self.people else f"{self.each}"
        careless = f", {self.careless:.0%} of them careless" if self.careless else ""
        pairs = self.prompts * self.models * (self.models - 1) // 2
        return f"{self.people} people{careless}, {pairs} pairs by {each}"


class ComparedStudy:
    """One study of comparisons: a judge's answers are 1 or −1 for each pair, or 0."""

    def __init__(self, design: ComparedDesign, rng: np.random.Generator) -> None:
        self.design, self.rng, d = design, rng, design
        self.strengths = d.spread * rng.normal(size=d.models)
        worth = self.strengths + d.images * rng.normal(size=(d.prompts, d.models))
        first, second = np.triu_indices(d.models, 1)
        self.prompt = np.repeat(np.arange(d.prompts), len(first))
        self.first, self.second = np.tile(first, d.prompts), np.tile(second, d.prompts)
        self.truth = worth[self.prompt, self.first] - worth[self.prompt, self.second]
        pairs, each = len(self.truth), min(d.each, d.people)
        turn = rng.permuted(np.tile(np.arange(d.people), (pairs, 1)), axis=1)
        self.who = np.sort(turn[:, :each], axis=1)
        tastes = d.taste * rng.normal(size=(d.people, d.models))
        liked = tastes[:, self.first] - tastes[:, self.second]
        seen = self.truth[:, None] + liked[self.who, np.arange(pairs)[:, None]]
        seen += d.noise * np.sqrt(2) * rng.normal(size=seen.shape)
        dice = (self.who < d.careless * d.people) & (rng.random(seen.shape) < 0.5)
        self.answers = np.where(dice, rng.choice([-1, 1], seen.shape), np.sign(seen))

    def judge(self, noise: float = 1.0) -> FloatArray:
        """Answer without a taste, with so many times people's noise."""
        noises = noise * self.design.noise * np.sqrt(2) * self.rng.normal(size=len(self.truth))
        return np.sign(self.truth + noises)

    def person(self) -> FloatArray:
        tastes = self.tastes = self.design.taste * self.rng.normal(size=self.design.models)
        noises = self.design.noise * np.sqrt(2) * self.rng.normal(size=len(self.truth))
        return np.sign(self.truth + tastes[self.first] - tastes[self.second] + noises)

    def difference_of_person(self, pairs: int = 40_000) -> float:
        """How much more often that `person`, with those tastes, agrees than a second person does.

        With all other people and images that there could be; 0 on the average over persons.
        """
        d, rng = self.design, np.random.default_rng(1)
        first, second = (np.resize(side, pairs) for side in np.triu_indices(d.models, 1))
        spread, noise = (np.sqrt(2) * by for by in (d.images, d.noise))
        worth = self.strengths[first] - self.strengths[second] + spread * rng.normal(size=pairs)
        own = worth + self.tastes[first] - self.tastes[second] + noise * rng.normal(size=pairs)
        tastes = np.sqrt(2) * d.taste * rng.normal(size=(2, pairs))
        people = np.sign(worth + tastes + noise * rng.normal(size=(2, pairs)))
        dice = (rng.random((2, pairs)) < d.careless) & (rng.random((2, pairs)) < 0.5)
        people = np.where(dice, rng.choice([-1, 1], (2, pairs)), people)
        return float((np.sign(own) == people[0]).mean() - (people[0] == people[1]).mean())

    def dice(self) -> FloatArray:
        return self.rng.choice([-1.0, 1.0], len(self.truth))

    def votes(self) -> pd.DataFrame:
        pair, turn = (each.ravel() for each in np.indices(self.answers.shape))
        left = self.rng.random(len(pair)) < 0.5
        sides = np.where(left, self.first[pair], self.second[pair])
        others = np.where(left, self.second[pair], self.first[pair])
        answer = (self.answers[pair, turn] > 0) == left
        frame = pd.DataFrame(
            {
                "evaluator": [f"p{who:02d}" for who in self.who[pair, turn]],
                "prompt": [f"t{self.prompt[i]:03d}" for i in pair],
                "left": [f"m{m}" for m in sides],
                "right": [f"m{m}" for m in others],
                "left_image": self.named(pair, sides),
                "right_image": self.named(pair, others),
                "answer": np.where(answer, "left", "right"),
            }
        )
        return check_comparisons(frame)

    def named(self, pair: np.ndarray, models: np.ndarray) -> list[str]:
        return [f"m{m}/t{self.prompt[i]:03d}" for i, m in zip(pair, models, strict=True)]

    def judged(self, judges: dict[str, FloatArray]) -> dict[str, ComparingAgreement]:
        """Hold judges against people; of shape (pairs, 2) they were asked in both orders."""
        place = np.arange(len(self.truth))
        item = [
            f"{one} | {other}"
            for one, other in zip(
                self.named(place, self.first), self.named(place, self.second), strict=True
            )
        ]
        rows = []
        for name, answers in judges.items():
            for side, values in zip(("left", "right"), np.atleast_2d(answers.T), strict=False):
                answer = np.where(values > 0, "1", np.where(values < 0, "3", "2"))
                columns = {"judge": name, "item": item, "answer": answer, "first_side": side}
                rows.append(pd.DataFrame({**columns, "axis": "", "repeat": "", "missing": ""}))
        table = pd.concat(rows, ignore_index=True).astype("category")
        table["file"], table["row"] = "simulated", np.arange(len(table))
        judges_read = Judges(answers=table, scores=NO_SCORES)
        found = judge_comparisons(self.votes(), judges_read, JudgeOptions(margin=OF_SHARES))
        return {judge.judge: judge for judge in found.judges}


@dataclass(frozen=True, kw_only=True)
class DetectedDesign:
    """Who judges what: as many fakes of each model, and as many reals, by `each` of the people."""

    people: int = 20
    fakes: int = 50  # of each model
    reals: int = 100
    models: int = 3
    each: int = 5
    d_prime: float = 1.2  # of people, on the average
    spread: float = 0.5  # SD of it between models
    images: float = 0.6
    criterion: float = 0.3  # SD between people
    noise: float = 1.0

    def __str__(self) -> str:
        each = "all" if self.each >= self.people else f"{self.each}"
        number = self.fakes * self.models + self.reals
        easy = "" if self.d_prime < 2 else ", who hardly err"
        return f"{self.people} people{easy}, {number} images by {each}"


class DetectedStudy:
    """One study of real or fake: a judge's answers are 1 for fake and −1 for real."""

    def __init__(self, design: DetectedDesign, rng: np.random.Generator) -> None:
        self.design, self.rng, d = design, rng, design
        shift = d.d_prime + d.spread * rng.normal(size=d.models)
        self.model = np.append(np.repeat(np.arange(d.models), d.fakes), np.full(d.reals, -1))
        self.is_fake = self.model >= 0
        self.usual = np.where(self.is_fake, shift[self.model] / 2, -d.d_prime / 2)
        self.truth = self.usual + d.images * rng.normal(size=len(self.model))
        images, each = len(self.model), min(d.each, d.people)
        turn = rng.permuted(np.tile(np.arange(d.people), (images, 1)), axis=1)
        self.who = np.sort(turn[:, :each], axis=1)
        criterion = d.criterion * rng.normal(size=d.people)
        seen = self.truth[:, None] + criterion[self.who]
        self.answers = np.sign(seen + d.noise * rng.normal(size=seen.shape))

    def judge(self, noise: float = 1.0) -> FloatArray:
        """Answer by what people see, with so many times their noise."""
        d = self.design
        return np.sign(self.truth + noise * d.noise * self.rng.normal(size=len(self.truth)))

    def person(self) -> FloatArray:
        d = self.design
        own = d.criterion * self.rng.normal() + d.noise * self.rng.normal(size=len(self.truth))
        return np.sign(self.truth + own)

    def detector(self, errors: float = 0.0) -> FloatArray:
        """Know what is right, and err in a part of the images, whichever they are."""
        wrong = self.rng.random(len(self.truth)) < errors
        return np.where(self.is_fake == wrong, -1.0, 1.0)

    def dice(self) -> FloatArray:
        return self.rng.choice([-1.0, 1.0], len(self.truth))

    def judgements(self) -> pd.DataFrame:
        """Give the table; reals are among the fakes of each model in turn."""
        image, turn = (each.ravel() for each in np.indices(self.answers.shape))
        among = np.where(self.is_fake, self.model, np.arange(len(self.model)) % self.design.models)
        frame = pd.DataFrame(
            {
                "evaluator": [f"p{who:02d}" for who in self.who[image, turn]],
                "condition": [f"m{m}" for m in among[image]],
                "truth": np.where(self.is_fake[image], "fake", "real"),
                "answer": np.where(self.answers[image, turn] > 0, "fake", "real"),
                "image": [f"i{i:04d}" for i in image],
                "task": "infinity",
            }
        )
        return check_judgements(frame)

    def judged(self, judges: dict[str, FloatArray]) -> dict[str, DetectorAgreement]:
        item = [f"i{i:04d}" for i in range(len(self.truth))]
        rows = []
        for name, values in judges.items():
            columns = {"judge": name, "item": item, "answer": np.where(values > 0, "no", "yes")}
            rest = dict.fromkeys(("axis", "first_side", "repeat", "missing"), "")
            rows.append(pd.DataFrame(columns | rest))
        table = pd.concat(rows, ignore_index=True).astype("category")
        table["file"], table["row"] = "simulated", np.arange(len(table))
        judges_read = Judges(answers=table, scores=NO_SCORES)
        found = judge_judgements(self.judgements(), judges_read, JudgeOptions(margin=OF_SHARES))
        return {judge.judge: judge for judge in found.judges}
