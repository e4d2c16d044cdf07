"""How the axes go together, and the strengths of the conditions on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pandas as pd

from hype.protocols.rating.results import AxisCorrelations, ConditionMean, WithOverall
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation_matrix
from hype.statistics.estimate import Estimate, value_of
from hype.statistics.paired_counts import answers_of, count, win_rates
from hype.statistics.proportions import wilson
from hype.statistics.resampling import FEWEST_CLUSTERS, jackknife_reach
from hype.statistics.strength_table import fit_of, ranked, strengths_found
from hype.tables.answers import share_conditions
from hype.tables.distinct import only_used

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.protocols.rating.scoring import RatingOptions
    from hype.statistics.correlation import CorrelationMatrix
    from hype.statistics.strength_table import ConditionStrength, Fit


class ConditionValues(NamedTuple):
    """The values that conditions were given; arrays of shape (values,).

    `condition` are places among `names`; `evaluator` numbers from 0, or None where unknown.
    """

    names: tuple[str, ...]
    condition: IntArray
    value: FloatArray
    evaluator: IntArray | None


def condition_values(ratings: pd.DataFrame) -> ConditionValues:
    """Give each condition its values; of a pair, minus the value to the second.

    ``ratings``: of one axis, without those that are not relevant, as `check_ratings` returns them.
    """
    names = tuple(map(str, ratings["first"].cat.categories))
    value = ratings["value"].to_numpy()
    person = codes_of(ratings, "evaluator") if "evaluator" in ratings else None
    first = codes_of(ratings, "first")
    if "second" not in ratings:
        return ConditionValues(names, first, value, person)
    return ConditionValues(
        names=names,
        condition=np.concatenate([first, codes_of(ratings, "second")]),
        value=np.concatenate([value, -value]),
        evaluator=None if person is None else np.concatenate([person, person]),
    )


def condition_means(
    values: ConditionValues, *, shares: bool, confidence: float
) -> tuple[ConditionMean, ...]:
    """Give the mean of each condition that has a value, the highest first.

    ``values``: as `condition_values` returns them. ``shares``: whether values are 1 for yes and 0
    for no. ``confidence``: of the intervals. They are by the jackknife over evaluators where at
    least `FEWEST_CLUSTERS` rated the condition; else each answer counts as independent.
    """
    size = len(values.names)
    times = np.bincount(values.condition, minlength=size).astype(np.float64)
    sums = np.bincount(values.condition, values.value, size).astype(np.float64)
    people, reach = _reach(values, sums, times, confidence)
    mean = sums / np.maximum(times, 1)
    low, high = mean - reach, mean + reach
    if shares:
        low, high = _of_shares(sums, times, low, high, people, confidence)
    rows = [
        ConditionMean(
            condition=values.names[place],
            ratings=int(times[place]),
            mean=Estimate(
                value=float(mean[place]), low=_known(low[place]), high=_known(high[place])
            ),
            evaluators=int(people[place]) if people[place] >= FEWEST_CLUSTERS else None,
        )
        for place in np.flatnonzero(times).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.mean.value, row.condition)))


def codes_of(ratings: pd.DataFrame, name: str) -> IntArray:
    return ratings[name].cat.codes.to_numpy().astype(np.int64)


def _reach(
    values: ConditionValues, sums: FloatArray, times: FloatArray, confidence: float
) -> tuple[IntArray, FloatArray]:
    """Give who rated each condition, and how far its interval reaches."""
    alone = _independent(values, sums, times, confidence)
    size = len(sums)
    if values.evaluator is None:
        return np.zeros(size, dtype=np.int64), alone
    person, names = pd.factorize(values.evaluator)
    cell, shape = person * size + values.condition, (len(names), size)
    own = np.bincount(cell, minlength=shape[0] * size).reshape(shape)
    own_sums = np.bincount(cell, values.value, shape[0] * size).reshape(shape)
    rest = times - own
    left_out = np.divide(sums - own_sums, rest, out=np.full(shape, np.nan), where=rest > 0)
    reach = jackknife_reach(left_out, own > 0, confidence=confidence)
    people = (own > 0).sum(axis=0)
    return people, np.where(people >= FEWEST_CLUSTERS, reach, alone)


def _independent(
    values: ConditionValues, sums: FloatArray, times: FloatArray, confidence: float
) -> FloatArray:
    """Give Student's interval of a mean, as if each answer were independent of all others."""
    from scipy.special import stdtrit

    mean = sums / np.maximum(times, 1)
    squares = np.bincount(values.condition, (values.value - mean[values.condition]) ** 2, len(sums))
    freedom = np.maximum(times - 1, 1)
    error = np.sqrt(squares / freedom / np.maximum(times, 1))
    reach: FloatArray = np.where(times > 1, stdtrit(freedom, (1 + confidence) / 2) * error, np.nan)
    return reach


def _of_shares(
    sums: FloatArray,
    times: FloatArray,
    low: FloatArray,
    high: FloatArray,
    people: IntArray,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Keep the interval of a share within 0 and 1, and as wide as Wilson's at least.

    Where all evaluators say the same, the jackknife sees no variation and would claim certainty.
    """
    least = wilson(sums, times, confidence=confidence)
    estimated = (people >= FEWEST_CLUSTERS) & ~np.isnan(low)
    return (
        np.where(estimated, np.clip(np.minimum(low, least[0]), 0, 1), least[0]),
        np.where(estimated, np.clip(np.maximum(high, least[1]), 0, 1), least[1]),
    )


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


CHOICES: Final = ("left", "right", "tie")
"""Which of two images was called better."""


class AxisTable(NamedTuple):
    """Values by what one person said of one item.

    `values` has the shape (rows, axes), NaN where missing; `item` and `evaluator` are codes of the
    table's categories, shape (rows,), the second None where evaluators are not known; `dropped` are
    the items that several unknown people answered, so that nobody knows which answers belong
    together.
    """

    values: FloatArray
    item: IntArray
    evaluator: IntArray | None
    dropped: int


def axis_table(ratings: pd.DataFrame, axes: Sequence[str]) -> AxisTable:
    """Lay ratings out with a column for each axis.

    ``ratings``: as `check_ratings` returns them. ``axes``: the columns; ratings on others are left
    out.
    """
    place = ratings["axis"].cat.categories.get_indexer(pd.Index(axes))
    column_of = np.full(len(ratings["axis"].cat.categories), -1)
    column_of[place] = np.arange(len(axes))
    column = column_of[codes_of(ratings, "axis")]
    item = codes_of(ratings, "item")
    person = codes_of(ratings, "evaluator") if "evaluator" in ratings else None
    kept, dropped = _matchable(item, column, person)
    key = item[kept] if person is None else person[kept] * (item.max() + 1) + item[kept]
    row, keys = pd.factorize(key)
    values = np.full((len(keys), len(axes)), np.nan)
    values[row, column[kept]] = ratings["value"].to_numpy()[kept]
    first = np.flatnonzero(~pd.Series(row).duplicated().to_numpy())
    whose = None if person is None else person[kept][first]
    return AxisTable(values=values, item=item[kept][first], evaluator=whose, dropped=dropped)


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
    table: AxisTable, axes: Sequence[str], overall: str | None, *, confidence: float
) -> AxisCorrelations | None:
    """Correlate the axes; None with a single one, or no row."""
    if len(axes) < 2 or not len(table.values):
        return None
    matrix = correlation_matrix(table.values, table.evaluator, confidence=confidence)
    return AxisCorrelations(
        axes=tuple(axes),
        matrix=matrix,
        with_overall=_with_overall(matrix, axes, overall) if overall in axes else (),
    )


def _with_overall(
    matrix: CorrelationMatrix, axes: Sequence[str], overall: str | None
) -> tuple[WithOverall, ...]:
    whole = list(axes).index(str(overall))
    rows = [
        WithOverall(
            axis=axis,
            r=_estimate(matrix, whole, place),
            n=int(matrix.n[whole, place]),
        )
        for place, axis in enumerate(axes)
        if place != whole
    ]
    return tuple(sorted(rows, key=lambda row: (row.r is None, -(value_of(row.r) or 0.0), row.axis)))


def _estimate(matrix: CorrelationMatrix, row: int, column: int) -> Estimate | None:
    r, *ends = (_known(each[row, column]) for each in (matrix.r, matrix.low, matrix.high))
    return None if r is None else Estimate(value=r, low=ends[0], high=ends[1])


class AxisStrengths(NamedTuple):
    """The strengths of an axis, and how they were found."""

    strengths: tuple[ConditionStrength, ...]
    fit: Fit


def votes_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings of pairs into comparisons: left is the first image, and won if it is better.

    ``ratings``: of one axis, as `check_ratings` returns them; those that are not relevant give no
    row. Gives left, right, answer and, where known, evaluator, as `check_comparisons` gives them.
    """
    given = ratings[ratings["value"].notna().to_numpy()]
    value = given["value"].to_numpy()
    codes = np.where(value > 0, 0, np.where(value < 0, 1, 2))
    votes = pd.DataFrame({"left": given["first"], "right": given["second"]})
    votes["answer"] = pd.Categorical.from_codes(codes, categories=pd.Index(CHOICES))
    share_conditions(votes, ("left", "right"))
    if "evaluator" in given:
        votes["evaluator"] = only_used(given["evaluator"])
    return votes


def axis_strengths(ratings: pd.DataFrame, options: RatingOptions) -> AxisStrengths:
    """Estimate the strengths of the conditions on one axis; one or more are relevant."""
    votes = votes_of(ratings)
    counts, (answers, _) = count(votes), answers_of(votes, options.images)
    table = strengths_found(counts, answers, ties=options.ties, confidence=options.confidence)
    rates = win_rates(counts, answers, ties=options.ties, confidence=options.confidence)
    return AxisStrengths(ranked(rates, table), fit_of(table, ties=options.ties))
