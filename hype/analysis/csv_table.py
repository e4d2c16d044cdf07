"""A comma-separated file as text cells that still know their row in a text editor."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pandas as pd

from hype.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_text_table(path: Path) -> pd.DataFrame:
    """Read a comma-separated file without interpreting a single cell.

    Parameters
    ----------
    path
        A UTF-8 text file (a byte-order mark is allowed) whose first row names the columns.

    Returns
    -------
    DataFrame
        All cells as text, so that an evaluator called ``007`` stays one; missing cells are
        empty strings. The index, called ``row``, is the line on which the row begins, counted
        from one as a text editor does. Blank lines are skipped.

    Raises
    ------
    InputError
        Where the file cannot be read, is no text, is empty, names a column twice, or has a row
        whose number of cells differs from the header's.
    """
    numbered = _numbered_rows(path, _text(path))
    _, header = next(numbered, (0, []))
    if not header:
        raise InputError(path, "the file is empty", "the first row must name the columns")
    _refuse_repeated(path, header)
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, cells in numbered:
        _refuse_ragged(path, line, cells, header)
        rows.append(cells)
        lines.append(line)
    return pd.DataFrame(rows, columns=header, index=pd.Index(lines, name="row"), dtype=str)


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8 text", "a table of comma-separated text") from None
    if "\0" in text:
        raise InputError(path, "is a binary file", "a table of comma-separated text")
    return text


def _numbered_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1  # a quoted cell may span lines: this is where the row begins
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{path}, row {line}", f"is malformed ({error})") from None
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def _refuse_repeated(path: Path, header: list[str]) -> None:
    for name in header:
        if header.count(name) > 1:
            raise InputError(path, f"the column {name!r} appears twice", "each column once")


def _refuse_ragged(path: Path, line: int, cells: list[str], header: list[str]) -> None:
    if len(cells) != len(header):
        problem = f"has {len(cells)} cells where the header names {len(header)} columns"
        raise InputError(f"{path}, row {line}", problem, "one cell per column")
