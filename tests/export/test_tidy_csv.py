"""The CSV table that goes out, and the data dictionary beside it."""

from __future__ import annotations

import csv
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from export_studies import CONDITIONS, IMAGES

from hype.export.columns import Kind
from hype.export.tidy_csv import write_csv
from hype.protocols.hype.export import JUDGING, exported_judgements
from hype.protocols.studies import Study
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import VERSION, sessions
from hype.tables.spreadsheet_text import unguarded

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])


def written(study: Study, folder: Path, *, simulated: bool) -> tuple[list[list[str]], Any]:
    """Give the rows of the table, the first of which names the columns, and the dictionary."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        count = write_csv(engine, study, folder, simulated=simulated)
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == count + 1
    return rows, json.loads((folder / "judgements.json").read_text(encoding="utf-8"))


def of_record(study: Study, *, simulated: bool) -> list[tuple[object, ...]]:
    with reading_record(study.folder / RECORD_FILE) as engine:
        return list(exported_judgements(engine, study, simulated=simulated).rows)


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
    tidy_study: Study, simulated: bool, tmp_path: Path
) -> None:
    (_, *rows), _ = written(tidy_study, tmp_path, simulated=simulated)
    columns = JUDGING.columns
    back = [
        tuple(
            read_back(cell, column.kind, gaps=column.gaps)
            for cell, column in zip(row, columns, strict=True)
        )
        for row in rows
    ]
    record = of_record(tidy_study, simulated=simulated)

    assert back == [tuple(None if cell == "" else cell for cell in row) for row in record]
    place = [column.name for column in columns].index("image")
    assert {row[place] for row in back} >= ({*IMAGES} if not simulated else set())


@WHO
def test_the_dictionary_says_what_the_table_is_of_and_what_its_columns_hold(
    tidy_study: Study, simulated: bool, tmp_path: Path
) -> None:
    (header, *rows), told = written(tidy_study, tmp_path, simulated=simulated)

    assert {key: told[key] for key in told.keys() - {"reading", "columns", "evaluators"}} == {
        "study": tidy_study.settings.study.name,
        "study_checksum": tidy_study.checksum(),
        "study_seed": "7",
        "simulated": simulated,
        "judgements": len(rows),
        "hype_version": version("hype"),
        "record_schema": VERSION,
    }
    assert ("nobody real was asked" in told["evaluators"]) == simulated
    assert [column["name"] for column in told["columns"]] == header
    assert all({"name", "meaning", "kind", "may be empty"} <= set(c) for c in told["columns"])
    by_name = {column["name"]: column for column in told["columns"]}
    assert by_name["rt_ms"]["unit"] == "ms"
    assert set(by_name["verdict"]["levels"]) == {"ok", "late", "dropped", "seen"}
    assert "apostrophe" in told["reading"]["apostrophes"]


@WHO
def test_simulated_evaluators_are_marked_in_every_row_and_never_mixed(
    tidy_study: Study, simulated: bool, tmp_path: Path
) -> None:
    (header, *rows), _ = written(tidy_study, tmp_path, simulated=simulated)
    place = header.index("simulated")

    assert {row[place] for row in rows} == {"true" if simulated else "false"}


def test_no_cell_is_a_formula(tidy_study: Study, tmp_path: Path) -> None:
    (header, *rows), _ = written(tidy_study, tmp_path, simulated=False)
    numbers = {c.name for c in JUDGING.columns if c.kind in (Kind.WHOLE, Kind.NUMBER)}
    texts = {
        cell for row in rows for name, cell in zip(header, row, strict=True) if name not in numbers
    }

    assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {f"'{name}" for name in CONDITIONS if name != "<b>x</b>"} | {"<b>x</b>"} <= texts


def test_nothing_of_the_machine_goes_out(tidy_study: Study, tmp_path: Path) -> None:
    (header, *_), told = written(tidy_study, tmp_path, simulated=False)
    of_sessions = {column.name for column in sessions.c} - {"id", "study"}

    assert not of_sessions & {*header, *told}
