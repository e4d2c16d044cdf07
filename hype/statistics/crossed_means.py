"""Means of answers by several people about several items, with their intervals.

The errors are those of `hype.statistics.crossed`, never less than of answers that are all
independent.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Crossed
from hype.statistics.estimate import Estimate


def crossed_means(
    group: IntArray,
    values: FloatArray,
    people: IntArray,
    items: IntArray | None,
    *,
    groups: int,
    confidence: float,
) -> list[Estimate | None]:
    """Give the mean of each group of answers; None of none.

    ``group``: which each answer is of, from 0, shape (answers,). ``values``: what was answered.
    ``people``, ``items``: as of `Crossed`. There are no ends where fewer than two people answered.
    """
    number = np.bincount(group, minlength=groups)
    share = 1 / np.maximum(number, 1)
    means = np.bincount(group, values, minlength=groups) * share
    seen = np.unique(people.astype(np.int64) * groups + group) % groups
    persons = np.bincount(seen, minlength=groups)
    places, shape = (np.arange(len(group)), group), (len(group), groups)
    terms = csr_array(((values - means[group]) * share[group], places), shape=shape)
    weights = csr_array((share[group], places), shape=shape)
    crossed = Crossed(terms, weights, people, items, bounded=True)
    return [
        _mean(float(means[place]), crossed.error(place).reach(confidence), int(persons[place]))
        if number[place]
        else None
        for place in range(groups)
    ]


def _mean(value: float, reach: float, persons: int) -> Estimate:
    if persons < 2:
        return Estimate(value=value)
    return Estimate(value=value, low=value - reach, high=value + reach)
