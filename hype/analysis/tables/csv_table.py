"""A comma-separated file as text cells that still know their row in a text editor."""

from __future__ import annotations

import csv
import io
from array import array
from typing import TYPE_CHECKING, Final, TextIO

import numpy as np
import pandas as pd

from hype.analysis.tables.distinct import as_categories, distinct, only_used
from hype.analysis.tables.regular_csv import read_regular
from hype.analysis.tables.shortened import shortened
from hype.analysis.tables.text_file import read_utf8
from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEPARATORS = ",;\t"
"""What may stand between cells: the one that makes most columns of the first row."""

MOST_COLUMNS: Final = 1000
"""Each takes about a millisecond and some kilobytes, however few rows there are."""


def read_text_table(path: Path) -> pd.DataFrame:
    """Read a comma-separated file without interpreting a single cell.

    Parameters
    ----------
    path
        A text file in UTF-8 (a byte-order mark is allowed) or in UTF-16 with a byte-order mark,
        whose first row names the columns. Cells are separated by commas, semicolons or tabs.

    Returns
    -------
    DataFrame
        All cells as text, so that an evaluator called ``007`` stays one; missing cells are
        empty text. Columns are categorical, or plain where nearly all of many cells differ, and
        their names have no space around them. The index, called ``row``, is the line on which
        the row begins, counted from one as a text editor does. Rows without content are skipped.

    Raises
    ------
    InputError
        Where the file cannot be read, is larger than `LARGEST_BYTES`,
        is no text, is empty, has more than `MOST_COLUMNS`, names a column twice, or has a row
        whose number of cells differs from the header's.
    """
    data = read_utf8(path)
    separator = _separator(data)
    first, header = next(_numbered_rows(path, data, separator), (0, []))
    if not header:
        raise InputError(path, "the file is empty", "the first row must name the columns")
    names = [name.strip() for name in header]
    if len(names) > MOST_COLUMNS:
        raise InputError(path, f"has {len(names)} columns", f"at most {MOST_COLUMNS}")
    refuse_repeated_names(path, names)
    table = read_regular(data, separator, columns=len(names), header=first)
    if table is None:
        table = read_exactly(path, data, separator, len(names))
    table.columns = pd.Index(names)
    return _without_blank_rows(table)


def _separator(data: bytes) -> str:
    first = next((line for line in _text(data) if line.strip()), "")

    def columns(separator: str) -> int:
        try:
            return len(next(csv.reader([first], delimiter=separator)))
        except csv.Error:  # the exact reader will say what is wrong
            return 1

    return max(SEPARATORS, key=columns)


def _text(data: bytes) -> TextIO:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def read_exactly(path: Path, data: bytes, separator: str, columns: int) -> pd.DataFrame:
    """Read a table of any form, or say which row is wrong; as `read_regular`, but blank rows.

    Parameters
    ----------
    path
        What messages call the table.
    data
        UTF-8 text.
    separator
        What stands between cells.
    columns
        Number of cells in a row.
    """
    numbered = _numbered_rows(path, data, separator)
    next(numbered)
    # A cell becomes a number at once: the texts of all cells together would fill the memory.
    codes = [array("i") for _ in range(columns)]
    texts: list[dict[str, int]] = [{} for _ in range(columns)]
    lines = array("q")
    for line, cells in numbered:
        _refuse_ragged(path, line, cells, columns)
        lines.append(line)
        for code, known, cell in zip(codes, texts, cells, strict=True):
            code.append(known.setdefault(cell, len(known)))
    index = pd.Index(np.array(lines), name="row")
    of_column = zip(codes, texts, strict=True)
    return pd.DataFrame(
        {
            number: as_categories(np.array(code), list(known), index)
            for number, (code, known) in enumerate(of_column)
        }
    )


def _numbered_rows(path: Path, data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_text(data), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1  # a quoted cell may span lines: this is where the row begins
        try:
            cells = next(reader, None)
        except csv.Error as error:
            reason = str(error).replace("\t", r"\t")  # the separator, as it stands in the text
            raise InputError(f"{path}, row {line}", f"is malformed ({reason})") from None
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def refuse_repeated_names(path: Path, names: list[str]) -> None:
    """Refuse a table that names a column twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            column = repr(shortened(name))
            problem = f"the column {column} appears twice" if name else "two columns have no name"
            raise InputError(path, problem, "each column once")
        seen.add(name)


def _refuse_ragged(path: Path, line: int, cells: list[str], columns: int) -> None:
    if len(cells) != columns:
        problem = f"has {len(cells)} cells where the header names {columns} columns"
        allowed = "one cell per column; a cell that holds the separator stands in quotes"
        raise InputError(f"{path}, row {line}", problem, allowed)


def _without_blank_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out rows of separators only, which spreadsheets write below a table."""
    blank = np.ones(len(table), dtype=bool)
    for name in table:
        values = distinct(table[name])
        blank &= values.rows(values.blank(), missing=True)
        if not blank.any():
            return table
    left = table[~blank]
    return pd.DataFrame({name: only_used(left[name]) for name in left})
