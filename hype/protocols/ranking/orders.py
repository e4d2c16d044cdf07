"""Rankings as arrays: orders, comparisons, choices and places of images.

How often an image comes first depends on the other images in its groups. Tied images share their
places equally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_array

from hype.protocols.prompted.scoring import number_labels
from hype.protocols.prompted.tables import end_table
from hype.report import tabular
from hype.report.tabular import Row, Table
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.estimate import Estimate, Images
from hype.statistics.paired_counts import (
    Counts,
    EvaluatorCounts,
    Item,
    Orders,
    Randomness,
    SampledItems,
    Unit,
    orders,
    places_of_pairs,
    treat_as_sample,
)
from hype.statistics.proportions import CrossedShare, estimate_means, estimate_shares, wilson
from hype.statistics.strengths import ChoiceSets


@dataclass(frozen=True, kw_only=True, eq=False)
class Expanded:
    """Comparisons of images; those of two images of the same condition are left out.

    ``conditions``: K names. ``ranking``: the ranking of each comparison, shape (comparisons,).
    ``cell``: the result as a number: better · K + worse, or K² + first · K + second for a tie.
    ``within``: the number of comparisons that are left out.
    """

    conditions: tuple[str, ...]
    ranking: IntArray
    cell: IntArray
    within: int

    def counts(self) -> Counts:
        size = len(self.conditions)
        cells = np.bincount(self.cell, minlength=2 * size**2).reshape(2, size, size)
        won, tied = cells.astype(float)
        return Counts(conditions=self.conditions, wins=won, ties=tied + tied.T)

    def answers(self, drawn: Sampled) -> EvaluatorCounts:
        """List comparisons one by one, each with its evaluator and its item."""
        size = len(self.conditions)
        return EvaluatorCounts(
            conditions=self.conditions,
            evaluators=drawn.units,
            evaluator=drawn.of_ranking[self.ranking],
            chosen=self.cell % size**2 // size,
            other=self.cell % size,
            tied=self.cell >= size**2,
            items=None if drawn.items is None else drawn.items[self.ranking],
        )


def expand(laid: Orders) -> Expanded:
    size = len(laid.conditions)
    first, second = places_of_pairs(laid)
    better, worse = laid.condition[first], laid.condition[second]
    differ = better != worse
    tied = laid.rank[first] == laid.rank[second]
    turned = tied & (better > worse)
    better, worse = np.where(turned, worse, better), np.where(turned, better, worse)
    cell = better * size + worse + size**2 * tied
    return Expanded(
        conditions=laid.conditions,
        ranking=laid.ranking[first][differ],
        cell=cell[differ],
        within=int(len(differ) - differ.sum()),
    )


_BITS: Final = 63

_SEED: Final = 1975


def choice_sets(laid: Orders) -> ChoiceSets:
    size, rankings = len(laid.conditions), len(laid.sizes)
    begin = laid.leads
    end = np.cumsum(laid.sizes)[laid.ranking]
    real = end - begin > 1  # placing the last image is no choice
    begin, end, own = begin[real], end[real], laid.ranking[real]
    sums = np.append(np.uint64(0), np.cumsum(_weights(laid), dtype=np.uint64))
    # sums may overflow, but differences are correct
    which, distinct = pd.factorize(sums[end] - sums[begin])
    first = np.zeros(len(distinct), dtype=np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    # The members of each set, from the first ranking with this set
    lengths = (end - begin)[first]
    number = np.repeat(np.arange(len(first)), lengths)
    offset = np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cell = number * size + laid.condition[begin[first][number] + offset]
    members = np.bincount(cell, minlength=len(first) * size)
    chosen = np.bincount(own * size + laid.condition[real], minlength=rankings * size).astype(float)
    return ChoiceSets(
        conditions=laid.conditions,
        members=members.reshape(len(distinct), size).astype(float),
        chosen=chosen.reshape(rankings, size),
        times=csr_array((np.ones(len(which)), (own, which)), shape=(rankings, len(distinct))),
    )


def _weights(laid: Orders) -> npt.NDArray[np.uint64]:
    """Give each image a number, so that different sets of images have different sums.

    The numbers are powers of two, or of a larger base if a set can have several images of a
    condition. If powers do not fit in 64 bits, the numbers are random; two of 100,000 sets then
    have the same sum with a probability of 10⁻⁹.
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampled:
    """What varies in a study: its evaluators, and the images that they ranked.

    Comparisons in one ranking are dependent, and so are rankings by one person, and rankings of the
    same images. If the evaluators are unknown or there is only one, only prompts or groups vary, so
    results do not apply to other people.
    """

    unit: Unit
    of_ranking: IntArray  # the unit of each ranking: numbers from 0, shape (rankings,)
    item: Item | None  # "prompts" or "groups"; None if fixed, unknown, or already the unit
    items: IntArray | None  # the item of each ranking
    images: Images | Literal["unknown"]
    few: str = ""  # as in `Randomness`

    @property
    def units(self) -> int:
        return int(self.of_ranking.max()) + 1

    @property
    def random(self) -> Randomness:
        about = SampledItems(self.item, self.items, self.few)
        return about.random(self.unit, self.units)


def find_order_sample(rankings: pd.DataFrame, laid: Orders, images: Images) -> Sampled:
    """Find what varies in rankings: evaluators, and prompts or groups.

    The item of a ranking is its prompt if there are several prompts, else its group. If no group
    was ranked twice and images have no names, it is unknown which images were seen twice.
    """
    rows = rankings.iloc[laid.row[laid.starts]]
    prompts = number_labels(rows, "prompt")
    item: Literal["prompts", "groups"] = "prompts" if prompts.any() else "groups"
    about = prompts if prompts.any() else number_labels(rows, "group")
    whose = number_labels(rows, "evaluator")
    is_known = item == "prompts" or "image" in rankings or about.max() < len(about) - 1
    known = images if images == "fixed" or (is_known and about.any()) else "unknown"
    if not whose.any():
        return Sampled(unit=item, of_ranking=about, item=None, items=None, images=known)
    if known != "sample":
        return Sampled(unit="evaluators", of_ranking=whose, item=None, items=None, images=known)
    found = treat_as_sample(item, about)
    return Sampled(
        unit="evaluators",
        of_ranking=whose,
        item=found.item,
        items=found.codes,
        images="fixed" if found.few else "sample",
        few=found.few,
    )


_KEYS: Final = ["prompt", "image", "condition"]


def placements(laid: Orders, drawn: Sampled, *, confidence: float) -> dict[str, Row]:
    """Count the places of each condition's images; return them as fields of the condition's row."""
    size = len(laid.conditions)
    people = drawn.of_ranking[laid.ranking]
    items = None if drawn.items is None else drawn.items[laid.ranking]
    last = float(laid.sizes.max(initial=2))
    ranks = (laid.condition, laid.mid_ranks, people, items)
    mean = estimate_means(*ranks, groups=size, confidence=confidence, scale=(1.0, last))
    first = np.asarray((laid.rank == 1) / laid.tied, dtype=float)
    shares = estimate_shares(laid.condition, first, people, items, groups=size)
    images, places = np.bincount(laid.condition, minlength=size), places_of(laid)
    return {
        name: {
            "images": int(images[place]),
            "mean_rank": mean[place],
            "first_share": _first(shares[place], places[place], confidence),
            "places": tuple((places[place] / max(1, images[place])).tolist()),
        }
        for place, name in enumerate(laid.conditions)
    }


def _first(share: CrossedShare | None, places: FloatArray, confidence: float) -> Estimate | None:
    if share is not None:
        return share.estimate(confidence)
    images = places.sum()
    return Estimate(value=float(places[0] / images)) if images else None


def places_of(laid: Orders) -> FloatArray:
    """Count the images of each condition at each place, shape (K, largest group)."""
    size, most = len(laid.conditions), int(laid.sizes.max(initial=0))
    tied = laid.tied
    entry = np.repeat(np.arange(len(tied)), tied)
    beside = np.arange(len(entry)) - np.repeat(np.cumsum(tied) - tied, tied)
    cell = laid.condition[entry] * most + laid.rank[entry] - 1 + beside
    counted = np.bincount(cell, 1 / tied[entry], minlength=size * most)
    return np.asarray(counted.reshape(size, most), dtype=float)


FIRST: Final = {"first_low": False, "mean_rank": True, "image": True}
LAST: Final = {"last_low": False, "mean_rank": False, "image": True}
"""The columns that sort images most often first, or most often last; whether each ascends."""
PLACES: Final = ("rankings", "first", "last", "mean_rank", "first_low", "last_low")
"""The counts of an image: its rankings, how often it came first and last (ties share a place), and
the lower ends of Wilson's intervals for its shares of first and last places."""


def image_places(scored: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the places of each image of each prompt.

    ``scored``: the scored rows. Returns one row for each prompt, image and condition, with the
    columns `_KEYS` and `PLACES`; empty if images have no names.
    """
    if "image" not in scored:
        return pd.DataFrame(columns=[*_KEYS, *PLACES])
    laid = orders(scored)
    size = laid.sizes[laid.ranking]
    rows = scored.iloc[laid.row]
    texts = {name: list(map(str, rows[name])) if name in rows else "" for name in _KEYS}
    each = pd.DataFrame(
        {
            **texts,
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


def image_table(counted: pd.DataFrame) -> Table:
    """List the images that most often came first, and those that most often came last.

    Images are sorted by the lower end of Wilson's interval for the share of first places, or of
    last places. ``counted``: from `image_places`.
    """
    return end_table(
        counted,
        {"first": FIRST, "last": LAST},
        "rankings",
        columns=(
            tabular.whole("Rankings", "rankings"),
            tabular.number("First", "first"),
            tabular.number("Last", "last"),
            tabular.number("Mean\nrank", "mean_rank", 2),
        ),
        name="ranking-extreme-images",
        title="Images most often first and last",
        note="Ties share a place.",
    )
