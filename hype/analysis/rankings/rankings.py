"""The tidy table of rankings, one row per image, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hype.analysis.pairwise.vote_columns import Prose, parse_vote_column
from hype.analysis.rankings.ranking_columns import (
    NEEDED,
    RANKING_COLUMNS,
    SCORED_TASK,
    TASKS,
    refuse_names,
)
from hype.analysis.rankings.same_images import refuse_repeated, refuse_unlike, with_rankings
from hype.analysis.tables.columns import Column, Kind
from hype.analysis.tables.csv_table import read_text_table
from hype.analysis.tables.distinct import is_filled, only_used, with_categories
from hype.analysis.tables.names import refuse_missing_names, take_guards_off
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike


def read_rankings(path: str | PathLike[str], *, simulated: bool | None = None) -> pd.DataFrame:
    """Read a CSV file of rankings, one row per image, and check all of it.

    Parameters
    ----------
    path
        A text file with the columns of `RANKING_COLUMNS`, as `read_text_table` reads it. Of names
        and prompts an apostrophe that guards them from a spreadsheet is taken off.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        file that mixes the two.

    Returns
    -------
    DataFrame
        As `check_rankings` returns it.

    Raises
    ------
    InputError
        For the first thing that is wrong, naming the file, the row as a text editor counts it,
        the column, the value and what is allowed. Beside what `check_rankings` refuses these
        are names NA or NaN, without the apostrophe.
    """
    table = read_text_table(Path(path))
    refuse_names(table, path)
    refuse_missing_names(table, ("evaluator", "group", "condition"), path)
    names = [column.name for column in RANKING_COLUMNS if _is_name(column)]
    take_guards_off(table, [name for name in names if name in table])
    return check_rankings(table, where=path, simulated=simulated)


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
    refuse_names(frame, where)
    table = _wanted(_parsed(_present(frame, where), where), where, simulated)
    for column in RANKING_COLUMNS:
        if column.name in table and _is_name(column):
            table[column.name] = only_used(table[column.name])
    table = with_rankings(table)
    refuse_repeated(table, where)
    refuse_unlike(table, where)
    return table.reset_index(drop=True)


def _is_name(column: object) -> bool:
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row with a rank; drop the optional columns that are empty."""
    if frame.empty:
        raise InputError(where, "holds no rankings", "one row per image of a ranking")
    if not frame.index.is_unique:  # tables glued together; a row must have one name
        frame = frame.reset_index(drop=True)
    names = [column.name for column in RANKING_COLUMNS if column.name in frame]
    empty = [name for name in names if not is_filled(frame[name])]
    if "rank" in empty:
        raise InputError(where, "no rank is given", "1 for the best image of a group, and so on")
    return frame.drop(columns=[name for name in empty if name not in NEEDED])


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = table.copy(deep=False)
    for column in RANKING_COLUMNS:
        if column.name in table:
            parsed[column.name] = parse_vote_column(table[column.name], column, where)
    if "task" not in parsed:
        codes = np.full(len(parsed), TASKS.index(SCORED_TASK), dtype=np.int8)
        parsed["task"] = with_categories(codes, TASKS, TASKS, parsed.index)
    for flag in ("checker", "simulated"):
        if flag not in parsed:
            parsed[flag] = False
    return parsed


def _wanted(table: pd.DataFrame, where: object, simulated: bool | None) -> pd.DataFrame:
    """Keep people or simulated evaluators; never let both through."""
    flags = table["simulated"].to_numpy()
    if simulated is None and flags.any() and not flags.all():
        raise InputError(
            where,
            "holds people and simulated evaluators, which are never mixed",
            "choose with --simulated or --people",
        )
    wanted = flags if simulated else ~flags
    if simulated is None or wanted.all():
        return table
    if not wanted.any():
        who = "simulated evaluators" if simulated else "people"
        raise InputError(where, f"holds no rankings by {who}")
    return table[wanted].copy()
