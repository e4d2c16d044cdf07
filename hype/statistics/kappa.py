"""Cohen's κ: how far two raters agree beyond what their own base rates would make them.

Cohen (1960), "A coefficient of agreement for nominal scales"; the standard error of Fleiss, Cohen &
Everitt (1969), "Large sample standard errors of kappa and weighted kappa", eq. 13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class CohenKappa:
    """Agreement of two raters.

    Parameters
    ----------
    kappa
        1 where they always agree, 0 as by chance; None where both gave one and the same value to
        everything, so that chance alone would have them agree.
    standard_error, ci_low, ci_high
        Asymptotic; None without a κ. With few items they are rough.
    items
        How many both rated.
    observed, expected
        Share on which they agree, and would by chance.
    confidence
        Coverage of the interval, as a proportion.
    """

    kappa: float | None
    standard_error: float | None
    ci_low: float | None
    ci_high: float | None
    items: int
    observed: float
    expected: float
    confidence: float


def cohen_kappa(
    a: Sequence[Hashable], b: Sequence[Hashable], *, confidence: float = 0.95
) -> CohenKappa:
    """Compute κ of two raters who rated the same items.

    Parameters
    ----------
    a, b
        Their values, item by item; None leaves an item out.
    confidence
        Coverage of the interval, as a proportion.

    Raises
    ------
    InputError
        They rated unlike numbers of items, or none together.
    """
    if len(a) != len(b):
        raise InputError("ratings", f"{len(a)} by one rater, {len(b)} by the other", "equally many")
    both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not both:
        raise InputError("ratings", "no item was rated by both", "one or more")
    place: dict[Hashable, int] = {}
    for pair in both:
        for value in pair:
            place.setdefault(value, len(place))
    table = np.zeros((len(place), len(place)))
    for x, y in both:
        table[place[x], place[y]] += 1
    return kappa_of_table(table, confidence=confidence)


def kappa_of_table(table: npt.ArrayLike, *, confidence: float = 0.95) -> CohenKappa:
    """Compute κ of a square table: how often one rater gave value i, and the other j."""
    counts = np.asarray(table, dtype=float)
    items = counts.sum()
    p = counts / items
    observed, expected = float(np.trace(p)), float(p.sum(axis=1) @ p.sum(axis=0))
    kappa = error = half = None
    if expected < 1:
        kappa = (observed - expected) / (1 - expected)
        error = math.sqrt(max(0.0, _variance(p, observed, expected)) / items)
        half = error * float(special.ndtri((1 + confidence) / 2))
    return CohenKappa(
        kappa=kappa,
        standard_error=error,
        ci_low=None if kappa is None or half is None else max(-1.0, kappa - half),
        ci_high=None if kappa is None or half is None else min(1.0, kappa + half),
        items=int(items),
        observed=observed,
        expected=expected,
        confidence=confidence,
    )


def _variance(p: FloatArray, observed: float, expected: float) -> float:
    """Give the variance of κ times the number of items."""
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    both = columns[:, None] + rows[None, :]  # of value i by the second and j by the first
    kept, chance = 1 - observed, 1 - expected
    same = (np.diag(p) * np.square(chance - (rows + columns) * kept)).sum()
    apart = (
        kept**2 * (p * np.square(both)).sum() - kept**2 * (np.diag(p) * np.diag(both) ** 2).sum()
    )
    rest = (observed * expected - 2 * expected + observed) ** 2
    return float((same + apart - rest) / chance**4)


def kappas(tables: FloatArray) -> FloatArray:
    """Compute κ of many tables at once, shape (..., values, values); NaN where there is none."""
    items = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / items
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / np.square(items)
        found: FloatArray = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
    return found
