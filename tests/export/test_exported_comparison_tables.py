"""Comparisons as tidy tables: every cell as the record has it, and what the files say of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from export_comparing_studies import CONDITIONS, MARKUP, PROMPTS

from hype.analysis.pairwise.votes import check_comparisons, read_comparisons
from hype.analysis.tables.spreadsheet_text import unguarded
from hype.export.columns import Kind
from hype.export.kinds.comparing import COMPARING
from hype.export.tidy_csv import write_csv
from hype.export.tidy_parquet import write_parquet
from hype.sessions.exported_comparisons import exported_comparisons
from hype.store.record import RECORD_FILE, reading_record
from hype.study.studies import ComparisonStudy

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])


def written(study: ComparisonStudy, folder: Path, *, simulated: bool) -> tuple[Any, Any]:
    """Write both tables; give the rows of the CSV file, without its header, and the other."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        count = write_csv(engine, study, folder, simulated=simulated)
        assert write_parquet(engine, study, folder, simulated=simulated) == count
    with (folder / "comparisons.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [column.name for column in COMPARING.columns]
    assert len(rows) == count
    return rows, pq.read_table(folder / "comparisons.parquet")


def of_record(study: ComparisonStudy, *, simulated: bool) -> list[tuple[object, ...]]:
    with reading_record(study.folder / RECORD_FILE) as engine:
        rows = exported_comparisons(engine, study, simulated=simulated).rows
        return [tuple(None if cell == "" else cell for cell in row) for row in rows]


def read_back(text: str, kind: Kind, *, gaps: bool) -> object:
    """Read a cell as the dictionary says."""
    if gaps and not text:
        return None
    if kind is Kind.FLAG:
        return {"true": True, "false": False}[text]
    numbers = {Kind.WHOLE: int, Kind.NUMBER: float}
    return numbers[kind](text) if kind in numbers else unguarded(text)


@WHO
def test_every_cell_comes_back_as_the_record_has_it(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    rows, table = written(tidy_comparisons, tmp_path, simulated=simulated)
    record = of_record(tidy_comparisons, simulated=simulated)
    kinds = [(column.kind, column.gaps) for column in COMPARING.columns]

    assert record == [
        tuple(read_back(c, kind, gaps=gaps) for c, (kind, gaps) in zip(row, kinds, strict=True))
        for row in rows
    ]
    assert record == list(zip(*table.to_pydict().values(), strict=True))


def test_names_are_text_in_the_table_and_what_they_are_in_parquet(
    tidy_comparisons: ComparisonStudy, tmp_path: Path
) -> None:
    rows, table = written(tidy_comparisons, tmp_path, simulated=False)
    found = table.to_pydict()
    numbers = {Kind.WHOLE, Kind.NUMBER}
    text = {
        cell
        for row in rows
        for cell, column in zip(row, COMPARING.columns, strict=True)
        if column.kind not in numbers
    }

    assert not [cell for cell in text if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {"'NA", "'=cmd()", "plain", f"'{PROMPTS[0]}", PROMPTS[1], MARKUP} <= text
    assert {*found["left"], *found["right"]} == set(CONDITIONS)
    assert set(found["prompt"]) == set(PROMPTS)


@WHO
def test_the_files_say_what_they_are_of(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    rows, table = written(tidy_comparisons, tmp_path, simulated=simulated)
    told = json.loads((tmp_path / "comparisons.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    asked = {
        "study": tidy_comparisons.settings.study.name,
        "study_checksum": tidy_comparisons.checksum(),
        "criterion": "alignment",
        "question": "Which image better reflects the caption above them?",
    }

    assert asked.items() <= told.items()
    assert asked.items() <= metadata.items()
    assert (told["simulated"], told["comparisons"]) == (simulated, len(rows))
    assert metadata["simulated"] == json.dumps(simulated)
    by_name = {column["name"]: column for column in told["columns"]}
    assert set(by_name["answer"]["levels"]) == {"left", "right", "tie", "none"}
    assert by_name["excluded"]["levels"]["failed-validation"]
    assert set(table.to_pydict()["simulated"]) == {simulated}


@WHO
def test_the_analysis_reads_both_alike(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    _, table = written(tidy_comparisons, tmp_path, simulated=simulated)
    names = ["evaluator", "prompt", "left", "right", "answer", "task", "obvious", "hasty"]
    of_csv = read_comparisons(tmp_path / "comparisons.csv")
    of_parquet = check_comparisons(table.to_pandas())

    assert of_csv[names].astype(str).equals(of_parquet[names].astype(str))
    assert of_csv["simulated"].eq(simulated).all()
    assert set(of_csv["left"].cat.categories) == set(CONDITIONS)
