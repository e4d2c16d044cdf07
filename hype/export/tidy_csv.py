"""All answers as one CSV table, with a data dictionary beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine

from hype.export.cells import as_cell
from hype.export.dictionary import data_dictionary
from hype.export.kinds.of_study import kind_of
from hype.files import write_bytes, write_table
from hype.sessions.outgoing import Exported
from hype.study.studies import AnyStudy


def write_csv(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    """Write the answers of people, or those of simulated evaluators, and say how many.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    kind = kind_of(study)
    exported = kind.outgoing.read(engine, study, simulated=simulated)
    cells = Cells(exported)
    write_table(folder / f"{kind.name}.csv", exported.columns, cells)
    described = data_dictionary(study, kind, simulated=simulated, answers=cells.rows)
    text = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    write_bytes(folder / f"{kind.name}.json", text.encode())
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
