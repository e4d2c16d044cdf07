"""What a study asks about, so that judges who are no people can be asked the same.

It is made of the study alone, and can be written before anybody came.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.export.csv_lines import csv_lines
from hype.export.dictionary import READING, column_entry, of_study
from hype.export.raw_record import without_root
from hype.files import make_folder, write_bytes
from hype.protocols.registry import protocol_of
from hype.protocols.studies import AnyStudy

NAME: Final = "items"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsWritten:
    """How many rows were written, and of what."""

    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.number} {self.name}"


def write_items(study: AnyStudy, folder: Path) -> ItemsWritten:
    """Write all that a study asks about, and say how many that are.

    Raises
    ------
    InputError
        The study asks nothing that judges are held to, or what it draws from is wrong; the folder
        cannot be written.
    """
    kind = protocol_of(study).exported(study)
    if kind.items is None:
        raise InputError(study.path, "has no items for judges")
    items = kind.items(study)
    said = {
        **of_study(study),
        "stimuli": without_root(study.settings.stimuli.folder),
        items.name: len(items.rows),
        **items.asked,
        "reading": READING,
        "columns": [column_entry(column) for column in items.columns],
    }
    make_folder(folder)
    text = csv_lines([[column.name for column in items.columns], *items.rows])
    write_bytes(folder / f"{NAME}.csv", text.encode())
    write_bytes(
        folder / f"{NAME}.json", (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()
    )
    return ItemsWritten(number=len(items.rows), name=items.name)
