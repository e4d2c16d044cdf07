"""Krippendorff's α of values on a scale, and how it depends on single evaluators.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C, for nominal, ordinal
and interval data: 1 where all values of a unit are the same, about 0 where those of one unit differ
as much as any, below 0 where they differ more.

A unit may be an item that several people rated. Parthasarathy, Collins & Stephenson (2025), "What
Makes a Good Generated Image?", have one rater for each pair and take the *model* for the unit: each
rating of a pair gives its value to the first model and minus it to the second, and all of a rater's
values count. This α is high where models differ and people see it, so it says how far people agree
on models, not on images; it is as low among people who agree on models that are equally good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.statistics.estimate import Estimate, estimated
from hype.statistics.jackknife import jackknife_reach

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

Level = Literal["ordinal", "interval", "nominal"]
"""How far apart two values are: by how many values lie between, by their difference, or not."""

AlphaUnit = Literal["conditions", "items"]
"""What the values of a unit have in common."""

_LEAST: Final = 1e-12


@dataclass(frozen=True, kw_only=True)
class Alpha:
    """Krippendorff's α of an axis.

    Parameters
    ----------
    unit
        "conditions": how far all ratings of a condition agree, whichever image they are of; of
        pairs each gives its value to the first condition and minus it to the second. "items": how
        far several ratings of the same images agree.
    alpha
        At most 1; about 0 where values of one unit differ as much as any. Its interval is by the
        jackknife over evaluators; None where these are unknown or too few.
    units, n
        Units with two values and more, and how many values these have.
    evaluators
        Who gave these; None where that is unknown.
    """

    unit: AlphaUnit
    alpha: Estimate = estimated("alpha", "low", "high")
    units: int
    n: int
    evaluators: int | None


def unit_alpha(
    unit: IntArray,
    value: FloatArray,
    evaluator: IntArray | None,
    *,
    what: AlphaUnit,
    level: Level,
    confidence: float,
) -> Alpha | None:
    """Compute α of values by their units.

    Parameters
    ----------
    unit
        Whose value it is, numbers from 0; shape (n,).
    value
        Shape (n,); NaN where missing.
    evaluator
        Who gave it, numbers from 0; None where that is unknown.
    what
        What the units are.
    level
        Of measurement.
    confidence
        Of the interval.

    Returns
    -------
    Alpha or None
        The interval is by the jackknife over evaluators; it is unknown where these are, or too
        few. None where no unit has two values, or all values of such units are the same.
    """
    kept = _pairable(unit, value)
    codes, domain = pd.factorize(value[kept], sort=True)
    units, _ = pd.factorize(unit[kept])  # unlike np.unique it does not sort
    counts = _counted(units, codes, len(domain))
    total = coincidences(counts)
    alpha = float(alpha_of(total, domain, level))
    if np.isnan(alpha):
        return None
    low = high = people = None
    if evaluator is not None:
        by_person = _left_out(units, codes, evaluator[kept], counts, total)
        people = len(by_person)
        low, high = _interval(alpha, alpha_of(by_person, domain, level), confidence)
    return Alpha(
        unit=what,
        alpha=Estimate(value=alpha, low=low, high=high),
        units=len(counts),
        n=len(codes),
        evaluators=people,
    )


def coincidences(counts: FloatArray) -> FloatArray:
    """Count the pairs of values within units, each unit weighing as many as it has values.

    Parameters
    ----------
    counts
        How often a unit was given each value, shape (units, V). Units with one value count nothing.

    Returns
    -------
    ndarray
        Shape (V, V): the sum over units of (n_c·n_k − n_c·[c = k]) / (n − 1).
    """
    values = counts.sum(axis=1)
    weighted = counts * np.where(values >= 2, 1 / np.maximum(values - 1, 1), 0.0)[:, None]
    pairs: FloatArray = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    return pairs


def alpha_of(coincidence: FloatArray, domain: FloatArray, level: Level) -> FloatArray:
    """Compute α of matrices of coincidences, shape (…, V, V), for V ascending values.

    NaN where no disagreement can be expected.
    """
    totals = coincidence.sum(axis=-1)
    apart = _distances(totals, domain, level)
    observed = (coincidence * apart).sum(axis=(-1, -2))
    expected = (totals[..., :, None] * totals[..., None, :] * apart).sum(axis=(-1, -2))
    values = totals.sum(axis=-1)
    defined = expected > _LEAST * np.maximum(values, 1) ** 2
    nothing = np.full_like(values, np.nan)
    ratio = np.divide((values - 1) * observed, expected, out=nothing, where=defined)
    return np.asarray(1 - ratio, dtype=np.float64)


def _distances(totals: FloatArray, domain: FloatArray, level: Level) -> FloatArray:
    """Square how far apart each two values are; shape (…, V, V)."""
    if level == "nominal":
        apart: FloatArray = 1 - np.eye(len(domain))
        return apart
    # The number of values between two, and half of either, is the difference of their mean ranks.
    place = domain if level == "interval" else np.cumsum(totals, axis=-1) - totals / 2
    return np.square(place[..., :, None] - place[..., None, :])


def _pairable(unit: IntArray, value: FloatArray) -> BoolArray:
    """Tell which values have another one of their unit beside them."""
    known = ~np.isnan(value)
    size = np.bincount(unit[known], minlength=int(unit.max()) + 1 if len(unit) else 0)
    pairable: BoolArray = known & (size[unit] >= 2)
    return pairable


def _counted(unit: IntArray, code: IntArray, size: int) -> FloatArray:
    units = int(unit.max()) + 1 if len(unit) else 0
    counts = np.bincount(unit * size + code, minlength=units * size).reshape(units, size)
    return counts.astype(np.float64)


def _left_out(
    unit: IntArray, code: IntArray, evaluator: IntArray, counts: FloatArray, total: FloatArray
) -> FloatArray:
    """Compute the coincidences without each evaluator who gave a value; shape (E, V, V)."""
    size = counts.shape[1]
    person, people = pd.factorize(evaluator)
    cell, keys = pd.factorize(person * len(counts) + unit)
    own = np.bincount(cell * size + code, minlength=len(keys) * size).reshape(-1, size)
    whose, where = np.divmod(keys, len(counts))
    without = np.repeat(total[None], len(people), axis=0)
    before, after = _terms(counts[where]), _terms(counts[where] - own)
    for c in range(size):
        for k in range(c, size):
            change = _term(after, c, k) - _term(before, c, k)
            without[:, c, k] += np.bincount(whose, change, minlength=len(without))
            without[:, k, c] = without[:, c, k]
    return without


def _terms(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the counts of each value, shape (V, units), and the weight of a pair in each unit."""
    values = counts.sum(axis=1)
    return counts.T.copy(), np.where(values >= 2, 1 / np.maximum(values - 1, 1), 0.0)


def _term(terms: tuple[FloatArray, FloatArray], c: int, k: int) -> FloatArray:
    """Give one entry of `coincidences` for every unit, without holding all of them."""
    counts, weight = terms
    entry: FloatArray = counts[c] * (counts[k] - (c == k)) * weight
    return entry


def _interval(
    alpha: float, left_out: FloatArray, confidence: float
) -> tuple[float | None, float | None]:
    counted = np.ones(len(left_out), dtype=bool)
    reach = float(jackknife_reach(left_out, counted, confidence=confidence))
    return (None, None) if np.isnan(reach) else (alpha - reach, min(1.0, alpha + reach))
