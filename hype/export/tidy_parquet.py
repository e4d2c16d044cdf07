"""All answers as one Parquet file, which says itself what its columns hold.

A Parquet file is no spreadsheet: its text is what it is, without apostrophes, and a cell without a
value is null.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import Engine

from hype.errors import InputError
from hype.export.kind import ExportedColumn, ExportKind, Passing
from hype.export.tidy_csv import provenance
from hype.files import write_bytes
from hype.session.outgoing import Cells
from hype.store.record import record_of
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType

BATCH_ROWS: Final = 1 << 14
"""Rows that are held in memory at a time; of the others only the compressed bytes are."""
TYPES: Final = {
    CellType.TEXT: pa.string(),
    CellType.WHOLE: pa.int64(),
    CellType.NUMBER: pa.float64(),
    CellType.FLAG: pa.bool_(),
    CellType.NUMBERS: pa.string(),
}
LEVELS: Final = pa.dictionary(pa.int8(), pa.string())


def write_parquet(
    engine: Engine, study: AnyStudy, kind: ExportKind, folder: Path, *, simulated: bool
) -> int:
    """Write the answers of people, or those of simulated evaluators, and say how many.

    Raises InputError: the folder cannot be written; the record holds something in a column that
    cannot be there.
    """
    schema = arrow_schema(kind.columns, provenance(study, kind, simulated=simulated))
    passing = Passing(kind.outgoing.read(engine, study, simulated=simulated))
    try:
        content = as_parquet(passing, kind.columns, schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        problem = f"cannot be written as Parquet ({error})"
        raise InputError(record_of(study).where, problem, "hype verify says more") from None
    write_bytes(folder / f"{kind.name}.parquet", content)
    return passing.answers


def as_parquet(rows: Iterable[Cells], columns: Sequence[ExportedColumn], schema: Any) -> bytes:
    content = io.BytesIO()
    with parquet.ParquetWriter(content, schema) as writer:
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH_ROWS)):
            writer.write_batch(record_batch(batch, columns, schema))
    return content.getvalue()


def arrow_schema(columns: Sequence[ExportedColumn], what: Mapping[str, object]) -> Any:
    metadata = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in what.items()
    }
    return pa.schema([arrow_field(column) for column in columns], metadata=metadata)


def arrow_field(column: ExportedColumn) -> Any:
    metadata = {"description": column.meaning}
    if column.unit:
        metadata["unit"] = column.unit
    if column.levels:
        metadata["levels"] = json.dumps(dict(column.levels), ensure_ascii=False)
    kind = LEVELS if column.levels else TYPES[column.kind]
    return pa.field(column.name, kind, nullable=column.gaps, metadata=metadata)


def record_batch(rows: Sequence[Cells], columns: Sequence[ExportedColumn], schema: Any) -> Any:
    """Turn rows into columns, with null where a cell is empty."""
    arrays = [
        pa.array([None if cell == "" and column.gaps else cell for cell in cells], type=kind)
        for column, cells, kind in zip(columns, zip(*rows, strict=True), schema.types, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema)
