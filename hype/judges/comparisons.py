"""Judges held against people's comparisons: which of two, in either order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.asking.questions import name_of_pair
from hype.errors import InputError
from hype.judges.choices import (
    ImageChoices,
    PeoplesChoices,
    Preference,
    choice_agreement,
)
from hype.judges.clustered import RowUnits
from hype.judges.items import People, judged, people_in
from hype.judges.preference_findings import comparing_in_words
from hype.judges.ratings import corrected_positions, position
from hype.judges.results import ComparingAgreement, ComparisonJudgesScore, JudgeOptions
from hype.protocols.rating.table import Scale
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.paired_counts import answers_of, count
from hype.statistics.strength_table import with_strengths
from hype.tables.distinct import constant

if TYPE_CHECKING:
    from hype.judges.files import Judges
    from hype.judges.items import Judged
    from hype.statistics.crossed import Images
    from hype.statistics.estimate import Estimate
    from hype.statistics.strengths import Ties

LEVELS: Final = {"left": 1.0, "tie": 0.0, "right": -1.0}
CALLED: Final = "two images that people compared"
SIDES: Final = ("left", "right")


def pairs_named(votes: pd.DataFrame) -> list[str]:
    """Name the two images of each comparison, the same in either order.

    Raises InputError: images have no names.
    """
    names = [f"{side}_image" for side in SIDES]
    for name in names:
        if name not in votes or votes[name].eq("").any():
            problem = "judges name images, and comparisons do not name all of theirs"
            raise InputError("comparisons", problem, f"the column {name}")
    return list(map(name_of_pair, *(votes[name].astype(str) for name in names)))


def people_comparing(votes: pd.DataFrame) -> tuple[People, pd.DataFrame]:
    """Lay out comparisons in the columns of ratings of pairs, with the middle level for ties.

    Which image of a pair is the first follows from its path, and not from where it was shown.

    Raises InputError: images have no names.
    """
    votes = votes[votes["answer"].isin(list(LEVELS))]
    items = pd.Categorical(pairs_named(votes))
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


def _by_prompts(table: pd.DataFrame) -> bool:
    return "prompt" in table and table["prompt"].nunique() >= FEWEST_PROMPTS


def choices_of(people: People, table: pd.DataFrame) -> PeoplesChoices:
    """Take the comparisons that prefer one of two as choices; images vary by prompts, if many."""
    head = np.unique(table["item"].cat.codes.to_numpy(), return_index=True)[1]
    made = np.column_stack([table[side].cat.codes.to_numpy()[head] for side in ("first", "second")])
    of_prompt = table["prompt"].cat.codes.to_numpy()[head] if _by_prompts(table) else None
    groups: IntArray = np.arange(len(head)) if of_prompt is None else of_prompt.astype(np.int64)
    names, numbered = np.unique(np.array(people.images).T, return_inverse=True)
    shown = numbered.reshape(-1, 2).astype(np.int64)
    votes = people.ratings[:, 0]
    rows, item = votes != 0, people.item
    better = (votes[rows] < 0).astype(np.int64)
    item = item[rows]
    units = RowUnits(
        evaluator=None if people.evaluator is None else people.evaluator[rows],
        item=groups[item],
    )
    net = np.bincount(item, weights=votes[rows], minlength=len(head))
    several = (np.bincount(item, minlength=len(head)) > 1) & (net != 0)
    most = (net[several] < 0).astype(np.int64)
    pairs, place = shown[several], np.arange(int(several.sum()))
    return PeoplesChoices(
        images=tuple(map(str, names)),
        choices=ImageChoices(
            better=shown[item, better], worse=shown[item, 1 - better], units=units
        ),
        better=made[item, better].astype(np.int64),
        worse=made[item, 1 - better].astype(np.int64),
        conditions=tuple(map(str, table["first"].cat.categories)),
        average=ImageChoices(
            better=pairs[place, most],
            worse=pairs[place, 1 - most],
            units=RowUnits(evaluator=None, item=groups[several]),
        ),
    )


def by_items(values: FloatArray, people: People, images: tuple[str, ...]) -> Preference:
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
    votes: pd.DataFrame,
    judges: Judges,
    options: JudgeOptions,
    *,
    ties: Ties = "half",
    images: Images = "sample",
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
    ties, images
        What counts for strengths, as `PairwiseOptions` has it.

    Raises
    ------
    InputError
        Images have no names; or a judge names two images that people did not compare, or an image
        that they did not see.
    """
    people, table = people_comparing(votes)
    choices = choices_of(people, table)
    agreements = corrected_positions(
        [
            _agreement(each, people, table, choices, options, ties, images)
            for each in judged(judges, people, overall="")
        ]
    )
    said = [comparing_in_words(each, options) for each in agreements]
    return ComparisonJudgesScore(
        judges=tuple(sorted(said, key=lambda one: (-(one.accuracy.value or 0.0), one.judge))),
        margin=options.margin_of_shares,
        fewest_people=options.fewest_people,
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        notes=_notes(people, table),
    )


def _agreement(
    judge: Judged,
    people: People,
    table: pd.DataFrame,
    choices: PeoplesChoices,
    options: JudgeOptions,
    ties: Ties,
    images: Images,
) -> ComparingAgreement:
    values = judge.numbers[:, 0]
    prefers = by_items(values, people, choices.images)
    base = choice_agreement(judge.judge, prefers, choices, options, as_one=True)
    return ComparingAgreement(
        **vars(base),
        shape=judge.shape,
        pairs_judged=int((~np.isnan(values)).sum()),
        of_pairs=len(values),
        pairs_decided=int((np.nan_to_num(values) != 0).sum()),
        missing=dict(judge.missing),
        # Of one order alone it is not known whether it was the place or the model.
        position=position(judge, people) if judge.places else None,
        elo=_elo(values, table, ties, images, options.confidence),
    )


def _elo(
    values: FloatArray, table: pd.DataFrame, ties: Ties, images: Images, confidence: float
) -> dict[str, Estimate]:
    """Give strengths by what a judge says of each pair of images, on Elo's scale; may be empty."""
    head = np.unique(table["item"].cat.codes.to_numpy(), return_index=True)[1]
    known = ~np.isnan(values)
    answers = np.where(values > 0, "left", np.where(values < 0, "right", "tie"))[known]
    if not known.any():
        return {}
    own = table.iloc[head[known]]
    votes = pd.DataFrame(
        {
            "left": own["first"],
            "right": own["second"],
            "answer": pd.Categorical(answers, categories=list(LEVELS)),
            "left_image": pd.Categorical(own["first_image"]),
            "right_image": pd.Categorical(own["second_image"]),
            **({"prompt": own["prompt"]} if "prompt" in own else {}),
        }
    )
    counted = answers_of(votes, images)[0]
    found = with_strengths(count(votes), counted, ties=ties, confidence=confidence)
    return {row.condition: row.elo for row in found.conditions}


def _notes(people: People, table: pd.DataFrame) -> tuple[str, ...]:
    unit = "prompts" if _by_prompts(table) else "pairs of images"
    who = "evaluators and " if people.evaluator is not None else ""
    return (
        "Accuracy is the share of people's choices between two images in which the judge prefers "
        "the same; ties of people do not count, those of a judge count as half. What it answered "
        "several times, in either order, counts as its mean.",
        f"Intervals take {who}{unit} for the independent units.",
    )
