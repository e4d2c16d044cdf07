"""The file of a table of answers: text, or Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.tables.csv_table import read_text_table
from hype.tables.parquet_table import is_parquet, read_parquet_table

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def read_table(path: Path) -> tuple[pd.DataFrame, bool]:
    """Read a table, and say whether its text may be guarded from spreadsheets.

    Raises
    ------
    InputError
        As `read_text_table` and `read_parquet_table`.
    """
    if is_parquet(path):
        return read_parquet_table(path), False
    return read_text_table(path), True
