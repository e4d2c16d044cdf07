"""Means of answers by several people about several items, and their differences.

The errors are those of `hype.statistics.crossed`, never less than of answers that are all
independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Crossed, Error
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
    means, number, crossed = _means(group, values, people, items, groups)
    seen = np.unique(people.astype(np.int64) * groups + group) % groups
    persons = np.bincount(seen, minlength=groups)
    return [
        _mean(float(means[place]), crossed.error(place).reach(confidence), int(persons[place]))
        if number[place]
        else None
        for place in range(groups)
    ]


def mean_differences(
    group: IntArray,
    values: FloatArray,
    people: IntArray,
    items: IntArray | None,
    pairs: Iterable[tuple[int, int]],
    *,
    shares: bool = False,
) -> Iterator[tuple[float, Error]]:
    """Give the mean of one group of answers less that of another, with its error, for some pairs.

    Parameters are those of `crossed_means`. ``shares``: whether values are 0 and 1; these vary at
    least as independent answers would, two of each kind being added, so that nothing is certain.
    """
    means, number, crossed = _means(group, values, people, items, int(group.max(initial=-1)) + 1)
    even = (means * number + 2) / (number + 4)
    alone = even * (1 - even) / np.maximum(number, 1) if shares else np.zeros_like(means)
    for a, b in pairs:
        error = crossed.error_of_difference(a, b)
        least = max(error.least, float(alone[a] + alone[b]))
        yield float(means[a] - means[b]), replace(error, least=least)


def _means(
    group: IntArray, values: FloatArray, people: IntArray, items: IntArray | None, groups: int
) -> tuple[FloatArray, IntArray, Crossed]:
    """Give the means, of how many answers each is, and what they vary by."""
    number = np.bincount(group, minlength=groups)
    share = 1 / np.maximum(number, 1)
    means = np.bincount(group, values, minlength=groups) * share
    places, shape = (np.arange(len(group)), group), (len(group), groups)
    terms = csr_array(((values - means[group]) * share[group], places), shape=shape)
    weights = csr_array((share[group], places), shape=shape)
    return means, number, Crossed(terms, weights, people, items, bounded=True)


def _mean(value: float, reach: float, persons: int) -> Estimate:
    if persons < 2:
        return Estimate(value=value)
    return Estimate(value=value, low=value - reach, high=value + reach)
