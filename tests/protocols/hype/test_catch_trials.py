"""Catch trials: their images, their places, and the trials that they do not change."""

import shutil
from collections import Counter
from dataclasses import replace

import pytest
from builders import obvious_set, pools_of, settings_of, stimulus, whole_study
from hypothesis import given
from hypothesis import strategies as st
from known import look, verify_record
from paper_station import record_of, rows_of, sit
from verified_records import TickingStation, faults_of

from hype.errors import InputError
from hype.protocols.hype.checks import check_study
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.record import judgements
from hype.protocols.hype.sampling import Pools, plan_session, spread
from hype.protocols.hype.settings import Study, StudyFile
from hype.protocols.hype.trial import SessionPlan, Task
from hype.protocols.load import load_study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.stimuli.manifest import Truth
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence

CATCH = {"trials": 4, "stimuli": "obvious"}


def with_obvious(number: int = 6) -> Pools:
    images = {
        Truth.REAL: tuple(replace(stimulus(n), path=f"catch/real/{n}.png") for n in range(number)),
        Truth.FAKE: tuple(stimulus(n, "plain") for n in range(number)),
    }
    return replace(pools_of(), catch=images)


def plan_of(settings: StudyFile, pools: Pools, *methods: str) -> SessionPlan:
    cell = Cell(condition="good", methods=methods or ("time",))
    who = Assignment(evaluator="p01", cell=cell, left_means="real")
    return plan_session(settings, pools, who)


def test_each_scored_block_has_them_half_real_and_nothing_is_shown_twice():
    both = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
    settings = settings_of(catch=CATCH, study=both)
    plan = plan_of(settings, with_obvious(), "time", "infinity")
    caught = [block.catch for block in plan.blocks if block.catch]

    assert [(b.task, b.number) for b in plan.blocks if b.catch] == [
        (Task.TIME, 1),
        (Task.TIME, 2),
        (Task.INFINITY, 1),
    ]
    assert [one.number for one in caught] == [1, 2, 3]  # each trial of the session has its own name
    assert [one.exposure_ms for one in caught] == [1000.0, 1000.0, None]
    assert [len(set(row)) for one in caught for row in one.masks] == [4] * 8
    shown = [s for one in caught for s in one.stimuli]
    assert len({s.sha256 for s in shown}) == 12
    assert [sum(s.truth is Truth.REAL for s in one.stimuli) for one in caught] == [2, 2, 2]


def test_all_other_trials_are_those_of_the_study_without():
    without = plan_of(settings_of(), pools_of())
    plan = plan_of(settings_of(catch=CATCH), with_obvious())
    stripped = replace(plan, blocks=tuple(replace(b, catch=None) for b in plan.blocks))

    assert stripped.blocks == without.blocks
    assert stripped.checksum() == without.checksum() != plan.checksum()
    assert plan.minutes >= without.minutes


def test_the_checksum_tells_of_where_and_what_they_are():
    plan = plan_of(settings_of(catch=CATCH), with_obvious())
    *others, block = plan.blocks
    assert block.catch
    changes = (
        {"places": tuple(place + 1 for place in block.catch.places)},
        {"stimuli": block.catch.stimuli[::-1]},
        {"exposure_ms": 900.0},
    )
    for change in changes:
        other = replace(block, catch=replace(block.catch, **change))
        assert replace(plan, blocks=(*others, other)).checksum() != plan.checksum()


@given(st.integers(1, 40), st.integers(0, 200), st.integers(0, 2**32))
def test_they_stand_one_in_each_part_of_a_block(number, others, seed):
    draws = Draws(seed_sequence(seed, "p01", Purpose.CATCH))
    places = spread(number, number + others, draws)

    total = number + others
    for part, place in enumerate(places):
        assert part * total // number < place <= (part + 1) * total // number


def test_too_few_of_them_are_named():
    settings = settings_of(catch=CATCH)
    with pytest.raises(InputError, match="has 3 real images, but one evaluator needs 4"):
        plan_of(settings, with_obvious(3))


def test_trials_need_a_set_of_images():
    with pytest.raises(ValueError, match="stimuli is missing"):
        settings_of(catch={"trials": 4})


METHODS = ["time", "infinity"]


BOTH = {"methods": METHODS, "evaluator_does": "all-methods", "evaluators": 1}


MORE = {"": 20, "crude": 20, "good": 20}


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study in which p01 stopped and returned in a block, and missed every catch trial."""
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
        list(Simulation(engine, course_of(study), seed=3).simulate_some(2))
    return study


def test_the_staircase_does_not_hear_of_them(caught):
    """All other answers are correct: the exposure falls as if there were no catch trials."""
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

    assert {code for _, code in faults_of(verify_record(study))} == {"image-changed"}


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

    assert "obvious: has 2 real images, but one evaluator needs 4" in found["too-few-images"]
    assert "obvious/real/000.png" in found["image-missing"]
    assert "obvious/fake/plain/001.png" in found["image-changed"]


def test_an_image_is_not_judged_and_obvious_at_once(tmp_path):
    study = whole_study(tmp_path, MORE, catch={"trials": 2, "stimuli": "stimuli"})
    with pytest.raises(
        InputError, match=r"catch.stimuli: 'catch/fake/crude/000.png' \(fake\) is also an image"
    ):
        read_pools(study)
