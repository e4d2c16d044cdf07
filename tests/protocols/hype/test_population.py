"""People who differ, and images that differ."""

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from builders import named_study, stimulus
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hype.protocols.hype.observer import (
    Observer,
    PeopleSpread,
    Population,
    Psychometric,
    shift_ceiling,
)
from hype.protocols.hype.pools import population, read_pools
from hype.protocols.hype.trial import JudgementTrial, Task

TYPICAL = {
    "easy": Psychometric(threshold_ms=100, ceiling=0.95, lapse=0.0),
    "hard": Psychometric(threshold_ms=400, ceiling=0.6, timed_ceiling=0.8, lapse=0.0),
}
ALIKE = {"threshold_spread": 0.0, "ceiling_spread": 0.0, "bias_spread": 0.0}
OWN = {"hard": PeopleSpread(threshold_spread=0.5, ceiling_spread=0.3, bias_spread=0.4)}


def drawn(population: Population, people: int = 3000) -> list[dict[str, Psychometric]]:
    rng = np.random.default_rng(1)
    return [population.draw(rng) for _ in range(people)]


def test_a_condition_may_have_spreads_of_its_own():
    common = {"threshold_spread": 0.2, "ceiling_spread": 0.0, "bias_spread": 0.0}
    people = drawn(Population(typical=TYPICAL, own_spreads=OWN, **common))

    assert np.log([p["easy"].threshold_ms for p in people]).std() == pytest.approx(0.2, abs=0.02)
    assert {p["easy"].bias for p in people} == {0.0}
    assert np.log([p["hard"].threshold_ms for p in people]).std() == pytest.approx(0.5, abs=0.03)
    assert np.std([p["hard"].bias for p in people]) == pytest.approx(0.4, abs=0.03)


def test_who_is_able_is_able_with_and_without_a_time_limit():
    people = drawn(Population(typical=TYPICAL, own_spreads=OWN, **ALIKE), 200)
    z = NormalDist().inv_cdf

    for person in (p["hard"] for p in people):
        assert person.timed_ceiling is not None
        if person.ceiling > 0.5:
            by = z(person.ceiling) - z(0.6)
            assert z(person.timed_ceiling) - z(0.8) == pytest.approx(by, abs=1e-6)


@given(ceiling=st.floats(0.5, 1), by=st.floats(-4, 4))
def test_who_sees_a_difference_differs_from_people_who_see_less_of_it(ceiling, by):
    assert 0.5 <= shift_ceiling(ceiling, by) <= 1


@given(ceiling=st.floats(0.01, 0.499), by=st.floats(-2, 2))
def test_who_is_misled_differs_from_people_on_either_side(ceiling, by):
    z = NormalDist()

    assert z.inv_cdf(shift_ceiling(ceiling, by)) == pytest.approx(z.inv_cdf(ceiling) + by, abs=1e-6)


def test_images_look_as_they_do_to_everyone_and_by_their_path_alone():
    one, other = (Population(typical=TYPICAL, image_spread=0.5, image_seed=s) for s in (1, 2))

    assert one.looks("fake/easy/1.png") == one.looks("fake/easy/1.png")
    assert one.looks("fake/easy/1.png") != one.looks("fake/easy/2.png")
    assert one.looks("fake/easy/1.png") != other.looks("fake/easy/1.png")
    assert Population(typical=TYPICAL).looks("fake/easy/1.png") == 0


def test_looks_are_normal_with_the_spread():
    population = Population(typical=TYPICAL, image_spread=0.5)
    looks = [population.looks(f"real/{n}.png") for n in range(4000)]

    assert stats.kstest(looks, stats.norm(0, 0.5).cdf).pvalue > 0.001


def test_images_that_differ_are_judged_differently_and_by_all_alike():
    population = Population(typical=TYPICAL, image_spread=0.8, **ALIKE)
    trials = [
        JudgementTrial(
            task=Task.INFINITY, block=1, number=1, stimulus=stimulus(n, "easy"), exposure_ms=None
        )
        for n in range(400)
    ]
    first, second = (
        [Observer(population, "easy", np.random.default_rng(s)).says_fake(t) for t in trials]
        for s in (1, 2)
    )

    assert first == second
    assert len(set(first)) == len(first)
    expected = NormalDist().cdf(NormalDist().inv_cdf(0.95) / (1 + 0.8**2) ** 0.5)
    assert np.mean(first) == pytest.approx(expected, abs=0.02)


def people_of(folder: Path, **changes: Any) -> Population:
    study = named_study(folder, **changes)
    return population(study, read_pools(study))


def spreads_of(people: Population, condition: str) -> tuple[float, float, float]:
    own = people.own_spreads[condition]
    return own.threshold_spread, own.ceiling_spread, own.bias_spread


def test_a_condition_keeps_the_common_spreads_that_it_does_not_replace(tmp_path):
    people = people_of(
        tmp_path,
        people={"threshold_spread": 0.1, "bias_spread": 0.2},
        observers={"crude": {"ceiling": 0.4, "timed_ceiling": 0.8, "ceiling_spread": 0.0}},
    )

    assert people.typical["crude"].ceiling == 0.4
    assert people.typical["crude"].timed_ceiling == 0.8
    assert spreads_of(people, "crude") == (0.1, 0.0, 0.2)
    assert spreads_of(people, "good") == (0.1, 0.15, 0.2)
