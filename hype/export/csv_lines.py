"""Rows as the text of a CSV file that other programs read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from hype.export.cells import as_cell


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV, with LF line ends; names that could be formulas go out as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(as_cell, row) for row in rows)
    return text.getvalue()
