"""A test of one half where answers of one person are alike.

If nobody had a preference, each person's answers would have been as likely with all of them turned
round. So each person's choices of the one less those of the other keep their size and get either
sign with probability ½, and p is how often their sum would be as far from 0: Fisher (1935),
"The Design of Experiments", section 21. Where each person answered once this is the exact binomial
test; persons who are alike in their taste, or in two camps, are what it is made for.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

IntArray = npt.NDArray[np.int64]

MOST_EXACT: Final = 10_000_000
"""Persons times the sum of their sizes up to which p is exact; beyond, sums are normal enough."""


def sign_flip_p(net: npt.ArrayLike) -> float:
    """Test whether two things are chosen alike often.

    Parameters
    ----------
    net
        Of each person, choices of the one less choices of the other; whole numbers.

    Returns
    -------
    float
        Two-sided; 1 where nobody chose either more often. Exact, or from the normal distribution
        with the same variance where that would take long.
    """
    signed = np.asarray(net, dtype=np.int64)
    sizes = np.abs(signed[signed != 0])
    total, furthest = abs(int(signed.sum())), int(sizes.sum())
    larger = sizes[sizes > 1]
    if furthest == 0:
        return 1.0
    if not len(larger):
        return min(1.0, 2 * float(special.bdtr((furthest - total) / 2, furthest, 0.5)))
    if len(sizes) * furthest > MOST_EXACT:
        deviation = np.sqrt(np.square(sizes, dtype=float).sum())
        return float(2 * special.ndtr(-total / deviation))
    return min(1.0, 2 * _at_most((furthest - total) // 2, larger, len(sizes) - len(larger)))


def _at_most(bound: int, larger: IntArray, singles: int) -> float:
    """Give the probability that sizes that are each taken or left, evenly, sum to the bound."""
    sums = np.zeros(singles + int(larger.sum()) + 1)
    ones = np.arange(singles + 1)
    logs = special.gammaln(singles + 1) - special.gammaln(ones + 1)
    sums[: singles + 1] = np.exp(logs - special.gammaln(singles - ones + 1) - singles * np.log(2))
    for size in larger.tolist():
        sums[size:] = sums[size:] / 2 + sums[:-size] / 2
        sums[:size] /= 2
    return float(sums[: bound + 1].sum())
