"""Agreement on an axis, between people and with the truth; people who always answer the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pandas as pd

from hype.protocols.rating.axes import (
    ConditionValues,
    RatingOptions,
    condition_means,
    condition_values,
)
from hype.report import tabular
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.statistics.agreement import unit_alpha
from hype.statistics.alpha import Alpha, AlphaUnit
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation
from hype.statistics.estimate import Estimate, Images
from hype.study.scales import AnswerKind
from hype.tables.cells import codes_of


def alphas_of(
    relevant: pd.DataFrame, values: ConditionValues, options: RatingOptions
) -> Iterator[Alpha]:
    """Compute α twice: with conditions as units, and with items that two or more people rated."""
    items = codes_of(relevant["item"])
    # The prompt of each rating, or its item if there is only one prompt
    about = None
    if values.random.item is not None:
        about = codes_of(relevant["prompt"]) if values.random.item == "prompts" else items
    person = codes_of(relevant["evaluator"]) if "evaluator" in relevant else None
    value = relevant["value"].to_numpy()
    twice = about if about is None else np.tile(about, len(values.value) // max(len(items), 1))
    over: list[tuple[AlphaUnit, IntArray, FloatArray, IntArray | None, IntArray | None]] = [
        ("conditions", values.condition, values.value, values.evaluator, twice),
        ("items", items, value, person, about),
    ]
    for what, unit, of_unit, who, of in over:
        alpha = unit_alpha(
            unit, of_unit, who, of, what=what, level=options.level, confidence=options.confidence
        )
        if alpha is not None:
            yield alpha


def choose_alpha(alphas: Iterable[Alpha]) -> Alpha | None:
    """Choose the α of an axis to show: the α over items if it exists, else the α over conditions.

    With only one evaluator, no α is shown.
    """
    several = (alpha for alpha in alphas if alpha.evaluators != 1)
    return max(several, key=lambda alpha: alpha.unit == "items", default=None)


def alphas_table(axes: Rows, confidence: float) -> Table:
    return tabulate(
        [{"axis": axis["axis"], "of": alpha} for axis in axes for alpha in axis["alphas"]],
        name="rating-agreement",
        title="Krippendorff's α",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Over", "unit", of="of.unit"),
            tabular.number("α", "alpha", 3, of="of.alpha"),
            tabular.interval(f"{confidence:.0%} CI", "alpha", 3, of="of.alpha"),
            tabular.whole("Units", "units", of="of.units"),
            tabular.whole("Values", "values", of="of.n"),
            tabular.whole("Evaluators", "evaluators", of="of.evaluators"),
        ),
    )


def compare_with_truth(
    ratings: pd.DataFrame, kind: AnswerKind, images: Images, *, confidence: float
) -> Row | None:
    """Compare the relevant answers of one axis with the truth; None if the truth is unknown.

    ``ratings``: the number of ratings with a known right answer. ``right``: the proportion of right
    answers, for yes and no. ``r``: Pearson's correlation with the truth, for numbers.
    ``evaluators``: the number of evaluators, or None if they are not the units of the interval.
    """
    if "truth_value" not in ratings:
        return None
    answered = ratings[(ratings["truth_value"].notna() & ratings["value"].notna()).to_numpy()]
    if not len(answered):
        return None
    answer, right = answered["value"].to_numpy(), answered["truth_value"].to_numpy()
    drawn = condition_values(answered, images)
    if kind == "numbers":
        people = drawn.people if drawn.random.unit == "evaluators" else None
        r = correlation(answer, right, people, drawn.items, confidence=confidence)
        found = None if r.r is None else Estimate(value=r.r, low=r.low, high=r.high)
        return {"ratings": len(answered), "right": None, "r": found, "evaluators": r.clusters}
    correct = (answer == right).astype(np.float64)
    same = np.zeros(len(answered), dtype=np.int64)
    values = drawn._replace(names=("",), condition=same, value=correct)
    (share,) = condition_means(values, scale=None, confidence=confidence)
    people = share["evaluators"]
    return {"ratings": len(answered), "right": share["value"], "r": None, "evaluators": people}


def truth_table(axes: Rows, confidence: float) -> Table:
    ci = f"{confidence:.0%} CI"
    return tabulate(
        [{"axis": axis["axis"], **axis["truth"]} for axis in axes if axis["truth"]],
        name="rating-truth",
        title="People compared with the right answers",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.share("Right", "right_share", of="right"),
            tabular.percents(f"{ci}, %", "right", 0),
            tabular.number("r with\nthe truth", "r", 2),
            tabular.interval(ci, "r", 2),
            tabular.whole("Ratings", "ratings"),
            *tabular.further(tabular.whole("Evaluators", "evaluators")),
        ),
    )


TELLING: Final = 10
"""Evaluators are reported if they gave at least this many answers, all of them equal."""


def constant_evaluators(scored: pd.DataFrame) -> tuple[str, ...]:
    """Name the evaluators who gave at least `TELLING` answers, all of them equal.

    Answers are equal if they are the same level. If the sides of images are known, they are also
    equal if they are the same level on the screen, such as always "left is better".
    """
    if "evaluator" not in scored:
        return ()
    people = codes_of(scored["evaluator"])
    answer = codes_of(scored["answer"])
    same = _always_one(people, answer)
    if "first_side" in scored and "value" in scored:
        value = scored["value"].to_numpy()  # above 0: the first image is better
        value = np.where(scored["first_side"].eq("right").to_numpy(), -value, value)
        # An answer whose side is unknown equals no other answer.
        unknown = scored["first_side"].eq("").to_numpy()
        value = np.where(unknown, 1e6 + np.arange(len(value)), value)
        codes, _ = pd.factorize(value, use_na_sentinel=False)
        same |= _always_one(people, codes.astype(np.int64))
    names = scored["evaluator"].cat.categories
    return tuple(str(names[place]) for place in np.flatnonzero(same).tolist())


def _always_one(people: IntArray, answer: IntArray) -> BoolArray:
    total = np.bincount(people)
    size = int(answer.max(initial=-1)) + 1
    different = np.bincount(np.unique(people * size + answer) // size, minlength=len(total))
    same: BoolArray = (different == 1) & (total >= TELLING)
    return same
