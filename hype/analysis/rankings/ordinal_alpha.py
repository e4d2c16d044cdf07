"""Krippendorff's α of ranks: how far people agree on the places of the images of a group.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability", with the metric for ordinal data.
A unit is an image in its group, a value its rank there (twice it, for ties). It is 1 where all
rankings of a group are the same, and about 0 where they have nothing in common. Its interval is the
jackknife's over groups, with people as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

if TYPE_CHECKING:
    from hype.analysis.rankings.shared_groups import SharedRanks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_MOST_BUNDLES: Final = 200
"""More groups are left out some at a time."""


@dataclass(frozen=True, kw_only=True)
class RankAlpha:
    """Krippendorff's α of ranks.

    Parameters
    ----------
    alpha
        At most 1; None where all ranks are the same.
    ci_low, ci_high
        Over groups; None where there are fewer than three.
    """

    alpha: float | None
    ci_low: float | None = None
    ci_high: float | None = None


def rank_alpha(shared: SharedRanks, *, confidence: float) -> RankAlpha:
    """Compute α of the groups that several people ranked."""
    together = _coincidences(shared)
    alpha = alpha_of(together.sum(axis=0))
    if alpha is None:
        return RankAlpha(alpha=None)
    each = [alpha_of(together.sum(axis=0) - own) for own in together]
    left = np.array([value for value in each if value is not None])
    if len(left) < len(each) or len(left) < 3:
        return RankAlpha(alpha=alpha)
    number = len(left)
    error = math.sqrt((number - 1) / number * np.square(left - left.mean()).sum())
    reach = -float(stdtrit(number - 1, (1 - confidence) / 2)) * error
    return RankAlpha(alpha=alpha, ci_low=alpha - reach, ci_high=min(1.0, alpha + reach))


def alpha_of(coincidences: FloatArray) -> float | None:
    """Compute α from how often each two values stood together, shape (values, values)."""
    totals = coincidences.sum(axis=1)
    number, up_to = totals.sum(), np.cumsum(totals)
    middle = up_to - totals / 2
    apart = np.square(middle[:, np.newaxis] - middle)
    expected = float(totals @ apart @ totals)
    if number <= 1 or expected <= 0:
        return None
    return 1 - float((number - 1) * (coincidences * apart).sum() / expected)


def _coincidences(shared: SharedRanks) -> FloatArray:
    """Count values that stand together, shape (bundles of groups, values, values)."""
    _, value = np.unique(shared.doubled, return_inverse=True)
    _, group = np.unique(shared.group, return_inverse=True)
    # Members of a group come in one order in each of its rankings.
    keys, unit = np.unique(
        shared.group * (int(shared.member.max()) + 1) + shared.member, return_inverse=True
    )
    values, bundles = int(value.max()) + 1, min(_MOST_BUNDLES, int(group.max()) + 1)
    counts = np.bincount(unit * values + value, minlength=len(keys) * values)
    counts = counts.reshape(len(keys), values).astype(float)
    bundle = np.zeros(len(keys), dtype=np.int64)
    bundle[unit] = group % bundles
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    found = np.empty((bundles, values, values))
    for number in range(bundles):
        own = bundle == number
        found[number] = scaled[own].T @ counts[own] - np.diag(scaled[own].sum(axis=0))
    return found
