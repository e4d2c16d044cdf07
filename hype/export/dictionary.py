"""The data dictionary that goes with an exported table."""

from __future__ import annotations

from typing import Final

from hype.analysis.tables.spreadsheet_text import MISSING_WORDS
from hype.export.columns import ExportedColumn
from hype.export.kinds.base import ExportKind
from hype.export.passing import Passing
from hype.export.provenance import provenance
from hype.study.studies import AnyStudy

READING: Final = {
    "table": "UTF-8, cells separated by commas, lines ended by LF; the first names the columns. "
    "Quotes surround a cell that holds a comma or a quote; a quote in it is doubled.",
    "empty cells": "There is no such value.",
    "apostrophes": "Text that begins with =, +, -, @ or a tab has an apostrophe before it, so that "
    "no spreadsheet takes it for a formula; so has text that is one of "
    f"{', '.join(sorted(MISSING_WORDS))}, so that no program takes it for a missing value, and "
    "text that would be one of these without apostrophes of its own. The first apostrophe of such "
    "a cell is to be taken off; hype score does so.",
    "types": "Read all columns as text first: infinity is a task and no number, and a code such as "
    "007 is text. Numbers have as many digits as it takes to get the same number back.",
}
"""How to read the table that `hype.export.tidy_csv` writes."""


def data_dictionary(
    study: AnyStudy, kind: ExportKind, written: Passing, *, simulated: bool
) -> dict[str, object]:
    """Describe a table of answers: what it is of, how to read it, and each of its columns."""
    return {
        **provenance(study, kind, simulated=simulated),
        kind.name: written.answers,
        **({"rows": written.rows} if written.rows > written.answers else {}),
        "reading": READING,
        "columns": [column_entry(column) for column in kind.columns],
    }


def column_entry(column: ExportedColumn) -> dict[str, object]:
    """Describe one column; without a unit or levels where it has none."""
    entry: dict[str, object] = {
        "name": column.name,
        "meaning": column.meaning,
        "kind": column.kind.value,
        "may be empty": column.gaps,
    }
    if column.unit:
        entry["unit"] = column.unit
    if column.levels:
        entry["levels"] = dict(column.levels)
    return entry
