"""What every table of answers goes through, whatever was asked.

A table of judgements uses what it shares with the others; the rest is of those whose columns are
`hype.tables.declared.Declared`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.errors import InputError
from hype.tables.declared import is_name, parse_declared
from hype.tables.distinct import distinct, is_filled, only_used, with_categories
from hype.tables.names import refuse_missing_names, take_guards_off

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd

    from hype.tables.declared import Declared


def unguard_names(
    table: pd.DataFrame, columns: Sequence[Declared], never_missing: Collection[str], where: object
) -> None:
    """Take spreadsheets' guards off names and prose, in place; some may not read like a gap.

    Raises
    ------
    InputError
        A name in a column of `never_missing` is NA or NaN, without an apostrophe.
    """
    refuse_missing_names(table, never_missing, where)
    take_guards_off(table, [c.name for c in columns if is_name(c) and c.name in table])


def with_rows(frame: pd.DataFrame, where: object, *, answers: str, row: str) -> pd.DataFrame:
    """Require a row; give each a name of its own.

    Parameters
    ----------
    frame
        A table.
    where, answers, row
        What messages call the table, what is in it, and what a row should be.
    """
    if frame.empty:
        raise InputError(where, f"holds no {answers}", row)
    # Tables that were glued together have some names twice.
    return frame if frame.index.is_unique else frame.reset_index(drop=True)


def empty_columns(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Give those of the columns that are there, and empty from top to bottom."""
    return [name for name in names if name in frame and not is_filled(frame[name])]


def parsed_answers(
    table: pd.DataFrame, columns: Sequence[Declared], tasks: Sequence[str], where: object
) -> pd.DataFrame:
    """Give every declared column its proper type; without a task, all rows have the first one."""
    parsed = table.copy(deep=False)
    for column in columns:
        if column.name in table:
            parsed[column.name] = parse_declared(table[column.name], column, where)
    if "task" not in parsed:
        codes = np.zeros(len(parsed), dtype=np.int8)
        parsed["task"] = with_categories(codes, tasks, tasks, parsed.index)
    return parsed


def people_or_simulated(
    table: pd.DataFrame, where: object, simulated: bool | None, *, answers: str
) -> pd.DataFrame:
    """Keep people or simulated evaluators; never let both through.

    Parameters
    ----------
    table
        Checked so far; gets the column ``simulated``, false, if it has none.
    where, answers
        What messages call the table, and what is in it.
    simulated
        Which are wanted; None for those that there are, if they are of one kind.
    """
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
        raise InputError(where, f"holds no {answers} by {who}")
    return table[wanted].copy()


def drop_unused_names(table: pd.DataFrame, columns: Sequence[Declared]) -> None:
    for column in columns:
        if column.name in table and is_name(column):
            table[column.name] = only_used(table[column.name])


def share_conditions(table: pd.DataFrame, places: Sequence[str]) -> None:
    """Give columns of conditions, in place, the same categories, sorted; each is somewhere."""
    cells = [distinct(only_used(table[name])) for name in places]
    names = sorted({text for each in cells for text in each.texts})
    for name, each in zip(places, cells, strict=True):
        table[name] = with_categories(each.codes, each.texts, names, table.index)
