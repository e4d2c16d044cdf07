"""The Parquet file that goes out: types, gaps, what it says of itself, and what it refuses."""

from __future__ import annotations

import json
import shutil
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from export_studies import CONDITIONS, IMAGES

from hype.errors import InputError
from hype.export import tidy_parquet
from hype.export.columns import Kind
from hype.export.tidy_parquet import write_parquet
from hype.protocols.hype.export import JUDGING, exported_judgements
from hype.protocols.load import load_study
from hype.protocols.studies import Study
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import VERSION

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])
TYPES = {
    Kind.TEXT: pa.string(),
    Kind.WHOLE: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.FLAG: pa.bool_(),
    Kind.NUMBERS: pa.string(),
}


def written(study: Study, folder: Path, *, simulated: bool = False) -> pa.Table:
    with reading_record(study.folder / RECORD_FILE) as engine:
        count = write_parquet(engine, study, folder, simulated=simulated)
    table = pq.read_table(folder / "judgements.parquet")
    assert table.num_rows == count
    return table


@WHO
def test_every_cell_comes_back_as_the_record_has_it(
    tidy_study: Study, simulated: bool, tmp_path: Path
) -> None:
    table = written(tidy_study, tmp_path, simulated=simulated)
    with reading_record(tidy_study.folder / RECORD_FILE) as engine:
        exported = exported_judgements(engine, tidy_study, simulated=simulated)
        cells = zip(exported.columns, zip(*exported.rows, strict=True), strict=True)
        record = {name: [None if c == "" else c for c in column] for name, column in cells}

    assert table.to_pydict() == record
    assert set(record["condition"]) == set(CONDITIONS)
    assert simulated or set(IMAGES) <= set(record["image"])


def test_columns_have_their_types_and_say_what_they_hold(tidy_study: Study, tmp_path: Path) -> None:
    fields = {field.name: field for field in written(tidy_study, tmp_path).schema}
    columns = JUDGING.columns

    assert list(fields) == [column.name for column in columns]
    for column in columns:
        field = fields[column.name]
        told = {key.decode(): value.decode() for key, value in field.metadata.items()}
        closed = pa.types.is_dictionary(field.type)
        assert closed == bool(column.levels)
        assert (field.type.value_type if closed else field.type) == TYPES[column.kind]
        assert field.nullable == column.gaps
        assert told["description"] == column.meaning
        assert told.get("unit", "") == column.unit
        assert json.loads(told.get("levels", "{}")) == column.levels


@WHO
def test_the_file_says_what_it_is_of(tidy_study: Study, simulated: bool, tmp_path: Path) -> None:
    metadata: Any = written(tidy_study, tmp_path, simulated=simulated).schema.metadata
    told = {key.decode(): value.decode() for key, value in metadata.items()}

    assert ("nobody real was asked" in told.pop("evaluators")) == simulated
    assert told == {
        "study": tidy_study.settings.study.name,
        "study_checksum": tidy_study.checksum(),
        "study_seed": "7",
        "simulated": "true" if simulated else "false",
        "hype_version": version("hype"),
        "record_schema": str(VERSION),
    }


def test_a_few_rows_at_a_time_make_the_same_table(
    tidy_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(tidy_study, tmp_path)
    monkeypatch.setattr(tidy_parquet, "BATCH_ROWS", 7)
    parts = written(tidy_study, tmp_path)

    assert pq.ParquetFile(tmp_path / "judgements.parquet").num_row_groups == -(-len(whole) // 7)
    assert parts.to_pydict() == whole.to_pydict()


@pytest.mark.parametrize(
    "damage",
    [
        "update judgements set rt_ms = 'soon' where id = 20",
        "update judgements set trial = 1e300 where id = 20",
        "update judgements set image = x'ff' where id = 20",
    ],
    ids=["a word for a number", "a number beyond all", "bytes that are no text"],
)
def test_a_damaged_record_gets_one_message_and_nothing_is_written(
    tidy_study: Study, damage: str, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tidy_study.folder, tmp_path / "study"))
    with sqlite3.connect(folder / RECORD_FILE) as record:
        record.execute(damage)
    record.close()
    (tmp_path / "out").mkdir()

    with (
        pytest.raises(InputError, match=r"data\.sqlite: cannot be written as Parquet \(.+\); "),
        reading_record(folder / RECORD_FILE) as engine,
    ):
        write_parquet(engine, load_study(folder), tmp_path / "out", simulated=False)
    assert not list((tmp_path / "out").iterdir())
