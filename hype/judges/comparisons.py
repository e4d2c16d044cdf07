"""Judges held against people's comparisons: which of two, in either order."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hype.asking.questions import name_of_pair
from hype.errors import InputError
from hype.judges.files import Judges
from hype.judges.intervals import RowUnits
from hype.judges.items import JudgeAnswers, People, match_judges, people_in
from hype.judges.ratings import count_first
from hype.judges.results import ComparingAgreement, ComparisonJudgesScore, JudgeOptions
from hype.judges.second_person import PeoplesChoices, Preference, agree_on_choices
from hype.statistics.arrays import FloatArray, IntArray
from hype.tables.distinct import constant
from hype.tables.scales import Scale

LEVELS: Final = {"left": 1.0, "tie": 0.0, "right": -1.0}
CALLED: Final = "two images that people compared"
SIDES: Final = ("left", "right")


def name_pairs(votes: pd.DataFrame) -> list[str]:
    """Name the two images of each comparison, the same in either order.

    Raises InputError: images have no names.
    """
    names = [f"{side}_image" for side in SIDES]
    for name in names:
        if name not in votes or votes[name].eq("").any():
            problem = "judges name images, and comparisons do not name all of theirs"
            raise InputError("comparisons", problem, f"the column {name}")
    return list(map(name_of_pair, *(votes[name].astype(str) for name in names)))


def lay_out_comparisons(votes: pd.DataFrame) -> tuple[People, pd.DataFrame]:
    """Lay out comparisons in the columns of ratings of pairs, with the middle level for ties.

    Which image of a pair is the first follows from its path, and not from where it was shown.

    Raises InputError: images have no names.
    """
    votes = votes[votes["answer"].isin(list(LEVELS))]
    items = pd.Categorical(name_pairs(votes))
    left, right = (votes[f"{side}_image"].astype(str).to_numpy() for side in SIDES)
    turned = left > right
    value = votes["answer"].astype(str).map(LEVELS).to_numpy() * np.where(turned, -1, 1)
    sides = [votes[side].astype(str).to_numpy() for side in SIDES]
    made = pd.CategoricalDtype(sorted({*sides[0], *sides[1]}))
    columns = {
        "item": items,
        "axis": constant("", votes.index),
        "value": value,
        "answer": pd.Categorical((2 - value).astype(int).astype(str)),
        "first": pd.Series(np.where(turned, sides[1], sides[0]), votes.index, dtype=made),
        "second": pd.Series(np.where(turned, sides[0], sides[1]), votes.index, dtype=made),
        "first_image": np.where(turned, right, left),
        "second_image": np.where(turned, left, right),
        **{name: votes[name] for name in ("evaluator", "prompt") if name in votes},
    }
    table = pd.DataFrame(columns, index=votes.index)
    return people_in(table, Scale(levels=3), called=CALLED, column="left_image"), table


FEWEST_PROMPTS: Final = 10
"""Fewer tell too little of how prompts vary; pairs of images then stand for themselves."""


def _vary_by_prompts(table: pd.DataFrame) -> bool:
    return "prompt" in table and table["prompt"].nunique() >= FEWEST_PROMPTS


def list_choices(people: People, table: pd.DataFrame) -> PeoplesChoices:
    """Take the comparisons that prefer one of two as choices; images vary by prompts, if many."""
    head = np.unique(table["item"].cat.codes.to_numpy(), return_index=True)[1]
    made = np.column_stack([table[side].cat.codes.to_numpy()[head] for side in ("first", "second")])
    of_prompt = table["prompt"].cat.codes.to_numpy()[head] if _vary_by_prompts(table) else None
    groups: IntArray = np.arange(len(head)) if of_prompt is None else of_prompt.astype(np.int64)
    names, numbered = np.unique(np.array(people.images).T, return_inverse=True)
    shown = numbered.reshape(-1, 2).astype(np.int64)
    votes = people.ratings[:, 0]
    rows = votes != 0
    better, item = (votes[rows] < 0).astype(np.int64), people.item[rows]
    return PeoplesChoices(
        images=tuple(map(str, names)),
        better=shown[item, better],
        worse=shown[item, 1 - better],
        better_condition=made[item, better].astype(np.int64),
        worse_condition=made[item, 1 - better].astype(np.int64),
        conditions=tuple(map(str, table["first"].cat.categories)),
        units=RowUnits(
            evaluator=None if people.evaluator is None else people.evaluator[rows],
            item=groups[item],
        ),
    )


def prefer_by_items(values: FloatArray, people: People, images: tuple[str, ...]) -> Preference:
    """Prefer as a judge does of items: ``values``, shape (I,), above 0 for the first image."""
    size, number = len(images), {name: place for place, name in enumerate(images)}
    first, second = (np.array([number[name] for name in side]) for side in people.images)
    keys = np.minimum(first, second) * size + np.maximum(first, second)
    order = np.argsort(keys)

    def prefers(one: IntArray, other: IntArray) -> FloatArray:
        asked = np.minimum(one, other) * size + np.maximum(one, other)
        item = order[np.searchsorted(keys[order], asked)]
        turned: FloatArray = np.where(first[item] == one, values[item], -values[item])
        return turned

    return prefers


def judge_comparisons(
    votes: pd.DataFrame, judges: Judges, options: JudgeOptions
) -> ComparisonJudgesScore:
    """Hold judges against people's comparisons.

    Parameters
    ----------
    votes
        Those that are scored, with names of images.
    judges
        As `read_judges` returns them: they answer left, right or tie about two images, or score
        images.
    options
        The choices.

    Raises
    ------
    InputError
        Images have no names; or a judge names two images that people did not compare, or an image
        that they did not see.
    """
    people, table = lay_out_comparisons(votes)
    choices = list_choices(people, table)
    agreements = [
        _agree(each, people, choices, options) for each in match_judges(judges, people, overall="")
    ]
    return ComparisonJudgesScore(
        judges=tuple(sorted(agreements, key=lambda one: (-(one.accuracy.value or 0.0), one.judge))),
        confidence=options.confidence,
        margin=options.margin,
        notes=_notes(people, table),
    )


def _agree(
    judge: JudgeAnswers, people: People, choices: PeoplesChoices, options: JudgeOptions
) -> ComparingAgreement:
    values = judge.numbers[:, 0]
    prefers = prefer_by_items(values, people, choices.images)
    return ComparingAgreement(
        **vars(agree_on_choices(judge.judge, prefers, choices, options)),
        shape=judge.shape,
        pairs_judged=int((~np.isnan(values)).sum()),
        of_pairs=len(values),
        pairs_decided=int((np.nan_to_num(values) != 0).sum()),
        missing=dict(judge.missing),
        # Of one order alone it is not known whether it was the place or the model.
        first_image=count_first(judge, people, options.confidence) if judge.both_orders else None,
    )


def _notes(people: People, table: pd.DataFrame) -> tuple[str, ...]:
    unit = "prompts" if _vary_by_prompts(table) else "pairs of images"
    who = "evaluators and " if people.evaluator is not None else ""
    return (
        "Accuracy is the share of people's choices between two images in which the judge prefers "
        "the same. People's ties do not count, a judge's ties count as half. Several answers of a "
        "judge to the same pair, in either order, count as their mean.",
        f"Intervals allow for other {who}{unit}.",
    )
