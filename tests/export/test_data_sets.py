"""Answers of every protocol as standard data sets, tested by one contract for all of them."""

import json
import re
import shutil
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from builders import contents
from known import write_bids, write_psych_ds
from long import long_but
from psych_ds_rules import breaches
from standard_studies import FORMULA, HOST, MARKUP, OWNERS, answers_in, exported, read_json, rows_in
from test_bids import ONLY_OWNERS_KNOW, validated

from hype.errors import InputError
from hype.export.kind import Tally
from hype.export.people import session_facts
from hype.protocols.hype.export import JUDGING
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.store.people import list_evaluators
from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import reading_record
from hype.study.studies import AnyStudy

ASKED = ["tidy_comparisons", "tidy_ratings", "tidy_single_ratings", "screened_rankings"]
"""Studies that also asked people about themselves."""


@pytest.fixture(scope="module", params=long_but(["standard_study"], ["standard_study", *ASKED]))
def study(request):
    found: AnyStudy = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def bids(study, tmp_path_factory):
    """A BIDS data set, and the number of answers that the export reported."""
    folder = tmp_path_factory.mktemp("bids") / "dataset"
    return folder, exported(write_bids, study, folder)


@pytest.fixture(scope="module")
def psych_ds(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("psych-ds") / "dataset"
    return folder, exported(write_psych_ds, study, folder)


def answer_of(row: dict[str, str]) -> tuple[str, ...]:
    return row["evaluator"], row["task"], row["block"], row["trial"]


def people_of(study: AnyStudy) -> list[str]:
    with reading_record(study.folder / RECORD_FILE) as engine, engine.connect() as connection:
        return [who.evaluator for who in list_evaluators(connection, simulated=False)]


def test_the_validator_finds_no_error_and_warns_of_what_only_owners_know(bids):
    assert validated(bids[0]) == ([], ONLY_OWNERS_KNOW | {"TOO_FEW_AUTHORS"})


@pytest.mark.parametrize(
    "name",
    long_but(["screened_rankings"], ["standard_study", "tidy_comparisons", "screened_rankings"]),
)
def test_simulated_evaluators_make_a_data_set_of_their_own_without_a_warning(
    name, request, tmp_path
):
    sound = request.getfixturevalue(name)
    own = load_any(Path(shutil.copytree(sound.folder, tmp_path / "study")))
    (own.folder / "dataset.toml").write_text(OWNERS, encoding="utf-8")
    exported(write_bids, own, tmp_path / "dataset", simulated=True)

    assert validated(tmp_path / "dataset") == ([], set())
    assert {row["simulated"] for row in answers_in(tmp_path / "dataset")} == {"true"}
    name = read_json(tmp_path / "dataset" / "dataset_description.json")["Name"]
    assert name.startswith("SIMULATED: ")


def test_every_answer_is_in_one_table_with_the_images_that_were_shown(study, bids):
    folder, count = bids
    rows, kind = answers_in(folder), protocol_of(study).export_kind(study)
    sides = [image.place.name for image in kind.images]
    answers = Counter(map(answer_of, rows))

    assert len(answers) == count > 0
    assert study.answers == "rankings" or set(answers.values()) == {1}
    assert [name for name in rows[0] if name.endswith("stim_file")] == sides
    shown = {row[i.place.name]: row[i.path] for row in rows for i in kind.images}
    assert set(contents(folder / "stimuli")) - {"LICENSE"} == {*shown, "manifest.csv"}
    for place, image in shown.items():
        original = (study.stimuli_folder / image).read_bytes()
        assert (folder / "stimuli" / place).read_bytes() == original
    tasks = {f"task-{kind.labels[row['task']]}_beh.json" for row in rows}
    assert {path.name for path in folder.glob("task-*")} == tasks


def test_everybody_is_listed_with_how_much_they_did(study, bids):
    folder, count = bids
    people = rows_in(folder / "participants.tsv")
    sessions = [row for path in folder.glob("sub-*/*_sessions.tsv") for row in rows_in(path)]
    answered = protocol_of(study).export_kind(study).answered.name
    scored = Counter(
        row["evaluator"]
        for row in {answer_of(row): row for row in answers_in(folder)}.values()
        if row["excluded"] == "n/a"
    )

    assert [row["evaluator"] for row in people] == people_of(study)
    assert sum(int(row[study.answers]) for row in people) == count
    assert sum(int(row[answered]) for row in sessions) == count
    assert {row["evaluator"]: int(row["scored"]) for row in people} == {
        who: scored[who] for who in people_of(study)
    }
    assert all(row["scored"] == "0" for row in people if row["not_scored"] != "n/a")


@pytest.mark.parametrize("name", ASKED)
def test_what_people_said_of_themselves_is_told_as_it_was_asked(name, request, tmp_path):
    folder = tmp_path / "dataset"
    people = people_in(request.getfixturevalue(name), folder)
    about = read_json(folder / "participants.json")["about_age"]
    withheld = "P1" if "P1" in people else "p1"

    assert {row["about_age"] for row in people.values()} <= {"'=young", "'NA", "old", "n/a"}
    assert any(row["about_age"] != "n/a" for row in people.values())
    assert people[withheld]["about_age"] == "n/a"
    assert people["unwilling"]["about_age"] == "n/a", "not asked"
    assert "How old are you?" in about["Description"]
    assert {"'=young", "'NA"} <= set(about["Levels"])


def test_what_was_asked_is_said(study, bids):
    folder, count = bids
    told = (folder / "README.md").read_text(encoding="utf-8")
    assert f"{count} {study.answers}" in told
    for path in folder.glob("task-*"):
        sidecar: Any = read_json(path)
        assert sidecar["TaskDescription"] in told
        assert sidecar["Instructions"]
        assert "{question}" not in sidecar["Instructions"]
        assert study.answers == "judgements" or "judg" not in told + json.dumps(sidecar)


def test_nothing_breaks_the_rules_of_psych_ds_and_everything_is_in_it(study, psych_ds):
    folder, count = psych_ds
    tables = [rows_in(path) for path in sorted(folder.glob("data/*_task-*.csv"))]
    (people,) = (rows_in(path) for path in folder.glob("data/*-evaluators_data.csv"))
    (sat,) = (rows_in(path) for path in folder.glob("data/*-sessions_data.csv"))
    answered = protocol_of(study).export_kind(study).answered.name

    assert breaches(folder) == []
    assert len({answer_of(row) for rows in tables for row in rows}) == count
    assert all(len({row["evaluator"] for row in rows}) == 1 for rows in tables)
    assert [row["evaluator"] for row in people] == people_of(study)
    assert sum(int(row[answered]) for row in sat) == count
    analysis = (folder / "analysis" / "README.md").read_text(encoding="utf-8")
    assert f"{study.answers}.csv" in analysis


# Columns that only one protocol has in its table of people


def people_in(study: AnyStudy, folder: Path) -> dict[str, dict[str, str]]:
    exported(write_bids, study, folder)
    return {row["evaluator"]: row for row in rows_in(folder / "participants.tsv")}


def test_comparisons_say_who_looked(tidy_comparisons, tmp_path):
    people = people_in(tidy_comparisons, tmp_path / "dataset")
    (table,) = (tmp_path / "dataset").glob("sub-p4/ses-01/beh/*_task-comparison_beh.tsv")
    looked = ("validation", "validation_correct", "not_scored")

    assert [people["failing"][name] for name in looked] == ["4", "2", "failed-validation"]
    assert [people["p1"][name] for name in looked] == ["4", "3", "n/a"]
    assert people["p-1"]["sessions"] == "2"
    # Validation trials keep their numbers in the session.
    assert [row["trial"] for row in rows_in(table)] == [str(n) for n in range(1, 17)]
    assert Counter(r["task"] for r in rows_in(table)) == {"comparison": 12, "validation": 4}


def test_rankings_say_who_checks_and_who_failed(screened_rankings, tmp_path):
    people = people_in(screened_rankings, tmp_path / "dataset")
    ranked = Counter(answer_of(r) for r in answers_in(tmp_path / "dataset") if r["rank"] != "n/a")

    assert {who: row["not_scored"] for who, row in people.items()} == {
        "p-1": "failed-screening",
        "p1": "failed-screening",
        "p2": "n/a",
        "unwilling": "declined",
        "unfinished": "unfinished",
        "check1": "checker",
    }
    assert [who for who, row in people.items() if row["checker"] == "true"] == ["check1"]
    assert set(ranked.values()) == {4}, "a row for each image"


# The study of judgements with its monitor and its licence, in both formats

WRITE = {"bids": write_bids, "psych-ds": write_psych_ds}


@pytest.fixture(scope="module", params=WRITE)
def form(request, standard_study, tmp_path_factory):
    """Return the function that writes a format, and a data set that it wrote."""
    folder = tmp_path_factory.mktemp(request.param) / "dataset"
    exported(WRITE[request.param], standard_study, folder)
    return WRITE[request.param], folder


def test_everybody_and_every_session_is_listed(form):
    _, folder = form
    (people,) = [*folder.glob("participants.tsv"), *folder.glob("data/*-evaluators_data.csv")]
    sat = [*sorted(folder.glob("sub-*/*_sessions.tsv")), *folder.glob("data/*-sessions_data.csv")]
    sessions = [row for path in sat for row in rows_in(path)]

    assert [(r["evaluator"], r["status"], r["sessions"]) for r in rows_in(people)] == [
        *(("p-01", "complete", "2"), ("p01", "complete", "1"), ("P01", "complete", "1")),
        *(("unfit", "unqualified", "1"), ("unfinished", "active", "1")),
        ("unwilling", "declined", "1"),
    ]
    not_scored = [row["not_scored"] for row in rows_in(people)]
    assert not_scored[3:] == ["unqualified", "unfinished", "declined"]
    assert {(r["refresh_hz"], r["screen_px"]) for r in sessions} == {("60.0", "1920 x 1080")}
    assert not [name for name in contents(folder) if "unwilling" in name and "_task-" in name]


def test_no_text_is_a_formula_and_no_machine_is_named(form):
    _, folder = form
    rows = answers_in(folder)

    assert {row["condition"] for row in rows} == {f"'{FORMULA}", "good"}
    assert MARKUP in {row["image"] for row in rows}
    for table in (*folder.rglob("*.tsv"), *folder.rglob("*.csv")):
        cells = {cell for row in rows_in(table) for cell in row.values()}
        assert not [cell for cell in cells if re.match(r'[=+@"]|-[^0-9]', cell)]
    assert not [name for name, content in contents(folder).items() if HOST.encode() in content]


def test_a_folder_is_new_or_empty_and_its_owners_alone(form, standard_study, tmp_path):
    write, folder = form
    (tmp_path / "empty").mkdir()
    exported(write, standard_study, tmp_path / "empty")
    assert contents(tmp_path / "empty") == contents(folder), "the same data, the same bytes"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}

    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for place, said in (
        (tmp_path, "is not empty; a folder that is new or empty"),
        (tmp_path / "file", "is not a folder"),
        (tmp_path / "file" / "below", "cannot be"),
    ):
        with pytest.raises(InputError, match=said):
            exported(write, standard_study, place)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_owners_say_who_made_the_data_and_who_may_use_them(standard_study, tmp_path):
    own = load_any(Path(shutil.copytree(standard_study.folder, tmp_path / "study")))
    (own.folder / "dataset.toml").write_text(OWNERS, encoding="utf-8")
    exported(write_psych_ds, own, tmp_path / "dataset")
    about = read_json(tmp_path / "dataset" / "dataset_description.json")

    assert breaches(tmp_path / "dataset") == []
    assert [author["name"] for author in about["author"]] == ["A. Author", "B. Author"]
    assert about["license"] == "CC0"
    for text, problem in (
        ('author = ["A"]', r"dataset\.toml: author: .*known keys: authors, license"),
        ("authors = 1", r"dataset\.toml: authors: "),
        ("authors = ", r"dataset\.toml: cannot be read: "),
        ("license = ''", r"dataset\.toml: license: "),
    ):
        (own.folder / "dataset.toml").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            exported(write_psych_ds, own, tmp_path / "other")
        assert not (tmp_path / "other").exists()


def test_a_column_means_the_same_in_every_table(standard_study):
    with (
        reading_record(standard_study.folder / RECORD_FILE) as engine,
        engine.connect() as connection,
    ):
        people = JUDGING.people(connection, standard_study, Tally(), False)
        facts = (*people, *session_facts(JUDGING, Tally()))
    columns = (*JUDGING.columns, *(fact.column for fact in facts))
    meanings = {(column.name, column.meaning) for column in columns}

    assert len(meanings) == len({name for name, _ in meanings})
