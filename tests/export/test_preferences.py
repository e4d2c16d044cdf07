"""Pairs for preference tuning, compared with a count of the scored answers."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from builders import contents
from export_comparing_studies import comparing_study, with_comparing_people
from export_rated_studies import strange_ratings
from known import write_preferences
from sqlalchemy import select, update
from verified_records import damage

from hype.errors import InputError
from hype.protocols.comparison.record import comparisons
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.store.record import RECORD_FILE
from hype.store.schema import evaluators
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy

C, E = comparisons.c, evaluators.c
Rows = list[dict[str, Any]]
Votes = dict[tuple[str, str], Counter[str]]
"""Votes for either image, and ties, by the sorted paths of the two images."""


def written(study: AnyStudy, folder: Path, *, simulated: bool = False) -> str:
    folder.mkdir(exist_ok=True)
    with reading_record(study.folder / RECORD_FILE) as engine:
        return write_preferences(engine, study, folder, simulated=simulated)


def read_lines(folder: Path) -> Rows:
    text = (folder / "preferences.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def told_in(folder: Path) -> Any:
    return json.loads((folder / "preferences.json").read_text(encoding="utf-8"))


def scored(study: AnyStudy, *, simulated: bool) -> Rows:
    """Return the rows that are scored."""
    outgoing = protocol_of(study).export_kind(study).outgoing
    with reading_record(study.folder / RECORD_FILE) as engine:
        found = outgoing.read(engine, study, simulated=simulated)
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return [row for row in rows if not row["excluded"]]


Vote = tuple[dict[str, Any], dict[str, Any], int]
"""Two images (path, condition, checksum), and a number: above 0 if the first image wins."""


def image_of(row: dict[str, Any], path: str, condition: str, sha256: str) -> dict[str, Any]:
    return {"path": row[path], "condition": row[condition], "sha256": row[sha256]}


def votes_in(study: AnyStudy, rows: Rows) -> Iterator[Vote]:
    """Read the votes in rows by a simple rule for each kind of answer."""
    for row in rows if study.answers == "comparisons" else []:
        left, right = (
            image_of(row, f"{side}_image", side, f"{side}_sha256") for side in ("left", "right")
        )
        yield left, right, {"left": 1, "right": -1, "tie": 0}[row["answer"]]
    for row in rows if study.answers == "ratings" else []:
        if row["axis"] == "overall" and row["answer"] != "not-relevant":
            first, second = (
                image_of(row, f"{one}_image", one, f"{one}_sha256") for one in ("first", "second")
            )
            yield first, second, 3 - int(row["answer"])
    for one, other in combinations(rows if study.answers == "rankings" else [], 2):
        if (one["evaluator"], one["group"]) == (other["evaluator"], other["group"]):
            names = ("image", "condition", "image_sha256")
            yield image_of(one, *names), image_of(other, *names), other["rank"] - one["rank"]


NAMES = ["tidy_comparisons", "tidy_ratings", "tidy_rankings", "screened_rankings"]


@pytest.mark.parametrize("simulated", [False, True], ids=["people", "simulated"])
@pytest.mark.parametrize("name", NAMES)
def test_the_votes_are_those_of_the_record(name, simulated, request, tmp_path):
    study = request.getfixturevalue(name)
    said = written(study, tmp_path, simulated=simulated)
    rows = scored(study, simulated=simulated)
    lines, told = read_lines(tmp_path), told_in(tmp_path)
    votes: Votes = {}
    images: dict[str, dict[str, Any]] = {}
    for one, other, sign in votes_in(study, rows):
        images |= {one["path"]: one, other["path"]: other}
        low, high = sorted((one["path"], other["path"]))
        better = one["path"] if sign > 0 else other["path"] if sign < 0 else "tie"
        votes.setdefault((low, high), Counter())[better] += 1
    decided = {pair for pair, tally in votes.items() if tally[pair[0]] != tally[pair[1]]}

    assert [line["prompt"] for line in lines] == sorted(line["prompt"] for line in lines)
    assert {tuple(sorted((line["chosen"], line["rejected"]))) for line in lines} == decided
    for line in lines:
        low, high = sorted((line["chosen"], line["rejected"]))
        counts = {line["chosen"]: line["votes_chosen"], line["rejected"]: line["votes_rejected"]}
        assert +Counter(counts | {"tie": line["ties"]}) == votes[low, high]
        assert line["votes"] == votes[low, high].total()
        assert line["margin"] == (line["votes_chosen"] - line["votes_rejected"]) / line["votes"] > 0
        for which in ("chosen", "rejected"):
            image = images[line[which]]
            assert line[f"{which}_condition"] == image["condition"]
            assert line[f"{which}_sha256"] == image["sha256"]
    assert said.startswith(f"{len(lines)} pairs")
    assert told["pairs_left_out"] == len(votes) - len(lines)
    assert told["comparisons_scored"] == sum(tally.total() for tally in votes.values())
    assert told["evaluators_scored"] == len({row["evaluator"] for row in rows})
    assert {line["simulated"] for line in lines} == {simulated}
    table = pq.read_table(tmp_path / "preferences.parquet")
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert table.to_pylist() == lines
    assert metadata["study_checksum"] == told["study_checksum"] == study.checksum()
    assert metadata["simulated"] == json.dumps(simulated)
    assert [column["name"] for column in told["columns"]] == table.column_names


def test_ties_and_pairs_that_nobody_won_are_among_these(tidy_comparisons, tidy_rankings, tmp_path):
    written(tidy_comparisons, tmp_path / "compared")
    written(tidy_rankings, tmp_path / "ranked")
    compared, ranked = told_in(tmp_path / "compared"), told_in(tmp_path / "ranked")

    assert compared["pairs_left_out"]
    assert "the same number of votes" in compared["left_out"]
    assert compared["question"] == "Which image better reflects the caption above?"
    for folder in ("compared", "ranked"):
        assert any(line["ties"] for line in read_lines(tmp_path / folder))
    assert ranked["comparisons_scored"] == 6 * ranked["rankings_scored"], "four images each"
    assert {line["split"] for line in read_lines(tmp_path / "ranked")} == {None}


def test_of_several_criteria_the_first_is_taken_and_named(tmp_path):
    asked = {"criterion": ["preference", "alignment"]}
    study = with_comparing_people(comparing_study(tmp_path / "study", comparison=asked))
    written(study, tmp_path / "out", simulated=True)
    told, rows = told_in(tmp_path / "out"), scored(study, simulated=True)

    assert (told["criterion"], told["question"]) == ("preference", "Which image do you prefer?")
    assert told["comparisons_scored"] == sum(row["criterion"] == "preference" for row in rows) > 0
    assert told["comparisons_scored"] < len(rows)


def test_ratings_name_the_axis_and_count_what_was_not_relevant(tidy_ratings, tmp_path):
    written(tidy_ratings, tmp_path)
    rows = [row for row in scored(tidy_ratings, simulated=False) if row["axis"] == "overall"]
    told = told_in(tmp_path)

    assert told["axis"] == "overall"
    assert told["not_relevant_left_out"] == sum(r["answer"] == "not-relevant" for r in rows) > 0
    assert told["comparisons_scored"] + told["not_relevant_left_out"] == len(rows)


def test_of_several_axes_one_must_be_overall_but_a_single_one_serves(tmp_path):
    axes = ["style", "artifacts"]
    several = strange_ratings(tmp_path / "several", rating={"axes": axes}, people=None)
    single = strange_ratings(tmp_path / "single", rating={"axes": axes[:1]}, people=None)

    with pytest.raises(InputError, match=r"several axes, and none is named 'overall'.*--format"):
        written(several, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
    written(single, tmp_path / "out")
    assert told_in(tmp_path / "out")["pairs"]
    assert told_in(tmp_path / "out")["axis"] == "style"


@pytest.fixture
def own(tidy_comparisons, tmp_path):
    """Return a copy of the study that a test may change."""
    return load_any(Path(shutil.copytree(tidy_comparisons.folder, tmp_path / "study")))


def test_the_order_is_the_same_whoever_came_first_and_the_licence_goes_along(own, tmp_path):
    (own.folder / "dataset.toml").write_text('license = "CC0"', encoding="utf-8")
    written(own, tmp_path / "one")
    damage(own, update(comparisons).values(id=100_000 - C.id))
    written(own, tmp_path / "two")

    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert told_in(tmp_path / "one")["license"] == "CC0"


def test_a_file_that_was_replaced_is_another_image(own, tmp_path):
    written(own, tmp_path / "before")
    first = read_lines(tmp_path / "before")[0]["chosen"]
    replaced = C.evaluator_id == select(E.id).where(E.evaluator == "p4").scalar_subquery()
    for image, sha256 in ((C.left_image, "left_sha256"), (C.right_image, "right_sha256")):
        rows = update(comparisons).where(image == first, replaced)
        damage(own, rows.values({sha256: "other"}))
    written(own, tmp_path / "after")
    sums = Counter(
        one[f"{which}_sha256"]
        for one in read_lines(tmp_path / "after")
        for which in ("chosen", "rejected")
        if one[which] == first
    )

    assert sums["other"], "votes on the other file are counted separately"
    assert len(sums) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (update(evaluators).values(status="active"), "contains no scored comparison"),
        (update(comparisons).values(answer="tie"), "contains no pair in which one image got more"),
    ],
    ids=["nobody finished", "all alike"],
)
def test_nothing_is_written_where_nothing_was_preferred(own, change, problem, tmp_path):
    damage(own, change)

    with pytest.raises(InputError, match=rf"data\.sqlite: {problem}"):
        written(own, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
