"""Where the images of each condition came: mean rank, first places, and how many at each place.

Images that are tied share the mean of their places, and each place in equal parts: of two that are
tied for the first, either has the rank 1.5, half a first place and half a second one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.analysis.rankings.ratios import ratio_estimates

if TYPE_CHECKING:
    from hype.analysis.pairwise.strength_intervals import Estimate
    from hype.analysis.rankings.orders import Orders
    from hype.analysis.rankings.ranking_units import Units

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the images of a condition came.

    Parameters
    ----------
    condition
        Which.
    images
        Of it in all rankings: as many as rankings, where no group has two.
    mean_rank
        1 is the best; it depends on how many images a group has, and on the others.
    first
        The share of its images that came first.
    places
        The share of them at each place, the first one first.
    """

    condition: str
    images: int
    mean_rank: Estimate | None
    first: Estimate | None
    places: tuple[float, ...]


def placements(laid: Orders, units: Units, *, confidence: float) -> tuple[Placement, ...]:
    """Find the placements of each condition, in the order of the layout.

    Parameters
    ----------
    laid
        The rankings.
    units
        Whose each is.
    confidence
        Of the intervals, as a proportion.
    """
    number = _sums(laid, units, np.ones(len(laid.rank)))
    ranks = _sums(laid, units, laid.mid_ranks)
    firsts = _sums(laid, units, (laid.rank == 1) / laid.tied)
    mean = ratio_estimates(ranks, number, share=False, confidence=confidence)
    first = ratio_estimates(firsts, number, share=True, confidence=confidence)
    images, places = number.sum(axis=0), places_of(laid)
    return tuple(
        Placement(
            condition=name,
            images=int(images[place]),
            mean_rank=mean[place],
            first=first[place],
            places=tuple((places[place] / max(1, images[place])).tolist()),
        )
        for place, name in enumerate(laid.conditions)
    )


def places_of(laid: Orders) -> FloatArray:
    """Count the images of each condition at each place, shape (K, largest group)."""
    size, most = len(laid.conditions), int(laid.sizes.max(initial=0))
    tied = laid.tied
    entry = np.repeat(np.arange(len(tied)), tied)
    beside = np.arange(len(entry)) - np.repeat(np.cumsum(tied) - tied, tied)
    cell = laid.condition[entry] * most + laid.rank[entry] - 1 + beside
    counted = np.bincount(cell, 1 / tied[entry], minlength=size * most)
    return np.asarray(counted.reshape(size, most), dtype=float)


def _sums(laid: Orders, units: Units, values: FloatArray) -> FloatArray:
    size = len(laid.conditions)
    cell = units.of_ranking[laid.ranking] * size + laid.condition
    sums = np.bincount(cell, values, minlength=units.number * size)
    return np.asarray(sums.reshape(units.number, size), dtype=float)
