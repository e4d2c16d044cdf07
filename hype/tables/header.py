"""The first row of a table, read before the rest: it says what the table holds."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

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
