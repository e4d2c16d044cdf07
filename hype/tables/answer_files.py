"""The file of a table of answers, text or Parquet; its header is read before the rest."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from hype.errors import InputError
from hype.tables.csv_table import MOST_COLUMNS, read_file, refuse_repeated_names
from hype.tables.distinct import as_categories, distinct

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def read_table(path: Path) -> tuple[pd.DataFrame, bool]:
    """Read a table, and say whether its text may be guarded from spreadsheets.

    Raises InputError: as `read_text_table` and `read_parquet_table`.
    """
    from hype.tables.csv_table import read_text_table

    if is_parquet(path):
        return read_parquet_table(path), False
    return read_text_table(path), True


FIRST_BYTES: Final = 1 << 16
"""Of a table, in which its header is looked for."""
MARKS_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def header_of(path: Path) -> tuple[str, ...]:
    """Give the names in the first row of a table; none where it cannot be read.

    What is wrong with a table is said by what reads all of it.
    """
    if not path.is_file():  # a pipe could be waited for without end
        return ()
    if path.suffix.lower() == ".parquet":
        return parquet_header(path)
    try:
        with path.open("rb") as file:
            data = file.read(FIRST_BYTES)
    except OSError:
        return ()
    code = "utf-16" if data.startswith(MARKS_UTF_16) else "utf-8-sig"
    lines = data.decode(code, errors="ignore").splitlines()
    first = next((line for line in lines if line.strip()), "")
    try:
        rows = [next(csv.reader([first], delimiter=mark)) for mark in ",;\t"] if first else [[]]
    except csv.Error:
        return ()
    return tuple(name.strip() for name in max(rows, key=len))


SUFFIX: Final = ".parquet"
MOST_ROWS: Final = 2**25
"""A file of some kilobytes can say that it has any number; CSV has no more in `LARGEST_BYTES`."""
_MARK: Final = b"PAR1"
_WANTED: Final = "a whole Parquet file of answers, such as hype export --format parquet writes"


def is_parquet(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX


def read_parquet_table(path: Path) -> pd.DataFrame:
    """Read a Parquet file without interpreting its text.

    ``path``: a file of `MOST_ROWS` rows and `MOST_COLUMNS` columns at most.

    Text is categorical in what is returned, with empty text where there is none; numbers and flags
    are as in the file. The index, called ``row``, counts rows from one.

    Raises InputError: the file cannot be read, is damaged or too large, or names a column twice.
    """
    import pyarrow as pa

    data = read_file(path)
    if not data.startswith(_MARK):
        raise InputError(path, "is not a Parquet file", _WANTED)
    try:
        table = _table(path, data)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError):
        # What is said of the damage names offsets and parts of the format that help nobody.
        raise InputError(path, "is damaged or not complete", _WANTED) from None
    table.index = pd.RangeIndex(1, len(table) + 1, name="row")
    return pd.DataFrame({name: _as_in_text(table[name]) for name in table}, table.index)


def parquet_header(path: Path) -> tuple[str, ...]:
    """Give the names of a Parquet file's columns; none where it cannot be read."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return tuple(parquet.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return ()


def _table(path: Path, data: bytes) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    names = [str(name) for name in file.schema_arrow.names]
    if file.metadata.num_rows > MOST_ROWS or len(names) > MOST_COLUMNS:
        problem = f"has {file.metadata.num_rows:,} rows of {len(names):,} columns"
        raise InputError(path, problem, f"at most {MOST_ROWS:,} and {MOST_COLUMNS:,}")
    refuse_repeated_names(path, names)
    # An index that pandas noted in the file is a column like any other.
    frame: pd.DataFrame = file.read().to_pandas(ignore_metadata=True, strings_to_categorical=True)
    return frame


def _as_in_text(cells: pd.Series) -> pd.Series:
    if cells.dtype.kind in "iufb":
        return cells
    values = distinct(cells)
    return as_categories(values.codes, values.texts, cells.index)
