"""Planned studies of every protocol: simulated people, drawn studies, verdicts on a pair."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import contents, named_study
from long import long_but
from rated_studies import rated_study
from small_studies import PEOPLE, STUDIES

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.errors import InputError, SessionProblem
from hype.planning import people
from hype.planning.people import (
    CHUNK,
    PeopleSimulator,
    numbers_of_groups,
    people_in,
    simulate_some,
)
from hype.planning.planned import Asked
from hype.planning.power import pair_of, plan_power, setting_for
from hype.protocols.hype.settings import Study
from hype.protocols.registry import protocol_of
from hype.workers import limit_workers, worker_pool

EASY = {
    "hype": {
        "study": {"methods": ["infinity"]},
        "infinity": {"trials": 12},
        "qualification": {"enabled": False},
        "observers": {"crude": {"ceiling": 0.9}, "good": {"ceiling": 0.7}},
    },
    "comparison": {"observers": {"crude": {"strength": -2.0}, "good": {"strength": 2.0}}},
    "rating": {"observers": {"crude": {"strength": -2.0}, "good": {"strength": 2.0}}},
    "ranking": {"observers": {"crude": {"strength": -2.0}, "good": {"strength": 2.0}}},
}


@pytest.fixture(autouse=True)
def few_people(monkeypatch):
    """Make the pools of people small, and use this process only."""
    monkeypatch.setattr(people, "FEWEST", 20)
    monkeypatch.setattr(people, "MOST", 20)
    with limit_workers(1):
        yield


def quiet(_stage, _done, _of):
    """Report no progress."""


def small(name, folder, **changes):
    study = STUDIES[name](folder, **EASY[name], **changes)
    return study, protocol_of(study).planned(study, None)


def pool_of(planned, *, wanted=20, seed=0, settings=None):
    with worker_pool() as workers:
        them = PeopleSimulator(
            workers=workers,
            planned=planned,
            asked=Asked(seed=seed),
            pair=pair_of(planned, None),
            progress=quiet,
        )
        return them.pool(settings or planned.settings, wanted, "Simulating")


@pytest.mark.parametrize("name", long_but(["hype"], STUDIES))
def test_the_verdict_is_that_of_scoring(name, tmp_path):
    """For every pair of a drawn study, planning and scoring agree on difference and verdict."""
    study, planned = small(name, tmp_path)
    before = contents(tmp_path)
    pool, pair = pool_of(planned), pair_of(planned, None)
    rng = np.random.default_rng(2)
    frame = pool.draw(numbers_of_groups(planned, pair, 12, rng), rng)
    answers = LoadedAnswers(
        frame=frame, title="", provenance={}, check=planned.check, study=study, parts=2
    )
    scored = protocol_of(study).scoring.score(answers, Choices(simulated=True))
    scores = scored[0] if name == "hype" else scored
    pairs = [pair if isinstance(pair, dict) else vars(pair) for pair in scores.rows("pairs")]
    pairs = [pair for pair in pairs if pair.get("axis", "") in planned.title]

    assert pairs
    for found in pairs:
        a, b, difference = found["a"], found["b"], found["difference"]
        told = planned.find_verdict(frame, b, a)
        unit = 1 if name == "hype" else 400 / math.log(10)
        expected = getattr(difference, "value", difference)
        assert told.difference == pytest.approx(unit * expected)
        assert told.separable == bool(found["separable"])
        assert planned.find_verdict(frame, a, b).difference == -told.difference
    assert contents(tmp_path) == before  # nothing is written


@pytest.mark.parametrize("axis", ["anatomy", "aesthetics"])
def test_single_images_are_planned_by_their_means(axis, tmp_path):
    study = rated_study(tmp_path, rating={"of": "images"}, **EASY["rating"])
    planned = protocol_of(study).planned(study, axis)
    frame = pool_of(planned).frame
    answers = LoadedAnswers(
        frame=frame, title="", provenance={}, check=planned.check, study=study, parts=2
    )
    scored = protocol_of(study).scoring.score(answers, Choices(simulated=True))
    pairs = [pair for pair in scored.rows("pairs") if pair["axis"] == axis]

    with pytest.raises(InputError, match="does not apply to Ratings"):
        planned.choose_difference(None, 0.6)
    assert any(pair["separable"] for pair in pairs)
    for pair in pairs:
        told = planned.find_verdict(frame, pair["b"], pair["a"])
        assert told.difference == pytest.approx(pair["difference"].value)
        assert told.separable == pair["separable"]


@pytest.mark.parametrize("name", long_but(["comparison"], ["hype", "comparison"]))
def test_a_pool_is_whole_and_the_same_again(name, tmp_path):
    _, planned = small(name, tmp_path, people=PEOPLE[name])
    pool, again, other = (pool_of(planned, seed=seed) for seed in (3, 3, 4))

    assert pool.sizes.sum() == len(pool.frame)
    assert pool.frame["evaluator"].nunique() == len(pool.starts) == sum(map(len, pool.groups))
    assert pool.frame.equals(again.frame)
    assert not pool.frame["answer"].equals(other.frame["answer"])
    rng = np.random.default_rng(1)
    drawn = pool.draw([3] * len(pool.groups), rng)
    assert drawn["evaluator"].nunique() == 3 * len(pool.groups)
    assert set(drawn["condition" if name == "hype" else "left"]) <= set(planned.conditions)


@pytest.mark.long
@pytest.mark.parametrize("name", EASY)
def test_other_processes_simulate_the_same_people(name, tmp_path):
    _, planned = small(name, tmp_path, people=PEOPLE[name])
    cells = next(iter(planned.groups.values()))
    call = (simulate_some, (planned, planned.settings, cells, range(1), 0))
    with limit_workers(2), worker_pool() as workers:
        one, other = workers.run([call, call])

    assert one.rows.equals(other.rows)
    assert one.rows.equals(simulate_some(*call[1]).rows)


def test_the_baseline_and_a_rival_like_it_are_the_same_people(tmp_path):
    """With the same observers, people and random numbers, all answers to fakes are equal."""
    _, planned = small("hype", tmp_path, people={"image_spread": 0.0})
    baseline, rival = pair_of(planned, None)
    alike = planned.move_rival(baseline, rival, 0.0)
    pool = pool_of(planned, settings=alike)
    assert planned.find_verdict(pool.frame, baseline, rival).difference == 0
    moved = planned.move_rival(baseline, rival, 1.0)
    assert (
        planned.find_verdict(pool_of(planned, settings=moved).frame, baseline, rival).difference > 0
    )


def within(folder, **changes) -> Study:
    changes = {"study": {"methods": ["infinity"], "evaluators": 6, **changes}}
    names = {"a": {"ceiling": 0.9}, "b": {"ceiling": 0.8}, "c": {"ceiling": 0.7}}
    return named_study(
        folder,
        {"": 40, "a": 30, "b": 30, "c": 30},
        **changes,
        infinity={"trials": 12},
        qualification={"enabled": False},
        observers=names,
    )


@pytest.mark.parametrize(
    ("each", "groups", "evaluators_and_people"),
    [(1, 3, (10, 30)), (2, 3, (10, 15)), (3, 1, (10, 10))],
)
def test_within_and_between(each, groups, evaluators_and_people, tmp_path):
    study = within(tmp_path, conditions_each=each)
    planned = protocol_of(study).planned(study, None)
    evaluators, in_all = evaluators_and_people
    assert (planned.each, len(planned.groups)) == (each, groups)
    assert people_in(planned, evaluators) == in_all
    rng = np.random.default_rng(0)
    numbers = numbers_of_groups(planned, ("a", "b"), evaluators, rng)
    if each == 1:  # c has few people, who are not in the pair's test
        assert sorted(numbers) == [2, 10, 10]
    else:
        assert sum(numbers) == in_all
    pool = pool_of(planned, wanted=8)
    drawn = pool.draw(numbers, rng)
    served = drawn.groupby("evaluator", observed=True)["condition"].nunique()
    assert set(served) == {each}


@pytest.mark.parametrize("name", long_but(["rating"], STUDIES))
def test_power_of_every_protocol(name, tmp_path):
    _, planned = small(name, tmp_path)
    asked = Asked(numbers=(4, 12), studies=20, seed=1)
    plan = plan_power(planned, asked, quiet)
    few, many = plan.rows

    assert (few.evaluators, many.evaluators) == (4, 12)
    assert 0 <= few.power <= many.power <= 1
    assert many.power > 0.2
    assert few.wrong_way <= 0.1
    assert 0 < many.power_se < 0.4
    assert many.hours > few.hours > 0
    assert many.cost > few.cost > 0


@pytest.mark.parametrize("name", long_but(["ranking"], STUDIES))
def test_the_setting_for_a_number_of_people_brings_as_many(name, tmp_path):
    _, planned = small(name, tmp_path / "few")
    plan = plan_power(planned, Asked(numbers=(4,), studies=20), quiet)
    setting = setting_for(replace(plan, needed=10))
    table, key = setting["key"].split(".")
    own = EASY[name].get(table, {}) | {key: setting["value"]}
    study = STUDIES[name](tmp_path / "many", **EASY[name] | {table: own})
    course = protocol_of(study).course(study)
    people = course.evaluators_per_cell * (len(course.cells) if planned.each > 1 else 1)
    assert 10 <= people < 10 + planned.places


def test_the_study_says_when_nobody_passes(tmp_path):
    study = named_study(
        tmp_path,
        study={"methods": ["infinity"]},
        infinity={"trials": 4},
        qualification={"trials": 20, "pass_rate": 1.0},
        observers={"crude": {"ceiling": 0.7}, "good": {"ceiling": 0.6}},
    )
    planned = protocol_of(study).planned(study, None)
    with pytest.raises(SessionProblem, match="hardly ever pass"):
        pool_of(planned, wanted=CHUNK)
