"""Rows of crowd files that say nothing, or say it twice: left out, and counted."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hype.errors import InputError
from hype.tables.published import published

PICK = {
    "caption": "a cat",
    "user_id": "7",
    "model_0": "sdxl",
    "model_1": "sd21",
    "image_0_uid": "a",
    "image_1_uid": "b",
    "label_0": "1",
    "label_1": "0",
}
BATTLE = {"model_a": "gan", "model_b": "vae", "winner": "model_a", "judge": "j", "anony": "True"}


def table(folder: Path, rows: list[dict[str, str]]) -> Path:
    path = folder / "votes.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"image_1_uid": "a"}, "the same image is on both sides"),
        ({"label_1": "1"}, "the labels contradict each other"),
        ({"ranking_id": "0"}, "a ranking_id is there again"),
    ],
)
def test_picks(change: dict[str, str], why: str, tmp_path: Path) -> None:
    rows = [PICK | {"ranking_id": str(n), "user_id": str(n)} for n in range(3)]
    read = published(table(tmp_path, [*rows, rows[1] | {"ranking_id": "9"} | change]), "pick-a-pic")

    assert len(read.frame) == 3
    assert f"1 row was left out: {why}." in read.note


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"anony": "False"}, "the vote was not blind (anony)"),
        ({"dedup_tag": "{'high_freq': True, 'sampled': False}"}, "the battle was not sampled"),
        ({"question_id": "q0"}, "a question_id is there again"),
    ],
)
def test_battles(change: dict[str, str], why: str, tmp_path: Path) -> None:
    kept = {"dedup_tag": "{'high_freq': False, 'sampled': True}"}
    rows = [BATTLE | kept | {"question_id": f"q{n}"} for n in range(3)]
    last = BATTLE | kept | {"question_id": "q9"} | change
    read = published(table(tmp_path, [*rows, last]), "lmarena")

    assert len(read.frame) == 3
    assert f"1 row was left out: {why}" in read.note


def test_a_model_that_is_not_named_is_refused_by_its_own_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 3: model_0 is empty"):
        published(table(tmp_path, [PICK, PICK | {"model_0": ""}]), "pick-a-pic")


@pytest.mark.parametrize(("scale", "unit"), [(1, "milliseconds"), (0.001, "seconds")])
def test_levels_of_a_staircase_are_exposures(scale: float, unit: str, tmp_path: Path) -> None:
    rows = [
        {
            "participant": "p",
            "condition": "gan",
            "corrAns": truth,
            "block": block,
            "trials.intensity": level * scale,
        }
        | {"key_resp.keys": "f", "key_resp.rt": "0.5"}
        for block in (1, 2)
        for truth in ("f", "j")
        for level in (500, 470)
    ]
    read = published(table(tmp_path, rows), "psychopy")

    assert set(read.frame["exposure_ms"]) == {500, 470}
    assert set(read.frame["task"]) == {"time"}
    assert list(read.frame["trial"]) == [1, 2, 3, 4] * 2
    assert f"exposures in {unit}" in read.note
