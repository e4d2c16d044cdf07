"""Pairs for preference tuning out of rankings and ratings: counted again by other means."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from export_rated_studies import strange_ratings
from known import write_preferences

from hype.errors import InputError
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.registry import protocol_of
from hype.store.record import RECORD_FILE, reading_record
from hype.study.studies import AnyStudy

WHO = pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])
Votes = dict[tuple[str, str], Counter[str]]
"""By the paths of two images, the lesser first: votes for either, and ties."""


def written(study: AnyStudy, folder: Path, *, simulated: bool = False) -> str:
    with reading_record(study.folder / RECORD_FILE) as engine:
        return write_preferences(engine, study, folder, simulated=simulated)


def read_lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "preferences.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def told_in(folder: Path) -> Any:
    return json.loads((folder / "preferences.json").read_text(encoding="utf-8"))


def scored(study: AnyStudy, *, simulated: bool) -> list[dict[str, Any]]:
    """Give the rows that are scored."""
    with reading_record(study.folder / RECORD_FILE) as engine:
        found = (
            protocol_of(study).export_kind(study).outgoing.read(engine, study, simulated=simulated)
        )
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return [row for row in rows if not row["excluded"]]


def count(votes: Votes, one: str, other: str, sign: int) -> None:
    """Count a vote in: above 0 for the one, below for the other."""
    low, high = sorted((one, other))
    tally = votes.setdefault((low, high), Counter())
    tally[one if sign > 0 else other if sign < 0 else "tie"] += 1


def in_rankings(rows: list[dict[str, Any]]) -> Votes:
    votes: Votes = {}
    for one, other in combinations(rows, 2):
        if (one["evaluator"], one["group"]) == (other["evaluator"], other["group"]):
            count(votes, one["image"], other["image"], other["rank"] - one["rank"])
    return votes


def in_ratings(rows: list[dict[str, Any]]) -> Votes:
    votes: Votes = {}
    for row in rows:
        if row["axis"] == "overall" and row["answer"] != "not-relevant":
            count(votes, row["first_image"], row["second_image"], 3 - int(row["answer"]))
    return votes


def as_votes(lines: list[dict[str, Any]]) -> Votes:
    """Give the votes that were written."""
    votes: Votes = {}
    for line in lines:
        low, high = sorted((line["chosen"], line["rejected"]))
        votes[low, high] = +Counter(
            {
                line["chosen"]: line["votes_chosen"],
                line["rejected"]: line["votes_rejected"],
                "tie": line["ties"],
            }
        )
        assert line["votes_chosen"] > line["votes_rejected"]
        assert line["votes"] == sum(votes[low, high].values())
    return votes


def decided(votes: Votes) -> Votes:
    return {pair: tally for pair, tally in votes.items() if tally[pair[0]] != tally[pair[1]]}


@WHO
@pytest.mark.parametrize("name", ["tidy_rankings", "screened_rankings", "tidy_ratings"])
def test_the_votes_are_those_of_the_record(
    name: str, simulated: bool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    study = request.getfixturevalue(name)
    said = written(study, tmp_path, simulated=simulated)
    rows = scored(study, simulated=simulated)
    votes = (in_ratings if name == "tidy_ratings" else in_rankings)(rows)
    lines, told = read_lines(tmp_path), told_in(tmp_path)

    assert as_votes(lines) == decided(votes)
    assert said.startswith(f"{len(lines)} pairs")
    assert told["pairs_left_out"] == len(votes) - len(lines)
    assert told["comparisons_scored"] == sum(sum(tally.values()) for tally in votes.values())
    assert told["evaluators_scored"] == len({row["evaluator"] for row in rows})
    assert {line["simulated"] for line in lines} == {simulated}
    assert pq.read_table(tmp_path / "preferences.parquet").to_pylist() == lines


def test_a_ranking_of_four_is_six_comparisons_and_ties_are_counted(
    tidy_rankings: RankingStudy, tmp_path: Path
) -> None:
    written(tidy_rankings, tmp_path)
    told, lines = told_in(tmp_path), read_lines(tmp_path)

    assert told["comparisons_scored"] == 6 * told["rankings_scored"]
    assert any(line["ties"] for line in lines), "no test without a tie"
    assert {line["split"] for line in lines} == {None}


def test_prompts_that_are_held_out_say_so_and_groups_never_straddle(
    screened_rankings: RankingStudy, tmp_path: Path
) -> None:
    written(screened_rankings, tmp_path, simulated=True)
    splits: dict[str, set[str]] = {}
    for line in read_lines(tmp_path):
        for name in ("prompt", "group"):
            splits.setdefault(line[name], set()).add(line["split"])
    columns = {one["name"]: one for one in told_in(tmp_path)["columns"]}

    assert set.union(*splits.values()) == {"train", "test"}
    assert all(len(split) == 1 for split in splits.values())
    assert set(columns["split"]["levels"]) == {"train", "test"}


def test_ratings_name_the_axis_and_count_what_was_not_relevant(
    tidy_ratings: RatingStudy, tmp_path: Path
) -> None:
    written(tidy_ratings, tmp_path)
    rows = [row for row in scored(tidy_ratings, simulated=False) if row["axis"] == "overall"]
    told = told_in(tmp_path)

    assert told["axis"] == "overall"
    assert told["not_relevant_left_out"] == sum(r["answer"] == "not-relevant" for r in rows) > 0
    assert told["comparisons_scored"] + told["not_relevant_left_out"] == len(rows)


def test_of_several_axes_one_must_be_overall_but_a_single_one_serves(tmp_path: Path) -> None:
    axes = ["style", "artifacts"]
    several = strange_ratings(tmp_path / "several", rating={"axes": axes}, people=None)
    single = strange_ratings(tmp_path / "single", rating={"axes": axes[:1]}, people=None)
    (tmp_path / "out").mkdir()

    with pytest.raises(InputError, match=r"several axes, and none is called 'overall'.*--format"):
        written(several, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
    written(single, tmp_path / "out")
    assert told_in(tmp_path / "out")["pairs"]
    assert told_in(tmp_path / "out")["axis"] == "style"
