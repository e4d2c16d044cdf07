"""Tables of several files put together, so that each row still knows its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.tables.distinct import as_categories, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

IntArray = npt.NDArray[np.int64]

FILE, ROW = "file", "row"
"""The columns that say where a row stood."""


def gathered(
    tables: Sequence[tuple[str, pd.DataFrame]], names: Sequence[str], numbers: Sequence[str] = ()
) -> pd.DataFrame:
    """Put tables below each other.

    Parameters
    ----------
    tables
        Each with the name of its file; their index counts rows as a text editor does.
    names
        The columns that hold names; where a table lacks one, its cells are empty text.
    numbers
        The columns that hold numbers, which every table has.

    Returns
    -------
    DataFrame
        Names as categories, numbers as floats, and the columns `FILE` and `ROW`.
    """
    lengths = [len(table) for _, table in tables]
    index = pd.RangeIndex(sum(lengths))
    files = np.repeat(np.arange(len(tables)), lengths)
    columns = {FILE: as_categories(files, [name for name, _ in tables], index)}
    rows = [table.index.to_numpy(dtype=np.int64) for _, table in tables]
    columns[ROW] = pd.Series(_joined(rows), index=index)
    for name in names:
        columns[name] = _names([table for _, table in tables], name, index)
    for name in numbers:
        values = [table[name].to_numpy(dtype=float) for _, table in tables]
        columns[name] = pd.Series(np.concatenate([*values, np.empty(0)]), index=index)
    return pd.DataFrame(columns)


def place_of(table: pd.DataFrame, row: int) -> str:
    """Say where a row of a gathered table stood."""
    return f"{table[FILE].iloc[row]}, row {table[ROW].iloc[row]}"


def _names(tables: list[pd.DataFrame], name: str, index: pd.Index) -> pd.Series:
    known: dict[str, int] = {}
    codes = [_codes(table, name, known) for table in tables]
    return as_categories(_joined(codes), list(known), index)


def _codes(table: pd.DataFrame, name: str, known: dict[str, int]) -> IntArray:
    """Number the cells of a column as all tables number them; -1 for empty ones."""
    if name not in table:
        return np.full(len(table), -1)
    cells = distinct(table[name])
    texts = [known.setdefault(text, len(known)) if text else -1 for text in cells.texts]
    return np.asarray(cells.rows(np.array(texts, dtype=np.int64), -1), dtype=np.int64)


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([*parts, np.empty(0, dtype=np.int64)])
