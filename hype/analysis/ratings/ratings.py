"""The tidy table of ratings, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.pairwise.vote_columns import Prose, parse_vote_column
from hype.analysis.ratings.rating_columns import (
    NEEDED,
    RATING_COLUMNS,
    SCORED_TASK,
    TASKS,
    by_known_names,
)
from hype.analysis.ratings.rating_values import with_truths, with_values
from hype.analysis.ratings.repeated_ratings import refuse_changed_items, refuse_repeated
from hype.analysis.ratings.scale import Scale
from hype.analysis.tables.cells import refuse_cell
from hype.analysis.tables.columns import Column, Kind
from hype.analysis.tables.csv_table import read_text_table
from hype.analysis.tables.distinct import distinct, is_filled, only_used, with_categories
from hype.analysis.tables.names import refuse_missing_names, take_guards_off
from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

Flags = npt.NDArray[np.bool_]


def read_ratings(
    path: str | PathLike[str], *, simulated: bool | None = None, scale: Scale | None = None
) -> pd.DataFrame:
    """Read a CSV file of ratings, one row per answer, and check all of it.

    Parameters
    ----------
    path
        A text file with the columns of `RATING_COLUMNS`, as `read_text_table` reads it. Of names
        and prompts an apostrophe that guards them from a spreadsheet is taken off.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        file that mixes the two.
    scale
        What may be answered; None for five levels, and numbers from 1 to 10.

    Returns
    -------
    DataFrame
        As `check_ratings` returns it.

    Raises
    ------
    InputError
        For the first thing that is wrong, naming the file, the row as a text editor counts it,
        the column, the value and what is allowed. Beside what `check_ratings` refuses these are
        evaluators, items, axes and conditions called NA or NaN, without the apostrophe.
    """
    table = by_known_names(read_text_table(Path(path)), path)
    refuse_missing_names(table, ("evaluator", "item", "axis", "first", "second"), path)
    names = [column.name for column in RATING_COLUMNS if _is_name(column)]
    take_guards_off(table, [name for name in names if name in table])
    return check_ratings(table, where=path, simulated=simulated, scale=scale)


def check_ratings(
    frame: pd.DataFrame,
    *,
    where: object = "ratings",
    simulated: bool | None = None,
    scale: Scale | None = None,
) -> pd.DataFrame:
    """Check a table of ratings and give every column its proper type.

    Parameters
    ----------
    frame
        One row per answer. Messages name rows by its index.
    where
        What messages call the table: usually its file.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        table that mixes the two.
    scale
        What may be answered; None for five levels, and numbers from 1 to 10.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with item, axis, answer, value,
        first, task and simulated (bool) always there; second, where and only where pairs are
        rated. First and second are categories over the same sorted conditions. Answer has the
        categories that occur, "not-relevant" for one that says "not relevant"; value is its number
        as of `Scale.value`, NaN where not relevant. Where there is truth, truth_value is its
        number. Numbers are float, NaN where empty; other columns of `RATING_COLUMNS` are
        categories, empty text where there is none. Optional columns that are empty are gone;
        columns outside of `RATING_COLUMNS` are kept as they are, but value and truth_value are
        always made anew. Checking it again changes nothing.

    Raises
    ------
    InputError
        A needed column is missing; there is no row at all or none of the task rating; a value is
        not allowed, or not on the scale; pairs and single images are mixed; an axis has numbers
        as well as yes and no; a condition is rated against itself (but for practice); rows of one
        item differ in their conditions or images; an evaluator answered the same item and axis
        twice (rows that are excluded do not count); people and simulated evaluators are mixed, or
        none of the wanted left.
    """
    scale = scale or Scale()
    table = _parsed(_present(by_known_names(frame, where), where), where)
    _refuse_mixed_kinds(table, where)
    table = _over_same_conditions(_wanted(table, where, simulated))
    table = with_truths(with_values(table, where, scale), where)
    _refuse_selves(table, where)
    refuse_changed_items(table, where)
    refuse_repeated(table, where)
    return table.reset_index(drop=True)


def is_pairs(ratings: pd.DataFrame) -> bool:
    """Tell whether a checked table holds ratings of pairs."""
    return "second" in ratings


def _is_name(column: object) -> bool:
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    if frame.empty:
        raise InputError(where, "holds no ratings", "one row per answer")
    if not frame.index.is_unique:  # tables glued together; a row must have one name
        frame = frame.reset_index(drop=True)
    optional = [c.name for c in RATING_COLUMNS if c.name in frame and c.name not in NEEDED]
    return frame.drop(columns=[name for name in optional if not is_filled(frame[name])])


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = table.copy(deep=False)
    for column in RATING_COLUMNS:
        if column.name in table:
            parsed[column.name] = parse_vote_column(table[column.name], column, where)
    if "task" not in parsed:
        codes = np.zeros(len(parsed), dtype=np.int8)
        parsed["task"] = with_categories(codes, TASKS, TASKS, parsed.index)
    if not parsed["task"].eq(SCORED_TASK).any():
        problem = "holds only practice, which is never scored"
        raise InputError(where, problem, "rows of the task rating")
    return parsed


def _refuse_mixed_kinds(table: pd.DataFrame, where: object) -> None:
    for name in ("second", "second_image", "first_side"):
        if name != "second" and name in table and "second" not in table:
            allowed = "pairs need the column second; single images have no second image and no side"
            raise InputError(where, f"has the column {name!r} and no second", allowed)
    if "second" not in table:
        return
    empty = table["second"].eq("").to_numpy()
    if empty.any():
        allowed = "pairs and single images are tables of their own"
        refuse_cell(table["second"], empty, where, "second", allowed)


def _wanted(table: pd.DataFrame, where: object, simulated: bool | None) -> pd.DataFrame:
    """Keep people or simulated evaluators; never let both through."""
    if "simulated" not in table:
        table["simulated"] = False
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
        raise InputError(where, f"holds no ratings by {who}")
    return table[wanted].copy()


def _over_same_conditions(table: pd.DataFrame) -> pd.DataFrame:
    """Give first and second the same categories; those that no row has any more are dropped."""
    places = [name for name in ("first", "second") if name in table]
    both = [distinct(only_used(table[name])) for name in places]
    names = sorted({text for each in both for text in each.texts})
    for name, cells in zip(places, both, strict=True):
        table[name] = with_categories(cells.codes, cells.texts, names, table.index)
    for column in RATING_COLUMNS:
        if column.name in table and _is_name(column) and column.name not in places:
            table[column.name] = only_used(table[column.name])
    return table


def _refuse_selves(table: pd.DataFrame, where: object) -> None:
    if not is_pairs(table):
        return
    same = table["first"].cat.codes.to_numpy() == table["second"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if same.any():
        row = table.iloc[int(same.argmax())]
        problem = f"rates {shortened(str(row['first']))!r} against itself"
        allowed = "first and second are two conditions; two images of one say nothing about them"
        raise InputError(f"{where}, row {row.name}", problem, allowed)
