"""Judges held against people's judgements, real or fake: detectors beside people."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.judges.files import Judges, place_of
from hype.judges.intervals import RowUnits, estimate_share
from hype.judges.items import JudgeAnswers, People, match_judges, people_in
from hype.judges.results import (
    ConditionErrors,
    DetectorAgreement,
    ErrorsBesidePeople,
    JudgementJudgesScore,
    JudgeOptions,
)
from hype.judges.second_person import PeoplesChoices, agree_on_choices
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.tables.columns import shortened
from hype.tables.distinct import constant
from hype.tables.scales import NO, YES, Scale

REALS: Final = "real images"
"""The group of all of them, beside the conditions."""


def name_images(judgements: pd.DataFrame) -> frozenset[str]:
    """Name the images of judgements.

    Raises InputError: some have no names.
    """
    if "image" not in judgements or judgements["image"].eq("").any():
        problem = "judges name images, and judgements do not name all of theirs"
        raise InputError("judgements", problem, "the column image")
    return frozenset(judgements["image"].astype(str))


def lay_out_judgements(judgements: pd.DataFrame) -> tuple[People, pd.DataFrame]:
    """Lay out judgements in the columns of ratings of single images: yes for real."""
    real = judgements["answer"].eq("real").to_numpy()
    truth = judgements["truth"].eq("real").to_numpy()
    made = np.where(truth, REALS, judgements["condition"].astype(str).to_numpy())
    columns = {
        "item": pd.Categorical(judgements["image"].astype(str)),
        "axis": constant("", judgements.index),
        "value": real.astype(float),
        "answer": pd.Categorical(np.where(real, YES, NO)),
        "first": pd.Categorical(made),
        "first_image": judgements["image"].astype(str),
        "truth_value": truth.astype(float),
        "condition": judgements["condition"],
        "evaluator": judgements["evaluator"],
    }
    table = pd.DataFrame(columns, index=judgements.index)
    return people_in(table, Scale(), called="an image that people judged", column="image"), table


class PeoplesJudgements:
    """People's judgements as arrays of shape (n,), and as choices between two answers."""

    def __init__(self, table: pd.DataFrame, people: People) -> None:
        self.item: IntArray = table["item"].cat.codes.to_numpy().astype(np.int64)
        self.real: BoolArray = table["value"].to_numpy() > 0
        self.truth: BoolArray = table["truth_value"].to_numpy() > 0
        self.condition = table["condition"].astype(str).to_numpy()
        evaluator = table["evaluator"].cat.codes.to_numpy().astype(np.int64)
        group = table["first"].cat.codes.to_numpy().astype(np.int64)
        self.units = RowUnits(evaluator=evaluator, item=self.item)
        fake = (~self.real).astype(np.int64)
        # Each image stands twice: called real, and called fake.
        self.choices = PeoplesChoices(
            images=tuple(name for name in people.items for _ in range(2)),
            better=2 * self.item + fake,
            worse=2 * self.item + 1 - fake,
            better_condition=group,
            worse_condition=group,
            conditions=tuple(map(str, table["first"].cat.categories)),
            units=self.units,
        )


def judge_judgements(
    judgements: pd.DataFrame, judges: Judges, options: JudgeOptions
) -> JudgementJudgesScore:
    """Hold judges against people's judgements.

    Parameters
    ----------
    judgements
        Those of one protocol that are scored, with names of images.
    judges
        As `read_judges` returns them; all answer real or fake.
    options
        The choices.

    Raises
    ------
    InputError
        A judge scores images, or answers about one that people did not
        judge.
    """
    if not judges.scores.empty:
        judge = shortened(str(judges.scores["judge"].iloc[0]))
        problem = f"the judge {judge!r} scores images, and people said real or fake"
        raise InputError(place_of(judges.scores, 0), problem, "the columns image and answer")
    people, table = lay_out_judgements(judgements)
    answers = PeoplesJudgements(table, people)
    agreements = [
        _agree(each, answers, options) for each in match_judges(judges, people, overall="")
    ]
    return JudgementJudgesScore(
        judges=tuple(
            sorted(agreements, key=lambda one: (one.errors.judge.value or 0.0, one.judge))
        ),
        confidence=options.confidence,
        margin=options.margin,
        notes=(
            "Errors of judges and people are those on images that both judged. Several answers of "
            "a judge to one image count as the answer that it gave most often.",
            "Intervals allow for other evaluators and images.",
        ),
    )


def _agree(
    judge: JudgeAnswers, people: PeoplesJudgements, options: JudgeOptions
) -> DetectorAgreement:
    said = judge.numbers[:, 0]  # 1 for real, 0 for fake, NaN for nothing; of each image
    sides: FloatArray = np.stack([2 * said - 1, 1 - 2 * said], axis=1).ravel()
    base = agree_on_choices(judge.judge, lambda one, _: sides[one], people.choices, options)
    known = ~np.isnan(said[people.item])

    def errors(rows: BoolArray) -> ErrorsBesidePeople | None:
        rows = rows & known
        return _compare_errors(said, people, rows, options.confidence) if rows.any() else None

    return DetectorAgreement(
        **vars(base) | {"images": int((~np.isnan(said)).sum()), "of_images": len(said)},
        missing=dict(judge.missing),
        constant=_constant(said),
        errors=_compare_errors(said, people, known, options.confidence),
        fakes=errors(~people.truth),
        reals=errors(people.truth),
        conditions=tuple(
            ConditionErrors(condition=name, errors=of_fakes)
            for name in sorted(set(people.condition))
            if (of_fakes := errors(~people.truth & (people.condition == name)))
        ),
    )


def _compare_errors(
    said: FloatArray, people: PeoplesJudgements, rows: BoolArray, confidence: float
) -> ErrorsBesidePeople:
    """Give errors on the images of some judgements: the judge's once for each, and people's."""
    item, first = np.unique(people.item[rows], return_index=True)
    wrong = (said[item] > 0) != people.truth[rows][first]
    of_people = people.real[rows] != people.truth[rows]
    alone = RowUnits(evaluator=None, item=None)
    return ErrorsBesidePeople(
        judge=estimate_share(wrong.astype(float), alone, confidence),
        people=estimate_share(of_people.astype(float), people.units.of(rows), confidence),
    )


def _constant(said: FloatArray) -> str:
    given = np.unique(said[~np.isnan(said)])
    return ("real" if given[0] else "fake") if len(given) == 1 else ""
