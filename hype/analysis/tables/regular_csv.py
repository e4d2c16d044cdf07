"""Fast reading of the regular kind of CSV file: one line per row, as many cells in each.

A file that is not regular may still be a good one. It is told apart before it is read, and left to
the exact reader of `hype.analysis.tables.csv_table`, which is about ten times slower.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.tables.distinct import only_used

if TYPE_CHECKING:
    from collections.abc import Iterator

Positions = npt.NDArray[np.intp]

_CHUNK_BYTES = 2**23
_SAMPLE_ROWS = 4096
_NEARLY_ALL = 0.95
"""Sorting categories takes long where nearly every cell is one, and nobody groups by them."""

_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def read_regular(data: bytes, separator: str, *, columns: int, header: int) -> pd.DataFrame | None:
    r"""Read a regular table; None where it is not regular.

    Parameters
    ----------
    data
        UTF-8 text. Regular is a table whose lines end in ``\n`` or ``\r\n``, are empty or have
        `columns` cells, and whose quotes surround whole cells that hold no line break.
    separator
        What stands between cells: one ASCII character.
    columns
        Number of cells in a row; a table of one column is not taken for regular.
    header
        The line that names the columns; nothing but empty lines may be above it.

    Returns
    -------
    DataFrame or None
        The rows below the header, all cells as text; each column is categorical with sorted
        categories, or plain where nearly all of many cells differ. The index, called ``row``,
        counts lines from one.
    """
    lines = _full_lines(data, ord(separator), columns)
    if lines is None or lines[0] != header:
        return None
    table = _all_rows(data, separator, columns)
    if table is None or len(table) != len(lines):
        return None
    below = table.iloc[1:].set_axis(_row_index(lines[1:]))
    return pd.DataFrame({name: only_used(below[name]) for name in below})


def _all_rows(data: bytes, separator: str, columns: int) -> pd.DataFrame | None:
    """Read all cells as text, those of the header too; None where that fails."""
    numbers = range(columns)
    try:
        first = _read(data, separator, dict.fromkeys(numbers, "object"), rows=_SAMPLE_ROWS)
        plain = first.nunique() > _SAMPLE_ROWS * _NEARLY_ALL
        kinds = {number: "object" if plain[number] else "category" for number in numbers}
        table = _read(data, separator, kinds)
    except pd.errors.ParserError:
        return None
    # As one of the cells a column's name keeps pandas from taking them for numbers.
    texts = (isinstance(table[number].unique()[0], str) for number in numbers)
    return table if all(texts) else None


def _read(
    data: bytes, separator: str, kinds: dict[int, str], rows: int | None = None
) -> pd.DataFrame:
    return pd.read_csv(
        io.BytesIO(data),
        sep=separator,
        names=list(kinds),
        header=None,
        index_col=False,
        dtype=kinds,
        nrows=rows,
        na_filter=False,
        encoding="utf-8",
    )


def _row_index(lines: Positions) -> pd.Index:
    if lines.size and lines[-1] - lines[0] == lines.size - 1:
        return pd.RangeIndex(lines[0], lines[-1] + 1, name="row")
    return pd.Index(lines, name="row")


def _full_lines(data: bytes, separator: int, columns: int) -> Positions | None:
    """Number the lines that are not empty, from one; None where the table is not regular."""
    returns = data.count(b"\r")
    if columns < 2 or (returns and returns != data.count(b"\r\n")):
        return None
    found: list[Positions] = []
    above = 0
    for chunk in _chunks(data):
        starts, ends = _lines(chunk)
        full = ends - starts > (chunk[ends - 1] == _RETURN)
        if not _is_regular(chunk, separator, columns, starts[full], ends[full]):
            return None
        found.append(above + 1 + np.flatnonzero(full))
        above += len(starts)
    return np.concatenate(found)


def _chunks(data: bytes) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield whole lines, some millions of bytes at a time."""
    values = np.frombuffer(data, dtype=np.uint8)
    start = 0
    while start < len(data):
        stop = data.rfind(b"\n", start, start + _CHUNK_BYTES) + 1
        stop = stop or data.find(b"\n", start) + 1 or len(data)
        if start + _CHUNK_BYTES >= len(data):
            stop = len(data)
        yield values[start:stop]
        start = stop


def _lines(chunk: npt.NDArray[np.uint8]) -> tuple[Positions, Positions]:
    """Give where each line starts and where it ends, the line feed left out."""
    ends = np.flatnonzero(chunk == _NEWLINE)
    if chunk[-1] != _NEWLINE:
        ends = np.append(ends, len(chunk))
    return np.append(0, ends[:-1] + 1), ends


def _is_regular(
    chunk: npt.NDArray[np.uint8], separator: int, columns: int, starts: Positions, ends: Positions
) -> bool:
    """Tell whether each of the lines holds `columns` cells."""
    separators = np.flatnonzero(chunk == separator)
    quotes = np.flatnonzero(chunk == _QUOTE)
    if quotes.size:
        if not _surround_cells(chunk, separator, quotes, ends):
            return False
        separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
    if separators.size != len(starts) * (columns - 1):
        return False
    of_line = separators.reshape(len(starts), columns - 1)
    return bool((of_line[:, 0] >= starts).all() and (of_line[:, -1] < ends).all())


def _surround_cells(
    chunk: npt.NDArray[np.uint8], separator: int, quotes: Positions, ends: Positions
) -> bool:
    """Tell whether quotes open where a cell starts, close where it ends, or come doubled."""
    if (np.searchsorted(quotes, ends) % 2).any():  # a quoted cell goes on in the next line
        return False
    padded = np.concatenate([[_NEWLINE], chunk, [_NEWLINE]])
    before, after = padded[quotes[::2]], padded[quotes[1::2] + 2]
    opens = np.isin(before, (separator, _NEWLINE, _QUOTE))
    closes = np.isin(after, (separator, _NEWLINE, _RETURN, _QUOTE))
    return bool(opens.all() and closes.all())
