"""`hype verify`: its output and exit codes."""

from pathlib import Path

import pytest
from builders import named_study
from sqlalchemy import not_, update
from verified_records import damage, sound_study

from hype.cli import verify as cli
from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.store.record import RECORD_FILE


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return sound_study(tmp_path / "study")


def of(number: int):
    return update(judgements).where(judgements.c.id == number)


EVERYTHING_WRONG = update(judgements).values(
    correct=not_(judgements.c.correct), rt_ms=-1.0, image="x"
)


def test_a_sound_record_is_as_planned(study, hype):
    done = hype("verify", study.folder)
    first, *notes = done.out.splitlines()

    assert done.code == 0
    assert first == (
        "data.sqlite: 5 people and 3 simulated evaluators, 144 judgements: all as planned."
    )
    assert notes
    assert all(line.startswith("note   p0") for line in notes)


def test_a_fault_is_printed_with_whom_it_concerns(study, hype):
    damage(study, of(3).values(rt_ms=-5.0))
    done = hype("verify", study.path)
    first, second, *_ = done.out.splitlines()

    assert done.code == 1
    assert first.endswith(": 1 fault.")
    assert second == (
        "fault  p01: qualification block 1 trial 1: rt_ms is -5.0; it must be a number, 0 or more "
        "(cell-impossible)"
    )


def test_json_holds_each_fault_and_note(study, hype):
    damage(study, of(3).values(rt_ms=-5.0), of(4).values(rt_ms=-5.0))
    done = hype("verify", study.folder, "--json")

    assert done.code == 1
    assert done.json["study"] == str(study.path)
    assert done.json["record"] == str(study.folder / RECORD_FILE)
    assert done.json["sound"] is False
    assert done.json["evaluators"] == {"people": 5, "simulated": 3}
    assert done.json["judgements"] == 144
    assert done.json["faults"] == [
        {
            "code": "cell-impossible",
            "evaluator": "p01",
            "simulated": False,
            "message": f"qualification block 1 trial {n}: rt_ms is -5.0; it must be a number, 0 or "
            "more",
        }
        for n in (1, 2)
    ]
    assert {note["code"] for note in done.json["notes"]} == {"trial-interrupted"}
    assert done.json["found"] == {"faults": 2, "notes": len(done.json["notes"])}


def test_many_faults_are_few_lines(study, hype):
    damage(study, EVERYTHING_WRONG)
    done = hype("verify", study.folder)
    lines = [line for line in done.out.splitlines() if line.startswith("fault")]

    assert done.code == 1
    assert ": 432 faults." in done.out.splitlines()[0]
    assert len(lines) < 30
    assert sum("more like it" in line for line in lines) == len(lines)


def test_json_says_how_many_it_does_not_list(study, hype, monkeypatch):
    monkeypatch.setattr(cli, "MOST_LISTED", 10)
    damage(study, EVERYTHING_WRONG)
    done = hype("verify", study.folder, "--json")

    assert len(done.json["faults"]) == 10
    assert done.json["found"]["faults"] == 432


def test_without_a_record_or_a_study_it_is_wrong_input(tmp_path, hype):
    study = named_study(tmp_path / "study")

    assert "there is no record yet" in hype("verify", study.folder).refused()
    assert "there is no such study" in hype("verify", tmp_path / "elsewhere").refused()


@pytest.mark.parametrize("content", [b"not a database at all" * 99, b"\0" * 4096])
def test_a_file_that_is_no_record_is_wrong_input(content, tmp_path, hype):
    study = named_study(tmp_path)
    (study.folder / RECORD_FILE).write_bytes(content)

    assert str(study.folder / RECORD_FILE) in hype("verify", study.folder).refused()
