"""Preference models held against people's rankings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.judges.benchmark import benchmarks_of
from hype.judges.clustered import RowUnits, above, figure, mean_error, share, share_and_p
from hype.judges.copying import copied_orders
from hype.judges.files import place_of
from hype.judges.items import by_judge, known_images, mean_scores
from hype.judges.preference_findings import model_in_words
from hype.judges.results import (
    CountedEstimate,
    JudgeOptions,
    JudgeVerdict,
    PairAccuracy,
    PreferenceAgreement,
    RankingJudgesScore,
)
from hype.judges.second_person import Met, about_models, paired_agreement, within_models
from hype.protocols.ranking.orders import compared_rows, orders
from hype.protocols.ranking.table import codes_of
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.proportions import even_chance_p, holm
from hype.tables.columns import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.judges.files import Judges
    from hype.protocols.ranking.orders import Orders


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageChoices:
    """Choices between two images; arrays of shape (choices,), images as numbers."""

    # better, worse: the two
    better: IntArray
    worse: IntArray
    units: RowUnits  # who chose, and the group that both are of
    apart: FloatArray = field(default_factory=lambda: np.zeros(0))  # their mean ranks; of no choice


@dataclass(frozen=True, kw_only=True, eq=False)
class Firsts:
    """Rankings laid out one after another."""

    # image, best: of each place: the image, and whether it is one of the best
    image: IntArray
    best: BoolArray
    starts: IntArray  # where each ranking begins
    order: IntArray  # of each ranking a number, the same for the same order; −1 of ties
    units: RowUnits  # who ranked, and which group


@dataclass(frozen=True, kw_only=True, eq=False)
class PeoplesChoices:
    """What people said that a preference model is held against."""

    images: tuple[str, ...]  # names of all images of the table; numbers are places among them
    ranked: IntArray  # which of them were ranked in what counts, as numbers
    choices: ImageChoices  # people's, without ties
    # For each choice the share of the others who chose between the same images and chose the same;
    # NaN where nobody else did
    single: FloatArray
    # What has the better mean rank, of two images of a group that two or more ranked
    average: ImageChoices
    firsts: Firsts  # whole rankings
    names: tuple[str, ...]  # of evaluators, by their numbers; none where unknown
    conditions: tuple[str, ...]  # K of them
    # pair, cell: of each choice the pair of conditions, first · K + second, -1 within one; and the
    # pair together with the group, as a number
    pair: IntArray
    cell: IntArray
    # Of each choice whether the better image is of the second condition of its pair (or, within
    # one condition, the later image)
    turned: BoolArray
    pair_of_cell: IntArray  # shape (cells,)
    # True where only the part called test counts; None where the table does not tell
    held_out: bool | None


def peoples_choices(rankings: pd.DataFrame) -> PeoplesChoices:
    """Lay out the rankings that count.

    ``rankings``: those that are scored.

    Raises InputError: images have no names.
    """
    if "image" not in rankings:
        allowed = "preference models score images, so that rankings need the column image"
        raise InputError("rankings", "the images have no names", allowed)
    table, held_out = _held_out(rankings)
    names = tuple(map(str, table["image"].cat.categories))
    image, who = codes_of(table["image"]), _evaluators(table)
    group, condition = codes_of(table["group"]), codes_of(table["condition"])
    better, worse, tied = compared_rows(table)
    better, worse = better[~tied], worse[~tied]
    conditions = tuple(map(str, table["condition"].cat.categories))
    pair = _pair_codes(condition[better], condition[worse], len(conditions))
    groups = len(table["group"].cat.categories)
    cell, cells = pd.factorize(pair * groups + group[better])
    laid = orders(table)
    return PeoplesChoices(
        images=names,
        ranked=np.unique(image[laid.row]),
        choices=ImageChoices(
            better=image[better],
            worse=image[worse],
            units=RowUnits(evaluator=None if who is None else who[better], item=group[better]),
        ),
        single=_single(image[better], image[worse], len(names)),
        average=_by_mean_rank(laid, image, group),
        firsts=_firsts(laid, image, group, who),
        names=() if who is None else tuple(map(str, table["evaluator"].cat.categories)),
        conditions=conditions,
        pair=pair,
        cell=cell.astype(np.int64),
        turned=np.where(
            condition[better] == condition[worse],
            image[better] > image[worse],
            condition[better] > condition[worse],
        ),
        pair_of_cell=np.asarray(cells // groups, dtype=np.int64),
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


def _pair_codes(a: IntArray, b: IntArray, size: int) -> IntArray:
    return np.where(a == b, -1, np.minimum(a, b) * size + np.maximum(a, b))


def _single(better: IntArray, worse: IntArray, images: int) -> FloatArray:
    """Give for each choice how many of the others chose the same, as a share."""
    low, high = np.minimum(better, worse), np.maximum(better, worse)
    pair = pd.factorize(low * images + high)[0]
    all_made = np.bincount(pair)
    upward = np.bincount(pair, weights=better < worse)[pair]
    made = all_made[pair]
    same = np.where(better < worse, upward, made - upward)
    shares: FloatArray = np.where(made > 1, (same - 1) / np.maximum(made - 1, 1), np.nan)
    return shares


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
    first, second, apart = (each[apart > 1e-9] for each in (first, second, apart))
    return ImageChoices(
        better=which[first],
        worse=which[second],
        units=RowUnits(evaluator=None, item=of_group[first]),
        apart=apart,
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
    shown = np.split(image[laid.row], laid.starts[1:])
    whose = [(at, each.tobytes()) for at, each in zip(group[heads].tolist(), shown, strict=True)]
    order = pd.factorize(pd.Series(whose, dtype=object))[0]
    tied = np.maximum.reduceat(laid.tied, laid.starts) > 1
    return Firsts(
        image=image[laid.row],
        best=laid.rank == 1,
        starts=laid.starts,
        order=np.where(tied, -1, order),
        units=RowUnits(evaluator=None if who is None else who[heads], item=group[heads]),
    )


def preference_agreement(
    judge: str, scores: FloatArray, people: PeoplesChoices, options: JudgeOptions
) -> PreferenceAgreement:
    """Hold a model's scores against people's choices.

    ``scores``: of each image of `PeoplesChoices.images`; NaN where it gave none.
    """
    confidence = options.confidence
    choices = people.choices
    ahead = scores[choices.better] - scores[choices.worse]
    is_scored = ~np.isnan(ahead)
    hits = _hits(ahead)
    units = choices.units.of(is_scored)
    accuracy, p = share_and_p(hits[is_scored], units, confidence)
    shared = ~np.isnan(people.single) & is_scored
    return PreferenceAgreement(
        judge=judge,
        images=int((~np.isnan(scores[people.ranked])).sum()),
        of_images=len(people.ranked),
        comparisons=int(is_scored.sum()),
        of_comparisons=len(is_scored),
        accuracy=accuracy,
        p=p,
        single=_or_none(share(people.single[shared], choices.units.of(shared), confidence)),
        **_beside_person(ahead, people, options),
        average=_or_none(_mean_rank_agreement(scores, people.average, confidence)),
        first_choice=_or_none(_first_choice(scores, people, confidence)),
        log_loss=_log_loss(ahead[is_scored]),
        pairs=_pair_accuracies(hits, is_scored, people),
        copying=copied_orders(scores, people),
        verdict=JudgeVerdict.UNKNOWN,
        said=(),
    )


class _PersonComparison(TypedDict):
    difference: CountedEstimate | None
    p_as_well: float | None
    p_less: float | None
    within: CountedEstimate | None
    about: CountedEstimate | None
    within_person: CountedEstimate | None
    within_difference: CountedEstimate | None


def _beside_person(
    ahead: FloatArray, people: PeoplesChoices, options: JudgeOptions
) -> _PersonComparison:
    """Compare a model with a second person on the same choices, as `second_person` does ratings."""
    met = _met(ahead, people)
    is_scored = ~np.isnan(ahead)
    shared = is_scored & ~np.isnan(people.single)
    units, several = people.choices.units.of(shared), len(np.unique(met.group)) > 1
    compared = _PersonComparison(
        difference=None,
        p_as_well=None,
        p_less=None,
        within=within_models(met.of(is_scored), options.confidence),
        about=about_models(met.of(is_scored), pairs=True, confidence=options.confidence),
        within_person=None,
        within_difference=None,
    )
    if not shared.any() or units.evaluator is None:
        return compared
    hits, single = _hits(ahead[shared]), people.single[shared]
    value = float((hits - single).mean())
    own, other = hits - hits.mean(), single - single.mean()
    compared["difference"] = figure(value, own - 2 * other, units, options.confidence, own - other)
    error = mean_error(own - 2 * other, units, own - other)
    within = paired_agreement(met.of(shared)) if several else None
    p, less = [above(value + options.margin_of_shares, *error)], above(-value, *error)
    if within is not None:
        compared["within_person"] = within.of_person(options.confidence)
        compared["within_difference"] = within.of_difference(options.confidence)
        less = min(1.0, 2 * min(less, within.p_not_below()))
        looks = above(within.judge, *mean_error(within.judge_adds, within.units))
        p += [within.p_below(options.margin), looks]
    sizes = [len(set(each)) for each in (units.evaluator, met.of(shared).items)]
    if min(sizes) >= options.fewest_people:
        compared["p_as_well"], compared["p_less"] = max(p), less
    return compared


def _met(ahead: FloatArray, people: PeoplesChoices) -> Met:
    """Turn choices so that the first condition of each two comes first: 1 where it is chosen."""
    better, worse, size = people.choices.better, people.choices.worse, len(people.images)
    turned = np.where(people.turned, -1.0, 1.0)
    same = pd.factorize(np.minimum(better, worse) * size + np.maximum(better, worse))[0]
    return Met(
        theirs=turned,
        judge=turned * np.sign(ahead),
        units=people.choices.units,
        same=np.asarray(same, dtype=np.int64),
        group=np.asarray(pd.factorize(people.pair)[0], dtype=np.int64),
        side=np.ones(len(ahead)),
    )


def _hits(ahead: FloatArray) -> FloatArray:
    """Give 1 where the score is on the side of the choice, a half where scores are equal."""
    hits: FloatArray = (ahead > 0) + 0.5 * (ahead == 0)
    return hits


def _or_none(counted: CountedEstimate) -> CountedEstimate | None:
    return counted if counted.n else None


def _mean_rank_agreement(
    scores: FloatArray, average: ImageChoices, confidence: float
) -> CountedEstimate:
    ahead = scores[average.better] - scores[average.worse]
    is_scored = ~np.isnan(ahead)
    return share(_hits(ahead[is_scored]), average.units.of(is_scored), confidence)


def _first_choice(scores: FloatArray, people: PeoplesChoices, confidence: float) -> CountedEstimate:
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


def _log_loss(ahead: FloatArray) -> float | None:
    """Give the mean of −ln softmax at the choice, as of 004 eq. 2 for two images."""
    if not ahead.size:
        return None
    return float((np.log1p(np.exp(-np.abs(ahead))) + np.maximum(-ahead, 0)).mean())


def _pair_accuracies(
    hits: FloatArray, known: BoolArray, people: PeoplesChoices
) -> tuple[PairAccuracy, ...]:
    size = len(people.conditions)
    across = known & (people.pair >= 0)
    pair, own = people.pair[across], hits[across]
    made = np.bincount(pair, minlength=size**2)
    right = np.bincount(pair, weights=own, minlength=size**2)
    cells = len(people.pair_of_cell)
    sides = np.sign(np.bincount(people.cell[across], weights=own - 0.5, minlength=cells))
    of_cell = people.pair_of_cell
    won, lost = (np.bincount(of_cell[sides == side], minlength=size**2) for side in (1, -1))
    asked = np.unique(people.pair[people.pair >= 0])
    decided = won[asked] + lost[asked]
    p = np.where(decided > 0, even_chance_p(won[asked], decided), np.nan)
    return tuple(
        PairAccuracy(
            a=people.conditions[code // size],
            b=people.conditions[code % size],
            accuracy=float(right[code] / made[code]) if made[code] else None,
            comparisons=int(made[code]),
            groups_right=int(won[code]),
            groups_wrong=int(lost[code]),
            p=None if np.isnan(p_value) else float(p_value),
            p_holm=None if np.isnan(corrected) else float(corrected),
        )
        for code, p_value, corrected in zip(asked.tolist(), p, holm(p), strict=True)
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


def _notes(people: PeoplesChoices) -> tuple[str, ...]:
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
