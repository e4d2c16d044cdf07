"""People's rankings as what a preference model is asked: which of two images, and which of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.judges.clustered import Units
from hype.protocols.ranking.exclusions import reasons_of
from hype.protocols.ranking.members import codes_of
from hype.protocols.ranking.orders import compared_rows, orders
from hype.tables.reasons import SCORED

if TYPE_CHECKING:
    from collections.abc import Collection

    from hype.protocols.ranking.orders import Orders

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """Choices between two images; arrays of shape (choices,), images as numbers.

    Parameters
    ----------
    better, worse
        The two.
    units
        Who chose, and the group that both are of.
    """

    better: IntArray
    worse: IntArray
    units: Units


@dataclass(frozen=True, kw_only=True, eq=False)
class Firsts:
    """Rankings laid out one after another.

    Parameters
    ----------
    image, best
        Of each place: the image, and whether it is one of the best.
    starts
        Where each ranking begins.
    units
        Who ranked, and which group.
    """

    image: IntArray
    best: BoolArray
    starts: IntArray
    units: Units


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """What people said that a preference model is held against.

    Parameters
    ----------
    images
        Names of all images of the table; numbers are places among them.
    ranked
        Which of them were ranked in what counts, as numbers.
    choices
        People's, without ties.
    single
        For each choice the share of the others who chose between the same images and chose the
        same; NaN where nobody else did.
    average
        What has the better mean rank, of two images of a group that two or more ranked.
    firsts
        Whole rankings.
    conditions
        K of them.
    pair, cell
        Of each choice the pair of conditions, first · K + second, -1 within one; and the pair
        together with the group, as a number.
    pair_of_cell
        Shape (cells,).
    held_out
        True where only the part called test counts; None where the table does not tell.
    """

    images: tuple[str, ...]
    ranked: IntArray
    choices: Choices
    single: FloatArray
    average: Choices
    firsts: Firsts
    conditions: tuple[str, ...]
    pair: IntArray
    cell: IntArray
    pair_of_cell: IntArray
    held_out: bool | None


def compared(rankings: pd.DataFrame, *, failed: Collection[str] = ()) -> Compared:
    """Lay out the rankings that count.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them.
    failed
        Evaluators whom the study's screening leaves out.

    Raises
    ------
    InputError
        Images have no names, or no ranking is left.
    """
    if "image" not in rankings:
        allowed = "preference models score images, so that rankings need the column image"
        raise InputError("rankings", "the images have no names", allowed)
    table, held_out = _counted(rankings, failed)
    names = tuple(map(str, table["image"].cat.categories))
    image, who = codes_of(table["image"]), _evaluators(table)
    group, condition = codes_of(table["group"]), codes_of(table["condition"])
    better, worse, tied = compared_rows(table)
    better, worse = better[~tied], worse[~tied]
    conditions = tuple(map(str, table["condition"].cat.categories))
    pair = _pairs(condition[better], condition[worse], len(conditions))
    groups = len(table["group"].cat.categories)
    cell, cells = pd.factorize(pair * groups + group[better])
    laid = orders(table)
    return Compared(
        images=names,
        ranked=np.unique(image[laid.row]),
        choices=Choices(
            better=image[better],
            worse=image[worse],
            units=Units(evaluator=None if who is None else who[better], item=group[better]),
        ),
        single=_single(image[better], image[worse], len(names)),
        average=_average(laid, image, group),
        firsts=_firsts(laid, image, group, who),
        conditions=conditions,
        pair=pair,
        cell=cell.astype(np.int64),
        pair_of_cell=np.asarray(cells // groups, dtype=np.int64),
        held_out=held_out,
    )


def _counted(rankings: pd.DataFrame, failed: Collection[str]) -> tuple[pd.DataFrame, bool | None]:
    """Keep the rankings that are scored, and of these the held-out ones."""
    kept = reasons_of(rankings, failed=failed).eq(SCORED).to_numpy()
    test = rankings["split"].eq("test").to_numpy() if "split" in rankings else ~kept
    held_out = True if (test & kept).any() and "split" in rankings else None
    if held_out:
        kept = kept & test
    if not kept.any():
        raise InputError("rankings", "none is scored", "preference models need people's rankings")
    return rankings[kept], held_out


def _evaluators(table: pd.DataFrame) -> IntArray | None:
    return codes_of(table["evaluator"]) if "evaluator" in table else None


def _pairs(a: IntArray, b: IntArray, size: int) -> IntArray:
    return np.where(a == b, -1, np.minimum(a, b) * size + np.maximum(a, b))


def _single(better: IntArray, worse: IntArray, images: int) -> FloatArray:
    """Give for each choice how many of the others chose the same, as a share."""
    low, high = np.minimum(better, worse), np.maximum(better, worse)
    pair = pd.factorize(low * images + high)[0]
    all_made = np.bincount(pair)
    upward = np.bincount(pair, weights=better < worse)[pair]
    made = all_made[pair]
    same = np.where(better < worse, upward, made - upward)
    found: FloatArray = np.where(made > 1, (same - 1) / np.maximum(made - 1, 1), np.nan)
    return found


def _average(laid: Orders, image: IntArray, group: IntArray) -> Choices:
    """Compare the mean ranks of every two images of a group that two or more ranked."""
    own, shown = group[laid.row], image[laid.row]
    rankings = np.bincount(group[laid.row[laid.starts]], minlength=int(group.max()) + 1)
    several = rankings[own] > 1
    inverse, keys = pd.factorize(own[several] * (int(image.max()) + 1) + shown[several])
    total = np.bincount(inverse, weights=laid.mid_ranks[several])
    mean = total / np.maximum(np.bincount(inverse), 1)
    of_group, which = np.divmod(keys, int(image.max()) + 1)
    order = np.lexsort((mean, of_group))
    of_group, which, mean = of_group[order], which[order], mean[order]
    first, second = _within(of_group)
    apart = mean[second] - mean[first] > 1e-9
    first, second = first[apart], second[apart]
    return Choices(
        better=which[first],
        worse=which[second],
        units=Units(evaluator=None, item=of_group[first]),
    )


def _within(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Give every two places of each group, whose places follow each other."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes).tolist():
        first, second = np.triu_indices(size, 1)
        begins = starts[sizes == size][:, None]
        firsts.append((begins + first).ravel())
        seconds.append((begins + second).ravel())
    return np.concatenate(firsts), np.concatenate(seconds)


def _firsts(laid: Orders, image: IntArray, group: IntArray, who: IntArray | None) -> Firsts:
    heads = laid.row[laid.starts]
    return Firsts(
        image=image[laid.row],
        best=laid.rank == 1,
        starts=laid.starts,
        units=Units(evaluator=None if who is None else who[heads], item=group[heads]),
    )
