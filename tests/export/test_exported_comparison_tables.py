"""Comparisons as tidy tables: what the files say was asked, and what the analysis reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from export_comparing_studies import CONDITIONS
from tidy_tables import written

from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.table import check_comparisons, load_comparisons

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])


def test_the_files_say_what_was_asked(tidy_comparisons: ComparisonStudy, tmp_path: Path) -> None:
    _, table = written(tidy_comparisons, tmp_path, simulated=False)
    told = json.loads((tmp_path / "comparisons.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    asked = {
        "criterion": "alignment",
        "question": "Which image better reflects the caption above them?",
    }

    assert asked.items() <= told.items()
    assert asked.items() <= metadata.items()
    by_name = {column["name"]: column for column in told["columns"]}
    assert set(by_name["answer"]["levels"]) == {"left", "right", "tie", "none"}
    assert by_name["excluded"]["levels"]["failed-validation"]


@WHO
def test_the_analysis_reads_both_alike(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    _, table = written(tidy_comparisons, tmp_path, simulated=simulated)
    names = ["evaluator", "prompt", "left", "right", "answer", "task", "obvious", "hasty"]
    of_csv = load_comparisons(tmp_path / "comparisons.csv").rows_with_warning()
    of_parquet = check_comparisons(table.to_pandas())

    assert of_csv[names].astype(str).equals(of_parquet[names].astype(str))
    assert of_csv["simulated"].eq(simulated).all()
    assert set(of_csv["left"].cat.categories) == set(CONDITIONS)
