"""Studies of ratings whose truth is known, and judges who know more or less.

A person's answer about a pair of images is a level of: the difference of the models, of the images,
of the person's taste for the models, and noise. Axes go together by a part of all of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from hype.judges.files import Judges
from hype.judges.ratings import judge_ratings
from hype.judges.results import JudgeAgreement, JudgeOptions
from hype.protocols.rating.table import check_ratings

FloatArray = np.ndarray
NO_SCORES = pd.DataFrame()
MARGIN = 0.1
"""Of r: within it a judge is as good as a second person."""


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
            self.ratings(), Judges(answers=table, scores=NO_SCORES), JudgeOptions(margin=MARGIN)
        )
        return {judge.judge: judge for judge in found.judges}
