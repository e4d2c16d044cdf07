"""All answers as one CSV table, with a data dictionary beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine

from hype.export.csv_lines import as_cell
from hype.export.dictionary import data_dictionary
from hype.export.pieces import Passing
from hype.files import write_bytes, write_table
from hype.protocols.registry import protocol_of
from hype.protocols.studies import AnyStudy


def write_csv(engine: Engine, study: AnyStudy, folder: Path, *, simulated: bool) -> int:
    """Write the answers of people, or those of simulated evaluators, and say how many.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    kind = protocol_of(study).exported(study)
    passing = Passing(kind.outgoing.read(engine, study, simulated=simulated))
    write_table(folder / f"{kind.name}.csv", passing.columns, cells_of(passing))
    described = data_dictionary(study, kind, passing, simulated=simulated)
    text = json.dumps(described, ensure_ascii=False, indent=2) + "\n"
    write_bytes(folder / f"{kind.name}.json", text.encode())
    return passing.answers


def cells_of(passing: Passing) -> Iterator[dict[str, object]]:
    for row in passing:
        yield {name: as_cell(value) for name, value in zip(passing.columns, row, strict=True)}
