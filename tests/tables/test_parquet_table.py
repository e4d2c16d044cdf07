"""Parquet files: valid and damaged ones."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hype.errors import InputError
from hype.protocols.hype.table import TABLE
from hype.tables.formats import read_table
from hype.tables.table_files import MOST_ROWS

FRAME = pd.DataFrame(
    {
        "evaluator": ["NA", "'=1", "p", "p"],
        "condition": ["c"] * 4,
        "truth": ["real", "fake", "real", "fake"],
        "answer": ["real", None, "real", "fake"],
        "trial": [1, 1, 1, 2],
        "rt_ms": [1.5, None, None, 2.0],
        "simulated": [False] * 4,
        "mood": [None, "good", "bad", "good"],
    }
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.parquet"
    FRAME.to_parquet(path)
    return path


def test_text_is_as_it_is_and_gaps_are_empty(file):
    checked = TABLE.load(file)
    assert "1 row has no answer, and it is left out: row 2." in checked.notes
    table = checked.frame
    assert table["evaluator"].tolist() == ["NA", "p", "p"]
    assert table["trial"].tolist() == [1, 1, 2]
    assert table["rt_ms"].isna().tolist() == [False, True, False]
    assert table["mood"].tolist() == ["", "bad", "good"]


def test_an_index_is_a_column_like_any_other(tmp_path):
    path = tmp_path / "answers.parquet"
    FRAME.dropna().set_index("evaluator").to_parquet(path)
    assert TABLE.load(path).frame["evaluator"].tolist() == ["p"]


def test_rows_are_counted_from_one(tmp_path):
    path = tmp_path / "answers.parquet"
    FRAME.assign(truth=["real", "fake", "reel", "fake"]).to_parquet(path)
    with pytest.raises(InputError, match=r"answers\.parquet, row 3, column truth: 'reel' is not"):
        TABLE.load(path)


DAMAGED = "answers.parquet: is damaged or incomplete; a complete Parquet file of answers"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[: len(data) // 2], DAMAGED),
        (lambda data: data[:4], DAMAGED),
        (lambda data: data[:100] + b"\xff" * 200 + data[300:], DAMAGED),
        (lambda data: data[:-8] + b"\xff" * 4 + data[-4:], DAMAGED),
        (lambda _: b"", "answers.parquet: the file is empty"),
    ],
)
def test_a_damaged_file_gets_one_message(file, damage, message):
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match=message):
        TABLE.load(file)


def test_a_file_that_is_not_there_and_one_by_another_name(file):
    with pytest.raises(InputError, match="cannot be read"):
        read_table(file.with_name("none.parquet"))
    csv = file.rename(file.with_name("answers.csv"))
    assert len(TABLE.load(csv).frame) == 3


def test_what_is_too_much_or_twice(tmp_path):
    path = tmp_path / "many.parquet"
    pq.write_table(pa.table({"x": pa.nulls(MOST_ROWS + 1, pa.int8())}), path)
    with pytest.raises(InputError, match="has 33,554,433 rows of 1 columns; at most 33,554,432"):
        read_table(path)
    pq.write_table(pa.table([[1], [2]], names=["x", "x"]), path)
    with pytest.raises(InputError, match="the column 'x' appears twice"):
        read_table(path)
