"""Where images came: how often those of a condition at each place, and which of a prompt first.

How often an image comes first depends on what it is ranked with. Of images that are tied for some
places each has its part of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.prompted.images import EACH, MOST_PROMPTS, ends_of_prompts
from hype.protocols.ranking.orders import Orders, Units, orders
from hype.protocols.ranking.results import ImagePlaces
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import wilson
from hype.statistics.resampling import ratio_estimates

if TYPE_CHECKING:
    from hype.protocols.prompted.images import ImageEnds

FloatArray = npt.NDArray[np.float64]
_KEYS: Final = ["prompt", "image", "condition"]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where the images of a condition came.

    ``images``: of it in all rankings: as many as rankings, where no group has two. ``mean_rank``: 1
    is the best; it depends on how many images a group has, and on the others. ``first``: the share
    of its images that came first. ``places``: the share of them at each place, the first one first.
    """

    condition: str
    images: int
    mean_rank: Estimate | None
    first: Estimate | None
    places: tuple[float, ...]


def placements(laid: Orders, units: Units, *, confidence: float) -> tuple[Placement, ...]:
    """Find the placements of each condition, in the order of the layout."""
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


def image_places(scored: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count where each image of each prompt came.

    ``scored``: the scored rows. Gives one row for each prompt, image and condition, with the
    columns of `ImagePlaces`, and first_low and last_low, where Wilson's intervals of both shares
    begin; empty where images have no names.
    """
    if "image" not in scored:
        return pd.DataFrame(columns=[*ImagePlaces.__dataclass_fields__, "first_low", "last_low"])
    laid = orders(scored)
    size = laid.sizes[laid.ranking]
    rows = scored.iloc[laid.row]
    each = pd.DataFrame(
        {
            **{name: _texts(rows, name) for name in _KEYS},
            "rankings": 1,
            "first": (laid.rank == 1) / laid.tied,
            "last": (laid.rank + laid.tied - 1 == size) / laid.tied,
            "mean_rank": laid.mid_ranks,
        }
    )
    each = each[each["image"].ne("")]
    sums = each.groupby(_KEYS, sort=True, observed=True).sum()
    counted = sums.reset_index()
    counted["mean_rank"] /= counted["rankings"]
    for end in ("first", "last"):
        counted[f"{end}_low"] = wilson(counted[end], counted["rankings"], confidence=confidence)[0]
    return counted


def _texts(rows: pd.DataFrame, name: str) -> list[str]:
    return list(map(str, rows[name])) if name in rows else [""] * len(rows)


def place_ends(
    counted: pd.DataFrame, *, prompts: int = MOST_PROMPTS, each: int = EACH
) -> tuple[ImageEnds[ImagePlaces], ...]:
    """Choose the images at either end of some prompts, of those that `image_places` counted.

    These are the images whose interval of first places begins highest, and of the others those
    whose interval of last places does.
    """
    return ends_of_prompts(
        counted,
        ImagePlaces,
        times="rankings",
        first={"first_low": False, "mean_rank": True, "image": True},
        last={"last_low": False, "mean_rank": False, "image": True},
        prompts=prompts,
        each=each,
    )
