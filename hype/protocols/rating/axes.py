"""Conditions on each axis: their means, and their strengths if pairs were rated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    fit_facts,
    number_labels,
    open_ranks,
    rank_conditions,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import (
    POINTS,
    count_columns,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
)
from hype.report import tabular
from hype.report.tabular import Column, Row, Rows, Table, tabulate
from hype.statistics.alpha import Level
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import mean_differences
from hype.statistics.estimate import Estimate, Images
from hype.statistics.paired_counts import Item, Randomness, Unit, answers_of, count, treat_as_sample
from hype.statistics.pairs import verdict_of
from hype.statistics.proportions import estimate_means, estimate_shares, holm_known, number_or_none
from hype.statistics.strength_table import StrengthTable, strength_table
from hype.study.scales import OVERALL, AnswerKind, Scale
from hype.tables.answers import share_conditions
from hype.tables.cells import codes_of, only_used


@dataclass(frozen=True, kw_only=True)
class RatingOptions(AnalysisOptions):
    """The analyst's options for ratings."""

    # The axes in the order of the report; axes not listed here follow in the order of the table
    axes: tuple[str, ...] = ()
    # The axis of the overall quality; the others are sorted by their correlation with it
    overall: str = OVERALL
    scale: Scale = field(default_factory=Scale)
    # Level of measurement for Krippendorff's α: "ordinal", "interval" or "nominal"
    level: Level = "ordinal"
    # Scores of conditions on an external leaderboard (higher is better); None without a leaderboard
    leaderboard: Mapping[str, float] | None = None

    def on(self, axis: str) -> RatingOptions:
        """Return the options for an axis; a continuous scale has the level "interval"."""
        scale = self.scale.on(axis)
        return replace(self, scale=scale, level="interval" if scale.is_continuous else self.level)


class ConditionValues(NamedTuple):
    """The rated values of all conditions. Each array has one element per value.

    ``condition``: indexes into ``names``. ``evaluator``: numbers of evaluators, from 0; None if
    they are unknown. ``people`` and ``items``: as in `hype.statistics.crossed.Crossed`.
    """

    names: tuple[str, ...]
    condition: IntArray
    value: FloatArray
    evaluator: IntArray | None
    people: IntArray
    items: IntArray | None
    random: Randomness


def condition_values(ratings: pd.DataFrame, images: Images = "sample") -> ConditionValues:
    """List the values of each condition; a pair's second image gets the value with opposite sign.

    ``ratings``: from `check_ratings`, without the answers "not relevant".
    """
    names = tuple(map(str, ratings["first"].cat.categories))
    value = ratings["value"].to_numpy()
    person = codes_of(ratings["evaluator"]) if "evaluator" in ratings else None
    first = codes_of(ratings["first"])
    people, items, random = who_rated_what(ratings, images)
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


def who_rated_what(
    ratings: pd.DataFrame, images: Images
) -> tuple[IntArray, IntArray | None, Randomness]:
    """Return each rating's person and item (prompt or else image), and what is a random sample."""
    if "second" in ratings:
        answers, random = answers_of(votes_of(ratings), images)
        unit: Unit = "ratings" if random.unit == "comparisons" else random.unit
        return answers.evaluator, answers.items, replace(random, unit=unit)
    people = number_labels(ratings, "evaluator")
    unit = "one evaluator" if "evaluator" in ratings else "ratings"
    if people.any():
        unit = "evaluators"
    else:
        people = np.arange(len(ratings))
    prompts = number_labels(ratings, "prompt")
    item: Item = "prompts" if prompts.any() else "images"
    items = prompts if prompts.any() else number_labels(ratings, "item")
    units = int(people.max(initial=-1)) + 1
    about = treat_as_sample(None, None)
    if images == "sample":
        each = 1 if item == "prompts" else len(ratings["first"].cat.categories)
        about = treat_as_sample(item, items, each=each)
    return people, about.codes, about.random(unit, units)


def condition_means(
    values: ConditionValues, *, scale: tuple[float, float] | None, confidence: float
) -> Rows:
    """Return the means of the conditions that have values, the highest first.

    ``value``: for single images, the mean rating, or the share of "yes". For pairs, how much
    better the condition is than its opponents: 0 means equal, and (L - 1)/2 is the maximum for L
    levels. There is no interval if fewer than two people answered. ``ratings``: the number of
    relevant answers. ``evaluators``: the number of evaluators, if they are the units of the
    interval; None if each answer is a unit.

    ``values``: from `condition_values`. ``scale``: the lowest and the highest value; None if values
    are 1 for yes and 0 for no. ``confidence``: the level of the intervals.
    """
    size = len(values.names)
    times = np.bincount(values.condition, minlength=size)
    who = np.unique(values.people * size + values.condition) % size
    people = np.bincount(who, minlength=size)
    answers = values.condition, values.value, values.people, values.items
    if scale is None:
        own = estimate_shares(*answers, groups=size)
        crossed = [share.estimate(confidence) if share else None for share in own]
    else:
        crossed = estimate_means(*answers, groups=size, confidence=confidence, scale=scale)
    rows = [
        {
            "condition": values.names[place],
            "ratings": int(times[place]),
            "value": crossed[place]
            or Estimate(value=float(values.value[values.condition == place].mean())),
            "evaluators": int(people[place]) if values.random.unit == "evaluators" else None,
        }
        for place in np.flatnonzero(times).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row["value"].value, row["condition"])))


CHOICES: Final = ("left", "right", "tie")
"""The possible answers after ratings of pairs are turned into comparisons."""
_KNOWN: Final = {
    "evaluator": "evaluator",
    "prompt": "prompt",
    "left_image": "first_image",
    "right_image": "second_image",
}


def votes_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings of pairs into comparisons: left is the first image, and wins if it is better.

    ``ratings``: ratings on one axis, from `check_ratings`; "not relevant" answers are dropped.
    Returns the columns left, right, answer and, if known, evaluator, prompt, left_image and
    right_image, as in `check_comparisons`.
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


def strengths_of(votes: pd.DataFrame, options: RatingOptions) -> StrengthTable:
    answers, random = answers_of(votes, options.images)
    certainty = options.certainty(random)
    return strength_table(count(votes), answers, ties=options.ties, certainty=certainty)


def axis_strengths(ratings: pd.DataFrame, options: RatingOptions) -> tuple[Rows, Rows, Row]:
    """Estimate the strengths of the conditions on one axis, from its relevant answers.

    Strengths depend on which image is better, but not on how much better. Returns the strengths
    (the highest first, unknown ones last), the pairs, and the fit.
    """
    votes = votes_of(ratings)
    counts, (answers, _) = count(votes), answers_of(votes, options.images)
    table = strengths_of(votes, options)
    ranking, pairs = rank_conditions(counts, answers, table, options)
    return open_ranks(ranking, pairs), pairs, fit_facts(table)


def mean_pairs(
    values: ConditionValues, means: Rows, options: RatingOptions, *, shares: bool
) -> Rows:
    """Compare the means of all pairs of conditions (single images); ``a`` has the higher mean.

    ``difference``: mean of ``a`` minus mean of ``b``. ``p``, ``p_holm``: the two-sided p-value of
    the difference, and this p-value after Holm's correction for all pairs; None with one evaluator.
    ``p_equivalent``: the Holm-corrected p-value of two one-sided tests against the margin; None
    without a margin. ``verdict``: "not known" if neither separable nor equivalent. ``means``: from
    `condition_means`. ``shares``: whether values are 1 for yes and 0 for no.
    """
    names = [row["condition"] for row in means]
    places = combinations([values.names.index(name) for name in names], 2)
    answers = values.condition, values.value, values.people, values.items
    differences = list(mean_differences(*answers, places, shares=shares))
    length = 1 if shares else options.scale.highest - options.scale.lowest
    tested = values.random.unit != "one evaluator"
    p = [number_or_none(error.p(value)) if tested else None for value, error in differences]
    alike = [
        number_or_none(error.p_within(value, options.margin * length))
        if tested and options.margin
        else None
        for value, error in differences
    ]
    rows = []
    for two, (value, error), one, holm_one, alike_one in zip(
        combinations(names, 2), differences, p, holm_known(p), holm_known(alike), strict=True
    ):
        separable = None if holm_one is None else holm_one < options.alpha
        equivalent = alike_one is not None and alike_one < options.alpha
        estimate = Estimate(value=value)
        if one is not None:
            reach = error.reach(options.confidence)
            estimate = Estimate(value=value, low=value - reach, high=value + reach)
        rows.append(
            {
                "a": two[0],
                "b": two[1],
                "difference": estimate,
                "p": one,
                "p_holm": holm_one,
                "p_equivalent": alike_one,
                "separable": separable,
                "verdict": verdict_of(separable, is_equivalent=equivalent),
            }
        )
    return tuple(rows)


def condition_rows(axis: str, kind: AnswerKind, means: Rows, strengths: Rows) -> Rows:
    """Join the mean and strength of each condition, sorted by strength if known, else by mean."""
    by_name = {row["condition"]: row for row in means}
    rows = []
    for row in strengths or means:
        mean = by_name.get(row["condition"], {})
        value, words = mean.get("value"), kind == "yes-no"
        counted = {name: mean.get(name) for name in ("value", "ratings", "evaluators")}
        means_in = {"mean": None if words else value, "yes": value if words else None}
        rows.append(row | {"axis": axis} | counted | means_in)
    return tuple(rows)


def conditions_table(axes: Rows, options: RatingOptions, note: str) -> Table:
    ci, kinds = f"{options.confidence:.0%} CI", {axis["kind"] for axis in axes}
    of_pairs = "levels" in kinds
    mean = tabular.number("Mean", "mean", 2, measure=POINTS)
    interval = tabular.interval(ci, "mean", 2)
    return tabulate(
        [row for axis in axes for row in axis["conditions"]],
        name="rating-conditions",
        title="Conditions, axis by axis",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("Condition", "condition"),
            *(SCALES[options.strengths].columns(ci) if of_pairs else ()),
            *((mean, *tabular.further(interval)) if of_pairs else ()),
            *((mean, interval) if "numbers" in kinds else ()),
            *((tabular.share("Yes", "yes_share", of="yes"),) if "yes-no" in kinds else ()),
            *((tabular.percents(f"{ci}, %", "yes", 0),) if "yes-no" in kinds else ()),
            tabular.whole("Ratings", "ratings"),
            *tabular.further(tabular.whole("Evaluators", "evaluators")),
            *(strength_details(ci) if of_pairs else ()),
        ),
        note=note,
    )


def strength_details(ci: str) -> tuple[Column, ...]:
    """Declare the columns about strengths that appear only in files, frames and JSON."""
    return (
        *tabular.further(
            tabular.whole("Rank", "rank"),
            tabular.percent("Win rate", "win_rate"),
            tabular.percents(ci, "win_rate"),
            tabular.whole("Comparisons", "comparisons"),
        ),
        *count_columns(),
        *strength_columns(),
        *tabular.further(tabular.words("No strength, because", "reason")),
    )


def pairs_table(axes: Rows, options: RatingOptions, *, of_pairs: bool, note: str) -> Table:
    ci = f"{options.confidence:.0%} CI"
    columns: tuple[Column, ...] = (
        tabular.name("Condition", "a"),
        tabular.name("over", "b"),
        tabular.number("Difference\nof means", "difference", 2, measure=POINTS),
        tabular.interval(ci, "difference", 2),
        tabular.probability("p", "p"),
        tabular.probability("Holm", "p_holm"),
    )
    if of_pairs:
        columns = (
            *pair_columns(options),
            *rate_columns(options.confidence),
            *further_pair_columns(),
        )
    return tabulate(
        [{"axis": axis["axis"], **pair} for axis in axes for pair in axis["pairs"]],
        name="rating-pairs",
        title="Pairs of conditions, axis by axis",
        columns=(tabular.name("Axis", "axis"), *columns, tabular.words("Verdict", "verdict")),
        note=note,
    )
