"""The data dictionary that goes with an exported table."""

from __future__ import annotations

from typing import Final

from hype.export.columns import ExportedColumn
from hype.export.kind import ExportKind
from hype.export.pieces import Passing
from hype.protocols.studies import AnyStudy
from hype.session.facts import versions
from hype.store.schema import VERSION
from hype.tables.spreadsheet_text import MISSING_WORDS

WHO: Final = {
    False: "people; they go by their codes",
    True: "SIMULATED EVALUATORS: nobody real was asked",
}


def provenance(
    study: AnyStudy, kind: ExportKind, *, simulated: bool
) -> dict[str, str | bool | int]:
    """Say what an export is of. The same data have the same description."""
    return {
        **of_study(study),
        **kind.asked_in(study),
        "simulated": simulated,
        "evaluators": WHO[simulated],
        "record_schema": VERSION,
    }


def of_study(study: AnyStudy) -> dict[str, str]:
    """Say which study something is of, and which program wrote it."""
    settings = study.settings.study
    return {
        "study": settings.name,
        "study_checksum": study.checksum(),
        "study_seed": str(settings.seed),
        "hype_version": versions().get("hype", ""),
    }


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
