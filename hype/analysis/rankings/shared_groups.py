"""Comparisons that two people or more made: those of groups that several ranked.

A comparison here is two images of a group, of different conditions. Each person's answer to it is
which of the two came first in that person's ranking, or a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.rankings.members import codes_of, member_codes
from hype.analysis.rankings.orders import orders

if TYPE_CHECKING:
    from collections.abc import Iterator

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_PER_ANSWER = ("group", "evaluator", "comparison", "pair", "sign", "others", "everybody")


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedAnswers:
    """One entry for each person and comparison; arrays of shape (answers,).

    Parameters
    ----------
    conditions
        K of them.
    rankings
        How many rankings they are of.
    group, evaluator, comparison
        Which: numbers from 0, with gaps for group and evaluator.
    pair
        The two conditions: the first one's place · K + the second one's, the first by name first.
    sign
        1 where the first of the two images came first, -1 where the second did, 0 for a tie.
    others, everybody
        The same of the mean rank over all others who ranked the group, and over all.
    """

    conditions: tuple[str, ...]
    rankings: int
    group: IntArray
    evaluator: IntArray
    comparison: IntArray
    pair: IntArray
    sign: IntArray
    others: IntArray
    everybody: IntArray

    @property
    def people(self) -> IntArray:
        """How many answered each answer's comparison, shape (answers,)."""
        return np.bincount(self.comparison)[self.comparison]


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedRanks:
    """Ranks of images in groups that several people ranked; arrays of shape (entries,).

    Parameters
    ----------
    conditions
        K of them.
    ranking, group, evaluator
        Of each entry; ascending by group, and within a group by ranking, and by image.
    member
        The image, or its condition where images have no names.
    condition
        Its place in ``conditions``.
    doubled
        Twice the rank, so that ranks of ties are whole numbers.
    """

    conditions: tuple[str, ...]
    ranking: IntArray
    group: IntArray
    evaluator: IntArray
    member: IntArray
    condition: IntArray
    doubled: IntArray


def shared_ranks(rankings: pd.DataFrame) -> SharedRanks | None:
    """Take the groups that two people or more ranked; None where there are none.

    Parameters
    ----------
    rankings
        As `check_rankings` returns them: the rows that are scored. Of a person who ranked a group
        several times the last ranking counts: agreement with oneself is another thing.
    """
    if "evaluator" not in rankings:
        return None
    laid = orders(rankings)
    head = laid.row[laid.starts]
    group, evaluator = codes_of(rankings["group"])[head], codes_of(rankings["evaluator"])[head]
    last = ~pd.DataFrame({"g": group, "e": evaluator}).duplicated(keep="last").to_numpy()
    people = np.bincount(group[last], minlength=int(group.max(initial=-1)) + 1)
    kept = (last & (people[group] > 1))[laid.ranking]
    if not kept.any():
        return None
    ranking, member = laid.ranking[kept], member_codes(rankings)[laid.row[kept]]
    order = np.lexsort((member, ranking, group[ranking]))
    ranking = ranking[order]
    return SharedRanks(
        conditions=laid.conditions,
        ranking=ranking,
        group=group[ranking],
        evaluator=evaluator[ranking],
        member=member[order],
        condition=laid.condition[kept][order],
        doubled=np.rint(2 * laid.mid_ranks[kept][order]).astype(np.int64),
    )


def shared_answers(shared: SharedRanks) -> SharedAnswers:
    """Compare every two images of each group, in each ranking of it."""
    begins = np.flatnonzero(np.append(True, shared.ranking[1:] != shared.ranking[:-1]))
    sizes = np.diff(np.append(begins, len(shared.ranking)))
    parts = [_of_size(shared, begins[sizes == size], size) for size in np.unique(sizes).tolist()]
    number, columns = 0, {name: [np.zeros(0, dtype=np.int64)] for name in _PER_ANSWER}
    for part in parts:
        part["comparison"] += number
        number += int(part["comparison"].max(initial=-1)) + 1
        for name in _PER_ANSWER:
            columns[name].append(part[name])
    joined = {name: np.concatenate(column) for name, column in columns.items()}
    return SharedAnswers(conditions=shared.conditions, rankings=len(begins), **joined)


def _of_size(shared: SharedRanks, begins: IntArray, size: int) -> dict[str, IntArray]:
    """Give the answers in the rankings of so many images, one after another."""
    first, second = np.triu_indices(size, 1)
    entry = begins[:, np.newaxis] + np.arange(size)
    ahead = shared.doubled[entry][:, second] - shared.doubled[entry][:, first]
    group = shared.group[begins]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    own = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    together = np.add.reduceat(ahead, starts, axis=0)[own]
    condition = shared.condition[entry]
    low = np.minimum(condition[:, first], condition[:, second])
    high = np.maximum(condition[:, first], condition[:, second])
    kept = (low != high).ravel()
    pairs = len(first)
    found = {
        "group": np.repeat(group, pairs),
        "evaluator": np.repeat(shared.evaluator[begins], pairs),
        "comparison": (own[:, np.newaxis] * pairs + np.arange(pairs)).ravel(),
        "pair": (low * len(shared.conditions) + high).ravel(),
        "sign": np.sign(ahead).ravel(),
        "others": np.sign(together - ahead).ravel(),
        "everybody": np.sign(together).ravel(),
    }
    return dict(_kept(found, kept))


def _kept(
    columns: dict[str, IntArray], kept: npt.NDArray[np.bool_]
) -> Iterator[tuple[str, IntArray]]:
    for name, column in columns.items():
        cells = column[kept]
        if name == "comparison":
            _, cells = np.unique(cells, return_inverse=True)
        yield name, cells
