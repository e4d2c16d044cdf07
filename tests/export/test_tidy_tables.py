"""Answers of every protocol as tidy tables: every cell, and the data dictionaries."""

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from export_comparing_studies import CONDITIONS as COMPARED
from export_comparing_studies import MARKUP, PROMPTS
from export_rated_studies import STRANGE
from export_studies import CONDITIONS, IMAGES, MARKED
from known import write_csv, write_parquet

from hype.errors import InputError
from hype.export.kind import unit_of
from hype.files import unguard
from hype.protocols.comparison.table import TABLE as COMPARISONS
from hype.protocols.hype.table import TABLE as JUDGEMENTS
from hype.protocols.load import load_study
from hype.protocols.ranking.table import TABLE as RANKINGS
from hype.protocols.rating.table import TABLE as RATINGS
from hype.protocols.registry import protocol_of
from hype.store.record import RECORD_FILE
from hype.store.schema import VERSION, sessions
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy
from hype.tables.columns import CellType, Column

WHO = pytest.mark.parametrize(
    "simulated", [False, pytest.param(True, marks=pytest.mark.long)], ids=["people", "simulated"]
)
STUDIES = (
    *("tidy_study", "tidy_comparisons", "tidy_ratings", "tidy_single_ratings"),
    *("tidy_rankings", "screened_rankings"),
)
VALUES: dict[str, dict[str, set[str]]] = {
    "tidy_study": {"condition": set(CONDITIONS)},
    "tidy_comparisons": {"left": set(COMPARED), "right": set(COMPARED), "prompt": set(PROMPTS)},
}
"""The strange names in each study, by column."""
CELLS: dict[str, set[str]] = {
    "tidy_study": {f"'{name}" for name in CONDITIONS if name != MARKED} | {MARKED},
    "tidy_comparisons": {"'NA", "'=cmd()", "plain", f"'{PROMPTS[0]}", PROMPTS[1], MARKUP},
}
"""How some of these names are written in the CSV file."""
READERS = {"hype": JUDGEMENTS, "comparison": COMPARISONS, "rating": RATINGS, "ranking": RANKINGS}
TYPES = {
    CellType.TEXT: pa.string(),
    CellType.WHOLE: pa.int64(),
    CellType.NUMBER: pa.float64(),
    CellType.FLAG: pa.bool_(),
    CellType.NUMBERS: pa.string(),
}


def written(study: AnyStudy, folder: Path, *, simulated: bool) -> tuple[list[list[str]], Any]:
    """Write both tables; return the rows of the CSV file without header, and the Parquet table."""
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
    """Return the rows to be exported, with None for empty cells."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        rows = (
            protocol_of(study)
            .export_kind(study)
            .outgoing.read(engine, study, simulated=simulated)
            .rows
        )
        return [tuple(None if cell == "" else cell for cell in row) for row in rows]


def read_as_described(study: AnyStudy, rows: list[list[str]]) -> list[tuple[object, ...]]:
    """Read the cells of the CSV file with the types that its data dictionary names."""
    columns = protocol_of(study).export_kind(study).columns
    return [
        tuple(read_back(cell, column) for cell, column in zip(row, columns, strict=True))
        for row in rows
    ]


def read_back(text: str, column: Column) -> object:
    if column.null and not text:
        return None
    if column.kind.cell_type is CellType.FLAG:
        return {"true": True, "false": False}[text]
    numbers = {CellType.WHOLE: int, CellType.NUMBER: float}
    return (
        numbers[column.kind.cell_type](text) if column.kind.cell_type in numbers else unguard(text)
    )


@pytest.fixture(params=STUDIES)
def name(request):
    return str(request.param)


@pytest.fixture
def study(name, request):
    return request.getfixturevalue(name)


@WHO
def test_every_cell_comes_back_as_the_record_has_it(name, study, simulated, tmp_path):
    rows, table = written(study, tmp_path, simulated=simulated)
    record, columns = of_record(study, simulated=simulated), table.to_pydict()

    assert record == read_as_described(study, rows)
    assert record == list(zip(*columns.values(), strict=True))
    assert set(columns["simulated"]) == {simulated}
    for column, values in VALUES.get(name, {}).items():
        assert set(columns[column]) == values
    if name not in VALUES:
        assert set(columns["prompt"]) <= set(STRANGE.values())
    if name == "tidy_study" and not simulated:
        assert set(columns["image"]) >= set(IMAGES)


@WHO
def test_the_files_say_what_they_are_of_and_what_their_columns_hold(study, simulated, tmp_path):
    rows, table = written(study, tmp_path, simulated=simulated)
    kind = protocol_of(study).export_kind(study)
    told: Any = json.loads((tmp_path / f"{kind.name}.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    of = {
        "study": study.settings.study.name,
        "study_checksum": study.checksum(),
        "study_seed": str(study.settings.study.seed),
        "hype_version": version("hype"),
    }

    assert of.items() <= told.items()
    assert of.items() <= metadata.items()
    assert (told["simulated"], metadata["simulated"]) == (simulated, json.dumps(simulated))
    assert (told["record_schema"], metadata["record_schema"]) == (VERSION, str(VERSION))
    assert told.get("rows", told[kind.name]) == len(rows)
    for evaluators in (told["evaluators"], metadata["evaluators"]):
        assert ("no people were asked" in evaluators) == simulated
    assert [column["name"] for column in told["columns"]] == table.column_names
    assert all({"name", "meaning", "kind", "may be empty"} <= set(c) for c in told["columns"])
    assert "apostrophe" in told["reading"]["apostrophes"]
    of_sessions = {column.name for column in sessions.c} - {"id", "study"}
    assert not of_sessions & {*table.column_names, *told}, "no facts about the machine are exported"


def test_the_analysis_reads_both_and_the_record_alike(study, tmp_path):
    _, table = written(study, tmp_path, simulated=False)
    reader = READERS[protocol_of(study).name]
    outgoing = protocol_of(study).export_kind(study).outgoing
    with reading_record(study.folder / RECORD_FILE) as engine:
        exported = outgoing.read(engine, study, simulated=False)
        of_record = pd.DataFrame(list(exported.rows), columns=list(exported.columns))
    of_csv = reader.load(tmp_path / f"{reader.row.answers}.csv").frame
    names = [column.name for column in reader.row.read if column.name in of_csv]

    for frame in (of_record, table.to_pandas()):
        again = reader.check_table(frame).frame
        assert [name for name in names if name not in again] == []
        pd.testing.assert_frame_equal(again[names].astype(str), of_csv[names].astype(str))


def test_no_cell_is_a_formula(name, study, tmp_path):
    rows, _ = written(study, tmp_path, simulated=False)
    columns = protocol_of(study).export_kind(study).columns
    numbers = {CellType.WHOLE, CellType.NUMBER}
    cells = {
        cell
        for row in rows
        for cell, column in zip(row, columns, strict=True)
        if column.kind.cell_type not in numbers
    }

    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert CELLS.get(name, set()) <= cells


def test_columns_of_parquet_have_their_types_and_say_what_they_hold(study, tmp_path):
    _, table = written(study, tmp_path, simulated=False)
    for column in protocol_of(study).export_kind(study).columns:
        field = table.schema.field(column.name)
        told = {key.decode(): value.decode() for key, value in field.metadata.items()}
        closed = pa.types.is_dictionary(field.type)
        assert closed == bool(column.levels)
        assert (field.type.value_type if closed else field.type) == TYPES[column.kind.cell_type]
        assert field.nullable == column.null
        assert told["description"] == column.meaning
        assert told.get("unit", "") == unit_of(column)
        assert json.loads(told.get("levels", "{}")) == column.levels


def told_of(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def test_the_files_say_what_was_asked(tidy_comparisons, tmp_path):
    _, table = written(tidy_comparisons, tmp_path, simulated=False)
    told = json.loads((tmp_path / "comparisons.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    asked = {
        "criterion": "alignment",
        "question": "Which image better reflects the caption above?",
    }

    assert asked.items() <= told.items()
    assert asked.items() <= metadata.items()
    by_name = {column["name"]: column for column in told["columns"]}
    assert set(by_name["answer"]["levels"]) == {"left", "right", "tie", "both-bad", "none"}
    assert by_name["excluded"]["levels"]["failed-validation"]


def test_the_dictionary_has_the_questions_and_what_each_answer_means(
    tidy_ratings, tidy_single_ratings, tmp_path
):
    levels = []
    for study in (tidy_ratings, tidy_single_ratings):
        written(study, tmp_path, simulated=False)
        columns = told_of(tmp_path, "ratings")["columns"]
        levels.append({one["name"]: one.get("levels", {}) for one in columns})
    pairs, single = levels

    assert pairs["axis"]["overall"] == "Which image is better overall?"
    assert [pairs["answer"][key] for key in "135"] == [
        "the first image is much better",
        "no difference",
        "the second image is much better",
    ]
    assert set(single["answer"]) == {"yes", "no", *"1234567", "not-relevant"}


@pytest.mark.parametrize(
    "damage",
    [
        "update judgements set rt_ms = 'soon' where id = 20",
        "update judgements set trial = 1e300 where id = 20",
        "update judgements set image = x'ff' where id = 20",
    ],
    ids=["a word for a number", "a number beyond all", "bytes that are not text"],
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
