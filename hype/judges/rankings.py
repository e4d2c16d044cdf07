"""Preference models held against people's rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.judges.benchmark import benchmarks_of
from hype.judges.choices import ImageChoices, PeoplesChoices, by_scores, choice_agreement, or_none
from hype.judges.clustered import RowUnits, share
from hype.judges.files import place_of
from hype.judges.items import by_judge, known_images, mean_scores
from hype.judges.preference_findings import model_in_words
from hype.judges.results import (
    CountedEstimate,
    JudgeOptions,
    PreferenceAgreement,
    RankingJudgesScore,
)
from hype.protocols.ranking.orders import compared_rows, orders
from hype.protocols.ranking.table import codes_of
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.tables.columns import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.judges.files import Judges
    from hype.protocols.ranking.orders import Orders


@dataclass(frozen=True, kw_only=True, eq=False)
class Firsts:
    """Rankings laid out one after another."""

    # image, best: of each place: the image, and whether it is one of the best
    image: IntArray
    best: BoolArray
    starts: IntArray  # where each ranking begins
    units: RowUnits  # who ranked, and which group


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedChoices(PeoplesChoices):
    """People's rankings as choices between two images, and as a whole."""

    ranked: IntArray  # which images were ranked in what counts, as numbers
    firsts: Firsts  # whole rankings
    # True where only the part called test counts; None where the table does not tell
    held_out: bool | None


def peoples_choices(rankings: pd.DataFrame) -> RankedChoices:
    """Lay out the rankings that count.

    ``rankings``: those that are scored.

    Raises InputError: images have no names.
    """
    if "image" not in rankings:
        allowed = "preference models score images, so that rankings need the column image"
        raise InputError("rankings", "the images have no names", allowed)
    table, held_out = _held_out(rankings)
    image, who = codes_of(table["image"]), _evaluators(table)
    group, condition = codes_of(table["group"]), codes_of(table["condition"])
    better, worse, tied = compared_rows(table)
    better, worse = better[~tied], worse[~tied]
    laid = orders(table)
    return RankedChoices(
        images=tuple(map(str, table["image"].cat.categories)),
        ranked=np.unique(image[laid.row]),
        choices=ImageChoices(
            better=image[better],
            worse=image[worse],
            units=RowUnits(evaluator=None if who is None else who[better], item=group[better]),
        ),
        better=condition[better],
        worse=condition[worse],
        conditions=tuple(map(str, table["condition"].cat.categories)),
        average=_by_mean_rank(laid, image, group),
        firsts=_firsts(laid, image, group, who),
        held_out=held_out,
    )


def _held_out(rankings: pd.DataFrame) -> tuple[pd.DataFrame, bool | None]:
    """Keep the rankings that were held out of training, where any are said to be."""
    if "split" in rankings:
        test = rankings["split"].eq("test").to_numpy()
        if test.any():
            return rankings[test], True
    return rankings, None


def _evaluators(table: pd.DataFrame) -> IntArray | None:
    return codes_of(table["evaluator"]) if "evaluator" in table else None


def _by_mean_rank(laid: Orders, image: IntArray, group: IntArray) -> ImageChoices:
    """Compare the mean ranks of every two images of a group that two or more ranked."""
    own, shown = group[laid.row], image[laid.row]
    rankings = np.bincount(group[laid.row[laid.starts]], minlength=int(group.max()) + 1)
    several = rankings[own] > 1
    inverse, keys = pd.factorize(own[several] * (int(image.max()) + 1) + shown[several])
    total = np.bincount(inverse, weights=laid.mid_ranks[several])
    mean = total / np.maximum(np.bincount(inverse), 1)
    of_group, which = np.divmod(keys, int(image.max()) + 1)
    order = np.lexsort((mean, of_group))
    of_group, which, mean = of_group[order], which[order], mean[order]
    first, second = _within(of_group)
    apart = mean[second] - mean[first]
    first, second = (each[apart > 1e-9] for each in (first, second))
    return ImageChoices(
        better=which[first],
        worse=which[second],
        units=RowUnits(evaluator=None, item=of_group[first]),
    )


def _within(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Give every two places of each group, whose places follow each other."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes).tolist():
        first, second = np.triu_indices(size, 1)
        begins = starts[sizes == size][:, None]
        firsts.append((begins + first).ravel())
        seconds.append((begins + second).ravel())
    return np.concatenate(firsts), np.concatenate(seconds)


def _firsts(laid: Orders, image: IntArray, group: IntArray, who: IntArray | None) -> Firsts:
    heads = laid.row[laid.starts]
    return Firsts(
        image=image[laid.row],
        best=laid.rank == 1,
        starts=laid.starts,
        units=RowUnits(evaluator=None if who is None else who[heads], item=group[heads]),
    )


def preference_agreement(
    judge: str, scores: FloatArray, people: RankedChoices, options: JudgeOptions
) -> PreferenceAgreement:
    """Hold a model's scores against people's choices.

    ``scores``: of each image of `PeoplesChoices.images`; NaN where it gave none.
    """
    choices = people.choices
    ahead = scores[choices.better] - scores[choices.worse]
    return replace(
        choice_agreement(judge, by_scores(scores), people, options),
        images=int((~np.isnan(scores[people.ranked])).sum()),
        of_images=len(people.ranked),
        first_choice=or_none(_first_choice(scores, people, options.confidence)),
        log_loss=log_loss(ahead[~np.isnan(ahead)]),
    )


def _first_choice(scores: FloatArray, people: RankedChoices, confidence: float) -> CountedEstimate:
    """Give how often its best image is a person's best; of equal ones each counts in part."""
    firsts = people.firsts
    values = scores[firsts.image]
    sizes = np.diff(np.append(firsts.starts, len(values)))
    highest = np.maximum.reduceat(values, firsts.starts)  # NaN where any image has no score
    top = values == np.repeat(highest, sizes)
    is_scored = ~np.isnan(highest)
    right = np.add.reduceat((top & firsts.best).astype(float), firsts.starts)[is_scored]
    tops = np.add.reduceat(top.astype(float), firsts.starts)[is_scored]
    return share(right / tops, firsts.units.of(is_scored), confidence)


def log_loss(ahead: FloatArray) -> float | None:
    """Give the mean of −ln softmax at the choice, as of 004 eq. 2 for two images."""
    if not ahead.size:
        return None
    return float((np.log1p(np.exp(-np.abs(ahead))) + np.maximum(-ahead, 0)).mean())


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
    people = peoples_choices(rankings)
    agreements = [
        model_in_words(preference_agreement(name, scores, people, options), options)
        for name, scores in _scores(judges.scores, people.images)
    ]
    return RankingJudgesScore(
        held_out=people.held_out,
        judges=tuple(sorted(agreements, key=lambda one: (-(one.accuracy.value or 0.0), one.judge))),
        benchmarks=benchmarks_of(judges.scores, groups=options.groups),
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
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
        "Only rankings of the part called test count: they were held out of training."
        if people.held_out
        else "No column split says which rankings were held out: nobody can tell from the table "
        "whether a model was trained on them, and its accuracy may flatter it."
    )
    return (
        held,
        "Accuracy is the share of people's choices between two images in which the chosen one has "
        "the higher score; ties of people do not count, equal scores count as half. Its interval "
        "takes evaluators and groups of images for the independent units.",
    )
