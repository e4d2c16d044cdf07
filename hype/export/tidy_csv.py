"""A CSV table with its data dictionary: all answers, or the items of a study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from hype.errors import InputError
from hype.export.data_set import drop_root
from hype.export.kind import CountedRows, ExportKind, unit_of
from hype.files import MISSING_WORDS, cell_value, csv_lines, make_folder, write_bytes, write_table
from hype.session.facts import versions
from hype.store.schema import VERSION
from hype.study.studies import AnyStudy
from hype.tables.columns import Column

WHO: Final = {
    False: "people, named by their codes",
    True: "SIMULATED EVALUATORS: no people were asked",
}


def provenance(
    study: AnyStudy, kind: ExportKind, *, simulated: bool
) -> dict[str, str | bool | int]:
    """Describe the source of an export. The same data always get the same description."""
    return {
        **study_facts(study),
        **kind.asked(study.settings),
        "simulated": simulated,
        "evaluators": WHO[simulated],
        "record_schema": VERSION,
    }


def study_facts(study: AnyStudy) -> dict[str, str]:
    settings = study.settings.study
    return {
        "study": settings.name,
        "study_checksum": study.checksum(),
        "study_seed": str(settings.seed),
        "hype_version": versions().get("hype", ""),
    }


READING: Final = {
    "table": "UTF-8, cells separated by commas, lines ended by LF; the first line names the "
    "columns. Cells with a comma or a quotation mark are quoted; each mark in them is doubled.",
    "empty cells": "There is no value.",
    "apostrophes": "An apostrophe is added before text that starts with =, +, -, @ or a tab, so "
    "that no spreadsheet reads it as a formula. It is also added before the words "
    f"{', '.join(sorted(MISSING_WORDS))}, so that no program reads them as missing values, and "
    "before text such as 'NA, which already has an apostrophe. Remove the first apostrophe "
    "of each of these cells, as hype score does.",
    "types": "Read all columns as text first: the task infinity is not a number, and a code such "
    "as 007 is text. Numbers have enough digits to be read back exactly.",
}
"""How to read the tables of this module."""


def column_entry(column: Column) -> dict[str, object]:
    """Describe one column, with its unit and levels if it has any."""
    entry: dict[str, object] = {
        "name": column.name,
        "meaning": column.meaning,
        "kind": column.kind.cell_type.value,
        "may be empty": column.null,
    }
    if unit := unit_of(column):
        entry["unit"] = unit
    if column.levels:
        entry["levels"] = dict(column.levels)
    return entry


def write_csv(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> int:
    """Write the answers of people or of simulated evaluators; return their number.

    Raises InputError: the folder cannot be written.
    """
    passing = CountedRows(kind.outgoing.read(engine, study, simulated=simulated))
    cells = (dict(zip(passing.columns, map(cell_value, row), strict=True)) for row in passing)
    write_table(folder / f"{kind.name}.csv", passing.columns, cells)
    described = {
        **provenance(study, kind, simulated=simulated),
        kind.name: passing.answers,
        **({"rows": passing.rows} if passing.rows > passing.answers else {}),
        "reading": READING,
        "columns": [column_entry(column) for column in kind.columns],
    }
    write_description(folder / f"{kind.name}.json", described)
    return passing.answers


def write_description(path: Path, described: Mapping[str, object]) -> None:
    write_bytes(path, (json.dumps(described, ensure_ascii=False, indent=2) + "\n").encode())


NAME: Final = "items"


def write_items(study: AnyStudy, kind: ExportKind, folder: Path) -> str:
    """Write the items that a study asks about; return their number as a text.

    Raises InputError: the study has no items for judges, or its images are wrong; the folder cannot
    be written.
    """
    if kind.items is None:
        raise InputError(study.path, "has no items for judges")
    items = kind.items(study)
    description = {
        **study_facts(study),
        "stimuli": drop_root(study.settings.stimuli.folder),
        items.name: len(items.rows),
        **items.asked,
        "reading": READING,
        "columns": [column_entry(column) for column in items.columns],
    }
    make_folder(folder)
    text = csv_lines([[column.name for column in items.columns], *items.rows])
    write_bytes(folder / f"{NAME}.csv", text.encode())
    write_description(folder / f"{NAME}.json", description)
    return f"{len(items.rows)} {items.name}"
