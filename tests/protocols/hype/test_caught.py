"""Catch trials from plan to record, and from there to verification and pay."""

import shutil
from collections import Counter

import pytest
from builders import obvious_set, whole_study
from known import look, verify_record
from paper_station import record_of, rows_of, sit
from verified_records import TickingStation, faults_of

from hype.errors import InputError
from hype.protocols.hype.checks import check_study
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import Task
from hype.protocols.load import load_study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation

METHODS = ["time", "infinity"]
BOTH = {"methods": METHODS, "evaluator_does": "all-methods", "evaluators": 1}
MORE = {"": 20, "crude": 20, "good": 20}


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study in which p01 paused in the middle of a block, and was wrong on each catch trial."""
    folder = tmp_path_factory.mktemp("caught")
    obvious_set(folder / "obvious", 6)
    study = whole_study(
        folder,
        MORE,
        study=BOTH,
        catch={"trials": 4, "stimuli": "obvious"},
        timing={"spoiled_trials": "repeat"},
    )
    looks = {
        "answers_correctly": lambda trial, _: trial.task is not Task.CATCH,
        "spoils": lambda trial, _: bool(trial.exposure_ms) and trial.number < 4,
    }
    with record_of(study) as engine:
        assert sit(engine, study, "p01", TickingStation(stops_at=17, **looks)) == "quit"
        later = TickingStation(now_s=9_000.0, **looks)
        assert sit(engine, study, "p01", later) == "complete"
        list(Simulation(engine, course_of(study), seed=3).come(2))
    return study


def test_the_staircase_does_not_hear_of_them(caught):
    """Everything else is right: the exposure falls as if the wrong answers had not been given."""
    with record_of(caught) as engine:
        rows = [row for row in rows_of(engine, judgements) if not row.simulated]
    timed = [row.exposure_ms for row in rows if row.task == "time"]
    shown = [row for row in rows if row.task == "catch"]

    assert Counter(row.task for row in rows)["catch"] == 12
    assert {500.0, 470.0} <= set(timed) <= {500.0, 470.0, 440.0}
    assert [row.exposure_ms for row in shown] == [1000.0] * 8 + [None] * 4
    assert {row.repeats for row in shown} == {None}
    assert all(row.image.startswith("catch/") for row in shown)


def test_their_record_is_sound_and_their_files_are_looked_at(caught, tmp_path):
    assert faults_of(verify_record(caught)) == set()
    study = load_study(shutil.copytree(caught.folder, tmp_path / "study"))
    for image in (study.folder / "obvious" / "real").iterdir():
        image.unlink()

    assert {code for _, code in faults_of(verify_record(study))} == {"image-missing"}


def test_right_ones_are_paid_and_none_is_scored(caught):
    with record_of(caught) as engine:
        rows = [row for row in rows_of(engine, judgements) if row.simulated and row.task == "catch"]
    (p01,) = look(caught, simulated=False).facts["evaluators"]
    simulated = look(caught, simulated=True).facts["evaluators"]
    scored = sum(one["correct"] * one["answers"] for one in simulated)
    right = sum(row.correct for row in rows)

    assert p01["correct"] == 1
    assert p01["bonus"] == pytest.approx(0.02 * p01["answers"])
    assert right > 0
    assert sum(one["bonus"] for one in simulated) == pytest.approx(0.02 * (scored + right))


def test_check_looks_at_them(tmp_path):
    obvious_set(tmp_path / "obvious", 2)
    study = whole_study(tmp_path, MORE, catch={"trials": 4, "stimuli": "obvious"})
    (tmp_path / "obvious/real/000.png").unlink()
    (tmp_path / "obvious/fake/plain/001.png").write_bytes(b"another")
    found = {one.code: one.message for one in check_study(study).findings}

    assert "obvious: has 2 real images, and one evaluator needs 4" in found["too-few-images"]
    assert "obvious/real/000.png" in found["image-missing"]
    assert "obvious/fake/plain/001.png" in found["image-changed"]


def test_an_image_is_not_judged_and_obvious_at_once(tmp_path):
    study = whole_study(tmp_path, MORE, catch={"trials": 2, "stimuli": "stimuli"})
    with pytest.raises(
        InputError, match=r"catch.stimuli: 'catch/fake/crude/000.png' \(fake\) is an image"
    ):
        read_pools(study)
