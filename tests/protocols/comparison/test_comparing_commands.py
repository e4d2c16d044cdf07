"""Checking, following, verifying and forgetting in a study of comparisons, as it is seen."""

import io
import shutil
import sys
from pathlib import Path

import pytest
from compared_studies import compared_study
from paper_comparer import compared_soundly
from paper_station import rows_of
from sqlalchemy import update
from verified_records import damage

from hype.protocols.comparison.record import comparisons
from hype.protocols.load import load_any
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import demographics, evaluators, removals


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return compared_soundly(tmp_path_factory.mktemp("made")).folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    return Path(shutil.copytree(made, tmp_path / "study"))


def test_check_says_what_is_compared_and_how_often(tmp_path, hype):
    done = hype("check", "--no-display", compared_study(tmp_path, files=True).folder)
    said = [" ".join(line.split()) for line in done.out.splitlines()]

    assert done.code == 0
    assert "prompts 2; 4 images of a condition take part in all" in said
    assert "comparisons 24, 12 a prompt; 3 pairs of 3 conditions" in said
    assert "votes 144, 48 a pair of conditions" in said
    assert "evaluators 6 in 1 share" in said
    assert any("votes a pair tell a win rate of 55.0% from 50%" in line for line in said)
    assert any(line.startswith("warning ") and "gets 48 votes" in line for line in said)
    assert said[-1] == "Ready."


def test_check_of_an_arena(tmp_path, hype):
    study = compared_study(
        tmp_path, files=True, comparison={"arena": {"most_votes": 960, "images": "fixed"}}
    )
    done = hype("check", "--no-display", study.folder)
    said = [" ".join(line.split()) for line in done.out.splitlines()]

    assert "arena adaptive pairs, until the best is known or 960 votes" in said
    assert "evaluators 40 at most" in said
    assert "warning" not in done.out


def test_verify_says_how_many_comparisons_were_checked(folder, hype):
    done = hype("verify", folder)
    with reading_record(folder / RECORD_FILE) as engine:
        number = len(rows_of(engine, comparisons))
    damage_one(folder)
    wrong = hype("verify", folder)

    assert done.code == 0
    assert done.out.splitlines()[0] == (
        f"data.sqlite: 5 people and 2 simulated evaluators, {number} comparisons: all as planned."
    )
    assert wrong.code == 1
    assert "(unlike-replay)" in wrong.out
    told = hype("verify", folder, "--json").json
    assert (told["judgements"], told["comparisons"]) == (0, number)


def damage_one(folder: Path) -> None:
    damage(load_any(folder), update(comparisons).where(comparisons.c.id == 4).values(prompt="x"))


def test_forgetting_takes_comparisons_and_what_they_said_of_themselves(folder, hype):
    with reading_record(folder / RECORD_FILE) as engine:
        before = len(rows_of(engine, comparisons)), len(rows_of(engine, demographics))
    done = hype("forget", folder, "p04", "--yes")
    with reading_record(folder / RECORD_FILE) as engine:
        after = len(rows_of(engine, comparisons)), len(rows_of(engine, demographics))
        left = [row.evaluator for row in rows_of(engine, evaluators)]
        (note,) = rows_of(engine, removals)

    gone = before[0] - after[0]
    assert f"p04 was removed from compared: 3 sessions, {gone} comparisons." in done.out
    assert before[1] - after[1] == 2
    assert "p04" not in left
    assert (note.judgements, note.methods, note.condition) == (gone, "comparison", "")
    verified = hype("verify", folder)
    assert verified.code == 0
    assert f"data of 1 person were removed on request ({gone} answers)" in verified.out
    assert hype("status", folder, "--json").json["whole"]["complete"] == 2
