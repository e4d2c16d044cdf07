"""The tidy table of rankings, one row per image, and its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.ranking.rows import ROW
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.tables.answers import TableReader
from hype.tables.cells import codes_of
from hype.tables.columns import shorten
from hype.tables.doubts import refuse_changed


def member_codes(rankings: pd.DataFrame) -> IntArray:
    """Number images by name, or by condition if images have no names.

    ``rankings``: rows with the categorical ``condition`` and, if images have names, ``image``.
    Returns shape (rows,). An image may have different numbers in two tables.
    """
    conditions = codes_of(rankings["condition"])
    if "image" not in rankings:
        return conditions
    named = rankings["image"].ne("").to_numpy()
    return np.where(
        named, codes_of(rankings["image"]), len(rankings["image"].cat.categories) + conditions
    )


def joint(columns: Sequence[IntArray]) -> IntArray:
    """Number the rows of these columns of small integers; equal rows get the same number."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, number = np.unique(number, return_inverse=True)  # small, so that nothing overflows
        number = number * (int(column.max(initial=0)) + 1) + column
    return number


_KEY = ("evaluator", "session", "task", "group")

_FEWEST = 2
"""The smallest number of images that can be put in order."""


def number_rankings(table: pd.DataFrame) -> pd.DataFrame:
    """Number the rankings, mark finished ones, and normalise ranks."""
    named = table.copy(deep=False)
    keys = [codes_of(table[name]) for name in _KEY if name in table]
    ranking = pd.factorize(joint(keys))[0].astype(np.int64)
    named["ranking"] = ranking
    size = np.bincount(ranking)[ranking]
    gaps = np.bincount(ranking, np.isnan(table["rank"].to_numpy(dtype=float)))[ranking]
    is_whole = size == _largest(size, codes_of(table["group"]))
    finished = (gaps == 0) & (size >= _FEWEST) & is_whole
    named["finished"] = finished
    named["rank"] = _competition_ranks(table["rank"].to_numpy(dtype=float), ranking, finished)
    return named


def _largest(size: IntArray, group: IntArray) -> IntArray:
    largest = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, group, size)
    return largest[group]


def _competition_ranks(rank: FloatArray, ranking: IntArray, finished: BoolArray) -> FloatArray:
    """Set the rank of each image in a finished ranking to 1 plus the number of images before it."""
    order = np.lexsort((rank, ranking))
    own, value = ranking[order], rank[order]
    place = np.arange(len(order))
    begins = np.append(True, own[1:] != own[:-1])
    steps = begins | np.append(True, value[1:] != value[:-1])
    start = np.maximum.accumulate(np.where(begins, place, 0))
    better = np.maximum.accumulate(np.where(steps, place, 0)) - start
    ranks = np.empty(len(rank))
    ranks[order] = better + 1
    return np.where(finished, ranks, rank)


def refuse_repeated(table: pd.DataFrame, where: object) -> None:
    """Refuse rankings that contain an image twice, or whose rows differ in the column checker."""
    ranking = table["ranking"].to_numpy()
    members = pd.Series(joint([ranking, member_codes(table)]))
    repeated = members.duplicated().to_numpy()
    if repeated.any():
        row = int(repeated.argmax())
        allowed = f"each image of a group once{_whose(table)}"
        _refuse(table, row, where, f"{_image(table, row)} is twice in the ranking", allowed)
    first = pd.Series(ranking).drop_duplicates().index.to_numpy()  # each ranking's first row
    checker = table["checker"].to_numpy()
    unlike = checker != checker[first][ranking]
    if unlike.any():
        problem = "differs from another row of the same ranking in the column 'checker'"
        allowed = "the same value in all rows of a ranking"
        _refuse(table, int(unlike.argmax()), where, problem, allowed)


def refuse_unlike(table: pd.DataFrame, where: object) -> None:
    """Refuse a group whose rankings have different prompts or images.

    An unfinished ranking may lack any image of its group, but no ranking may have an image that is
    not in the group.
    """
    group, member = codes_of(table["group"]), member_codes(table)
    if "prompt" in table:
        one = "all images of a group show one prompt"
        refuse_changed(table, "prompt", [group], where, one)
    refuse_changed(table, "condition", [group, member], where, "an image has one condition")
    ranking = table["ranking"].to_numpy()
    # An unfinished ranking may lack any image, so it does not define the group.
    gaps = np.bincount(ranking, np.isnan(table["rank"].to_numpy(dtype=float)))[ranking]
    size = np.where(gaps > 0, 0, np.bincount(ranking)[ranking])
    # The number of each group's first complete ranking, which defines the group's images.
    full = (size == _largest(size, group)) & (size > 0)
    leads = np.full(int(group.max()) + 1, -1, dtype=np.int64)
    leads[group[full][::-1]] = ranking[full][::-1]
    image = joint([group, member])
    is_listed = leads[group] >= 0
    strange = is_listed & ~np.isin(image, image[is_listed & (ranking == leads[group])])
    if strange.any():
        row = int(strange.argmax())
        problem = f"{_image(table, row)} is not in the first ranking of its group"
        _refuse(table, row, where, problem, "the same group has the same images in every ranking")


def _refuse(table: pd.DataFrame, row: int, where: object, problem: str, allowed: str) -> NoReturn:
    who = f" of {_name(table, 'evaluator', row)}" if "evaluator" in table else ""
    place = f"{where}, row {table.index[row]} (group {_name(table, 'group', row)}{who})"
    raise InputError(place, problem, allowed)


def _image(table: pd.DataFrame, row: int) -> str:
    if "image" in table and table["image"].iloc[row]:
        return f"the image {_name(table, 'image', row)}"
    return f"the condition {_name(table, 'condition', row)}"


def _name(table: pd.DataFrame, column: str, row: int) -> str:
    return repr(shorten(str(table[column].iloc[row])))


def _whose(table: pd.DataFrame) -> str:
    if "evaluator" not in table:
        return "; if several people ranked it, add the column 'evaluator', with the person"
    if "session" not in table:
        return "; if a person ranked it twice, add the column 'session', with different names"
    return ""


def complete_rankings(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Return numbered rankings with normalised ranks.

    The rows of one evaluator, session, task and group form a ranking. There are two new columns:
    ``ranking``, its number from 0, and ``finished`` (bool), whether all images of the group have a
    rank. In a finished ranking, a rank is 1 plus the number of better images, so that 1, 1, 2
    becomes 1, 1, 3; other rankings keep their ranks. The column checker (bool) always exists.

    Raises InputError: an image is twice in a ranking; rows of a ranking differ in the column
    checker; a group has several prompts; an image has several conditions; or the rankings of a
    group have different images.

    A ranking is unfinished if it has fewer images than other rankings of the group, an empty rank,
    or a single image. Unfinished rankings are allowed, since people may stop, but are not scored.
    """
    if "checker" not in table:
        table["checker"] = False
    table = number_rankings(table)
    refuse_repeated(table, where)
    refuse_unlike(table, where)
    return table


TABLE: Final = TableReader(row=ROW, own_checks=complete_rankings, keeps_unanswered=True)
check_rankings: Final = TABLE.check
