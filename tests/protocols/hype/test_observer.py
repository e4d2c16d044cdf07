"""Simulated evaluators: psychometric functions, different people and images, answers."""

from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from builders import named_study, stimulus
from hypothesis import given
from hypothesis import strategies as st
from likely_counts import within_chance
from scipy import stats

from hype.protocols.hype.observer import (
    Observer,
    Population,
    Psychometric,
    shift_ceiling,
)
from hype.protocols.hype.pools import population, read_pools
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.simulate import WindowlessStation

NO_SPREAD = {"threshold_spread": 0.0, "ceiling_spread": 0.0, "bias_spread": 0.0}
TYPICAL = {
    "easy": Psychometric(threshold_ms=100, ceiling=0.95, lapse=0.0, **NO_SPREAD),
    "hard": Psychometric(threshold_ms=400, ceiling=0.6, lapse=0.0, **NO_SPREAD),
}
ALIKE = Population(typical=TYPICAL)


def trial(
    condition: str, task: Task = Task.TIME, exposure_ms: float | None = 200.0
) -> JudgementTrial:
    return JudgementTrial(
        task=task, block=1, number=1, stimulus=stimulus(1, condition), exposure_ms=exposure_ms
    )


def observer(condition: str = "hard", seed: int = 1, population: Population = ALIKE) -> Observer:
    return Observer(population, condition, np.random.default_rng(seed))


@pytest.mark.parametrize("exposure_ms", [100.0, 400.0, 900.0, None])
@pytest.mark.parametrize("condition", ["", "hard"])
def test_accuracy_of_many_answers_is_that_of_the_function(exposure_ms, condition):
    one, judged = observer(), trial(condition, exposure_ms=exposure_ms)
    n = 4000
    correct = sum(judged.correct(one.respond_to(judged).answer) for _ in range(n))

    assert within_chance(correct, n, TYPICAL["hard"].accuracy(exposure_ms))


def test_in_the_qualification_every_generator_is_told_by_its_own_function():
    one = observer("hard")
    qualification = {
        c: one.says_fake(trial(c, Task.QUALIFICATION, None)) for c in ("easy", "hard", "")
    }

    assert qualification["easy"] == pytest.approx(0.95)
    assert qualification["hard"] == pytest.approx(0.6)
    assert qualification[""] == pytest.approx((0.05 + 0.4) / 2)
    assert one.says_fake(trial("", Task.INFINITY, None)) == pytest.approx(0.4)


def test_response_times_have_the_median_and_the_spread():
    one = observer()
    times = np.array([one.respond_to(trial("hard")).rt_ms for _ in range(4000)])

    assert np.median(times) == pytest.approx(700, rel=0.03)
    assert np.log(times).std() == pytest.approx(0.35, abs=0.02)


def test_without_a_window_time_passes_on_paper():
    station = WindowlessStation(observer(), unix_s=1000.0, monotonic_s=50.0, countdown_ms=1500)
    timed = replace(trial("hard"), masks=("a", "b"), mask_ms=30.0)
    first = station.present(timed)
    answer = station.respond(timed)
    second = station.present(timed)

    assert (first.onset_monotonic_s, first.onset_unix_s) == (51.5, 1001.5)
    assert first.timing is None  # nothing was shown, so nothing was measured
    lasted_s = (200 + 60 + answer.rt_ms + 1500) / 1000
    assert second.onset_monotonic_s - first.onset_monotonic_s == pytest.approx(lasted_s)
    assert station.now_unix_s - 1000 == pytest.approx(second.onset_unix_s - 1000 + 0.26)


MIXED = {
    "easy": replace(TYPICAL["easy"], threshold_spread=0.2),
    "hard": replace(
        TYPICAL["hard"],
        timed_ceiling=0.8,
        threshold_spread=0.5,
        ceiling_spread=0.3,
        bias_spread=0.4,
    ),
}


def drawn(population: Population, people: int = 3000) -> list[dict[str, Psychometric]]:
    rng = np.random.default_rng(1)
    return [population.draw(rng) for _ in range(people)]


def test_a_condition_may_have_spreads_of_its_own():
    people = drawn(Population(typical=MIXED))

    assert np.log([p["easy"].threshold_ms for p in people]).std() == pytest.approx(0.2, abs=0.02)
    assert {p["easy"].bias for p in people} == {0.0}
    assert np.log([p["hard"].threshold_ms for p in people]).std() == pytest.approx(0.5, abs=0.03)
    assert np.std([p["hard"].bias for p in people]) == pytest.approx(0.4, abs=0.03)


def test_who_is_able_is_able_with_and_without_a_time_limit():
    people = drawn(Population(typical=MIXED), 200)
    z = NormalDist().inv_cdf

    for person in (p["hard"] for p in people):
        assert person.timed_ceiling is not None
        if person.ceiling > 0.5:
            by = z(person.ceiling) - z(0.6)
            assert z(person.timed_ceiling) - z(0.8) == pytest.approx(by, abs=1e-6)


@given(ceiling=st.floats(0.01, 0.499), by=st.floats(-2, 2))
def test_who_is_misled_differs_from_people_on_either_side(ceiling, by):
    z = NormalDist()

    assert z.inv_cdf(shift_ceiling(ceiling, by)) == pytest.approx(z.inv_cdf(ceiling) + by, abs=1e-6)


def test_images_look_as_they_do_to_everyone_and_by_their_path_alone():
    one, other = (Population(typical=MIXED, image_spread=0.5, image_seed=s) for s in (1, 2))

    assert one.looks("fake/easy/1.png") == one.looks("fake/easy/1.png")
    assert one.looks("fake/easy/1.png") != one.looks("fake/easy/2.png")
    assert one.looks("fake/easy/1.png") != other.looks("fake/easy/1.png")
    assert Population(typical=MIXED).looks("fake/easy/1.png") == 0


def test_looks_are_normal_with_the_spread():
    population = Population(typical=MIXED, image_spread=0.5)
    looks = [population.looks(f"real/{n}.png") for n in range(4000)]

    assert stats.kstest(looks, stats.norm(0, 0.5).cdf).pvalue > 0.001


def test_images_that_differ_are_judged_differently_and_by_all_alike():
    population = Population(typical=TYPICAL, image_spread=0.8)
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
    own = people.typical[condition]
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


functions = st.builds(
    Psychometric,
    threshold_ms=st.floats(10, 3000),
    slope=st.floats(0.2, 6),
    ceiling=st.floats(0.05, 1),
    lapse=st.floats(0, 1),
    bias=st.floats(-2, 2),
)


exposures = st.floats(1, 5000)


@given(function=functions)
def test_halfway_between_chance_and_ceiling_at_the_threshold(function):
    halfway = (0.5 + function.ceiling) / 2

    assert function.accuracy(function.threshold_ms) == pytest.approx(halfway)


@given(function=functions, share=st.floats(0.01, 0.99))
def test_settling_is_where_accuracy_with_lapses_is_so_high(function, share):
    best = function.lapse / 2 + (1 - function.lapse) * function.ceiling
    exposure_ms = function.settling_ms(0.5 + share * (best - 0.5))

    if function.ceiling <= 0.5 or function.lapse > 0.99:
        return
    assert exposure_ms is not None
    found = function.lapse / 2 + (1 - function.lapse) * function.accuracy(exposure_ms)
    assert found == pytest.approx(0.5 + share * (best - 0.5), abs=1e-6)
    assert function.settling_ms(best + 0.01) is None
    assert function.settling_ms(0.5) is None


def test_bias_is_the_criterion_of_signal_detection():
    """Worked by hand for d' = 2 and c = 0.5: hits Phi(1 - 0.5), false alarms Phi(-1 - 0.5)."""
    ceiling = 0.8413447460685429  # Phi(1)
    function = Psychometric(threshold_ms=100, ceiling=ceiling, lapse=0.0, bias=0.5)

    assert function.says_fake(None, fake=True) == pytest.approx(0.6914624612740131)
    assert function.says_fake(None, fake=False) == pytest.approx(0.0668072012688581)


@given(exposure_ms=exposures, ceiling=st.floats(0.5, 1))
def test_a_timed_ceiling_is_that_of_flashed_images_alone(exposure_ms, ceiling):
    both = Psychometric(threshold_ms=200, ceiling=0.6, timed_ceiling=ceiling)

    assert both.accuracy(None) == 0.6
    assert both.accuracy(exposure_ms) == Psychometric(threshold_ms=200, ceiling=ceiling).accuracy(
        exposure_ms
    )


def test_what_an_image_looks_like_is_seen_at_leisure_and_not_in_no_time():
    """Worked by hand for evidence 1 and looks 0.5: Phi(1.5) and Phi(-0.5)."""
    ceiling = 0.8413447460685429  # Phi(1)
    function = Psychometric(threshold_ms=100, ceiling=ceiling, lapse=0.0)

    assert function.says_fake(None, fake=True, looks=0.5) == pytest.approx(0.9331927987311419)
    assert function.says_fake(None, fake=False, looks=0.5) == pytest.approx(0.3085375387259869)
    assert function.says_fake(1e-9, fake=True, looks=0.5) == pytest.approx(0.5, abs=1e-6)


def test_a_slope_beyond_all_numbers_is_a_step():
    person = Psychometric(threshold_ms=250.0, slope=1e9, ceiling=0.95)

    assert person.accuracy(1000.0) == 0.95
    assert person.accuracy(100.0) == 0.5
