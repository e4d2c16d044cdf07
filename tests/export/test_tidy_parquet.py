"""The Parquet file that goes out: how it is written, and what it refuses."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from known import write_parquet

from hype.errors import InputError
from hype.export import tidy_parquet
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record


def written(study: Study, folder: Path) -> pa.Table:
    with reading_record(study.folder / RECORD_FILE) as engine:
        count = write_parquet(engine, study, folder, simulated=False)
    table = pq.read_table(folder / "judgements.parquet")
    assert table.num_rows == count
    return table


def test_a_few_rows_at_a_time_make_the_same_table(tidy_study, tmp_path, monkeypatch):
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
def test_a_damaged_record_gets_one_message_and_nothing_is_written(tidy_study, damage, tmp_path):
    folder = Path(shutil.copytree(tidy_study.folder, tmp_path / "study"))
    with closing(sqlite3.connect(folder / RECORD_FILE)) as record, record:
        record.execute(damage)
    record.close()
    (tmp_path / "out").mkdir()

    with (
        pytest.raises(InputError, match=r"data\.sqlite: cannot be written as Parquet \(.+\); "),
        reading_record(folder / RECORD_FILE) as engine,
    ):
        write_parquet(engine, load_study(folder), tmp_path / "out", simulated=False)
    assert not list((tmp_path / "out").iterdir())
