"""A study as a Psych-DS data set: the standard's rules, and what is in it."""

import json
import shutil
from pathlib import Path

import pytest
from known import write_psych_ds
from psych_ds_rules import breaches
from standard_studies import (
    FORMULA,
    HOST,
    MARKUP,
    OWNERS,
    answers_in,
    contents,
    exported,
    read_json,
    rows_in,
)

from hype.errors import InputError
from hype.export.kind import Tally
from hype.export.people import session_facts
from hype.protocols.hype.export import JUDGING
from hype.protocols.load import load_study
from hype.store.record import RECORD_FILE, reading_record


@pytest.fixture(scope="module")
def study(standard_study):
    return standard_study


@pytest.fixture(scope="module")
def dataset(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("psych-ds") / "dataset"
    exported(write_psych_ds, study, folder)
    return folder


@pytest.fixture
def own_study(study, tmp_path):
    """Give a copy of the study, to be changed."""
    return load_study(Path(shutil.copytree(study.folder, tmp_path / "study")))


def test_the_rules_can_be_broken(dataset, tmp_path):
    broken = Path(shutil.copytree(dataset, tmp_path / "broken"))
    table = next(broken.glob("data/*_task-practice_data.csv"))
    table.rename(table.with_name("study_lab-1_data.csv"))
    about = read_json(broken / "dataset_description.json")
    about["variableMeasured"][0]["valuePattern"] = about["variableMeasured"].pop()["name"]
    (broken / "dataset_description.json").write_text(json.dumps(about), encoding="utf-8")
    (broken / "README.md").unlink()

    assert [breach.split(":")[0] for breach in breaches(broken)] == [
        "no README",
        "valuePattern is no property of PropertyValue",
        "study_lab-1_data.csv",
        "study_lab-1_data.csv",
        "columns and variables differ",
    ]


def test_a_table_is_of_one_evaluator_and_task(dataset):
    for path in dataset.glob("data/*_task-*.csv"):
        assert len({(row["evaluator"], row["task"]) for row in rows_in(path)}) == 1
    assert (dataset / "data" / "study-tiny_subject-p01_task-hypetime_data.csv").is_file()


def test_everybody_and_every_session_is_listed(dataset):
    people = rows_in(dataset / "data" / "study-tiny_description-evaluators_data.csv")
    sat = rows_in(dataset / "data" / "study-tiny_description-sessions_data.csv")

    assert [(row["evaluator"], row["status"], row["sessions"]) for row in people] == [
        ("p-01", "complete", "2"),
        ("p01", "complete", "1"),
        ("P01", "complete", "1"),
        ("unfit", "unqualified", "1"),
        ("unfinished", "active", "1"),
        ("unwilling", "declined", "1"),
    ]
    assert [row["evaluator"] for row in sat][:3] == ["p-01", "p-01", "p01"]
    assert (sat[0]["refresh_hz"], sat[0]["screen_px"]) == ("60.0", "1920 x 1080")


def test_a_column_means_the_same_in_every_table(study):
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as connection:
        people = JUDGING.people(connection, study, Tally(), False)
        facts = (*people, *session_facts(JUDGING, Tally()))
    columns = (*JUDGING.columns, *(fact.column for fact in facts))
    meanings = {(column.name, column.meaning) for column in columns}

    assert len(meanings) == len({name for name, _ in meanings})


def test_text_goes_out_as_text(dataset):
    rows = answers_in(dataset)

    assert {row["condition"] for row in rows} == {f"'{FORMULA}", "good"}
    assert MARKUP in {row["image"] for row in rows}
    assert f"condition `{FORMULA}`" in (dataset / "README.md").read_text("utf-8")


def test_owners_say_who_made_the_data_and_who_may_use_them(own_study, tmp_path):
    (own_study.folder / "dataset.toml").write_text(OWNERS, encoding="utf-8")
    exported(write_psych_ds, own_study, tmp_path / "dataset")
    about = read_json(tmp_path / "dataset" / "dataset_description.json")

    assert breaches(tmp_path / "dataset") == []
    assert [author["name"] for author in about["author"]] == ["A. Author", "B. Author"]
    assert about["license"] == "CC0"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('author = ["A"]', r"dataset\.toml: author: .*known are authors, license"),
        ("authors = 1", r"dataset\.toml: authors: "),
        ("authors = ", r"dataset\.toml: cannot be read: "),
        ("license = ''", r"dataset\.toml: license: "),
    ],
)
def test_what_owners_say_must_be_understood(text, problem, own_study, tmp_path):
    (own_study.folder / "dataset.toml").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=problem):
        exported(write_psych_ds, own_study, tmp_path / "dataset")
    assert not (tmp_path / "dataset").exists()


def test_the_machines_name_stays_there(dataset):
    assert not [name for name, content in contents(dataset).items() if HOST.encode() in content]


def test_a_file_is_no_place_for_a_data_set(study, tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")

    with pytest.raises(InputError, match="is not a folder"):
        exported(write_psych_ds, study, tmp_path / "file")
    with pytest.raises(InputError, match="cannot be"):
        exported(write_psych_ds, study, tmp_path / "file" / "below")
    assert contents(tmp_path) == {"file": b"mine"}
