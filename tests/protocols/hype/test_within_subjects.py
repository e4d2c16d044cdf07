"""Evaluators who judge several conditions, from the study file to the record and exports."""

import shutil
from collections import Counter
from typing import Any

import pytest
from builders import named_study, obvious_set, settings_of, whole_study
from known import look, verify_record
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit
from sqlalchemy import update
from verified_records import damage, faults_of

from hype.errors import InputError
from hype.protocols.hype.checks import check_study
from hype.protocols.hype.counterbalancing import conditions_of_cell
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.record import KEPT, judgements
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.protocols.registry import course_of
from hype.session.enrol import assignment_of
from hype.session.outgoing import read_answers
from hype.session.simulate import Simulation

COUNTS = {"": 60, "crude": 26, "fine": 26, "good": 26}
TWO: dict[str, Any] = {
    "study": {
        "methods": ["time", "infinity"],
        "evaluator_does": "all-methods",
        "conditions_each": 2,
        "evaluators": 2,
    },
    "qualification": {"pass_rate": 0.5},
}


def codes(study: Study) -> set[str]:
    return {finding.code for finding in check_study(study).findings}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study in which p01 stopped in the second condition and returned, and simulated people."""
    folder = tmp_path_factory.mktemp("served")
    obvious_set(folder / "obvious", 12)
    study = whole_study(folder, COUNTS, **TWO, catch={"trials": 2, "stimuli": "obvious"})
    with record_of(study) as engine:
        assert sit(engine, study, "p01", PaperStation(stops_at=33)) == "quit"
        assert sit(engine, study, "p01", PaperStation()) == "complete"
        list(Simulation(engine, course_of(study), seed=3).fill(1))
    return study


def test_a_session_has_the_blocks_of_one_condition_after_the_other(served):
    with record_of(served) as engine:
        (who,) = evaluators_of(engine)
        rows = [row for row in rows_of(engine, judgements) if not row.simulated]
    blocks = dict.fromkeys((row.task, row.block, row.condition) for row in rows)
    first, second = dict.fromkeys(row.condition for row in rows)

    assert (who.condition, who.share) == ("", 1)
    assert [one for one in blocks if one[0] != "catch"] == [
        *(("practice", 1, first), ("qualification", 1, first), ("practice", 2, first)),
        *(("time", 1, first), ("time", 2, first), ("time", 3, second), ("time", 4, second)),
        *(("infinity", 1, first), ("infinity", 2, second)),
    ]
    for row in rows:
        assert row.task not in ("time", "infinity") or row.source in ("", row.condition)


def test_nobody_sees_an_image_twice(served):
    with record_of(served) as engine:
        rows = rows_of(engine, judgements)
    seen = Counter((row.evaluator_id, row.image_sha256) for row in rows)

    assert {*seen.values()} == {1}


def test_pictures_of_two_conditions_are_shown_to_nobody(tmp_path):
    study = named_study(tmp_path, COUNTS, **TWO)
    manifest = study.stimuli_folder / "manifest.csv"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    of = {line.split(",")[0]: line.rsplit(",", 1)[1] for line in lines}
    shared = of["fake/good/003.png"]
    text = "\n".join(lines).replace(of["fake/fine/004.png"], shared) + "\n"
    manifest.write_text(text.replace(of["fake/crude/007.png"], of["fake/crude/008.png"]))

    pools = HypeCourse(study).pools

    assert {name: len(some) for name, some in pools.fake.items()} == {
        "crude": 25,
        "fine": 25,
        "good": 25,
    }
    assert shared not in {image.sha256 for some in pools.fake.values() for image in some}


def test_every_condition_is_served_equally_often_with_both_keys(tmp_path):
    changed = {"study": TWO["study"] | {"evaluators": 8}, "qualification": {"enabled": False}}
    study = named_study(tmp_path, COUNTS, **changed)
    with record_of(study) as engine:
        came = list(Simulation(engine, course_of(study), seed=3).fill(1))
        people = evaluators_of(engine, simulated=True)
    facts = look(study, simulated=True).facts
    names = tuple(HypeCourse(study).pools.fake)
    served = [conditions_of_cell(study.settings, names, assignment_of(one).cell) for one in people]
    keys = Counter(
        (name, who.left_means) for who, some in zip(people, served, strict=True) for name in some
    )
    firsts = Counter(some[0] for some in served)

    assert len(came) == 12
    assert keys == {(name, key): 4 for name in COUNTS if name for key in ("real", "fake")}
    assert {*firsts.values()} == {4}
    assert (facts["whole"]["wanted"], facts["whole"]["needed"]) == (12, 0)


def test_who_is_turned_away_leaves_their_place_to_the_next(tmp_path):
    study = whole_study(tmp_path, COUNTS, **TWO)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", PaperStation(consents=False)) == "declined"
        sit(engine, study, "p02", PaperStation(stops_at=3))
        sit(engine, study, "p03", PaperStation(stops_at=3))
        people = evaluators_of(engine)

    assert [one.share for one in people] == [1, 1, 2]
    assert people[0].left_means == people[1].left_means


def test_another_condition_than_planned_is_found(served, tmp_path):
    shutil.copytree(served.folder, tmp_path / "served")
    study = load_study(tmp_path / "served")
    damage(study, update(judgements).where(judgements.c.id == 9).values(condition="good"))
    damage(study, update(judgements).where(judgements.c.id == 10).values(condition="fine"))

    assert {code for _, code in faults_of(verify_record(study))} == {"unlike-replay"}


def test_too_few_images_are_refused(tmp_path):
    study = named_study(tmp_path, {**COUNTS, "": 20}, **TWO)

    with pytest.raises(InputError, match=r"20 images of 'real', but one evaluator needs 23") as e:
        course_of(study).require_enough()
    assert "conditions_each" in str(e.value)


def test_a_number_that_ends_within_a_square_is_warned_of(tmp_path):
    study = whole_study(tmp_path, COUNTS, study=TWO["study"] | {"evaluators": 3})

    assert "unevenly-served" in codes(study)
    assert check_study(study).facts["evaluators"] == 5


def test_a_study_that_evaluates_nothing_serves_nothing():
    with pytest.raises(ValueError, match="for studies that evaluate conditions"):
        settings_of(study={"methods": ["qualification"], "conditions_each": 2})


def test_answers_leave_with_the_condition_that_they_are_of(served):
    with record_of(served) as engine:
        names = ("evaluator", "condition", "task", "block")
        rows = [*read_answers(KEPT, engine, simulated=True, columns=names)]
    timed = [row for row in rows if row[2] == "time"]

    assert Counter(row[1] for row in timed) == {"crude": 24, "fine": 24, "good": 24}
    assert all(row[1] for row in rows)
