"""The tidy table of rankings, one row per image, and the checks that every such table passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.ranking.rows import NEEDED, RANKING_COLUMNS, TASKS
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.tables.answers import (
    CheckedTable,
    TableReader,
    by_evaluator,
    drop_unused_names,
    empty_columns,
    parsed_answers,
    people_or_simulated,
    refuse_copies,
    with_rows,
)
from hype.tables.columns import shortened, with_names
from hype.tables.distinct import codes_of


def by_known_names(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `RANKING_COLUMNS`.

    Raises InputError: a needed column is missing, or could be either of two.
    """
    names = [column.name for column in RANKING_COLUMNS]
    return with_names(frame, names, NEEDED, where, said=", ".join(NEEDED))


def member_codes(rankings: pd.DataFrame) -> IntArray:
    """Number images: by their names, or by their conditions where they have none.

    Parameters
    ----------
    rankings
        Rows with the categorical ``condition`` and, where images have names, ``image``.

    Returns
    -------
    ndarray
        Shape (rows,). Numbers of a table and of a part of it may differ.
    """
    conditions = codes_of(rankings["condition"])
    if "image" not in rankings:
        return conditions
    named = rankings["image"].ne("").to_numpy()
    return np.where(
        named,
        codes_of(rankings["image"]),
        len(rankings["image"].cat.categories) + conditions,
    )


def joint(columns: Sequence[IntArray]) -> IntArray:
    """Give each distinct row of some columns of small numbers a number of its own."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, number = np.unique(number, return_inverse=True)  # never more than there are rows
        number = number * (int(column.max(initial=0)) + 1) + column
    return number


_KEY = ("evaluator", "session", "task", "group")

_FEWEST = 2
"""Images that have an order."""


def numbered_rankings(table: pd.DataFrame) -> pd.DataFrame:
    """Number the rankings, tell which are finished, and bring ranks to one form."""
    named = table.copy(deep=False)
    keys = [codes_of(table[name]) for name in _KEY if name in table]
    ranking = pd.factorize(joint(keys))[0].astype(np.int64)
    named["ranking"] = ranking
    finished = _finished(table, ranking)
    named["finished"] = finished
    named["rank"] = _competition_ranks(table["rank"].to_numpy(dtype=float), ranking, finished)
    return named


def _finished(table: pd.DataFrame, ranking: IntArray) -> BoolArray:
    group = codes_of(table["group"])
    size = np.bincount(ranking)[ranking]
    gaps = np.bincount(ranking, np.isnan(table["rank"].to_numpy(dtype=float)))[ranking]
    return np.asarray((gaps == 0) & (size >= _FEWEST) & (size == _largest(size, group)))


def _largest(size: IntArray, group: IntArray) -> IntArray:
    largest = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, group, size)
    return largest[group]


def _competition_ranks(rank: FloatArray, ranking: IntArray, finished: BoolArray) -> FloatArray:
    """Give each image of a finished ranking one more than the images before it."""
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
    """Refuse an image that is twice in a ranking, and a ranking that is half a checker's."""
    ranking = table["ranking"].to_numpy()
    members = pd.Series(joint([ranking, member_codes(table)]))
    repeated = members.duplicated().to_numpy()
    if repeated.any():
        row = int(repeated.argmax())
        allowed = f"each image of a group once{_whose(table)}"
        _refuse(table, row, where, f"{_image(table, row)} is twice in the ranking", allowed)
    first = pd.Series(ranking).drop_duplicates().index.to_numpy()  # rankings are in this order
    checker = table["checker"].to_numpy()
    unlike = checker != checker[first][ranking]
    if unlike.any():
        problem = "is a checker's, and another row of the same ranking is not, or the reverse"
        _refuse(table, int(unlike.argmax()), where, problem, "all rows of a ranking alike")


def refuse_unlike(table: pd.DataFrame, where: object) -> None:
    """Refuse a group whose prompt, or whose images, are not the same in all of its rows.

    Rankings with fewer images are not finished and may lack any; none may have another image.
    """
    group, member = codes_of(table["group"]), member_codes(table)
    if "prompt" in table:
        row = _first_unlike([group], codes_of(table["prompt"]))
        if row is not None:
            problem = f"the group {_name(table, 'group', row)} has another prompt above"
            _refuse(table, row, where, problem, "all images of a group show one prompt")
    row = _first_unlike([group, member], codes_of(table["condition"]))
    if row is not None:
        problem = f"{_image(table, row)} has another condition above"
        _refuse(table, row, where, problem, "one condition made it")
    _refuse_strangers(table, group, member, where)


def _refuse_strangers(
    table: pd.DataFrame, group: IntArray, member: IntArray, where: object
) -> None:
    ranking = table["ranking"].to_numpy()
    # One that somebody left in the middle may lack any image, and so says nothing of the others.
    gaps = np.bincount(ranking, np.isnan(table["rank"].to_numpy(dtype=float)))[ranking]
    size = np.where(gaps > 0, 0, np.bincount(ranking)[ranking])
    # The images of the group's first ranking that has the most of them.
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


def _first_unlike(keys: Sequence[IntArray], values: IntArray) -> int | None:
    """Find the first row whose value is not that of the first row with its keys."""
    number, _ = pd.factorize(joint(keys))
    first = pd.Series(number).drop_duplicates().index.to_numpy()
    unlike = values != values[first][number]
    return int(unlike.argmax()) if unlike.any() else None


def _refuse(table: pd.DataFrame, row: int, where: object, problem: str, allowed: str) -> NoReturn:
    who = f" of {_name(table, 'evaluator', row)}" if "evaluator" in table else ""
    place = f"{where}, row {table.index[row]} (group {_name(table, 'group', row)}{who})"
    raise InputError(place, problem, allowed)


def _image(table: pd.DataFrame, row: int) -> str:
    if "image" in table and table["image"].iloc[row]:
        return f"the image {_name(table, 'image', row)}"
    return f"the condition {_name(table, 'condition', row)}"


def _name(table: pd.DataFrame, column: str, row: int) -> str:
    return repr(shortened(str(table[column].iloc[row])))


def _whose(table: pd.DataFrame) -> str:
    if "evaluator" not in table:
        return "; where several people ranked it, the column evaluator says whose a row is"
    if "session" not in table:
        return "; where a person ranked it twice, the column session tells the two apart"
    return ""


def check_rankings(
    frame: pd.DataFrame, *, where: object = "rankings", simulated: bool | None = None
) -> pd.DataFrame:
    """Check a table of rankings and give every column its proper type.

    Parameters
    ----------
    frame
        One row per image of a ranking; a ranking is the rows of one evaluator, session, task and
        group. Messages name rows by its index.
    where
        What messages call the table: usually its file.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        table that mixes the two.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with group, condition, rank,
        task, checker (bool) and simulated (bool) always there, and two columns more: ``ranking``,
        the number of the ranking from 0, and ``finished`` (bool), whether all images of the group
        have their place in it. Ranks are float: of a finished ranking one more than the number of
        images before, so that 1, 1, 2 becomes 1, 1, 3; of others as given, NaN where empty.
        Labels are categories, empty text where there is none. Optional columns that are empty are
        gone; columns outside of `RANKING_COLUMNS` are kept as they are. Checking it again changes
        nothing.

    Raises
    ------
    InputError
        A needed column is missing; there is no row or no rank at all; a value is not allowed; an
        image is twice in a ranking; rows of a ranking say both that it is a checker's and that it
        is not; a group has several prompts, an image of it several conditions, or its images
        differ from one ranking to the next; people and simulated evaluators are mixed, or none of
        the wanted is left.

    Notes
    -----
    A ranking with fewer images than the same group has elsewhere, with an empty rank or with a
    single image is unfinished. That is no error: people stop. It is not scored, and counted.
    """
    return checked_rankings(frame, where=where, simulated=simulated).frame


def checked_rankings(
    frame: pd.DataFrame, *, where: object = "rankings", simulated: bool | None = None
) -> CheckedTable:
    """Check rankings as `check_rankings`, and tell which rows have no rank."""
    table = _parsed(_present(by_known_names(frame, where), where), where)
    table = people_or_simulated(table, where, simulated, answers="rankings")
    drop_unused_names(table, RANKING_COLUMNS)
    table = numbered_rankings(table)
    refuse_repeated(table, where)
    refuse_copies(table, where)
    refuse_unlike(table, where)
    unplaced = table["rank"].isna()
    if "excluded" in table:  # but for rankings that the table itself leaves out
        unplaced &= table["excluded"].eq("")
    missing = tuple(by_evaluator(table[unplaced]))
    return CheckedTable.of(table, missing, lacking="rank")


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row with a rank; drop the optional columns that are empty."""
    frame = with_rows(frame, where, answers="rankings", row="one row per image of a ranking")
    empty = empty_columns(frame, [column.name for column in RANKING_COLUMNS])
    if "rank" in empty:
        raise InputError(where, "no rank is given", "1 for the best image of a group, and so on")
    return frame.drop(columns=[name for name in empty if name not in NEEDED])


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = parsed_answers(table, RANKING_COLUMNS, TASKS, where)
    if "checker" not in parsed:
        parsed["checker"] = False
    return parsed


TABLE: Final = TableReader(
    columns=RANKING_COLUMNS,
    never_missing=("evaluator", "group", "condition"),
    checked=checked_rankings,
)
load_rankings: Final = TABLE.load
