"""How conditions were rated on an axis: means, with evaluators as the independent units.

Of a pair the first condition gets the value and the second minus it, so that swapping the two
changes nothing. A mean is the sum of a condition's values over their number; without one evaluator
both get smaller, and how much the mean then moves says how sure it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.rating.results import ConditionMean
from hype.statistics.proportions import wilson
from hype.statistics.resampling import FEWEST_CLUSTERS, jackknife_reach

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


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

    Parameters
    ----------
    ratings
        Of one axis, without those that are not relevant, as `check_ratings` returns them.
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
    found: ConditionValues, *, shares: bool, confidence: float
) -> tuple[ConditionMean, ...]:
    """Give the mean of each condition that has a value, the highest first.

    Parameters
    ----------
    found
        As `condition_values` returns them.
    shares
        Whether values are 1 for yes and 0 for no.
    confidence
        Of the intervals. They are by the jackknife over evaluators where at least
        `FEWEST_CLUSTERS` rated the condition; else each answer counts as independent.
    """
    size = len(found.names)
    times = np.bincount(found.condition, minlength=size).astype(np.float64)
    sums = np.bincount(found.condition, found.value, size).astype(np.float64)
    people, reach = _reach(found, sums, times, confidence)
    mean = sums / np.maximum(times, 1)
    low, high = mean - reach, mean + reach
    if shares:
        low, high = _of_shares(sums, times, low, high, people, confidence)
    rows = [
        ConditionMean(
            condition=found.names[place],
            ratings=int(times[place]),
            mean=float(mean[place]),
            low=_known(low[place]),
            high=_known(high[place]),
            evaluators=int(people[place]) if people[place] >= FEWEST_CLUSTERS else None,
        )
        for place in np.flatnonzero(times).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.mean, row.condition)))


def codes_of(ratings: pd.DataFrame, name: str) -> IntArray:
    return ratings[name].cat.codes.to_numpy().astype(np.int64)


def _reach(
    found: ConditionValues, sums: FloatArray, times: FloatArray, confidence: float
) -> tuple[IntArray, FloatArray]:
    """Give who rated each condition, and how far its interval reaches."""
    alone = _independent(found, sums, times, confidence)
    size = len(sums)
    if found.evaluator is None:
        return np.zeros(size, dtype=np.int64), alone
    person, names = pd.factorize(found.evaluator)
    cell, shape = person * size + found.condition, (len(names), size)
    own = np.bincount(cell, minlength=shape[0] * size).reshape(shape)
    own_sums = np.bincount(cell, found.value, shape[0] * size).reshape(shape)
    rest = times - own
    left_out = np.divide(sums - own_sums, rest, out=np.full(shape, np.nan), where=rest > 0)
    reach = jackknife_reach(left_out, own > 0, confidence=confidence)
    people = (own > 0).sum(axis=0)
    return people, np.where(people >= FEWEST_CLUSTERS, reach, alone)


def _independent(
    found: ConditionValues, sums: FloatArray, times: FloatArray, confidence: float
) -> FloatArray:
    """Give Student's interval of a mean, as if each answer were independent of all others."""
    from scipy.special import stdtrit

    mean = sums / np.maximum(times, 1)
    squares = np.bincount(found.condition, (found.value - mean[found.condition]) ** 2, len(sums))
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
    known = (people >= FEWEST_CLUSTERS) & ~np.isnan(low)
    return (
        np.where(known, np.clip(np.minimum(low, least[0]), 0, 1), least[0]),
        np.where(known, np.clip(np.maximum(high, least[1]), 0, 1), least[1]),
    )


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
