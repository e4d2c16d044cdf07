"""Qualification: images of the test, passes in other studies, and people who are refused."""

from collections.abc import Mapping
from pathlib import Path
from time import time
from typing import Any

import pytest
from admitted import admit
from builders import named_images, named_study, noise, stimulus_set, whole_study, write_study
from known import verify_record
from paper_station import PaperStation, evaluators_of, record_of, sit
from sqlalchemy import update
from verified_records import TickingStation, attend, faults_of

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.checks import check_study, simulate_tests
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.observer import Population, Psychometric
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import Task
from hype.protocols.load import load_study
from hype.session.enrol import Enrolled
from hype.session.simulate import Simulation
from hype.session.stage import load_picture
from hype.session.steps import Page
from hype.stimuli.collection import scan

ONE = {"": 14, "crude": 14}


TWO = {"": 14, "crude": 14, "good": 14}


OLD = {"": 5, "old": 4, "older": 4}


POOL: dict[str, Any] = {"study": {"methods": ["qualification"]}, "masks": None}


DAY_S = 86_400.0


def study_in(tmp_path: Path, name: str, counts: Mapping[str, int] = TWO, **changes: Any) -> Study:
    """Write a study into a workspace, so that studies can refer to each other."""
    return named_study(tmp_path / "experiments" / name, counts, **changes)


def tasks_of(study: Study, evaluator: str) -> set[Task]:
    """Let an evaluator take part, and return the tasks of their trials."""
    station = PaperStation()
    with record_of(study) as engine:
        sit(engine, study, evaluator, station)
    return {trial.task for trial, _ in station.rows}


def come(study: Study, evaluator: str) -> Enrolled[Any]:
    with record_of(study) as engine:
        protocol = HypeCourse(study)
        return admit(engine, protocol, evaluator, simulated=False)


def test_a_session_whose_test_has_a_set_of_its_own(tmp_path):
    """The test shows pictures of its own set, even if the study has pictures with these names."""
    study = whole_study(tmp_path, ONE, qualification={"stimuli": "pool"})
    for number, path in enumerate(sorted(stimulus_set(tmp_path / "pool", OLD).rglob("*.png"))):
        noise(5000 + number).save(path)
    scan(tmp_path / "pool")
    study = load_study(tmp_path)
    station = TickingStation()
    with record_of(study) as engine:
        assert attend(engine, study, "p01", station) == ["complete"]

    tested = [trial for trial, _ in station.rows if trial.task is Task.QUALIFICATION]
    assert {t.stimulus.condition for t in tested} == {"", "old", "older"}
    for trial in tested:
        (want,) = trial.pictures
        known = load_picture(study, 16, want).convert("L")
        assert known.tobytes() in {
            noise(5000 + number).tobytes() for number in range(sum(OLD.values()))
        }
    assert verify_record(study).sound
    (tmp_path / "pool" / tested[0].stimulus.path.partition("/")[2]).unlink()
    assert faults_of(verify_record(study)) == {("p01", "image-changed")}
    assert [f.code for f in check_study(study).findings] == ["image-missing"]
    for image in (tmp_path / "pool").rglob("*.png"):
        image.unlink(missing_ok=True)
    with pytest.raises(InputError, match=r"images or masks differ from those that 'p01'"):
        come(study, "p02")


def test_a_picture_that_is_real_in_one_set_and_fake_in_the_other_is_refused(tmp_path):
    study = whole_study(tmp_path, ONE, qualification={"stimuli": "pool"})
    for number, path in enumerate(sorted(stimulus_set(tmp_path / "pool", OLD).rglob("*.png"))):
        noise(5000 + number).save(path)
    image = (study.stimuli_folder / "fake" / "crude" / "000.png").read_bytes()
    (tmp_path / "pool" / "real" / "000.png").write_bytes(image)
    scan(tmp_path / "pool")

    with pytest.raises(
        InputError, match=r"real/000\.png' \(real\) is .* \(fake/crude/000\.png, fake\)"
    ):
        HypeCourse(study)


def test_k_images_of_each_model_are_drawn_once_for_everybody(tmp_path):
    names = {"": 60, "crude": 50, "good": 40}
    study = named_study(tmp_path, names, stimuli={"images_per_condition": 14})
    drawn = read_pools(study)
    other = write_study(tmp_path, stimuli={"images_per_condition": 14}, study={"seed": 8})

    assert {name: len(some) for name, some in drawn.sources().items()} == dict.fromkeys(names, 14)
    assert drawn == read_pools(study)
    assert drawn != read_pools(other)
    assert set(drawn.real) < set(read_pools(write_study(tmp_path)).real)
    wanted = write_study(tmp_path, stimuli={"images_per_condition": 41})
    with pytest.raises(InputError, match=r"= 41, but .* has 40 images of 'good'; at most 40"):
        read_pools(wanted)


def test_who_passes_the_test_of_a_pool_is_done_and_paid_the_base(tmp_path):
    pool = study_in(tmp_path, "pool", OLD, **POOL)
    passes, fails = PaperStation(), PaperStation(lambda trial, n: False)
    with record_of(pool) as engine:
        assert sit(engine, pool, "passed", passes) == "complete"
        assert sit(engine, pool, "failed", fails) == "unqualified"
        assert sit(engine, pool, "left", PaperStation(stops_at=4)) == "quit"
    assert passes.page(Page.DEBRIEF).values["shown"] == 6
    assert passes.page(Page.DEBRIEF).values["pay"] == "1.00"  # the base, nothing for the test


def test_who_passed_too_long_ago_is_tested_again(tmp_path):
    pool = study_in(tmp_path, "pool", OLD, **POOL)
    passed = {"fresh": 29.0, "stale": 31.0}
    with record_of(pool) as engine:
        for number, (code, days) in enumerate(passed.items(), start=1):
            sit(engine, pool, code)
            when = judgements.c.evaluator_id == number
            with engine.begin() as connection:
                ago = time() - days * DAY_S
                connection.execute(update(judgements).where(when).values(onset_unix_s=ago))

    rule = {"valid_from": ["../pool"], "valid_days": 30}
    study = study_in(tmp_path, "second", qualification=rule)
    assert Task.QUALIFICATION not in tasks_of(study, "fresh")
    assert Task.QUALIFICATION in tasks_of(study, "stale")


def test_who_is_not_known_where_there_is_nothing_to_test_them_on_is_refused(tmp_path):
    pool = study_in(tmp_path, "pool", OLD, **POOL)
    with record_of(pool) as engine:
        sit(engine, pool, "p01")
    study = study_in(tmp_path, "one", ONE, qualification={"valid_from": ["../pool"]})

    assert Task.QUALIFICATION not in tasks_of(study, "p01")
    with pytest.raises(SessionProblem, match=r"'p02' is not known to have passed .* \.\./pool"):
        tasks_of(study, "p02")
    with record_of(study) as engine:
        assert [who.evaluator for who in evaluators_of(engine)] == ["p01"]
        assert len(list(Simulation(engine, HypeCourse(study), seed=1).simulate_some(2))) == 2


@pytest.mark.parametrize(
    ("counts", "changes", "codes"),
    [
        (TWO, {}, []),
        (ONE, {}, ["qualification-not-held"]),
        (ONE, {"enabled": False}, []),
        (ONE, {"on_own_condition": True}, ["qualification-on-own-condition", "few-qualify"]),
        (ONE, {"stimuli": "pool"}, []),
    ],
)
def test_check_says_whom_the_test_will_select(tmp_path, counts, changes, codes):
    """People hardly recognise the study's only condition, but the test's conditions are easier."""
    rule = {"trials": 100, **changes}
    known = {} if counts is TWO else {"crude": {"ceiling": 0.55}}
    more = {name: number + 60 for name, number in counts.items()}
    study = named_study(tmp_path, more, qualification=rule, observers=known)
    named_images(tmp_path / "pool", {name: number + 60 for name, number in OLD.items()})
    flight = check_study(load_study(study.path))
    found = [f for f in flight.findings if not f.code.startswith(("image", "mask"))]

    assert [finding.code for finding in found] == codes
    for one in flight.facts.get("selection", []):
        expected = (
            {"good": ["crude"], "crude": ["good"]}[one["condition"]]
            if counts is TWO
            else (["old", "older"] if "stimuli" in changes else ["crude"] if codes[1:] else [])
        )
        assert one["tested_on"] == expected
    if codes[1:]:
        assert one["passing"] < 0.1
        assert one["error_passing"] < one["error"] - 0.05


def test_check_knows_what_is_evaluated_by_its_pictures_whatever_the_pool_calls_it(tmp_path):
    named_study(tmp_path, ONE, qualification={"stimuli": "pool"})
    manifest = named_images(tmp_path / "pool", {"": 14, "crude": 5, "old": 14}) / "manifest.csv"
    manifest.write_text(manifest.read_text("utf-8").replace("crude", "other"), encoding="utf-8")
    found = {f.code: str(f) for f in check_study(load_study(tmp_path)).findings}

    assert "has 5 fakes of 'crude'" in found["qualification-on-own-condition"]


def test_a_pool_may_not_have_people_tested_elsewhere(tmp_path):
    with pytest.raises(InputError, match="only apply to studies that also evaluate conditions"):
        write_study(tmp_path, **POOL, qualification={"valid_from": ["x"]})
    with pytest.raises(
        InputError, match=r'study\.methods.*: "qualification" must be the only method'
    ):
        write_study(tmp_path, study={"methods": ["qualification", "time"]})


def selected(*tests, spread=0.3, trials=100, pass_rate=0.65, **ceilings):
    typical = {
        name: Psychometric(
            threshold_ms=200, ceiling=ceiling, lapse=0.0, ceiling_spread=spread, bias_spread=0.0
        )
        for name, ceiling in ceilings.items()
    }
    people = Population(typical=typical)
    return list(simulate_tests(people, tests, trials=trials, pass_rate=pass_rate, seed=1))


def test_a_test_on_what_is_evaluated_lowers_its_score_and_one_on_other_fakes_hardly_does():
    tests = ((["good"], ["good"]), (["good"], []), (["good"], ["crude"]))
    own, none, other = selected(*tests, good=0.6, crude=0.9)

    assert none == {}
    assert own["passing"] < 0.35
    assert own["error"] == other["error"] == pytest.approx(0.4, abs=0.02)
    assert own["error"] - own["error_passing"] > 0.06
    assert other["passing"] > 0.9
    assert other["error_passing"] == pytest.approx(other["error"], abs=0.01)


def test_people_who_are_all_alike_pass_by_the_binomial_law():
    """P(X ≥ 33 of 50) = .5654 at p = .66, for each kind: the 65% rule of Zhou et al. (2019)."""
    (alike,) = selected((["good"], ["good"]), spread=0.0, good=0.66)

    assert alike["passing"] == pytest.approx(0.5654**2, abs=0.05)  # more than three standard errors
    assert alike["error_passing"] == pytest.approx(alike["error"])


def test_where_nothing_follows_there_is_only_the_chance_of_passing():
    (found,) = selected(([], ["one", "two"]), trials=20, pass_rate=1.1, one=0.9, two=0.8)

    assert found == {"passing": 0.0, "error": None, "error_passing": None}
