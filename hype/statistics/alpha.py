"""Krippendorff's α, without an interval.

Krippendorff (2004), "Content Analysis", 2nd ed., chapter 11, and (2011), "Computing Krippendorff's
alpha-reliability"; Hayes & Krippendorff (2007), "Answering the call for a standard reliability
measure for coding data". α is 1 if all observers agree, about 0 if they answer by chance, and below
0 if they disagree more than by chance. Observers need not judge all units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from hype.statistics.arrays import FloatArray
from hype.statistics.estimate import Estimate, declare_estimate

Level = Literal["ordinal", "interval", "nominal"]
"""How the distance between two values is measured: by rank, difference, or equality only."""
_LEAST: Final = 1e-12


AlphaUnit = Literal["conditions", "items", "images", "comparisons"]
"""What all values of a unit have in common, such as their condition or their image."""


@dataclass(frozen=True, kw_only=True)
class Alpha:
    """Krippendorff's α, and the data behind it."""

    # For ratings, "conditions" means agreement among all ratings of a condition, of any image. A
    # rating of a pair counts for its first condition; with the opposite sign, it counts for its
    # second. "items" means agreement among the ratings of one item (an image, or two images).
    unit: AlphaUnit
    # At most 1. About 0 if values of one unit differ as much as values of different units.
    # `unit_alpha` gives the interval; there is none if evaluators are unknown or too few.
    alpha: Estimate = declare_estimate("alpha")
    # units: the number of units with at least two values; n: the number of values in these units
    units: int
    n: int
    evaluators: int | None  # number of people who gave the values; None if unknown


def coincidences(counts: FloatArray) -> FloatArray:
    """Count the pairs of values within units; a pair in a unit of n values weighs 1 / (n − 1).

    ``counts``, shape (units, V): how often a unit got each value; units with one value are ignored.
    Returns shape (V, V): Σ over units of (n_c·n_k − n_c·[c = k]) / (n − 1), where n = Σ n_c.
    """
    values = counts.sum(axis=1)
    weighted = counts * np.where(values >= 2, 1 / np.maximum(values - 1, 1), 0.0)[:, None]
    pairs: FloatArray = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    return pairs


def alpha_and_slopes(
    together: FloatArray, domain: FloatArray, level: Level
) -> tuple[float | None, FloatArray]:
    """Compute α from coincidences, and its derivative with respect to each of them.

    Coincidences and derivatives have shape (V, V). α is None if chance predicts no disagreement.
    """
    totals = together.sum(axis=1)
    if level == "nominal":
        apart = 1 - np.eye(len(domain))
    else:
        # Place each value at its mean rank; ranks are counted from 0
        place = domain if level == "interval" else np.cumsum(totals) - totals / 2
        apart = np.square(place[:, np.newaxis] - place)
    observed, expected = float((together * apart).sum()), float(totals @ apart @ totals)
    values = float(totals.sum())
    if expected <= _LEAST * max(values, 1.0) ** 2:
        return None, np.zeros_like(together)
    ratio = observed / expected
    slope = apart - 2 * ratio * (apart @ totals)[:, np.newaxis]
    if level == "ordinal":  # the distances depend on the totals too
        excess = together - ratio * np.outer(totals, totals)
        pull = 4 * (excess * (place[:, np.newaxis] - place)).sum(axis=1)
        slope += (np.cumsum(pull[::-1])[::-1] - pull / 2)[:, np.newaxis]
    slope = -(ratio + (values - 1) / expected * slope)
    return 1 - (values - 1) * ratio, np.asarray((slope + slope.T) / 2)
