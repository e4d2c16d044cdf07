"""Ratings and rankings as data sets of standards: what the validators say, and what is in them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from known import write_bids, write_psych_ds
from long import long_but
from psych_ds_rules import breaches
from standard_studies import OWNERS, answers_in, contents, exported, rows_in
from test_bids import ONLY_OWNERS_KNOW, validated

from hype.protocols.load import load_any
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy

PEOPLE = ["p-1", "p1", "p2", "unwilling", "unfinished", "check1"]
Rows = list[dict[str, str]]


def answer_of(row: dict[str, str]) -> tuple[str, ...]:
    return row["evaluator"], row["task"], row["block"], row["trial"]


@pytest.fixture(scope="module")
def ranked(
    screened_rankings: RankingStudy, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("bids") / "dataset"
    return folder, exported(write_bids, screened_rankings, folder)


@pytest.mark.parametrize(
    "name", long_but(["tidy_ratings"], ["tidy_ratings", "tidy_single_ratings"])
)
def test_the_validator_finds_no_error_in_ratings(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    study = request.getfixturevalue(name)
    count = exported(write_bids, study, tmp_path / "dataset")
    rows = answers_in(tmp_path / "dataset")
    sides = [key for key in rows[0] if key.endswith("_stim_file")]

    assert validated(tmp_path / "dataset") == ([], ONLY_OWNERS_KNOW | {"TOO_FEW_AUTHORS"})
    assert len({answer_of(row) for row in rows}) == len(rows) == count
    assert sides == ["first_stim_file", "second_stim_file"][: 1 + (name == "tidy_ratings")]
    shown = {row[side]: row[side.replace("stim_file", "image")] for row in rows for side in sides}
    assert set(contents(tmp_path / "dataset" / "stimuli")) == {*shown, "manifest.csv"}
    for place, image in shown.items():
        original = (study.stimuli_folder / image).read_bytes()
        assert (tmp_path / "dataset" / "stimuli" / place).read_bytes() == original


def test_the_validator_has_nothing_at_all_against_simulated_rankings(
    screened_rankings: RankingStudy, tmp_path: Path
) -> None:
    own = load_any(Path(shutil.copytree(screened_rankings.folder, tmp_path / "study")))
    (own.folder / "dataset.toml").write_text(OWNERS, encoding="utf-8")
    exported(write_bids, own, tmp_path / "dataset", simulated=True)

    assert validated(tmp_path / "dataset") == ([], set())
    assert {row["simulated"] for row in answers_in(tmp_path / "dataset")} == {"true"}


def test_a_ranking_has_a_row_for_each_image_and_its_acts_go_along(ranked: tuple[Path, int]) -> None:
    folder, count = ranked
    rows = answers_in(folder)
    accepted = Counter(answer_of(row) for row in rows if row["rank"] != "n/a")
    raw = (folder / "sourcedata" / "record" / "placements.jsonl").read_text(encoding="utf-8")
    acts = [json.loads(line) for line in raw.splitlines()]

    assert len({answer_of(row) for row in rows}) == count
    assert set(accepted.values()) == {4}
    assert sum(act["answer"] == "accept" for act in acts) == len(accepted)
    assert {path.name for path in folder.glob("task-*")} == {
        f"task-{task}_beh.json" for task in ("practice", "rankingtest", "ranking", "rankingcheck")
    }
    told = (folder / "README.md").read_text(encoding="utf-8")
    assert "a row for each image that was ranked" in told
    assert f"{count} rankings" in told


def test_people_are_counted_by_rankings_and_it_is_said_why_none_counts(
    ranked: tuple[Path, int],
) -> None:
    folder, count = ranked
    people = {row["evaluator"]: row for row in rows_in(folder / "participants.tsv")}
    sessions = [row for path in folder.glob("sub-*/*_sessions.tsv") for row in rows_in(path)]
    why = {who: row["not_scored"] for who, row in people.items()}

    assert list(people) == PEOPLE
    assert sum(int(row["rankings"]) for row in people.values()) == count
    assert sum(int(row["ranked"]) for row in sessions) == count
    assert why == {
        "p-1": "failed-screening",
        "p1": "failed-screening",
        "p2": "n/a",
        "unwilling": "declined",
        "unfinished": "unfinished",
        "check1": "checker",
    }
    assert [who for who, row in people.items() if row["checker"] == "true"] == ["check1"]
    assert [who for who, row in people.items() if row["scored"] != "0"] == ["p2"]
    assert people["p1"]["about_age"] == "n/a", "withheld"
    assert people["p2"]["about_age"] == "'=young"


def test_what_was_asked_is_said(tidy_ratings: RatingStudy, tmp_path: Path) -> None:
    exported(write_bids, tidy_ratings, tmp_path / "dataset")
    text = (tmp_path / "dataset" / "task-rating_beh.json").read_text(encoding="utf-8")
    sidecar: Any = json.loads(text)

    assert "overall, “Which image is better overall?” (1 to 5)" in sidecar["TaskDescription"]
    assert "Which image is better overall?" in sidecar["Instructions"]
    assert sidecar["axis"]["Levels"]["overall"] == "Which image is better overall?"
    assert set(sidecar["answer"]["HED"]) == set(sidecar["answer"]["Levels"])
    assert "HED" not in sidecar["truth"]


@pytest.mark.parametrize("name", ["tidy_single_ratings", "tidy_rankings"])
def test_nothing_breaks_the_rules_of_psych_ds(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    study = request.getfixturevalue(name)
    folder = tmp_path / "dataset"
    count = exported(write_psych_ds, study, folder)
    rows = [row for path in folder.glob("data/*_task-*.csv") for row in rows_in(path)]
    (people,) = (rows_in(path) for path in folder.glob("data/*-evaluators_data.csv"))

    assert breaches(folder) == []
    assert len({answer_of(row) for row in rows}) == count
    assert [row["evaluator"] for row in people] == [
        who for who in PEOPLE if study.answers == "rankings" or who not in ("p2", "check1")
    ]
    assert "judg" not in (folder / "README.md").read_text(encoding="utf-8")
