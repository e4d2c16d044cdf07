"""The tidy table of ratings, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from hype.analysis.ratings.rating_columns import (
    ALIASES,
    NEEDED,
    RATING_COLUMNS,
    SCORED_TASK,
    TASKS,
    by_known_names,
)
from hype.analysis.ratings.rating_values import with_truths, with_values
from hype.analysis.ratings.repeated_ratings import refuse_changed_items, refuse_repeated
from hype.analysis.ratings.scale import Scale
from hype.analysis.tables.answer_files import read_table
from hype.analysis.tables.answers import (
    drop_unused_names,
    empty_columns,
    parsed_answers,
    people_or_simulated,
    share_conditions,
    unguard_names,
    with_rows,
)
from hype.analysis.tables.cells import refuse_cell
from hype.analysis.tables.checked import CheckedTable
from hype.analysis.tables.codebook import PLAIN
from hype.analysis.tables.shortened import shortened
from hype.analysis.tables.unanswered import answered_rows, blank_missing
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from hype.analysis.tables.codebook import Codebook


_ANSWER: Final = next(column for column in RATING_COLUMNS if column.name == "answer")


def read_ratings(
    path: str | PathLike[str], *, simulated: bool | None = None, scale: Scale | None = None
) -> pd.DataFrame:
    """Read a file of ratings, one row per answer, and check all of it.

    Parameters
    ----------
    path
        A table with the columns of `RATING_COLUMNS`: text, as `read_text_table` reads it, of whose
        names and prompts an apostrophe that guards them from a spreadsheet is taken off; or
        Parquet.
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
    return load_ratings(path, simulated=simulated, scale=scale).told()


def load_ratings(
    path: str | PathLike[str],
    *,
    simulated: bool | None = None,
    scale: Scale | None = None,
    codebook: Codebook = PLAIN,
) -> CheckedTable:
    """Read ratings as `read_ratings`, from a table that may call columns otherwise."""
    table, guarded = read_table(Path(path))
    known = [*(column.name for column in RATING_COLUMNS), *ALIASES]
    table = by_known_names(codebook.understood(table, known, path), path)
    if guarded:
        never_missing = ("evaluator", "item", "axis", "first", "second")
        unguard_names(table, RATING_COLUMNS, never_missing, path)
    return checked_ratings(table, where=path, simulated=simulated, scale=scale)


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
        none of the wanted left; no row has an answer.

    Warns
    -----
    UserWarning
        Rows have no answer (empty, NA and the like): they are left out.
    """
    return checked_ratings(frame, where=where, simulated=simulated, scale=scale).told()


def checked_ratings(
    frame: pd.DataFrame,
    *,
    where: object = "ratings",
    simulated: bool | None = None,
    scale: Scale | None = None,
) -> CheckedTable:
    """Check ratings as `check_ratings`, and tell which rows have no answer."""
    scale = scale or Scale()
    given = blank_missing(by_known_names(frame, where), "answer")
    table = _parsed(_present(given, where), where)
    _refuse_mixed_kinds(table, where)
    table = people_or_simulated(table, where, simulated, answers="ratings")
    table, missing = answered_rows(table, ["answer"], where)
    table = parsed_answers(table, [_ANSWER], TASKS, where)
    drop_unused_names(table, RATING_COLUMNS)
    share_conditions(table, ("first", "second") if is_pairs(table) else ("first",))
    table = with_truths(with_values(table, where, scale), where)
    _refuse_selves(table, where)
    refuse_changed_items(table, where)
    refuse_repeated(table, where)
    return CheckedTable(frame=table.reset_index(drop=True), missing=missing)


def is_pairs(ratings: pd.DataFrame) -> bool:
    """Tell whether a checked table holds ratings of pairs."""
    return "second" in ratings


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    frame = with_rows(frame, where, answers="ratings", row="one row per answer")
    optional = [column.name for column in RATING_COLUMNS if column.name not in NEEDED]
    return frame.drop(columns=empty_columns(frame, optional))


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    others = [column for column in RATING_COLUMNS if column is not _ANSWER]
    parsed = parsed_answers(table, others, TASKS, where)
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
