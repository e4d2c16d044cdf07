"""The tidy table of comparisons, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.pairwise.chosen import with_answers
from hype.analysis.pairwise.vote_columns import (
    SCORED_TASK,
    TASKS,
    VOTE_COLUMNS,
    Prose,
    by_known_names,
    parse_vote_column,
)
from hype.analysis.tables.cells import refuse_cell
from hype.analysis.tables.columns import Column, Kind
from hype.analysis.tables.csv_table import read_text_table
from hype.analysis.tables.distinct import distinct, is_filled, with_categories
from hype.analysis.tables.names import refuse_missing_names, take_guards_off
from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

Flags = npt.NDArray[np.bool_]


def read_comparisons(path: str | PathLike[str], *, simulated: bool | None = None) -> pd.DataFrame:
    """Read a CSV file of comparisons, one row per answer, and check all of it.

    Parameters
    ----------
    path
        A text file with the columns of `VOTE_COLUMNS`, as `read_text_table` reads it. Of names
        and prompts an apostrophe that guards them from a spreadsheet is taken off.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        file that mixes the two.

    Returns
    -------
    DataFrame
        As `check_comparisons` returns it.

    Raises
    ------
    InputError
        For the first thing that is wrong, naming the file, the row as a text editor counts it,
        the column, the value and what is allowed. Beside what `check_comparisons` refuses these
        are evaluators and conditions called NA or NaN, without the apostrophe.
    """
    table = by_known_names(read_text_table(Path(path)), path)
    refuse_missing_names(table, ("evaluator", "left", "right"), path)
    names = [column.name for column in VOTE_COLUMNS if _is_name(column)]
    take_guards_off(table, [name for name in names if name in table])
    return check_comparisons(table, where=path, simulated=simulated)


def check_comparisons(
    frame: pd.DataFrame, *, where: object = "comparisons", simulated: bool | None = None
) -> pd.DataFrame:
    """Check a table of comparisons and give every column its proper type.

    Parameters
    ----------
    frame
        One row per answer. Messages name rows by its index.
    where
        What messages call the table: usually its file.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        table that mixes the two.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with left, right, answer, task
        and simulated (bool) always there. Left and right are categories over the same sorted
        conditions; answer has the categories `ANSWERS`, task `TASKS`, obvious `OBVIOUS`. Numbers
        are float, NaN where empty; other columns of `VOTE_COLUMNS` are categories, empty text
        where there is none. Optional columns that are empty are gone; columns outside of
        `VOTE_COLUMNS` are kept as they are. Checking it again changes nothing.

    Raises
    ------
    InputError
        A needed column is missing; there is no row at all or none of the task comparison; a value
        is not allowed; a condition meets itself; what was chosen was not shown; a validation
        comparison has no obvious side; two rows claim the same trial of an evaluator; there are
        several criteria; people and simulated evaluators are mixed, or none of the wanted left.

    Notes
    -----
    Two images of one condition say nothing about conditions, so they are refused too, but not in
    validation and practice, where anything may stand beside anything.
    """
    table = _parsed(_present(by_known_names(frame, where), where), where)
    table = with_answers(_wanted(table, where, simulated), where)
    table = _over_same_conditions(table)
    _refuse_selves(table, where)
    _refuse_no_obvious(table, where)
    _refuse_several_criteria(table, where)
    _refuse_repeated_trials(table, where)
    return table.reset_index(drop=True)


def _is_name(column: object) -> bool:
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    if frame.empty:
        raise InputError(where, "holds no comparisons", "one row per answer")
    if not frame.index.is_unique:  # tables glued together; a row must have one name
        frame = frame.reset_index(drop=True)
    optional = [c.name for c in VOTE_COLUMNS if c.name in frame and c.name not in ("left", "right")]
    empty = [name for name in optional if not is_filled(frame[name])]
    if {"answer", "chosen"} & set(frame.columns) <= set(empty):
        raise InputError(where, "no answer is given", "the column answer or chosen says it")
    return frame.drop(columns=empty)


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = table.copy(deep=False)
    for column in VOTE_COLUMNS:
        if column.name in table:
            parsed[column.name] = parse_vote_column(table[column.name], column, where)
    if "task" not in parsed:
        codes = np.zeros(len(parsed), dtype=np.int8)
        parsed["task"] = with_categories(codes, TASKS, TASKS, parsed.index)
    if not parsed["task"].eq(SCORED_TASK).any():
        problem = "holds only practice and validation, which are never scored"
        raise InputError(where, problem, "rows of the task comparison")
    return parsed


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
        raise InputError(where, f"holds no comparisons by {who}")
    return table[wanted].copy()


def _over_same_conditions(table: pd.DataFrame) -> pd.DataFrame:
    """Give left and right the same categories; those that no row has any more are dropped."""
    both = [distinct(table[side]) for side in ("left", "right")]
    used = (np.unique(side.codes).tolist() for side in both)
    names = sorted({side.texts[i] for side, codes in zip(both, used, strict=True) for i in codes})
    for name, side in zip(("left", "right"), both, strict=True):
        table[name] = with_categories(side.codes, side.texts, names, table.index)
    for column in VOTE_COLUMNS:
        if column.name in table and _is_name(column) and column.name not in ("left", "right"):
            cells = table[column.name]
            table[column.name] = cells.cat.remove_unused_categories()
    return table


def _refuse_selves(table: pd.DataFrame, where: object) -> None:
    same = table["left"].cat.codes.to_numpy() == table["right"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if not same.any():
        return
    first = table.iloc[int(same.argmax())]
    name = shortened(str(first["left"]))
    images = [first.get("left_image", ""), first.get("right_image", "")]
    problem = f"compares {name!r} with itself"
    if images[0] and images[0] == images[1]:
        problem = f"compares the image {shortened(str(images[0]))!r} with itself"
    allowed = "left and right are two conditions; two images of one say nothing about conditions"
    raise InputError(f"{where}, row {first.name}", problem, allowed)


def _refuse_no_obvious(table: pd.DataFrame, where: object) -> None:
    validation = table["task"].eq("validation").to_numpy()
    if not validation.any():
        return
    if "obvious" not in table:
        problem = "the column 'obvious' is missing"
        raise InputError(where, problem, "the task validation needs the obviously right side")
    empty = validation & table["obvious"].eq("").to_numpy()
    if empty.any():
        allowed = "every row of the task validation needs left or right"
        refuse_cell(table["obvious"], empty, where, "obvious", allowed)


def _refuse_several_criteria(table: pd.DataFrame, where: object) -> None:
    if "criterion" in table and len(table["criterion"].cat.categories) > 1:
        two = " and ".join(repr(shortened(name)) for name in table["criterion"].cat.categories[:2])
        problem = f"holds answers to several questions, such as {two}"
        raise InputError(where, problem, "one criterion at a time; keep the rows of one")


def _refuse_repeated_trials(table: pd.DataFrame, where: object) -> None:
    if "trial" not in table or "evaluator" not in table:
        return
    names = [n for n in ("evaluator", "session", "task", "block", "trial") if n in table]
    placed = table.loc[table["trial"].notna(), names]
    repeated = placed.duplicated().to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    same = np.logical_and.reduce([placed[k].eq(placed[k].iloc[second]).to_numpy() for k in names])
    said = ", ".join(f"{name} {shortened(str(placed[name].iloc[second]))}" for name in names[:-1])
    number = f"trial {placed['trial'].iloc[second]:.0f}"
    problem = f"repeats row {placed.index[int(same.argmax())]} ({said}, {number})"
    raise InputError(
        f"{where}, row {placed.index[second]}", problem, "one row per trial of an evaluator"
    )
