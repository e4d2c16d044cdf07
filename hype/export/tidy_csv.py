"""All judgements as one CSV table, with a data dictionary beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from hype.export.cells import as_cell
from hype.export.dictionary import data_dictionary
from hype.files import write_bytes, write_table
from hype.sessions.exported import Exported, exported_judgements
from hype.study.load import Study

TABLE: Final = "judgements.csv"
DICTIONARY: Final = "judgements.json"


def write_csv(engine: Engine, study: Study, folder: Path, *, simulated: bool) -> int:
    """Write the judgements of people, or those of simulated evaluators, and say how many.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    exported = exported_judgements(engine, study, simulated=simulated)
    cells = Cells(exported)
    write_table(folder / TABLE, exported.columns, cells)
    described = data_dictionary(study, simulated=simulated, judgements=cells.rows)
    text = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    write_bytes(folder / DICTIONARY, text.encode())
    return cells.rows


class Cells:
    """Rows as they are written, one by one; ``rows`` counts them."""

    def __init__(self, exported: Exported) -> None:
        self._exported = exported
        self.rows = 0

    def __iter__(self) -> Iterator[dict[str, object]]:
        columns = self._exported.columns
        for row in self._exported.rows:
            self.rows += 1
            yield {name: as_cell(value) for name, value in zip(columns, row, strict=True)}
