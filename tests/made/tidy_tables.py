"""Answers of a study as tidy tables, and as the record has them."""

import csv
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from known import write_csv, write_parquet

from hype.export.kind import ExportedColumn
from hype.files import unguarded
from hype.protocols.registry import protocol_of
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType


def written(study: AnyStudy, folder: Path, *, simulated: bool) -> tuple[list[list[str]], Any]:
    """Write both tables; give the rows of the CSV file, without its header, and the other."""
    kind = protocol_of(study).export_kind(study)
    with reading_record(study.folder / RECORD_FILE) as engine:
        count = write_csv(engine, study, folder, simulated=simulated)
        assert write_parquet(engine, study, folder, simulated=simulated) == count
    with (folder / f"{kind.name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [column.name for column in kind.columns]
    answer = [header.index(name) for name in ("evaluator", "task", "block", "trial")]
    assert len({tuple(row[at] for at in answer) for row in rows}) == count
    return rows, pq.read_table(folder / f"{kind.name}.parquet")


def of_record(study: AnyStudy, *, simulated: bool) -> list[tuple[object, ...]]:
    """Give the rows that are to go out, with None for whatever is empty."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        rows = (
            protocol_of(study)
            .export_kind(study)
            .outgoing.read(engine, study, simulated=simulated)
            .rows
        )
        return [tuple(None if cell == "" else cell for cell in row) for row in rows]


def read_as_described(study: AnyStudy, rows: list[list[str]]) -> list[tuple[object, ...]]:
    """Read the cells of the CSV file as its dictionary says."""
    columns = protocol_of(study).export_kind(study).columns
    return [
        tuple(read_back(cell, column) for cell, column in zip(row, columns, strict=True))
        for row in rows
    ]


def read_back(text: str, column: ExportedColumn) -> object:
    """Read a cell."""
    if column.gaps and not text:
        return None
    if column.kind is CellType.FLAG:
        return {"true": True, "false": False}[text]
    numbers = {CellType.WHOLE: int, CellType.NUMBER: float}
    return numbers[column.kind](text) if column.kind in numbers else unguarded(text)
