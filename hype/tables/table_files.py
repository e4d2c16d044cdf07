"""A table in memory, or its file, text or Parquet, as cells that still know their row there."""

from __future__ import annotations

import codecs
import csv
import io
import json
import stat
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import shortened
from hype.tables.distinct import as_categories, distinct, only_used


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A table in memory, and what messages call it; they name its rows by its index."""

    frame: pd.DataFrame
    name: str = "the frame"
    note: str = ""  # what was left out when it was made
    file: Path | None = None  # where it was read
    guarded: bool = False  # whether apostrophes may guard its text from spreadsheets

    def __str__(self) -> str:
        return self.name


TableSource = str | PathLike[str] | FrameTable
"""Where a table is read from."""


LARGEST_BYTES = 2**30
"""A table takes several times its size in memory, and a machine that swaps seems to hang."""

_WANTED = "a table of comma-separated text in UTF-8"

_DECODED_BYTES = 2**20

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_DATABASE = b"SQLite format 3"


def read_utf8(path: Path) -> bytes:
    """Read a text file of `LARGEST_BYTES` at most as UTF-8, as `as_utf8` does."""
    return as_utf8(path, read_file(path))


def as_utf8(path: Path, data: bytes) -> bytes:
    """Give the text of a file in UTF-8, without a byte-order mark.

    ``data``: UTF-8, with or without a byte-order mark, or UTF-16 with one.

    Raises InputError: it is in another encoding (the message names the first row that shows it), or
    is no text.
    """
    if data.startswith(_DATABASE):
        raise InputError(path, "is a database, such as a study's record", "name the study's folder")
    if data.startswith(_UTF_16):
        data = _from_utf_16(path, data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise InputError(path, "is a binary file", _WANTED)
    if not data.isascii():
        _refuse_other_encodings(path, data)
    return data


def read_file(path: Path) -> bytes:
    """Read a file of `LARGEST_BYTES` at most, whatever it holds.

    Raises InputError: it cannot be read, is larger, or is no file.
    """
    try:
        state = path.stat()
        if state.st_size > LARGEST_BYTES:
            problem = f"has {state.st_size / 2**30:.1f} GiB, more than the"
            hint = "score each condition's rows alone, or read them with pandas in Python"
            raise InputError(path, f"{problem} {LARGEST_BYTES / 2**30:.0f} GiB that are read", hint)
        if not stat.S_ISREG(state.st_mode):  # a pipe is waited for, a device may never end
            raise InputError(path, "is not a file", _WANTED)
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from None
    return data


def _from_utf_16(path: Path, data: bytes) -> bytes:
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        raise InputError(path, "begins as UTF-16 text and is none", _WANTED) from None


def _refuse_other_encodings(path: Path, data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _DECODED_BYTES):
        chunk = data[start : start + _DECODED_BYTES]
        try:
            decoder.decode(chunk, final=start + len(chunk) == len(data))
        except UnicodeDecodeError as error:
            kept = len(error.object) - len(chunk)  # a character begun in the chunk before
            _refuse_byte(path, data, start - kept + error.start)


def _refuse_byte(path: Path, data: bytes, place: int) -> None:
    row = data.count(b"\n", 0, place) + 1
    problem = f"is not UTF-8 text: byte 0x{data[place]:02x} at offset {place}"
    raise InputError(f"{path}, row {row}", problem, "save the table as UTF-8")


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
    lines: list[Positions] = []
    above = 0
    for chunk in _chunks(data):
        starts, ends = _lines(chunk)
        full = ends - starts > (chunk[ends - 1] == _RETURN)
        if not _is_regular(chunk, separator, columns, starts[full], ends[full]):
            return None
        lines.append(above + 1 + np.flatnonzero(full))
        above += len(starts)
    return np.concatenate(lines)


def _chunks(data: bytes) -> Iterator[npt.NDArray[np.uint8]]:
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


SEPARATORS = ",;\t"
"""What may stand between cells: the one that makes most columns of the first row."""
MOST_COLUMNS: Final = 1000
"""Each takes about a millisecond and some kilobytes, however few rows there are."""


def read_text_table(path: Path, data: bytes | None = None) -> pd.DataFrame:
    """Read a comma-separated file without interpreting a single cell.

    ``path``: a text file in UTF-8 (a byte-order mark is allowed) or in UTF-16 with a byte-order
        mark, whose first row names the columns. Cells are separated by commas, semicolons or tabs.
    ``data``: what the file holds, where it was read already.

    Returns all cells as text, so that an evaluator called ``007`` stays one; missing cells are
    empty text. Columns are categorical, or plain where nearly all of many cells differ, and their
    names have no space around them. The index, called ``row``, is the line on which the row begins,
    counted from one as a text editor does. Rows without content are skipped.

    Raises InputError: where the file cannot be read, is larger than `LARGEST_BYTES`, is no text, is
    empty, has more than `MOST_COLUMNS`, names a column twice, or has a row whose number of cells
    differs from the header's.
    """
    data = read_utf8(path) if data is None else as_utf8(path, data)
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

    ``path``: what messages call the table.
    ``data``: UTF-8 text.
    ``separator``: what stands between cells.
    ``columns``: number of cells in a row.
    """
    numbered = _numbered_rows(path, data, separator)
    next(numbered)
    # A cell becomes a number at once: the texts of all cells together would fill the memory.
    codes = [array("i") for _ in range(columns)]
    texts: list[dict[str, int]] = [{} for _ in range(columns)]
    lines = array("q")
    for line, cells in numbered:
        if len(cells) != columns:
            problem = f"has {len(cells)} cells where the header names {columns} columns"
            allowed = "one cell per column; a cell that holds the separator stands in quotes"
            raise InputError(f"{path}, row {line}", problem, allowed)
        lines.append(line)
        for code, numbers, cell in zip(codes, texts, cells, strict=True):
            code.append(numbers.setdefault(cell, len(numbers)))
    index = pd.Index(np.array(lines), name="row")
    of_column = zip(codes, texts, strict=True)
    return pd.DataFrame(
        {
            number: as_categories(np.array(code), list(numbers), index)
            for number, (code, numbers) in enumerate(of_column)
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
    seen: set[str] = set()
    for name in names:
        if name in seen:
            column = repr(shortened(name))
            problem = f"the column {column} appears twice" if name else "two columns have no name"
            raise InputError(path, problem, "each column once")
        seen.add(name)


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


MOST_ROWS: Final = 2**25
"""A file of some kilobytes can say that it has any number; CSV has no more in `LARGEST_BYTES`."""
PARQUET_MARK: Final = b"PAR1"

_PARQUET_WANTED: Final = (
    "a whole Parquet file of answers, such as hype export --format parquet writes"
)


def read_parquet_table(path: Path, data: bytes, only: Collection[str] = ()) -> pd.DataFrame:
    """Read what a Parquet file holds without interpreting its text.

    ``data``: of `MOST_ROWS` rows and `MOST_COLUMNS` columns at most.
    ``only``: columns to be read of those that there are; all where it is empty.

    Text is categorical in what is returned, with empty text where there is none; numbers and flags
    are as in the file, and lists and objects are JSON. The index, called ``row``, counts rows from
    one.

    Raises InputError: the file is damaged or too large, or names a column twice.
    """
    import pyarrow as pa

    try:
        table = _table(path, data, only)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError):
        # What is said of the damage names offsets and parts of the format that help nobody.
        raise InputError(path, "is damaged or not complete", _PARQUET_WANTED) from None
    table.index = pd.RangeIndex(1, len(table) + 1, name="row")
    return pd.DataFrame({name: _as_in_text(table[name]) for name in table}, table.index)


def _table(path: Path, data: bytes, only: Collection[str]) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    names = [str(name) for name in file.schema_arrow.names]
    if file.metadata.num_rows > MOST_ROWS or len(names) > MOST_COLUMNS:
        problem = f"has {file.metadata.num_rows:,} rows of {len(names):,} columns"
        raise InputError(path, problem, f"at most {MOST_ROWS:,} and {MOST_COLUMNS:,}")
    refuse_repeated_names(path, names)
    # An index that pandas noted in the file is a column like any other.
    table = file.read([name for name in names if name in only] if only else None)
    for place, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            items = table.column(place).to_pylist()
            texts = [*map(_as_json, items)]
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True, strings_to_categorical=True)
    return frame


def _as_json(item: object) -> str | None:
    """Write a list or an object; images that lie inside are no text, and are left out."""
    return None if item is None else json.dumps(item, default=lambda _: "", ensure_ascii=False)


def _as_in_text(cells: pd.Series) -> pd.Series:
    if cells.dtype.kind in "iufb":
        return cells
    values = distinct(cells)
    return as_categories(values.codes, values.texts, cells.index)
