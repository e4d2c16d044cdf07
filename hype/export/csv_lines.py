"""Rows as the text of a CSV file that other programs read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def as_cell(value: object) -> object:
    """Give booleans the names that every program reads, and keep text from being a formula."""
    if isinstance(value, str):
        return loaded_guard()(value)
    return str(value).lower() if isinstance(value, bool) else value


@cache
def loaded_guard() -> Callable[[str], str]:
    """Load what guards text; with it comes all of the analysis."""
    from hype.tables.spreadsheet_text import guarded

    return guarded


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV, with LF line ends; names that could be formulas go out as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(as_cell, row) for row in rows)
    return text.getvalue()
