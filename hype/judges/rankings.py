"""Preference models held against people's rankings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.judges.benchmark import benchmarks_of
from hype.judges.files import Judges, place_of
from hype.judges.intervals import RowUnits
from hype.judges.items import by_judge, known_images, mean_scores
from hype.judges.results import ChoiceAgreement, JudgeOptions, RankingJudgesScore
from hype.judges.second_person import PeoplesChoices, agree_on_choices, prefer_higher
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.orders import compared_rows, orders
from hype.tables.columns import shortened
from hype.tables.distinct import codes_of


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedChoices(PeoplesChoices):
    """People's rankings as choices between two images."""

    ranked: IntArray  # which images were ranked in what counts, as numbers
    # True where only the part called test counts; None where the table does not tell
    held_out: bool | None


def list_ranked_choices(rankings: pd.DataFrame) -> RankedChoices:
    """Lay out the rankings that count.

    ``rankings``: those that are scored.

    Raises InputError: images have no names.
    """
    if "image" not in rankings:
        allowed = "preference models score images, so that rankings need the column image"
        raise InputError("rankings", "the images have no names", allowed)
    table, held_out = _held_out(rankings)
    image, group, condition = (codes_of(table[name]) for name in ("image", "group", "condition"))
    who = codes_of(table["evaluator"]) if "evaluator" in table else None
    better, worse, tied = compared_rows(table)
    better, worse = better[~tied], worse[~tied]
    return RankedChoices(
        images=tuple(map(str, table["image"].cat.categories)),
        ranked=np.unique(image[orders(table).row]),
        better=image[better],
        worse=image[worse],
        better_condition=condition[better],
        worse_condition=condition[worse],
        conditions=tuple(map(str, table["condition"].cat.categories)),
        units=RowUnits(evaluator=None if who is None else who[better], item=group[better]),
        held_out=held_out,
    )


def _held_out(rankings: pd.DataFrame) -> tuple[pd.DataFrame, bool | None]:
    """Keep the rankings that were held out of training, where any are said to be."""
    if "split" in rankings:
        test = rankings["split"].eq("test").to_numpy()
        if test.any():
            return rankings[test], True
    return rankings, None


def agree_with_rankings(
    judge: str, scores: FloatArray, people: RankedChoices, options: JudgeOptions
) -> ChoiceAgreement:
    """Hold a model's scores against people's choices.

    ``scores``: of each image of `PeoplesChoices.images`; NaN where it gave none.
    """
    return replace(
        agree_on_choices(judge, prefer_higher(scores), people, options),
        images=int((~np.isnan(scores[people.ranked])).sum()),
        of_images=len(people.ranked),
    )


def judge_rankings(
    rankings: pd.DataFrame,
    judges: Judges,
    options: JudgeOptions | None = None,
) -> RankingJudgesScore:
    """Hold preference models against people's rankings.

    Parameters
    ----------
    rankings
        Those that are scored, with names of images; where the column split calls any of them test,
        only those count.
    judges
        As `read_judges` returns them; all score images.
    options
        The choices; None for the usual ones.

    Raises
    ------
    InputError
        Images have no names; or a model answers instead of scoring,
        scores an image that is in no ranking and has no prompt, or gives an image two scores.

    Notes
    -----
    An image without a score is no error: the model is held against the choices that it can make.
    Images with a prompt that are in no ranking are of a benchmark.
    """
    options = options or JudgeOptions()
    if not judges.answers.empty:
        judge = shortened(str(judges.answers["judge"].iloc[0]))
        problem = f"the judge {judge!r} answers items, and rankings have none"
        raise InputError(
            place_of(judges.answers, 0), problem, "needed are the columns image, score"
        )
    people = list_ranked_choices(rankings)
    agreements = [
        agree_with_rankings(name, scores, people, options)
        for name, scores in _scores(judges.scores, people.images)
    ]
    return RankingJudgesScore(
        held_out=people.held_out,
        judges=tuple(sorted(agreements, key=lambda one: (-(one.accuracy.value or 0.0), one.judge))),
        benchmarks=benchmarks_of(judges.scores, groups=options.groups),
        confidence=options.confidence,
        margin=options.margin,
        notes=_notes(people),
    )


def _scores(table: pd.DataFrame, every: tuple[str, ...]) -> Iterator[tuple[str, FloatArray]]:
    image = known_images(table, every)
    judge = table["judge"].cat.codes.to_numpy().astype(np.int64)
    _refuse_two_scores(table, judge, image, len(every))
    values = table["score"].to_numpy()
    for name, rows in by_judge(table):
        held = rows[image[rows] >= 0]
        yield name, mean_scores(image[held], values[held], len(every))


def _refuse_two_scores(
    table: pd.DataFrame,
    judge: IntArray,
    image: IntArray,
    images: int,
) -> None:
    """Refuse two scores of an image, which two axes, prompts or conditions may have let through."""
    held = np.flatnonzero(image >= 0)
    again = table["order"].cat.codes.to_numpy() * np.int64(len(table["repeat"].cat.categories))
    again = pd.factorize(again + table["repeat"].cat.codes.to_numpy())[0]
    keys = (again[held] * (int(judge.max(initial=0)) + 1) + judge[held]) * images + image[held]
    order = np.argsort(keys, kind="stable")
    equal = np.flatnonzero(np.diff(keys[order]) == 0)
    if equal.size:
        first, second = (int(held[order[equal[0] + step]]) for step in (0, 1))
        name = shortened(str(table["image"].iloc[second]))
        problem = f"scores the image {name!r} again, first in {place_of(table, first)}"
        raise InputError(
            place_of(table, second), problem, "one score of an image; axes do not count"
        )


def _notes(people: RankedChoices) -> tuple[str, ...]:
    held = (
        "Only the rankings of held-out prompts count (split: test)."
        if people.held_out
        else "The table has no column split, so it is not known whether a model was trained on "
        "these images. If it was, its accuracy is too high."
    )
    return (
        held,
        "Accuracy is the share of people's choices between two images in which the chosen one has "
        "the higher score. People's ties do not count, equal scores count as half. Intervals allow "
        "for other evaluators and groups of images.",
    )
