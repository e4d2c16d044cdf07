"""The file of a table of answers, text or Parquet; its header is read before the rest."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: Path) -> tuple[pd.DataFrame, bool]:
    """Read a table, and say whether its text may be guarded from spreadsheets.

    Raises
    ------
    InputError
        As `read_text_table` and `read_parquet_table`.
    """
    from hype.tables.csv_table import read_text_table
    from hype.tables.parquet_table import is_parquet, read_parquet_table

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
        from hype.tables.parquet_table import parquet_header

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
