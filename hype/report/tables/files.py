"""The tables of a report as files: CSV for programs, LaTeX for papers."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from hype.analysis.tables.spreadsheet_text import guarded
from hype.files import make_folder, write_bytes, write_table
from hype.report.tables.latex import latex_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from hype.report.tables.tabular import Column, Table, Value


def write_tables(tables: Iterable[Table], folder: Path, *, simulated: bool) -> tuple[Path, ...]:
    """Write each table as NAME.csv, with numbers to the last digit, and as NAME.tex, as shown.

    Parameters
    ----------
    tables
        With names that differ.
    folder
        Made if it is not there; files of these names are replaced.
    simulated
        Whether the evaluators are: a column of every CSV file and a line above every LaTeX
        table say it.

    Returns
    -------
    tuple of Path
        The files, in the order of the tables.

    Raises
    ------
    InputError
        The folder cannot be made or written to.
    """
    make_folder(folder)
    return tuple(path for table in tables for path in _written(table, folder, simulated=simulated))


def _written(table: Table, folder: Path, *, simulated: bool) -> Iterator[Path]:
    csv, tex = folder / f"{table.name}.csv", folder / f"{table.name}.tex"
    rows = [row | {"simulated": str(simulated).lower()} for row in csv_rows(table)]
    write_table(csv, [*csv_columns(table), "simulated"], rows)
    write_bytes(tex, latex_table(table, simulated=simulated).encode())
    yield from (csv, tex)


def csv_columns(table: Table) -> tuple[str, ...]:
    """Name the columns of a table's CSV file."""
    return tuple(name for column in table.columns for name in column.file_columns)


def csv_rows(table: Table) -> Iterator[dict[str, object]]:
    """Yield the rows of a table's CSV file."""
    for row in table.rows:
        cells = chain.from_iterable(map(_cells, table.columns, row))
        yield dict(zip(csv_columns(table), cells, strict=True))


def _cells(column: Column, value: Value) -> Iterator[object]:
    values = value if isinstance(value, tuple) else (value,) * len(column.file_columns)
    return (guarded(cell) if isinstance(cell, str) else cell for cell in values)
