"""The tidy table of rankings, one row per image, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from hype.analysis.rankings.ranking_columns import (
    NEEDED,
    RANKING_COLUMNS,
    TASKS,
    refuse_wrong_names,
)
from hype.analysis.rankings.same_images import refuse_repeated, refuse_unlike, with_rankings
from hype.analysis.tables.answer_files import read_table
from hype.analysis.tables.answers import (
    drop_unused_names,
    empty_columns,
    parsed_answers,
    people_or_simulated,
    unguard_names,
    with_rows,
)
from hype.analysis.tables.checked import CheckedTable
from hype.analysis.tables.codebook import PLAIN
from hype.analysis.tables.unanswered import by_evaluator
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from hype.analysis.tables.codebook import Codebook


def read_rankings(path: str | PathLike[str], *, simulated: bool | None = None) -> pd.DataFrame:
    """Read a file of rankings, one row per image, and check all of it.

    Parameters
    ----------
    path
        A table with the columns of `RANKING_COLUMNS`: text, as `read_text_table` reads it, of whose
        names and prompts an apostrophe that guards them from a spreadsheet is taken off; or
        Parquet.
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
    return load_rankings(path, simulated=simulated).frame


def load_rankings(
    path: str | PathLike[str], *, simulated: bool | None = None, codebook: Codebook = PLAIN
) -> CheckedTable:
    """Read rankings as `read_rankings`, from a table that may call columns otherwise."""
    table, guarded = read_table(Path(path))
    table = codebook.understood(table, [column.name for column in RANKING_COLUMNS], path)
    refuse_wrong_names(table, path)
    if guarded:
        unguard_names(table, RANKING_COLUMNS, ("evaluator", "group", "condition"), path)
    return checked_rankings(table, where=path, simulated=simulated)


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
    refuse_wrong_names(frame, where)
    table = _parsed(_present(frame, where), where)
    table = people_or_simulated(table, where, simulated, answers="rankings")
    drop_unused_names(table, RANKING_COLUMNS)
    table = with_rankings(table)
    refuse_repeated(table, where)
    refuse_unlike(table, where)
    missing = tuple(by_evaluator(table[_unplaced(table)]))
    return CheckedTable(frame=table.reset_index(drop=True), missing=missing, lacking="rank")


def _unplaced(table: pd.DataFrame) -> pd.Series:
    """Tell which rows have no rank, but for those whose ranking the table itself leaves out."""
    unplaced = table["rank"].isna()
    return unplaced & table["excluded"].eq("") if "excluded" in table else unplaced


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
