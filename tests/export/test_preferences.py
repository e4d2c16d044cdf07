"""Pairs for preference tuning: who was chosen over whom, counted as the record has it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from builders import contents
from export_comparing_studies import PROMPTS
from known import write_preferences

from hype.errors import InputError
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.load import load_any
from hype.store.record import RECORD_FILE, reading_record

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])
SCORED = """
    SELECT c.prompt,
        min(c.left_image, c.right_image) AS one, max(c.left_image, c.right_image) AS other,
        sum(CASE c.answer WHEN 'left' THEN c.left_image < c.right_image
            WHEN 'right' THEN c.right_image < c.left_image ELSE 0 END) AS for_one,
        sum(CASE c.answer WHEN 'left' THEN c.left_image > c.right_image
            WHEN 'right' THEN c.right_image > c.left_image ELSE 0 END) AS for_other,
        sum(c.answer = 'tie') AS ties
    FROM comparisons c JOIN evaluators e ON e.id = c.evaluator_id
    WHERE c.simulated = ? AND c.task = 'comparison' AND c.answer != 'none'
        AND e.status = 'complete' AND e.evaluator != 'failing'
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
"""All pairs, counted by other means."""
REPLACED = (
    "UPDATE comparisons SET left_sha256 = 'other' WHERE left_image = ? AND evaluator_id IN "
    "(SELECT id FROM evaluators WHERE evaluator = 'p4')",
    "UPDATE comparisons SET right_sha256 = 'other' WHERE right_image = ? AND evaluator_id IN "
    "(SELECT id FROM evaluators WHERE evaluator = 'p4')",
)


@pytest.fixture
def own(tidy_comparisons: ComparisonStudy, tmp_path: Path) -> ComparisonStudy:
    """Give a copy of the study, to be changed."""
    study = load_any(Path(shutil.copytree(tidy_comparisons.folder, tmp_path / "study")))
    assert isinstance(study, ComparisonStudy)
    return study


def written(study: ComparisonStudy, folder: Path, *, simulated: bool = False) -> str:
    folder.mkdir(exist_ok=True)
    with reading_record(study.folder / RECORD_FILE) as engine:
        return write_preferences(engine, study, folder, simulated=simulated)


def read_lines(folder: Path) -> list[Any]:
    text = (folder / "preferences.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def of_record(study: ComparisonStudy, *, simulated: bool = False) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(study.folder / RECORD_FILE)) as record, record:
        rows = record.execute(SCORED, (simulated,)).fetchall()
    record.close()
    return rows


def counted(rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Give (prompt, chosen, rejected, votes of each, ties) of each pair with a winner."""
    for prompt, one, other, for_one, for_other, ties in rows:
        if for_one > for_other:
            yield prompt, one, other, for_one, for_other, ties
        elif for_other > for_one:
            yield prompt, other, one, for_other, for_one, ties


@WHO
def test_the_votes_are_those_of_the_record(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    said = written(tidy_comparisons, tmp_path, simulated=simulated)
    rows = of_record(tidy_comparisons, simulated=simulated)
    names = ("prompt", "chosen", "rejected", "votes_chosen", "votes_rejected", "ties")
    lines = read_lines(tmp_path)

    assert [tuple(one[name] for name in names) for one in lines] == list(counted(rows))
    assert len(rows) > len(lines), "no test without a pair that nobody won"
    assert said.startswith(f"{len(lines)} pairs; {len(rows) - len(lines)} left out, with as many")
    assert {one["prompt"] for one in lines} == set(PROMPTS)
    assert {one["simulated"] for one in lines} == {simulated}
    assert any(one["ties"] for one in lines), "no test without a tie"


def test_a_row_says_what_made_its_images_and_how_clear_it_was(
    tidy_comparisons: ComparisonStudy, tmp_path: Path
) -> None:
    written(tidy_comparisons, tmp_path)
    with closing(sqlite3.connect(tidy_comparisons.folder / RECORD_FILE)) as record, record:
        left = record.execute("SELECT left_image, left, left_sha256 FROM comparisons").fetchall()
        right = record.execute("SELECT right_image, right, right_sha256 FROM comparisons")
        facts = {path: rest for path, *rest in (*left, *right)}
    record.close()

    for one in read_lines(tmp_path):
        won, lost = one["votes_chosen"], one["votes_rejected"]
        assert [one["chosen_condition"], one["chosen_sha256"]] == facts[one["chosen"]]
        assert [one["rejected_condition"], one["rejected_sha256"]] == facts[one["rejected"]]
        assert one["votes"] == won + lost + one["ties"]
        assert one["margin"] == pytest.approx((won - lost) / one["votes"])
        assert (tidy_comparisons.stimuli_folder / one["chosen"]).is_file()


@WHO
def test_the_parquet_file_holds_the_same_and_says_of_what(
    tidy_comparisons: ComparisonStudy, simulated: bool, tmp_path: Path
) -> None:
    written(tidy_comparisons, tmp_path, simulated=simulated)
    table = pq.read_table(tmp_path / "preferences.parquet")
    told = json.loads((tmp_path / "preferences.json").read_text(encoding="utf-8"))
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}

    assert table.to_pylist() == read_lines(tmp_path)
    assert metadata["criterion"] == told["criterion"] == "alignment"
    assert metadata["study_checksum"] == told["study_checksum"] == tidy_comparisons.checksum()
    assert metadata["simulated"] == json.dumps(simulated)
    assert [column["name"] for column in told["columns"]] == table.column_names


def test_the_description_says_whose_votes_these_are_and_who_may_use_them(
    own: ComparisonStudy, tmp_path: Path
) -> None:
    (own.folder / "dataset.toml").write_text('license = "CC0"', encoding="utf-8")
    written(own, tmp_path / "out")
    told = json.loads((tmp_path / "out" / "preferences.json").read_text(encoding="utf-8"))
    votes = sum(sum(row[3:]) for row in of_record(own))

    assert told["license"] == "CC0"
    assert (told["evaluators_scored"], told["comparisons_scored"]) == (4, votes)
    assert told["pairs"] + told["pairs_left_out"] == len(of_record(own))
    assert "no chosen one" in told["left_out"]
    assert told["question"] == "Which image better reflects the caption above them?"


def test_the_order_is_that_of_prompts_and_paths_whoever_came_first(
    own: ComparisonStudy, tmp_path: Path
) -> None:
    written(own, tmp_path / "one")
    with closing(sqlite3.connect(own.folder / RECORD_FILE)) as record, record:
        record.execute("UPDATE comparisons SET id = 100000 - id")
    record.close()
    written(own, tmp_path / "two")

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_file_that_was_replaced_is_another_image(own: ComparisonStudy, tmp_path: Path) -> None:
    written(own, tmp_path / "before")
    first = read_lines(tmp_path / "before")[0]["chosen"]
    with closing(sqlite3.connect(own.folder / RECORD_FILE)) as record, record:
        for statement in REPLACED:
            record.execute(statement, (first,))
    record.close()
    written(own, tmp_path / "after")
    sums = Counter(
        one[f"{which}_sha256"]
        for one in read_lines(tmp_path / "after")
        for which in ("chosen", "rejected")
        if one[which] == first
    )

    assert sums["other"], "votes on the other file stand by themselves"
    assert len(sums) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE evaluators SET status = 'active'", "holds no comparison that is scored"),
        ("UPDATE comparisons SET answer = 'tie'", "holds no pair of images where one got more"),
    ],
    ids=["nobody finished", "all alike"],
)
def test_nothing_is_written_where_nothing_was_preferred(
    own: ComparisonStudy, change: str, problem: str, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(own.folder / RECORD_FILE)) as record, record:
        record.execute(change)
    record.close()

    with pytest.raises(InputError, match=rf"data\.sqlite: {problem}"):
        written(own, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
