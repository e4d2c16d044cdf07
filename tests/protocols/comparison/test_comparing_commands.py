"""Checking, following, verifying and forgetting in a study of comparisons, as it is seen."""

from __future__ import annotations

import io
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compared_studies import compared_study, simulate
from paper_comparer import PaperComparer, compare, compared_soundly, small_study
from paper_station import record_of, rows_of
from sqlalchemy import update
from verified_records import damage

from hype.protocols.comparison.rows import comparisons
from hype.protocols.load import load_any
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import demographics, evaluators, removals

if TYPE_CHECKING:
    from running import Program


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compared_soundly(tmp_path_factory.mktemp("made")).folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    return Path(shutil.copytree(made, tmp_path / "study"))


def test_check_says_what_is_compared_and_how_often(tmp_path: Path, hype: Program) -> None:
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


def test_check_of_an_arena(tmp_path: Path, hype: Program) -> None:
    study = compared_study(
        tmp_path, files=True, comparison={"arena": {"most_votes": 960, "images": "fixed"}}
    )
    done = hype("check", "--no-display", study.folder)
    said = [" ".join(line.split()) for line in done.out.splitlines()]

    assert "arena adaptive pairs, until the best is known or 960 votes" in said
    assert "evaluators 40 at most" in said
    assert "warning" not in done.out


def test_status_for_programs(folder: Path, hype: Program) -> None:
    told = hype("status", folder, "--json").json

    assert list(told) == [
        *("study", "simulated", "method", "stimuli_problem", "shares", "whole", "pairs", "arena"),
        *("answers", "validation", "remaining", "evaluators"),
        *("base_due", "bonus_due", "pay_due", "currency", "version", "versions", "agreement"),
    ]
    assert told["method"] == "comparison"
    assert [one["share"] for one in told["shares"]] == [1, 2]
    assert told["whole"] | {"votes": 0} == {
        "wanted": 4,
        "complete": 3,
        "active": 1,
        "left": 0,
        "declined": 1,
        "full": 0,
        "left_out": 0,
        "needed": 1,
        "votes": 0,
    }
    assert told["arena"] is None
    assert [pair["wanted"] for pair in told["pairs"]] == [16, 16, 16]
    assert told["validation"]["evaluators_failed"] == 1
    by_code = {one["evaluator"]: one for one in told["evaluators"]}
    assert by_code["p03"]["pay"] == 0
    assert by_code["p01"]["share"] in (1, 2)
    assert by_code["p04"]["passed"] is False
    assert told["whole"]["votes"] == sum(one["votes"] for one in told["evaluators"])
    assert told["pay_due"] == round(sum(one["pay"] for one in told["evaluators"]), 2)


def test_status_for_people(folder: Path, hype: Program) -> None:
    said = hype("status", folder).out

    places = [said.index(text) for text in ("Share", "Votes:", "Answers:", "Pay due:", "p01")]
    assert places == sorted(places)
    assert "1 of 4 evaluators below 75%" in said
    assert "Still needed: 1 to finish, 1 begun" in said
    assert "Qualification" not in said
    assert max(len(line.rstrip()) for line in said.splitlines()) <= 80


def test_status_of_an_arena(tmp_path: Path, hype: Program) -> None:
    study = small_study(tmp_path, arena=True)
    with record_of(study) as engine:
        compare(engine, study, "p01", PaperComparer())
    said = hype("status", study.folder).out
    simulate(study, 9)
    done = hype("status", study.folder, "--simulated").out

    assert "Arena: the top is not known yet; 12 of at most 60 votes" in said
    assert re.search(r"Arena: .*; nobody more is needed", " ".join(done.split()))
    assert "SIMULATED EVALUATORS" in done


def test_verify_says_how_many_comparisons_were_checked(folder: Path, hype: Program) -> None:
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
    assert "(prompt-unlike-plan)" in wrong.out
    told = hype("verify", folder, "--json").json
    assert (told["judgements"], told["comparisons"]) == (0, number)


def damage_one(folder: Path) -> None:
    damage(load_any(folder), update(comparisons).where(comparisons.c.id == 4).values(prompt="x"))


def test_forgetting_takes_comparisons_and_what_they_said_of_themselves(
    folder: Path, hype: Program
) -> None:
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
    assert f"data of 1 person were removed on request ({gone} comparisons)" in verified.out
    assert hype("status", folder, "--json").json["whole"]["complete"] == 2
