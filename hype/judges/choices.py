"""Compare judges with people who chose one of two images, ranked images, or chose real or fake.

A choice is between the two sides of an item: the two images of a pair, or real and fake for one
image. A ranking of n images counts as n(n − 1)/2 choices. A judge has a value for each item: above
0 if the judge chooses the first side, below 0 if the second, 0 for a tie, NaN if unknown. A second
person's choice is estimated from other people's choices about the same item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import pandas as pd

from hype.asking.questions import name_of_pair
from hype.errors import InputError
from hype.judges.benchmark import benchmarks_of, mean_scores
from hype.judges.files import Judges, first_repeated, place_of
from hype.judges.items import (
    JudgeAnswers,
    People,
    group_by_judge,
    match_judges,
    number_images,
    people_in,
)
from hype.judges.ratings import count_first
from hype.judges.results import (
    ChoiceAgreement,
    ComparingAgreement,
    CountedEstimate,
    DetectorAgreement,
    JudgeOptions,
    JudgesScore,
    RankingJudgesScore,
    RowUnits,
    ends_of_difference,
    estimate_share,
    mean_error,
)
from hype.report.tabular import Row
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.paired_counts import compare_rows, orders
from hype.statistics.proportions import mean_on_scale
from hype.study.scales import NO, YES, Scale
from hype.tables.cells import codes_of, constant
from hype.tables.columns import shorten

ChoicesT = TypeVar("ChoicesT", bound=ChoiceAgreement)


@dataclass(frozen=True, kw_only=True, eq=False)
class PeoplesChoices:
    """People's choices, without ties: n choices about I items."""

    item: IntArray  # the item of each choice, shape (n,)
    is_first: BoolArray  # whether the first side was chosen, shape (n,)
    images: IntArray  # the images on each item's two sides, as numbers, shape (I, 2)
    made: IntArray  # the conditions on the two sides of each choice, as numbers, shape (n, 2)
    conditions: tuple[str, ...]
    units: RowUnits  # the person and the group of images of each choice

    @cached_property
    def answers_on_item(self) -> tuple[IntArray, IntArray]:
        """For each choice: how many choices its item has, and how many of these are equal to it."""
        number = np.bincount(self.item)[self.item]
        firsts = np.bincount(self.item, weights=self.is_first)[self.item]
        return number, np.where(self.is_first, firsts, number - firsts).astype(np.int64)

    @property
    def others(self) -> FloatArray:
        """Per choice: the share of the item's other choices that agree; NaN if there are none."""
        number, same = self.answers_on_item
        return np.where(number > 1, (same - 1) / np.maximum(number - 1, 1), np.nan)

    @cached_property
    def pairs_of_conditions(self) -> list[tuple[str, str, IntArray]]:
        pairs, code = np.unique(np.sort(self.made, axis=1), axis=0, return_inverse=True)
        return [
            (self.conditions[a], self.conditions[b], np.flatnonzero(code.ravel() == number))
            for number, (a, b) in enumerate(pairs.tolist())
            if a != b
        ]


def agree_on_choices(
    judge: str, values: FloatArray, people: PeoplesChoices, options: JudgeOptions
) -> ChoiceAgreement:
    """Compare a judge with people's choices; ``values``: the judge's values, shape (I,)."""
    ahead = np.where(people.is_first, values[people.item], -values[people.item])
    known, confidence = ~np.isnan(ahead), options.confidence
    hits: FloatArray = (ahead > 0) + 0.5 * (ahead == 0)

    def accuracy(rows: BoolArray | IntArray) -> CountedEstimate:
        return estimate_share(hits[rows], people.units.select(rows), confidence)

    shared = known & ~np.isnan(people.others)
    person, difference = None, None
    if shared.any():
        units, own, other = people.units.select(shared), hits[shared], people.others[shared]
        person = estimate_share(other, units, confidence)
        if units.evaluator is not None:
            number, same = people.answers_on_item
            # the share of an item's choices that are for its more popular side
            majority = np.maximum(same, number - same) / number
            most = float(majority[shared].mean())
            difference = compare_shares(own, other, most, units, confidence)
    return ChoiceAgreement(
        judge=judge,
        images=len(np.unique(people.images[people.item[known]])),
        of_images=len(np.unique(people.images[people.item])),
        comparisons=int(known.sum()),
        of_comparisons=len(known),
        accuracy=accuracy(known),
        person=person,
        difference=difference,
        verdict=options.verdict(difference),
        pairs=tuple(
            {"a": a, "b": b, "accuracy": accuracy(rows[known[rows]])}
            for a, b, rows in people.pairs_of_conditions
        ),
    )


def compare_shares(
    hits: FloatArray, others: FloatArray, most: float, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Return a judge's accuracy minus a second person's; ``most``: the best possible accuracy."""
    own, other = hits - hits.mean(), others - others.mean()
    low, high = None, None
    if len(units.ways) == 2:
        # Each comparison of two people depends on both, so it counts twice in the error over people
        errors = (
            mean_error(own, units),
            mean_error(2 * other, units, other),
            mean_error(own - 2 * other, units, own - other),
        )
        judge, person = (
            mean_on_scale(
                float(each.mean()),
                error.reach(confidence),
                units.ways[0][1],
                confidence=confidence,
                scale=scale,
            )
            for each, error, scale in (
                (hits, errors[0], (1 - most, most)),
                (others, errors[1], (0.0, 1.0)),
            )
        )
        low, high = ends_of_difference(judge, person, errors)
    return CountedEstimate(
        value=float(hits.mean() - others.mean()), low=low, high=high, n=len(hits)
    )


def _best_first(agreements: Iterable[ChoicesT]) -> tuple[ChoicesT, ...]:
    return tuple(sorted(agreements, key=lambda one: (-(one.accuracy.value or 0.0), one.judge)))


_LEVELS: Final = {"left": 1.0, "tie": 0.0, "right": -1.0}


def name_pairs(votes: pd.DataFrame) -> list[str]:
    """Name the pair of images of each comparison; the name is the same for both orders.

    Raises InputError: images have no names.
    """
    names = ("left_image", "right_image")
    for name in names:
        if name not in votes or votes[name].eq("").any():
            problem = "judges name images, but some images of comparisons have no name"
            raise InputError("comparisons", problem, f"the column {name}")
    return list(map(name_of_pair, *(votes[name].astype(str) for name in names)))


def judge_comparisons(
    votes: pd.DataFrame, judges: Judges, options: JudgeOptions
) -> JudgesScore[ComparingAgreement]:
    """Compare judges with people's scored comparisons.

    Raises InputError: images have no names; or a judge names two images that people did not
    compare, or an image that they did not see.
    """
    people, table = _lay_out_comparisons(votes)
    # With fewer than ten prompts, the variance over prompts is uncertain, so pairs are the units.
    by_prompts = "prompt" in table and table["prompt"].nunique() >= 10
    head = table.iloc[np.unique(codes_of(table["item"]), return_index=True)[1]]
    made = np.column_stack([codes_of(head[side]) for side in ("first", "second")])
    groups = codes_of(head["prompt"]) if by_prompts else np.arange(len(head))
    images = np.unique(np.array(people.images).T, return_inverse=True)[1].reshape(-1, 2)
    decided = people.ratings[:, 0] != 0
    item = people.item[decided]
    choices = PeoplesChoices(
        item=item,
        is_first=people.ratings[decided, 0] > 0,
        images=images.astype(np.int64),
        made=made[item],
        conditions=tuple(map(str, table["first"].cat.categories)),
        units=RowUnits(
            evaluator=None if people.evaluator is None else people.evaluator[decided],
            item=groups[item],
        ),
    )

    def agree(judge: JudgeAnswers) -> ComparingAgreement:
        values = judge.numbers[:, 0]
        # With only one order for each pair, effects of side and condition cannot be separated.
        first = count_first(judge, people, options.confidence) if judge.both_orders else None
        return ComparingAgreement(
            **vars(agree_on_choices(judge.judge, values, choices, options)),
            shape=judge.shape,
            pairs_judged=int((~np.isnan(values)).sum()),
            of_pairs=len(values),
            pairs_decided=int((np.nan_to_num(values) != 0).sum()),
            missing=dict(judge.missing),
            first_image=first,
        )

    who = "evaluators and " if people.evaluator is not None else ""
    return JudgesScore(
        against="comparisons",
        judges=_best_first(map(agree, match_judges(judges, people, overall=""))),
        confidence=options.confidence,
        margin=options.margin,
        notes=(
            "Accuracy is the share of people's choices between two images in which the judge "
            "prefers the same image. People's ties do not count; a judge's tie counts as half "
            "an agreement. If a judge answers several times about the same pair, in either "
            "order, the mean of these answers counts.",
            f"Intervals generalise to other {who}{'prompts' if by_prompts else 'pairs of images'}.",
        ),
    )


def _lay_out_comparisons(votes: pd.DataFrame) -> tuple[People, pd.DataFrame]:
    """Write comparisons as a table of ratings of pairs; a tie is the middle level.

    The first image of a pair is the first by path, even if it was on the right.
    """
    votes = votes[votes["answer"].isin(list(_LEVELS))]
    left, right, one, other = (
        votes[name].astype(str).to_numpy()
        for name in ("left_image", "right_image", "left", "right")
    )
    turned = left > right
    value = votes["answer"].astype(str).map(_LEVELS).to_numpy() * np.where(turned, -1, 1)
    made = pd.CategoricalDtype(sorted({*one, *other}))
    columns = {
        "item": pd.Categorical(name_pairs(votes)),
        "axis": constant("", votes.index),
        "value": value,
        "answer": pd.Categorical((2 - value).astype(int).astype(str)),
        "first": pd.Series(np.where(turned, other, one), votes.index, dtype=made),
        "second": pd.Series(np.where(turned, one, other), votes.index, dtype=made),
        "first_image": np.where(turned, right, left),
        "second_image": np.where(turned, left, right),
        **{name: votes[name] for name in ("evaluator", "prompt") if name in votes},
    }
    table = pd.DataFrame(columns, index=votes.index)
    called = "two images that people compared"
    return people_in(table, Scale(levels=3), called=called, column="left_image"), table


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedChoices(PeoplesChoices):
    """People's rankings as choices between two images."""

    names: tuple[str, ...]  # names of the images in the table; an image's number is its place here
    ranked: IntArray  # the images in the rankings that count, as numbers.
    # True if only rankings with split = "test" count; None if no ranking has this split
    held_out: bool | None


def list_ranked_choices(rankings: pd.DataFrame) -> RankedChoices:
    """Turn the scored rankings into choices; if some are held out (split "test"), use only these.

    Raises InputError: images have no names.
    """
    if "image" not in rankings:
        allowed = "preference models score images, so rankings need the column 'image'"
        raise InputError("rankings", "the images have no names", allowed)
    test = rankings["split"].eq("test").to_numpy() if "split" in rankings else np.zeros(0, bool)
    table = rankings[test] if test.any() else rankings
    image, group, condition = (codes_of(table[name]) for name in ("image", "group", "condition"))
    who = codes_of(table["evaluator"]) if "evaluator" in table else None
    better, worse, tied = compare_rows(table)
    rows = np.column_stack([better, worse])[~tied]
    images, item = np.unique(np.sort(image[rows], axis=1), axis=0, return_inverse=True)
    return RankedChoices(
        names=tuple(map(str, table["image"].cat.categories)),
        ranked=np.unique(image[orders(table).row]),
        item=item.ravel(),
        is_first=image[rows[:, 0]] < image[rows[:, 1]],
        images=images,
        made=condition[rows],
        conditions=tuple(map(str, table["condition"].cat.categories)),
        units=RowUnits(evaluator=None if who is None else who[rows[:, 0]], item=group[rows[:, 0]]),
        held_out=True if test.any() else None,
    )


def agree_with_rankings(
    judge: str, scores: FloatArray, people: RankedChoices, options: JudgeOptions
) -> ChoiceAgreement:
    """Compare a model's scores with people's choices.

    ``scores``: the scores of the images in `RankedChoices.names`; NaN without a score.
    """
    values = scores[people.images[:, 0]] - scores[people.images[:, 1]]
    return replace(
        agree_on_choices(judge, values, people, options),
        images=int((~np.isnan(scores[people.ranked])).sum()),
        of_images=len(people.ranked),
    )


def judge_rankings(
    rankings: pd.DataFrame, judges: Judges, options: JudgeOptions | None = None
) -> RankingJudgesScore:
    """Compare preference models with people's scored rankings.

    If the column "split" has "test" in any row, only rankings with "test" count. If a model leaves
    images out, only choices between images that it scored count. Images that have a prompt but are
    in no ranking belong to a benchmark.

    Raises InputError: images have no names; a model has answers instead of scores, scores an image
    that is in no ranking and has no prompt, or scores an image twice.
    """
    options = options or JudgeOptions()
    if not judges.answers.empty:
        judge = shorten(str(judges.answers["judge"].iloc[0]))
        problem = f"the judge {judge!r} has answers, but rankings need scores"
        allowed = "required columns: image, score"
        raise InputError(place_of(judges.answers, 0), problem, allowed)
    people, table = list_ranked_choices(rankings), judges.scores
    image = number_images(table, people.names)
    held = table.iloc[np.flatnonzero(image >= 0)]
    # Scores of one image with different axes, prompts or conditions also count as repeated.
    if again := first_repeated(held, ("judge", "image", "order", "repeat")):
        first, second = (place_of(held, row) for row in again)
        name = shorten(str(held["image"].iloc[again[1]]))
        problem = f"scores the image {name!r} again; the first score is in {first}"
        raise InputError(second, problem, "one score for each image, even with several axes")
    agreements = []
    for name, every in group_by_judge(table):
        rows = every[image[every] >= 0]
        scores = mean_scores(image[rows], table["score"].to_numpy()[rows], len(people.names))
        agreements.append(agree_with_rankings(name, scores, people, options))
    split = (
        "Only the rankings of held-out prompts count (split: test)."
        if people.held_out
        else "No ranking has the split “test”, so a model may have been trained on these images. "
        "Its accuracy would then be too high."
    )
    return RankingJudgesScore(
        held_out=people.held_out,
        judges=_best_first(agreements),
        benchmarks=benchmarks_of(table, groups=options.groups),
        confidence=options.confidence,
        margin=options.margin,
        notes=(
            split,
            "Accuracy is the share of people's choices between two images in which the chosen "
            "image has the higher score. People's ties do not count; equal scores count as "
            "half. Intervals generalise to other evaluators and groups of images.",
        ),
    )


def name_images(judgements: pd.DataFrame) -> frozenset[str]:
    """Return the names of the images in judgements.

    Raises InputError: some images have no name.
    """
    if "image" not in judgements or judgements["image"].eq("").any():
        problem = "judges name images, but some images of judgements have no name"
        raise InputError("judgements", problem, "the column 'image'")
    return frozenset(judgements["image"].astype(str))


def judge_judgements(
    judgements: pd.DataFrame, judges: Judges, options: JudgeOptions
) -> JudgesScore[DetectorAgreement]:
    """Compare judges (detectors) with people's judgements, real or fake.

    ``judgements``: the scored judgements of one method, with names of images.

    Raises InputError: a judge scores images, or answers about an image that people did not judge.
    """
    if not judges.scores.empty:
        judge = shorten(str(judges.scores["judge"].iloc[0]))
        problem = f"the judge {judge!r} scores images, but people answered real or fake"
        raise InputError(place_of(judges.scores, 0), problem, "the columns 'image' and 'answer'")
    table = _lay_out_judgements(judgements)
    called = "an image that people judged"
    people = people_in(table, Scale(), called=called, column="image")
    item, made = codes_of(table["item"]), codes_of(table["first"])
    units = RowUnits(evaluator=codes_of(table["evaluator"]), item=item)
    is_real, is_called_real = (table[name].to_numpy() > 0 for name in ("truth_value", "value"))
    condition = judgements["condition"].astype(str).to_numpy()
    choices = PeoplesChoices(
        item=item,
        is_first=is_called_real,
        images=np.repeat(np.arange(len(people.items)), 2).reshape(-1, 2),
        made=np.column_stack([made, made]),
        conditions=tuple(map(str, table["first"].cat.categories)),
        units=units,
    )

    def agree(judge: JudgeAnswers) -> DetectorAgreement:
        # the judge's answer about each image: 1 for real, 0 for fake, NaN for none
        answers = judge.numbers[:, 0]
        known, given = ~np.isnan(answers[item]), np.unique(answers[~np.isnan(answers)])

        def compare_errors(of: str, rows: BoolArray) -> Row:
            """Compare the judge's errors, one answer per image, with people's errors."""
            image, first = np.unique(item[rows], return_index=True)
            wrong = (answers[image] > 0) != is_real[rows][first]
            wrong_people = (is_called_real[rows] != is_real[rows]).astype(float)
            return {
                "of": of,
                "judge": estimate_share(wrong.astype(float), RowUnits(), options.confidence),
                "people": estimate_share(wrong_people, units.select(rows), options.confidence),
            }

        groups = {"fakes": ~is_real, "reals": is_real} | {
            f"fakes of {name}": ~is_real & (condition == name) for name in sorted(set(condition))
        }
        return DetectorAgreement(
            **vars(agree_on_choices(judge.judge, 2 * answers - 1, choices, options)),
            missing=dict(judge.missing),
            constant=("real" if given[0] else "fake") if len(given) == 1 else "",
            errors=(
                compare_errors("all", known),
                *(
                    compare_errors(of, rows & known)
                    for of, rows in groups.items()
                    if (rows & known).any()
                ),
            ),
        )

    agreements = map(agree, match_judges(judges, people, overall=""))
    return JudgesScore(
        against="judgements",
        judges=tuple(
            sorted(agreements, key=lambda one: (one.errors[0]["judge"].value or 0.0, one.judge))
        ),
        confidence=options.confidence,
        margin=options.margin,
        notes=(
            "Errors of judges and people are counted on images that both judged. If a judge "
            "answers several times about one image, its most frequent answer counts.",
            "Intervals generalise to other evaluators and other images.",
        ),
    )


def _lay_out_judgements(judgements: pd.DataFrame) -> pd.DataFrame:
    """Write judgements as a table of ratings of single images; "yes" means real."""
    real, truth = (judgements[name].eq("real").to_numpy() for name in ("answer", "truth"))
    made = np.where(truth, "real images", judgements["condition"].astype(str).to_numpy())
    columns = {
        "item": pd.Categorical(judgements["image"].astype(str)),
        "axis": constant("", judgements.index),
        "value": real.astype(float),
        "answer": pd.Categorical(np.where(real, YES, NO)),
        "first": pd.Categorical(made),
        "first_image": judgements["image"].astype(str),
        "truth_value": truth.astype(float),
        "evaluator": judgements["evaluator"],
    }
    return pd.DataFrame(columns, index=judgements.index)
