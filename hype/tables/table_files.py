"""Tables in memory, or read from text or Parquet files; each row keeps its number in the file."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.files import read_bytes
from hype.tables.cells import distinct, make_categories
from hype.tables.columns import shorten


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A table in memory; messages name its rows by its index."""

    frame: pd.DataFrame
    file: Path | None = None  # the file that it was read from
    notes: tuple[str, ...] = ()  # notes to show with all results from the table
    # numbers of rows that were left out, by reason
    left_out: Mapping[str, int] = field(default_factory=dict)
    guarded: bool = False  # whether cells may begin with ' so that spreadsheets do not run them

    def __str__(self) -> str:
        return str(self.file or "the frame")


TableSource = str | PathLike[str] | pd.DataFrame | FrameTable
"""What a table can be read from; a `FrameTable` has already been read."""

LARGEST_BYTES = 2**30
"""The largest allowed file. In memory, a table needs several times the size of its file."""

_WANTED = "a table of comma-separated text in UTF-8"


def decode_utf8(path: Path, data: bytes) -> bytes:
    """Return a text file as UTF-8, without a byte-order mark.

    ``data``: UTF-8, with or without a byte-order mark, or UTF-16 with one. Raises InputError: the
    file has another encoding (the message names the first wrong row), or is not text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise InputError(path, "starts like UTF-16 text, but is not", _WANTED) from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise InputError(path, "is a binary file", _WANTED)
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        problem = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InputError(f"{path}, row {row}", problem, "save the table as UTF-8") from None
    return data


def read_file(path: Path) -> bytes:
    """Read the bytes of a file.

    Raises InputError: the path is not a file, or the file cannot be read or is larger than
    `LARGEST_BYTES`.
    """
    try:
        return read_bytes(path, most_bytes=LARGEST_BYTES)
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from None


SEPARATORS = ",;\t"
"""The possible separators. The one that gives the most columns in the first row is used."""
OTHER_ROW: Final = "; if the names are in another row: hype score --header-row N"
MOST_COLUMNS: Final = 1000
"""The maximum number of columns; reading each takes about a millisecond and some kilobytes."""


def read_text_table(path: Path, data: bytes | None = None, header_row: int = 1) -> pd.DataFrame:
    """Read a text table without interpreting its cells.

    ``path``: a text file in UTF-8 (a byte-order mark is allowed) or in UTF-16 with a byte-order
        mark. Cells are separated by commas, semicolons or tabs. ``data``: the content of the file,
        if already read. ``header_row``: the line with the names of the columns; lines above it are
        skipped.

    Returns all cells as text, so that an evaluator called ``007`` keeps this name; missing cells
    are empty text. Space around the names of columns is removed. The index, called ``row``, is the
    number of the line on which the row starts; the first line is 1. Rows without content are
    skipped.

    Raises InputError: the file cannot be read, is larger than `LARGEST_BYTES`, is not text, is
    empty, has more than `MOST_COLUMNS`, names a column twice, or has a row with a different number
    of cells than the header.
    """
    data = decode_utf8(path, read_file(path) if data is None else data)
    if b"\n" in data and data.count(b"\r") > data.count(b"\r\n"):
        # pandas writes a lone carriage return without quotes, so it looks like the end of a row
        data = re.sub(rb"\r(?!\r*\n)", b" ", data)
    *above, rest = data.split(b"\n", header_row - 1)
    if len(above) < header_row - 1:
        raise InputError("--header-row", f"{path} has only {len(above) + 1} lines", "one of them")
    data = b"\n" * len(above) + rest
    separator = _separator(data)
    rows = _number_rows(path, data, separator)
    first, header = next(rows, (0, []))
    if not header:
        raise InputError(path, "the file is empty", "the first row must name the columns")
    names = [name.strip() for name in header]
    if len(names) > MOST_COLUMNS:
        raise InputError(path, f"has {len(names)} columns", f"at most {MOST_COLUMNS}")
    refuse_repeated_names(path, names)
    table = read_plain_rows(data, separator, len(names)) if first == 1 else None
    if table is None:
        lines: list[int] = []
        columns: list[list[str]] = [[] for _ in names]
        seen: dict[str, str] = {}  # equal cells share one text, to save memory
        for line, cells in rows:
            lines.append(line)
            for column, cell in zip(columns, cells, strict=True):
                column.append(seen.setdefault(cell, cell))
        index = pd.Index(lines, name="row", dtype=np.int64)
        table = pd.DataFrame(dict(enumerate(columns)), index, dtype=object)
    return table.set_axis(pd.Index(names), axis=1)


def read_plain_rows(data: bytes, separator: str, columns: int) -> pd.DataFrame | None:
    """Read a simple table quickly: no quotes, no blank rows, and the header in the first line.

    Returns the rows below the header; None if the table is not this simple, or a row is too short
    or too long.
    """
    data = data.rstrip(b"\r\n")
    lines = data.count(b"\n") + 1
    is_plain = columns > 1 and b'"' not in data and data.count(b"\r") in (0, lines - 1)
    if not is_plain or data.count(separator.encode()) != lines * (columns - 1):
        return None
    try:
        table = pd.read_csv(
            io.BytesIO(data),
            sep=separator,
            names=[*range(columns)],
            header=0,
            dtype=object,
            na_filter=False,
            encoding="utf-8",
        )
    except pd.errors.ParserError:  # a row is too long
        return None
    first = distinct(table[0])
    if len(table) != lines - 1 or first.rows(first.blank(), missing=True).any():
        return None
    return table.set_axis(pd.RangeIndex(2, lines + 1, name="row"))


def _number_rows(path: Path, data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank, with its line number; refuse rows of different lengths."""
    reader = csv.reader(_text(data), delimiter=separator, strict=True)
    columns = 0
    while True:
        # A quoted cell may span lines; this is the first line of the row
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            reason = str(error).replace("\t", r"\t")  # show a tab as a backslash and a t
            allowed = "quotes around a whole cell, or none"
            raise InputError(f"{path}, row {line}", f"is malformed ({reason})", allowed) from None
        if cells is None:
            return
        if not "".join(cells).strip():
            continue
        columns = columns or len(cells)
        if len(cells) != columns:
            problem = f"has {len(cells)} cells, but the header names {columns} columns"
            allowed = "one cell per column; quote a cell with a separator or a line break"
            hint = OTHER_ROW if columns == 1 else ""  # the first row may be a title
            raise InputError(f"{path}, row {line}", problem, f"{allowed}{hint}")
        yield line, cells


def _separator(data: bytes) -> str:
    first = next((line for line in _text(data) if line.strip()), "")

    def columns(separator: str) -> int:
        try:
            return len(next(csv.reader([first], delimiter=separator)))
        except csv.Error:  # reading the rows will report the error
            return 1

    return max(SEPARATORS, key=columns)


def _text(data: bytes) -> TextIO:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def refuse_repeated_names(path: Path, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            column = repr(shorten(name))
            problem = f"the column {column} appears twice" if name else "two columns have no name"
            raise InputError(path, problem, f"every column needs its own name{OTHER_ROW}")
        seen.add(name)


MOST_ROWS: Final = 2**25
"""The maximum number of rows; even a small Parquet file can claim to have more.

A CSV file of `LARGEST_BYTES` has this many rows if each has 32 bytes.
"""
PARQUET_MARK: Final = b"PAR1"

_PARQUET_WANTED: Final = (
    "a complete Parquet file of answers, such as hype export --format parquet writes"
)


def read_parquet_table(path: Path, data: bytes, only: Collection[str] = ()) -> pd.DataFrame:
    """Read a Parquet file without converting its texts.

    ``data``: the file, with at most `MOST_ROWS` rows and `MOST_COLUMNS` columns. ``only``: columns
    to read, if present; if empty, all. Texts become categories (empty if missing); numbers and
    flags stay unchanged; lists and objects become JSON. The index ``row`` counts rows from one.

    Raises InputError: the file is damaged or too large, or names a column twice.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        names = [str(name) for name in file.schema_arrow.names]
        rows = file.metadata.num_rows
        if rows > MOST_ROWS or len(names) > MOST_COLUMNS:
            problem = f"has {rows:,} rows of {len(names):,} columns"
            raise InputError(path, problem, f"at most {MOST_ROWS:,} rows, {MOST_COLUMNS:,} columns")
        refuse_repeated_names(path, names)
        # An index that pandas stored in the file becomes a column.
        table = file.read([name for name in names if name in only] if only else None)
        for place, field in enumerate(table.schema):
            if pa.types.is_nested(field.type):
                texts = [  # images inside are bytes, and become empty text
                    None
                    if item is None
                    else json.dumps(item, default=lambda _: "", ensure_ascii=False)
                    for item in table.column(place).to_pylist()
                ]
                table = table.set_column(place, field.name, pa.array(texts, pa.string()))
        frame: pd.DataFrame = table.to_pandas(ignore_metadata=True, strings_to_categorical=True)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError):
        # The library's message is not shown, because only experts of the format understand it.
        raise InputError(path, "is damaged or incomplete", _PARQUET_WANTED) from None
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
    for name in frame:
        if frame[name].dtype.kind not in "iufb":
            values = distinct(frame[name])
            frame[name] = make_categories(values.codes, values.texts, frame.index)
    return frame
