"""Comparisons as tidy tables: every cell as the record has it, and what the files say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from export_comparing_studies import CONDITIONS, MARKUP, PROMPTS
from tidy_tables import of_record, read_as_described, written

from hype.export.columns import Kind
from hype.protocols.comparison.export import COMPARING
from hype.protocols.comparison.rows import check_comparisons, read_comparisons
from hype.protocols.studies import ComparisonStudy

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])


@WHO
def test_every_cell_comes_back_as_the_record_has_it(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    rows, table = written(tidy_comparisons, tmp_path, simulated=simulated)
    record = of_record(tidy_comparisons, simulated=simulated)

    assert record == read_as_described(tidy_comparisons, rows)
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
