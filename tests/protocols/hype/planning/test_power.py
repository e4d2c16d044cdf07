"""Power: the decision, the closed form and the share of drawn studies, each held to another."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from statsmodels.stats.power import TTestIndPower, TTestPower

from hype.errors import InputError
from hype.protocols.hype.planning.power import (
    OfImages,
    SimulatedPair,
    critical_t,
    differences,
    evaluators_for,
    exact_critical,
    interval_width,
    normal_power,
    people_error,
    people_power,
    power,
    separable,
    separable_share,
)
from hype.statistics.crossed import Crossed, Error
from hype.statistics.proportions import share_error

STUDENT = TTestIndPower()
PAIRED = TTestPower()


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def normal_people(number: int, mean: float = 0.0, deviation: float = 1.0) -> np.ndarray:
    """Give scores that are as normally distributed as so many can be."""
    scores = stats.norm.ppf((np.arange(number) + 0.5) / number)
    return mean + deviation * scores / scores.std()


def normal_pair(number: int, difference: float, **options: Any) -> SimulatedPair:
    people = normal_people(number)
    return SimulatedPair(baseline=people, rival=people + difference, **options)


def correlated_pair(difference: float, r: float = 0.6, **options: Any) -> SimulatedPair:
    """Give scores of the same people in both conditions, of SD 1 and correlated by ``r``."""
    one, other = rng(1).standard_normal((2, 4000))
    rival = r * one + math.sqrt(1 - r**2) * other
    pair = SimulatedPair(baseline=one, rival=rival, **{"each": 2, **options})
    return pair.differing_by(difference)


def crossed_scores(scores: list[np.ndarray], people: list[np.ndarray]) -> Crossed:
    """Let scoring look at the evaluators' scores of two conditions; images are fixed."""
    place = np.repeat([0, 1], [len(some) for some in scores])
    terms = np.concatenate([(some - some.mean()) / len(some) for some in scores])
    shape = (np.arange(len(place)), place)
    weights = 1 / np.bincount(place)[place]
    codes = np.concatenate(people)
    return Crossed(csr_array((terms, shape)), csr_array((weights, shape)), codes)


@pytest.mark.parametrize("both", [0, 4, 12])
def test_a_pair_has_the_error_that_scoring_gives_it(both: int) -> None:
    """Of evaluators of whom some serve both conditions, drawn with the same random numbers."""
    pair = correlated_pair(0.4, conditions=12, each=1 + round(both * 11 / 12))
    assert pair.in_both(12) == both
    drawn = differences(pair, 12, studies=3, rng=rng(5))

    again = rng(5)
    baseline = pair.baseline[again.integers(4000, size=(3, 12))]
    rival = pair.rival[again.integers(4000, size=(3, 12))]
    who = again.integers(4000, size=(3, both)) if both else np.zeros((3, 0), dtype=int)
    baseline[:, :both], rival[:, :both] = pair.baseline[who], pair.rival[who]
    for study in range(3):
        people = [np.arange(12), np.r_[np.arange(both), np.arange(12, 24 - both)]]
        error = crossed_scores([baseline[study], rival[study]], people).error_of_difference(0, 1)
        assert drawn.variance[study] == pytest.approx(error.variance)
        assert drawn.freedom[study] == pytest.approx(error.freedom)


def test_without_any_variance_there_is_no_test_and_the_pair_is_not_separable() -> None:
    nobody = SimulatedPair(baseline=np.full(5, 0.1), rival=np.full(5, 7.3))
    drawn = differences(nobody, 5, studies=10, rng=rng())

    assert not separable(drawn, 2).any()


@pytest.mark.parametrize("evaluators", [2, 3, 12, 80])
@pytest.mark.parametrize("difference", [0.0, 0.2, 0.9])
def test_the_closed_form_for_two_conditions_is_that_of_the_noncentral_t(
    difference: float, evaluators: int
) -> None:
    expected = STUDENT.power(difference, evaluators, 0.05)
    freedom = 2 * (evaluators - 1)

    assert normal_power(difference, 2 / evaluators, freedom) == pytest.approx(expected, abs=1e-9)
    assert normal_power(7 * difference, 98 / evaluators, freedom) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize("conditions", [2, 3, 8])
def test_critical_values_are_read_off_nearly_exactly(conditions: int) -> None:
    freedom = np.array([1.0, 1.3, 2.5, 7.7, 31.0, 400.0, 1e6])

    found = critical_t(conditions, freedom)

    assert found == pytest.approx(exact_critical(conditions, freedom, 0.05), rel=0.003)


@pytest.mark.parametrize("evaluators", [10, 45])
def test_drawn_studies_of_normal_people_have_the_power_of_the_noncentral_t(evaluators: int) -> None:
    found = power(normal_pair(2000, 0.6), evaluators, studies=8000, seed=1)

    expected = STUDENT.power(0.6, evaluators, 0.05)
    assert abs(found.power - expected) < 4 * math.sqrt(expected * (1 - expected) / 8000) + 0.003


def test_who_serves_both_conditions_is_compared_with_themselves() -> None:
    """The power of the paired t-test where everybody serves both; fewer where some do."""
    pair = correlated_pair(0.4)
    deviation = np.std(pair.rival - pair.baseline, ddof=1)
    expected = PAIRED.power(0.4 / deviation, 30, 0.05)

    paired = power(pair, 30, studies=4000, seed=1)
    some = people_power(correlated_pair(0.4, conditions=4), 0.4, 30)
    unpaired = people_power(SimulatedPair(baseline=pair.baseline, rival=pair.rival), 0.4, 30)

    assert paired.power == pytest.approx(expected, abs=0.03)
    assert people_power(pair, 0.4, 30) == pytest.approx(expected, abs=0.01)
    assert some < unpaired < paired.power  # the former among four conditions
    assert evaluators_for(pair) == math.ceil(
        PAIRED.solve_power(0.4 / deviation, alpha=0.05, power=0.8)
    )


def test_power_grows_with_evaluators_and_with_the_difference() -> None:
    def of(difference: float, evaluators: int) -> float:
        pair = normal_pair(200, difference, conditions=3)
        return power(pair, evaluators, studies=1000, seed=0).power

    by_evaluators = [of(0.6, n) for n in (5, 15, 30, 60)]
    by_difference = [of(d, 20) for d in (0.2, 0.5, 0.8, 1.1)]

    assert by_evaluators == sorted(by_evaluators)
    assert by_difference == sorted(by_difference)
    assert by_evaluators[-1] - by_evaluators[0] > 0.5


def test_false_alarms_are_at_the_level_for_one_pair_and_below_it_among_several() -> None:
    images = OfImages(added=0.02, apart=0.4, freedom=60.0)
    one = power(normal_pair(300, 3.0), 15, studies=8000, seed=2)
    of_images = power(normal_pair(300, 3.0, images=images), 15, studies=8000, seed=2)
    several = power(normal_pair(300, 3.0, conditions=3), 15, studies=8000, seed=2)

    assert abs(one.false_alarms - 0.05) < 4 * one.false_alarms_se
    assert of_images.false_alarms < 0.05 + 4 * one.false_alarms_se
    assert several.false_alarms < 0.05 - 4 * several.false_alarms_se


def test_images_set_a_limit_that_no_number_of_people_passes() -> None:
    images = OfImages(added=0.04, apart=0.5, freedom=80.0)
    many = power(normal_pair(300, 0.4, images=images), 1000, studies=1000, seed=2)

    assert many.power == pytest.approx(normal_power(0.4, 0.042, 80.0), abs=0.04)
    assert evaluators_for(normal_pair(300, 0.4, images=images)) is None


def test_drawing_without_replacement_would_promise_too_much() -> None:
    """Why studies are drawn with replacement: see the module."""
    pair = normal_pair(60, 0.6)
    without = [
        rng(c).permuted(np.tile(p, (4000, 1)), axis=1)[:, :40]
        for c, p in enumerate((pair.baseline, pair.rival))
    ]
    found = stats.ttest_ind(*without, axis=1).pvalue < 0.05

    expected = STUDENT.power(0.6, 40, 0.05)
    assert found.mean() > expected + 0.1
    assert separable_share(pair, 40, studies=4000, rng=rng()) == pytest.approx(expected, abs=0.04)


@pytest.mark.long
def test_the_error_by_who_was_simulated_is_what_other_people_would_change() -> None:
    def pair(seed: int) -> SimulatedPair:
        baseline, rival = (rng([seed, c]).normal(0, 1, 120) for c in range(2))
        return SimulatedPair(baseline=baseline, rival=rival + 1, conditions=3)

    def error(seed: int) -> float:
        return people_error(pair(seed).differing_by(1.0), 15)

    varies = np.std([people_power(pair(seed), 1.0, 15) for seed in range(100)])
    assert np.mean([error(seed) for seed in range(30)]) == pytest.approx(varies, rel=0.3)


def test_the_interval_is_students() -> None:
    pair = normal_pair(4000, 0.0)

    found = interval_width(pair, 24, studies=4000, rng=rng(4))

    assert found == pytest.approx(2 * stats.t.ppf(0.975, 23) / math.sqrt(24), rel=0.03)


def test_how_many_are_needed_is_what_the_noncentral_t_says() -> None:
    pair = normal_pair(50, 0.4)
    deviation = pair.baseline.std(ddof=1)

    needed = STUDENT.solve_power(0.4 / deviation, alpha=0.05, power=0.8)

    assert evaluators_for(pair) == math.ceil(needed)


def test_no_number_is_enough_without_a_difference_or_without_a_test() -> None:
    assert evaluators_for(normal_pair(50, 0.0)) is None
    assert evaluators_for(SimulatedPair(baseline=np.zeros(5), rival=np.ones(5))) is None


@pytest.mark.parametrize(
    ("people", "conditions", "evaluators", "studies", "message"),
    [
        (3, 1, 5, 10, "conditions: 1;.*2 or more"),
        (2, 2, 5, 10, "people: 2;.*3 or more"),
        (3, 2, 1, 10, "evaluators: 1;.*2 or more"),
        (3, 2, 5, 0, "studies: 0;.*1 or more"),
    ],
)
def test_numbers_out_of_range_are_refused(
    people: int, conditions: int, evaluators: int, studies: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        power(normal_pair(people, 1.0, conditions=conditions), evaluators, studies=studies, seed=0)


def test_an_error_rate_varies_at_least_as_independent_answers_do() -> None:
    """People who are alike by chance are no more precise: the rule of scoring (`share_error`)."""
    nothing = Error(variance=0.0, freedom=1.0, of_items=0.0)
    alike = SimulatedPair(baseline=np.full(5, 50.0), rival=np.full(5, 60.0), judged=100)
    drawn = differences(alike, 10, studies=3, rng=rng(1))
    rates = [share_error(share * 1000, 1000, nothing).variance * 1e4 for share in (0.5, 0.6)]

    assert drawn.variance == pytest.approx(sum(rates))
    width = interval_width(alike, 10, studies=3, rng=rng(1))
    assert width >= 2 * 1.96 * math.sqrt(rates[0])
    assert not differences(replace(alike, judged=0), 10, studies=3, rng=rng(1)).variance.any()
