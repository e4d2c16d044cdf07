"""Agreement: Krippendorff's α with its interval, and Cohen's κ.

κ (Cohen 1960, "A coefficient of agreement for nominal scales") measures how much two raters agree
beyond what their base rates predict; weighted κ (1968, "Weighted kappa") counts close answers as
partial agreement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hype.statistics.alpha import Alpha, AlphaUnit, Level, alpha_and_slopes, coincidences
from hype.statistics.arrays import FloatArray, IntArray, renumber
from hype.statistics.crossed import Error, freedom_of, freedom_of_both
from hype.statistics.estimate import Estimate, Images
from hype.statistics.proportions import interval_within_one
from hype.statistics.resampling import FEWEST_PEOPLE


def unit_alpha(
    unit: IntArray,
    value: FloatArray,
    evaluator: IntArray | None,
    items: IntArray | None = None,
    *,
    what: AlphaUnit,
    level: Level,
    confidence: float,
) -> Alpha | None:
    """Compute Krippendorff's α: how much the values within units agree.

    ``value``: the answers; NaN if missing. ``unit``, ``evaluator``, ``items``: the numbers (from 0)
    of each answer's unit, person and item; ``items`` is None if they are fixed or unknown. All have
    shape (n,). Returns None if no unit has two values, or if all values of these units are the
    same. `cluster_error` gives the interval, if at least `FEWEST_PEOPLE` evaluators are known.
    """
    kept = ~np.isnan(value)
    size = np.bincount(unit[kept], minlength=int(unit.max()) + 1 if len(unit) else 0)
    kept &= size[unit] >= 2
    domain, codes = np.unique(value[kept], return_inverse=True)
    number, units = renumber(unit[kept])
    given = np.bincount(units * len(domain) + codes, minlength=number * len(domain))
    counts = given.reshape(number, len(domain)).astype(np.float64)
    alpha, slope = alpha_and_slopes(coincidences(counts), domain, level)
    if alpha is None:
        return None
    low = high = people = None
    if evaluator is not None:

        def adds(_: IntArray, own: FloatArray) -> FloatArray:
            number = own.sum(axis=1)
            pairs = ((own @ slope) * own).sum(axis=1) - own @ np.diag(slope)
            return np.where(number >= 2, pairs / np.maximum(number - 1, 1), 0.0)

        own = None if items is None else items[kept]
        people, error = cluster_error(units, codes, counts, adds, evaluator[kept], own)
        low, high = interval_within_one(alpha, error.reach(confidence) if error else None)
    return Alpha(
        unit=what,
        alpha=Estimate(value=alpha, low=low, high=high),
        units=len(counts),
        n=len(codes),
        evaluators=people,
    )


def cluster_error(
    unit: IntArray,
    code: IntArray,
    counts: FloatArray,
    adds: Callable[[IntArray, FloatArray], FloatArray],
    people: IntArray,
    items: IntArray | None,
) -> tuple[int, Error | None]:
    """Return the number of people, and the error of α that comes from people and items.

    The error is computed, to first order, from the changes of α if one person, one item or one cell
    (one person's answers about one item) is left out. As in `hype.statistics.crossed`, the variance
    is V_people + max(0, V_items - V_cells).

    ``unit``, ``code``, ``people``, ``items``: the unit, value (one of V), person and item of each
    answer; numbers from 0, shape (n,). ``counts``: how often each unit got each value, shape
    (units, V). ``adds``: a function that takes the numbers of some units and their counts, and
    returns how much each of these units adds to α, shape (units,).
    """
    whole = adds(np.arange(len(counts)), counts)

    def find_moves(cluster: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return how much α changes without each cluster, and the cluster's share of values."""
        clusters, number = renumber(cluster)
        own, cell = np.unique(number * len(counts) + unit, return_inverse=True)
        left = np.bincount(cell * counts.shape[1] + code, minlength=len(own) * counts.shape[1])
        whose, where = np.divmod(own, len(counts))
        left_counts = counts[where] - left.reshape(len(own), -1)
        moves = whole[where] - adds(where, left_counts)
        sums: FloatArray = np.bincount(whose, moves, minlength=clusters).astype(float)
        return sums, np.bincount(number).astype(float) / len(number)

    moves, share = find_moves(people)
    if len(moves) < FEWEST_PEOPLE:
        return len(moves), None
    variance, freedom, added = _spread(moves, share), freedom_of(np.square(share)), 0.0
    if items is not None and items.any():
        by_item, of_items = find_moves(items)
        both = people * (int(items.max()) + 1) + items
        cells, _ = find_moves(np.unique(both, return_inverse=True)[1])
        about_one = _spread(by_item, of_items)
        added = max(0.0, about_one - float(np.square(cells).sum()))
        parts = (variance, freedom), (about_one, freedom_of(np.square(of_items)))
        variance += added
        freedom = float(freedom_of_both(variance, *parts))
    return len(moves), Error(variance=variance, freedom=freedom, of_items=added)


def _spread(moves: FloatArray, share: FloatArray) -> float:
    rest = np.maximum(1 - share, np.finfo(float).eps)
    return float((np.square(moves) / rest).sum())


def image_alpha(
    image: IntArray,
    evaluator: IntArray,
    fake: FloatArray,
    *,
    images: Images = "sample",
    confidence: float = 0.95,
) -> Alpha | None:
    """Compute α of images that were called real or fake. All arrays have shape (answers,).

    α is None if no image was judged by two evaluators, or if all answers to such images are the
    same. There is no interval if only one image was judged by two or more evaluators, if there are
    fewer than `FEWEST_PEOPLE` people, or if all answers to each image are the same.
    """
    unit = np.unique(image, return_inverse=True)[1]
    alpha = unit_alpha(
        *(unit, fake, evaluator, unit if images == "sample" else None),
        what="images",
        level="nominal",
        confidence=confidence,
    )
    if alpha and alpha.units == 1:
        return replace(alpha, alpha=Estimate(value=alpha.alpha.value))
    return alpha


def kappas(tables: FloatArray) -> FloatArray:
    """Compute κ of many tables at once, shape (..., values, values); NaN where κ is undefined."""
    items = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / items
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / np.square(items)
        kappa: FloatArray = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
    return kappa


def weigh_names(levels: int) -> FloatArray:
    """Return the weights for unordered answers: 1 for equal answers, 0 for different ones."""
    return np.eye(levels)


def quadratic(levels: int) -> FloatArray:
    """Return quadratic weights: 1 for equal answers, 0 for opposite ends of the scale."""
    away = np.subtract.outer(np.arange(levels), np.arange(levels)) / max(1, levels - 1)
    weights: FloatArray = 1 - away**2
    return weights


def kappa_and_influence(joint: FloatArray, weights: FloatArray) -> tuple[float | None, FloatArray]:
    """Return κ of the joint distribution of two answers, and its derivative for each cell.

    Arrays have shape (levels, levels). κ is None if chance alone predicts full agreement.
    """
    of_a, of_b = weights @ joint.sum(axis=0), joint.sum(axis=1) @ weights
    observed, expected = float((weights * joint).sum()), float(joint.sum(axis=1) @ of_a)
    left = float(joint.sum(axis=1) @ (1 - weights) @ joint.sum(axis=0))
    if left < 1e-12:
        return None, np.zeros_like(joint)
    moved = of_a[:, None] + of_b[None, :] - 2 * expected
    influence: FloatArray = ((weights - observed) * left - (1 - observed) * moved) / left**2
    # In this form, full agreement gives exactly 1.
    return 1 - float(((1 - weights) * joint).sum()) / left, influence


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitCounts:
    """How often each unit got each value."""

    counts: IntArray  # shape (units, values); each unit has at least two values
    stratum: IntArray  # the unit's pair of conditions, numbered from 0, shape (units,)

    def count_strata(self) -> FloatArray:
        """Count the values of each pair of conditions, shape (pairs, values)."""
        each = [np.bincount(self.stratum, own, minlength=1) for own in self.counts.T]
        return np.stack(each, axis=1).astype(float)


def alpha_of_strata(units: UnitCounts) -> float | None:
    """Compute α; None if no disagreement is expected by chance."""
    observed, expected = _disagreements(units)
    return 1 - observed / expected if expected > 0 else None


def even_alpha(units: UnitCounts) -> float | None:
    """Compute α as if each unit's first condition were drawn at random; None without units.

    The numbers of wins of both conditions are replaced by their mean; ties stay the same.
    """
    if not len(units.counts):
        return None
    totals = units.counts.sum(axis=0)
    values = totals.sum()
    even = np.array([(totals[0] + totals[1]) / 2] * 2 + [totals[2]])
    expected = 1 - (np.square(even).sum() / values**2)
    return (
        1 - float(_disagree_within(units.counts).sum() / values / expected)
        if expected > 0
        else None
    )


def measure_agreement(units: UnitCounts) -> float | None:
    """Return the share of pairs of answers about the same unit that agree; None without units.

    Units are weighted by their numbers of answers, as in α.
    """
    values = units.counts.sum()
    return 1 - float(_disagree_within(units.counts).sum() / values) if values else None


def interval_of_strata(
    units: UnitCounts,
    unit: IntArray,
    value: IntArray,
    people: IntArray,
    items: IntArray | None,
    *,
    confidence: float,
) -> tuple[float | None, float | None]:
    """Return the interval of `alpha_of_strata`, with the error from `cluster_error`.

    ``unit``, ``value``, ``people``, ``items``: one number for each answer, as in `cluster_error`.
    """
    observed, expected = _disagreements(units)
    counts, of_stratum = units.counts.astype(float), units.count_strata()
    n = of_stratum.sum(axis=1)
    apart = n * n - np.square(of_stratum).sum(axis=1)
    # The derivative of ``apart / (n - 1)`` with respect to the number of each value.
    slopes = (2 * (n[:, None] - of_stratum) - (apart / (n - 1))[:, None]) / (n - 1)[:, None]

    def adds(where: IntArray, own: FloatArray) -> FloatArray:
        number = own @ np.ones(own.shape[1])
        within = (number**2 - np.einsum("uv,uv->u", own, own)) / np.maximum(number - 1, 1)
        chance = np.einsum("uv,uv->u", slopes[units.stratum[where]], own)
        moved = observed / expected**2 * chance - within / expected
        return np.where(number >= 2, moved, 0.0)

    _, error = cluster_error(unit, value, counts, adds, people, items)
    alpha = 1 - float(observed / expected)
    return interval_within_one(alpha, error.reach(confidence) if error else None)


def _disagree_within(counts: IntArray) -> FloatArray:
    """Count each unit's pairs of different values, and divide by its number of values minus 1."""
    n = counts.sum(axis=1)
    return np.asarray((n * n - np.square(counts).sum(axis=1)) / (n - 1), dtype=float)


def _disagreements(units: UnitCounts) -> tuple[float, float]:
    values = units.count_strata()
    n = values.sum(axis=1)
    apart = n * n - np.square(values).sum(axis=1)
    expected = np.divide(apart, n - 1, out=np.zeros_like(n), where=n > 1).sum()
    return float(_disagree_within(units.counts).sum()), float(expected)
