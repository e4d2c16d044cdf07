"""Rankings as choices: the best of all, then the best of what is left, and so on.

That is how Plackett (1975), "The analysis of permutations", Applied Statistics 24, reads a
ranking, with the choices of Luce (1959), "Individual Choice Behavior". What its likelihood needs is
how often each condition was chosen, and how often there was which set to choose from.

Of images that are tied each is taken to be chosen from the set that still has all of them: the rule
of Breslow (1974), "Covariance analysis of censored survival data", Biometrics 30, for the partial
likelihood, which is the same function. It draws strengths a little together where ties are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from hype.analysis.rankings.orders import Orders
    from hype.analysis.rankings.ranking_units import Units

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_BITS: Final = 63
_SEED: Final = 1975


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """What the likelihood of Plackett and Luce needs, by unit.

    Parameters
    ----------
    conditions
        K of them.
    members
        How many images of each condition each of the S sets has, shape (S, K).
    chosen
        How often each unit chose each condition, shape (units, K).
    times
        How often each unit chose from each set, shape (units, S).
    """

    conditions: tuple[str, ...]
    members: FloatArray
    chosen: FloatArray
    times: csr_array


def choices(laid: Orders, units: Units) -> Choices:
    """Read rankings as choices.

    Parameters
    ----------
    laid
        The rankings.
    units
        Whose each is.
    """
    size = len(laid.conditions)
    begin = laid.leads
    end = np.cumsum(laid.sizes)[laid.ranking]
    real = end - begin > 1  # the last one is no choice
    begin, end, own = begin[real], end[real], units.of_ranking[laid.ranking[real]]
    sums = np.append(np.uint64(0), np.cumsum(_weights(laid), dtype=np.uint64))
    which, distinct = pd.factorize(sums[end] - sums[begin])  # sums may go round; differences hold
    first = np.zeros(len(distinct), dtype=np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    chosen = np.bincount(own * size + laid.condition[real], minlength=units.number * size).astype(
        float
    )
    return Choices(
        conditions=laid.conditions,
        members=_members(laid, begin[first], end[first]),
        chosen=chosen.reshape(units.number, size),
        times=csr_array((np.ones(len(which)), (own, which)), shape=(units.number, len(distinct))),
    )


def _weights(laid: Orders) -> npt.NDArray[np.uint64]:
    """Give each image a number, so that sums over sets tell sets apart.

    Powers of two, where no set has two images of a condition; of a larger base, where some have.
    Where these do not fit, random numbers of 64 bits: two of 100,000 sets have the same sum with a
    probability of 10⁻⁹.
    """
    size = len(laid.conditions)
    twice = np.unique(laid.ranking * size + laid.condition, return_counts=True)[1]
    base = int(twice.max(initial=1)) + 1
    if base**size <= 2**_BITS:
        weights = np.array([base**power for power in range(size)], dtype=np.uint64)
    else:
        weights = np.random.default_rng(_SEED).integers(
            2**_BITS, size=size, dtype=np.uint64, endpoint=True
        )
    return np.asarray(weights[laid.condition], dtype=np.uint64)


def _members(laid: Orders, begin: IntArray, end: IntArray) -> FloatArray:
    size, lengths = len(laid.conditions), end - begin
    number = np.repeat(np.arange(len(begin)), lengths)
    offset = np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cell = number * size + laid.condition[begin[number] + offset]
    counted = np.bincount(cell, minlength=len(begin) * size).astype(float)
    return counted.reshape(len(begin), size)
