"""Comparisons as data sets of standards: what the validator says, and what is in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from export_comparing_studies import comparing_study, with_comparing_people
from known import write_bids, write_psych_ds
from psych_ds_rules import breaches
from standard_studies import OWNERS, answers_in, exported, read_json, rows_in
from test_bids import ONLY_OWNERS_KNOW, validated

from hype.protocols.comparison.rows import comparisons
from hype.protocols.comparison.settings import ComparisonStudy
from hype.store.record import RECORD_FILE, reading_record

PEOPLE = ["p-1", "p1", "P1", "p4", "failing", "unwilling", "unfinished"]
MONITOR = {"width_cm": 53.0, "distance_cm": 57.0}


@pytest.fixture(scope="module")
def bids(tidy_comparisons: ComparisonStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bids") / "dataset"
    exported(write_bids, tidy_comparisons, folder)
    return folder


@pytest.fixture(scope="module")
def psych_ds(tidy_comparisons: ComparisonStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("psych-ds") / "dataset"
    exported(write_psych_ds, tidy_comparisons, folder)
    return folder


def number_of(study: ComparisonStudy) -> int:
    """Count the comparisons of people in the record."""
    query = comparisons.select().where(comparisons.c.simulated.is_(False))
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as connection:
        return len(connection.execute(query).all())


def test_the_validator_finds_no_error_and_warns_of_what_only_owners_know(bids: Path) -> None:
    assert validated(bids) == ([], ONLY_OWNERS_KNOW | {"TOO_FEW_AUTHORS"})


@pytest.mark.long
def test_simulated_evaluators_make_a_data_set_of_their_own_without_a_warning(
    tmp_path: Path,
) -> None:
    study = with_comparing_people(comparing_study(tmp_path / "study", monitor=MONITOR))
    (study.folder / "dataset.toml").write_text(OWNERS, encoding="utf-8")
    count = exported(write_bids, study, tmp_path / "dataset", simulated=True)

    assert validated(tmp_path / "dataset") == ([], set())
    assert {row["simulated"] for row in answers_in(tmp_path / "dataset")} == {"true"}
    assert len(answers_in(tmp_path / "dataset")) == count
    name = read_json(tmp_path / "dataset" / "dataset_description.json")["Name"]
    assert name.startswith("SIMULATED: ")


def test_every_comparison_is_in_one_table_and_validation_stands_where_it_was(
    tidy_comparisons: ComparisonStudy, bids: Path
) -> None:
    rows = answers_in(bids)
    (table,) = bids.glob("sub-p4/ses-01/beh/*_task-comparison_beh.tsv")

    trials = Counter((r["evaluator"], r["task"], r["block"], r["trial"]) for r in rows)
    assert (len(trials), set(trials.values())) == (number_of(tidy_comparisons), {1})
    assert [row["trial"] for row in rows_in(table)] == [str(n) for n in range(1, 17)]
    assert Counter(r["task"] for r in rows_in(table)) == {"comparison": 12, "validation": 4}
    assert {path.name for path in bids.glob("task-*")} == {
        "task-practice_beh.json",
        "task-comparison_beh.json",
    }


def test_people_are_listed_with_what_they_said_of_themselves(bids: Path) -> None:
    people = {row["evaluator"]: row for row in rows_in(bids / "participants.tsv")}
    about = read_json(bids / "participants.json")

    assert list(people) == PEOPLE
    assert {row["about_age"] for row in people.values()} <= {"'=young", "'NA", "old", "n/a"}
    assert people["P1"]["about_age"] == people["P1"]["about_g"] == "n/a", "withheld"
    assert people["p1"]["about_age"] != "n/a"
    assert people["unwilling"]["about_age"] == "n/a", "not asked"
    assert "How old are you?" in about["about_age"]["Description"]
    assert set(about["about_age"]["Levels"]) == {"'=young", "'NA", "old"}
    looked = ("validation", "validation_correct", "hasty_answers", "not_scored")
    assert [people["failing"][name] for name in looked] == ["4", "2", "1", "failed-validation"]
    assert [people["p1"][name] for name in looked] == ["4", "3", "1", "n/a"]
    assert people["failing"]["scored"] == "0"
    assert [people[who]["sessions"] for who in PEOPLE] == ["2", "1", "1", "1", "1", "1", "1"]


def test_what_was_asked_is_said(bids: Path) -> None:
    sidecar = read_json(bids / "task-comparison_beh.json")
    told = (bids / "README.md").read_text(encoding="utf-8")

    assert "Which image better reflects the caption above them?" in sidecar["TaskDescription"]
    assert "left, right or no difference (a tie)" in sidecar["TaskDescription"]
    assert sidecar["TaskDescription"] in told
    assert "{question}" not in sidecar["Instructions"]
    assert sidecar["left_stim_file"]["Description"]
    assert set(sidecar["answer"]["HED"]) == set(sidecar["answer"]["Levels"])
    assert "judg" not in told + json.dumps(sidecar)


def test_nothing_breaks_the_rules_of_psych_ds(psych_ds: Path) -> None:
    assert breaches(psych_ds) == []


def test_psych_ds_has_everybody_and_every_comparison(
    tidy_comparisons: ComparisonStudy, psych_ds: Path
) -> None:
    tables = [rows_in(path) for path in sorted(psych_ds.glob("data/*_task-*.csv"))]
    (people,) = (rows_in(path) for path in psych_ds.glob("data/*-evaluators_data.csv"))
    (sat,) = (rows_in(path) for path in psych_ds.glob("data/*-sessions_data.csv"))

    assert sum(map(len, tables)) == number_of(tidy_comparisons)
    assert all(len({row["evaluator"] for row in rows}) == 1 for rows in tables)
    assert [row["evaluator"] for row in people] == PEOPLE
    assert people[2]["about_age"] == "", "withheld"
    assert sum(int(row["compared"]) for row in sat) == number_of(tidy_comparisons)
    assert "judg" not in (psych_ds / "README.md").read_text(encoding="utf-8")
    assert "comparisons.csv" in (psych_ds / "analysis" / "README.md").read_text(encoding="utf-8")
