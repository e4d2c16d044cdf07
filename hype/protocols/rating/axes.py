"""How the axes go together, and with an external leaderboard; the strengths on each axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from hype.protocols.prompted.results import RankedPair
from hype.protocols.prompted.scoring import AnalysisOptions, rank_conditions, with_open_ranks
from hype.protocols.rating.results import AxisCorrelations, AxisScore, ConditionMean, MeanPair
from hype.report.tabular import Row, Rows
from hype.statistics.agreement import Level
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import CorrelationMatrix, correlation_matrix, fisher_interval
from hype.statistics.crossed import Error, Images, mean_differences
from hype.statistics.estimate import Estimate, value_of
from hype.statistics.paired_counts import (
    Item,
    Randomness,
    Unit,
    answers_of,
    count,
    sampled_items,
)
from hype.statistics.pairs import verdict_of
from hype.statistics.proportions import crossed_means, crossed_shares, holm_known, known
from hype.statistics.strength_table import (
    ConditionStrength,
    Fit,
    StrengthTable,
    fit_of,
    strength_table,
)
from hype.study.scales import OVERALL, Scale
from hype.tables.answers import read_named_numbers, share_conditions
from hype.tables.cells import codes_of, only_used
from hype.tables.table_files import TableSource


@dataclass(frozen=True, kw_only=True)
class RatingOptions(AnalysisOptions):
    """The choices of ratings."""

    # The axes in the order in which they are reported; those that are not named come after, as they
    # appear in the table
    axes: tuple[str, ...] = ()
    # The axis that says how good an image is on the whole; the others are ranked by how they go
    # with it
    overall: str = OVERALL
    scale: Scale = field(default_factory=Scale)
    # Of measurement of the answers, for Krippendorff's α: "ordinal", "interval" or "nominal"
    level: Level = "ordinal"
    # Condition to its score elsewhere, higher is better; None for no comparison
    leaderboard: Mapping[str, float] | None = None


class ConditionValues(NamedTuple):
    """The values that conditions were given; arrays of shape (values,).

    `condition` are places among `names`; `evaluator` numbers from 0, or None if unknown.
    `people` and `items` are as of `hype.statistics.crossed.Crossed`.
    """

    names: tuple[str, ...]
    condition: IntArray
    value: FloatArray
    evaluator: IntArray | None
    people: IntArray
    items: IntArray | None
    random: Randomness


def condition_values(ratings: pd.DataFrame, images: Images = "sample") -> ConditionValues:
    """Give each condition its values; of a pair, minus the value to the second.

    ``ratings``: without those that are not relevant, as `check_ratings` returns them.
    """
    names = tuple(map(str, ratings["first"].cat.categories))
    value = ratings["value"].to_numpy()
    person = codes_of(ratings["evaluator"]) if "evaluator" in ratings else None
    first = codes_of(ratings["first"])
    people, items, random = _sampled(ratings, images)
    if "second" not in ratings:
        return ConditionValues(names, first, value, person, people, items, random)
    return ConditionValues(
        names=names,
        condition=np.concatenate([first, codes_of(ratings["second"])]),
        value=np.concatenate([value, -value]),
        evaluator=None if person is None else np.concatenate([person, person]),
        people=np.concatenate([people, people]),
        items=None if items is None else np.concatenate([items, items]),
        random=random,
    )


def _sampled(ratings: pd.DataFrame, images: Images) -> tuple[IntArray, IntArray | None, Randomness]:
    """Return who gave each rating, and its item; a single image's item is its label."""
    if "second" in ratings:
        answers, random = answers_of(votes_of(ratings), images)
        unit: Unit = "ratings" if random.unit == "comparisons" else random.unit
        return answers.evaluator, answers.items, replace(random, unit=unit)
    people = _numbers(ratings, "evaluator")
    unit = "one evaluator" if "evaluator" in ratings else "ratings"
    if people.any():
        unit = "evaluators"
    else:
        people = np.arange(len(ratings))
    prompts = _numbers(ratings, "prompt")
    item: Item = "prompts" if prompts.any() else "images"
    items = prompts if prompts.any() else _numbers(ratings, "item")
    units = int(people.max(initial=-1)) + 1
    about = sampled_items(None, None)
    if images == "sample":
        each = 1 if item == "prompts" else len(ratings["first"].cat.categories)
        about = sampled_items(item, items, each=each)
    return people, about.codes, about.random(unit, units)


def _numbers(ratings: pd.DataFrame, name: str) -> IntArray:
    """Number the labels of a column; all 0 without it, or with a single one."""
    if name not in ratings:
        return np.zeros(len(ratings), dtype=np.int64)
    return np.unique(codes_of(ratings[name]), return_inverse=True)[1].astype(np.int64)


def condition_means(
    values: ConditionValues, *, scale: tuple[float, float] | None, confidence: float
) -> tuple[ConditionMean, ...]:
    """Give the mean of each condition that has a value, the highest first.

    ``values``: as `condition_values` returns them. ``scale``: the lowest and the highest value;
    None if values are 1 for yes and 0 for no. ``confidence``: of the intervals.
    """
    size = len(values.names)
    times = np.bincount(values.condition, minlength=size)
    who = np.unique(values.people * size + values.condition) % size
    people = np.bincount(who, minlength=size)
    answers = values.condition, values.value, values.people, values.items
    if scale is None:
        own = crossed_shares(*answers, groups=size)
        crossed = [share.estimate(confidence) if share else None for share in own]
    else:
        crossed = crossed_means(*answers, groups=size, confidence=confidence, scale=scale)
    rows = [
        ConditionMean(
            condition=values.names[place],
            ratings=int(times[place]),
            mean=crossed[place] or Estimate(value=_mean(values, place)),
            evaluators=int(people[place]) if values.random.unit == "evaluators" else None,
        )
        for place in np.flatnonzero(times).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.mean.value, row.condition)))


def _mean(values: ConditionValues, place: int) -> float:
    return float(values.value[values.condition == place].mean())


CHOICES: Final = ("left", "right", "tie")
"""Which of two images was called better."""
_KNOWN: Final = {
    "evaluator": "evaluator",
    "prompt": "prompt",
    "left_image": "first_image",
    "right_image": "second_image",
}


class AxisTable(NamedTuple):
    """Values in one row per person and item.

    `values` has the shape (rows, axes), NaN if missing; `item` and `evaluator` are codes of the
    table's categories, shape (rows,), the second None if evaluators are not known; `first` has
    the first rating of each row; `dropped` are the items that several unknown people answered, so
    that nobody knows which answers belong together.
    """

    values: FloatArray
    item: IntArray
    evaluator: IntArray | None
    first: pd.DataFrame
    dropped: int


def axis_table(ratings: pd.DataFrame, axes: Sequence[str]) -> AxisTable:
    """Lay ratings out with a column for each axis.

    ``ratings``: as `check_ratings` returns them. ``axes``: the columns; ratings on others are left
    out.
    """
    place = ratings["axis"].cat.categories.get_indexer(pd.Index(axes))
    column_of = np.full(len(ratings["axis"].cat.categories), -1)
    column_of[place] = np.arange(len(axes))
    column = column_of[codes_of(ratings["axis"])]
    item = codes_of(ratings["item"])
    person = codes_of(ratings["evaluator"]) if "evaluator" in ratings else None
    kept, dropped = _matchable(item, column, person)
    key = item[kept] if person is None else person[kept] * (item.max() + 1) + item[kept]
    row, keys = pd.factorize(key)
    values = np.full((len(keys), len(axes)), np.nan)
    values[row, column[kept]] = ratings["value"].to_numpy()[kept]
    first = np.flatnonzero(~pd.Series(row).duplicated().to_numpy())
    whose = None if person is None else person[kept][first]
    return AxisTable(
        values=values,
        item=item[kept][first],
        evaluator=whose,
        first=ratings.iloc[np.flatnonzero(kept)[first]],
        dropped=dropped,
    )


def _matchable(item: IntArray, column: IntArray, person: IntArray | None) -> tuple[BoolArray, int]:
    """Tell which rows can be matched with others: all, if it is known who answered."""
    kept = column >= 0
    if person is not None:
        return kept, 0
    twice = pd.Series(item * (int(column.max(initial=0)) + 2) + column).duplicated().to_numpy()
    several = np.zeros(int(item.max(initial=-1)) + 1, dtype=bool)
    several[item[twice & kept]] = True
    return kept & ~several[item], int(several.sum())


def axis_correlations(
    table: AxisTable,
    axes: Sequence[str],
    overall: str | None,
    *,
    images: Images = "sample",
    confidence: float,
) -> AxisCorrelations | None:
    """Correlate the axes; None with a single one, or no row."""
    if len(axes) < 2 or not len(table.values):
        return None
    _, items, _ = _sampled(table.first.assign(value=0.0), images)
    matrix = correlation_matrix(table.values, table.evaluator, items, confidence=confidence)
    return AxisCorrelations(
        axes=tuple(axes),
        matrix=matrix,
        with_overall=_with_overall(matrix, axes, overall) if overall in axes else (),
    )


def _with_overall(matrix: CorrelationMatrix, axes: Sequence[str], overall: str | None) -> Rows:
    whole = list(axes).index(str(overall))
    rows = [
        {"axis": axis, "r": _estimate(matrix, whole, place), "ratings": int(matrix.n[whole, place])}
        for place, axis in enumerate(axes)
        if place != whole
    ]

    def closest_first(row: Row) -> tuple[bool, float, str]:
        return row["r"] is None, -(value_of(row["r"]) or 0.0), row["axis"]

    return tuple(sorted(rows, key=closest_first))


def _estimate(matrix: CorrelationMatrix, row: int, column: int) -> Estimate | None:
    r, *ends = (known(each[row, column]) for each in (matrix.r, matrix.low, matrix.high))
    return None if r is None else Estimate(value=r, low=ends[0], high=ends[1])


def votes_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings of pairs into comparisons: left is the first image, and won if it is better.

    ``ratings``: of one axis, as `check_ratings` returns them; those that are not relevant give no
    row. Gives left, right, answer and, where known, evaluator, prompt, left_image and right_image,
    as `check_comparisons` gives them.
    """
    given = ratings[ratings["value"].notna().to_numpy()]
    value = given["value"].to_numpy()
    codes = np.where(value > 0, 0, np.where(value < 0, 1, 2))
    votes = pd.DataFrame({"left": given["first"], "right": given["second"]})
    votes["answer"] = pd.Categorical.from_codes(codes, categories=pd.Index(CHOICES))
    share_conditions(votes, ("left", "right"))
    for name, column in _KNOWN.items():
        if column in given:
            votes[name] = only_used(given[column])
    return votes


def strengths_of(ratings: pd.DataFrame, options: RatingOptions) -> StrengthTable:
    """Estimate strengths, and how far apart they are, without the other results."""
    return _strengths(votes_of(ratings), options)


def _strengths(votes: pd.DataFrame, options: RatingOptions) -> StrengthTable:
    answers, random = answers_of(votes, options.images)
    certainty = options.certainty(random)
    return strength_table(count(votes), answers, ties=options.ties, certainty=certainty)


def axis_strengths(
    ratings: pd.DataFrame, options: RatingOptions
) -> tuple[tuple[ConditionStrength, ...], tuple[RankedPair, ...], Fit]:
    """Estimate the strengths of the conditions on one axis; one or more answers are relevant.

    Gives them, which pairs of conditions differ, and how they were found.
    """
    votes = votes_of(ratings)
    counts, (answers, _) = count(votes), answers_of(votes, options.images)
    table = _strengths(votes, options)
    ranking, pairs = rank_conditions(counts, answers, table, options)
    return tuple(with_open_ranks(ranking, pairs)), pairs, fit_of(table, ties=options.ties)


def mean_pairs(
    values: ConditionValues,
    means: Sequence[ConditionMean],
    options: RatingOptions,
    *,
    shares: bool,
) -> tuple[MeanPair, ...]:
    """Tell which conditions of single images are rated differently.

    ``means``: as `condition_means` returns them; other parameters as there.
    """
    names = [row.condition for row in means]
    places = combinations([values.names.index(name) for name in names], 2)
    answers = values.condition, values.value, values.people, values.items
    differences = list(mean_differences(*answers, places, shares=shares))
    length = 1 if shares else options.scale.highest - options.scale.lowest
    tested = values.random.unit != "one evaluator"
    p = [known(error.p(value)) if tested else None for value, error in differences]
    alike = [
        known(error.p_within(value, options.margin * length)) if tested and options.margin else None
        for value, error in differences
    ]
    return tuple(
        _mean_pair(a, b, _between(value, error, one, options), (one, holm_one, alike_one), options)
        for (a, b), (value, error), one, holm_one, alike_one in zip(
            combinations(names, 2), differences, p, holm_known(p), holm_known(alike), strict=True
        )
    )


def _between(value: float, error: Error, p: float | None, options: RatingOptions) -> Estimate:
    if p is None:
        return Estimate(value=value)
    reach = error.reach(options.confidence)
    return Estimate(value=value, low=value - reach, high=value + reach)


def _mean_pair(
    a: str,
    b: str,
    difference: Estimate,
    tests: tuple[float | None, float | None, float | None],
    options: RatingOptions,
) -> MeanPair:
    p, p_holm, alike = tests
    separable = None if p_holm is None else p_holm < options.alpha
    return MeanPair(
        a=a,
        b=b,
        difference=difference,
        p=p,
        p_holm=p_holm,
        p_equivalent=alike,
        separable=separable,
        verdict=verdict_of(separable, is_equivalent=alike is not None and alike < options.alpha),
    )


FEWEST: Final = 3
"""Conditions below which a correlation says nothing."""


def read_leaderboard(path: TableSource) -> dict[str, float]:
    """Read an external leaderboard.

    ``path``: comma-separated text with the columns ``condition`` and ``score``, one row per
    condition, higher is better; other columns are passed over. Gives condition to score, in the
    order of the file.

    Raises InputError: the file is no such table, or lists nothing; a condition is empty or stands
    there twice; a score is missing or no number.
    """
    return read_named_numbers(path, "condition", "score")


def correlate_with_leaderboard(
    axes: Sequence[AxisScore],
    scores: Mapping[str, float],
    overall: str | None,
    *,
    confidence: float,
) -> Row:
    """Correlate the strengths of each axis, or the means of single images, with a leaderboard.

    Pearson's correlation and Spearman's, with the intervals of `fisher_interval`. The units are the
    conditions: with a handful of them either interval is wide, however many ratings there are.
    Parthasarathy, Collins & Stephenson (2025) find .87 over 14 models.

    ``scores``: condition to score elsewhere, higher is better. ``overall``: the axis that comes
    first, if there is one. Gives a row for each of ``axes``; ``missing``: conditions of the study
    that the leaderboard does not have; ``unrated``: those of the leaderboard that the study does
    not have.
    """
    ordered = sorted(axes, key=lambda axis: axis.axis != overall)
    rated = sorted({row.condition for axis in axes for row in axis.means})
    return {
        "axes": tuple(_on_axis(axis, scores, confidence) for axis in ordered),
        "missing": tuple(name for name in rated if name not in scores),
        "unrated": tuple(name for name in scores if name not in rated),
    }


def _on_axis(axis: AxisScore, scores: Mapping[str, float], confidence: float) -> Row:
    """Correlate an axis, by `what`: Bradley and Terry's "strength", or the "mean".

    `conditions`: how many have both figures. `pearson` has Fisher's interval over conditions, and
    `spearman`, of ranks, Bonett and Wright's, without ends with fewer than four conditions; both
    are None if there is a `problem`, a sentence.
    """
    what = "strength" if axis.kind == "levels" else "mean"
    own = _own(axis)
    shared = [name for name in own if name in scores]
    x, y = (np.array([of[name] for name in shared]) for of in (own, scores))
    problem = _problem(x, y, what)
    row: Row = {"axis": axis.axis, "what": what, "conditions": len(shared), "problem": problem}
    if problem:
        return row | {"pearson": None, "spearman": None}
    pearson = float(np.corrcoef(x, y)[0, 1])
    spearman = float(np.corrcoef(scipy.stats.rankdata(x), scipy.stats.rankdata(y))[0, 1])
    low, high = fisher_interval(pearson, len(shared), confidence=confidence)
    below, above = fisher_interval(spearman, len(shared), confidence=confidence, of_ranks=True)
    return row | {
        "pearson": Estimate(value=pearson, low=known(low), high=known(high)),
        "spearman": Estimate(value=spearman, low=known(below), high=known(above)),
    }


def _own(axis: AxisScore) -> dict[str, float]:
    """Give the strengths of an axis, or the means of one that has no strengths by its kind."""
    if axis.kind == "levels":
        return {row.condition: row.strength.value for row in axis.strengths if row.strength}
    return {row.condition: row.mean.value for row in axis.means}


def _problem(own: FloatArray, scores: FloatArray, what: str) -> str:
    if len(own) < FEWEST:
        return f"Fewer than {FEWEST} conditions have both a {what} and a place on the leaderboard."
    if np.ptp(own) == 0:
        return f"All conditions have the same {what}."
    if np.ptp(scores) == 0:
        return "All conditions have the same score on the leaderboard."
    return ""
