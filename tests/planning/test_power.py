"""Power: the decision, the closed form and the share of drawn studies, each held to another."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower

from hype.errors import InputError
from hype.planning.power import (
    evaluators_for,
    interval_widths,
    normal_power,
    people_error,
    people_power,
    planned_test,
    power,
    separable,
    separable_share,
)
from hype.protocols.hype.separability import compare_conditions
from hype.statistics.resampling import bootstrap

STUDENT = TTestIndPower()


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def normal_people(number: int, mean: float = 0.0, deviation: float = 1.0) -> np.ndarray:
    """Give scores that are as normally distributed as so many can be."""
    scores = stats.norm.ppf((np.arange(number) + 0.5) / number)
    return mean + deviation * scores / scores.std()


@pytest.mark.parametrize("conditions", [2, 3, 5])
def test_a_pair_is_separable_where_the_analysis_says_so(conditions: int) -> None:
    drawn = [rng(c).normal(1.5 * (c == 1), 1 + c / 4, (60, 9)) for c in range(conditions)]
    said = [
        compare_conditions({str(c): each[study] for c, each in enumerate(drawn)}).pairwise[0]
        for study in range(60)
    ]

    found = separable(drawn)

    assert found.tolist() == [pair.separable for pair in said]
    assert 0 < found.sum() < 60


def test_without_any_variance_there_is_no_test_and_the_pair_is_not_separable() -> None:
    drawn = [np.full((1, 5), 0.1), np.full((1, 5), 7.3)]
    one_varies = [*drawn, np.arange(5.0)[None] / 100]

    assert separable(drawn).tolist() == [False]
    assert separable(one_varies).tolist() == [True]


@pytest.mark.parametrize("evaluators", [2, 3, 12, 80])
@pytest.mark.parametrize("difference", [0.0, 0.2, 0.9])
def test_the_closed_form_for_two_conditions_is_that_of_the_noncentral_t(
    difference: float, evaluators: int
) -> None:
    expected = STUDENT.power(difference, evaluators, 0.05)

    assert normal_power(difference, [1, 1], evaluators) == pytest.approx(expected, abs=1e-9)
    assert normal_power(7 * difference, [7, 7], evaluators) == pytest.approx(expected, abs=1e-9)


def test_the_closed_form_has_a_value_where_the_pair_or_nobody_but_the_pair_varies() -> None:
    assert normal_power(30, [1, 1, 1], 1000) == pytest.approx(1)
    assert 0 < normal_power(0.5, [0, 0, 1, 1], 30) < 1
    assert normal_power(0.5, [1, 1, 0, 0], 30) > normal_power(0.5, [1, 1, 1, 1], 30)


@pytest.mark.parametrize("deviations", [[1, 1, 1, 1], [1, 2, 3], [3, 2, 1, 1, 1]])
def test_the_closed_form_for_more_conditions_is_what_fresh_normal_studies_show(
    deviations: Sequence[float],
) -> None:
    drawn = [
        rng(c).normal(1.2 if c == 1 else 0.0, deviation, (20_000, 25))
        for c, deviation in enumerate(deviations)
    ]

    # Standard error of the share: 0.0035. Where variances differ the form is an approximation.
    assert normal_power(1.2, deviations, 25) == pytest.approx(separable(drawn).mean(), abs=0.02)


def test_tukeys_test_is_scipys() -> None:
    drawn = [rng(c).normal(1.1 * (c == 1), 1, (8, 12)) for c in range(4)]
    p = [stats.tukey_hsd(*(each[study] for each in drawn)).pvalue[0, 1] for study in range(8)]

    assert separable(drawn).tolist() == [each < 0.05 for each in p]
    assert len({each < 0.05 for each in p}) == 2


@pytest.mark.parametrize("evaluators", [10, 45])
def test_drawn_studies_of_normal_people_have_the_power_of_the_noncentral_t(evaluators: int) -> None:
    people = [normal_people(2000), normal_people(2000, 0.6)]

    found = power(people, evaluators, studies=8000, seed=1)

    expected = STUDENT.power(0.6, evaluators, 0.05)
    assert abs(found.power - expected) < 4 * math.sqrt(expected * (1 - expected) / 8000) + 0.003


def test_power_grows_with_evaluators_and_with_the_difference() -> None:
    def of(difference: float, evaluators: int) -> float:
        people = [normal_people(200), normal_people(200, difference), normal_people(200, 2)]
        return power(people, evaluators, studies=1000, seed=0).power

    by_evaluators = [of(0.6, n) for n in (5, 15, 30, 60)]
    by_difference = [of(d, 20) for d in (0.2, 0.5, 0.8, 1.1)]

    assert by_evaluators == sorted(by_evaluators)
    assert by_difference == sorted(by_difference)
    assert by_evaluators[-1] - by_evaluators[0] > 0.5


def test_false_alarms_are_at_the_level_for_one_pair_and_below_it_among_several() -> None:
    people = [normal_people(300), normal_people(300, 3), normal_people(300, 9)]

    one = power(people[:2], 15, studies=8000, seed=2)
    several = power(people, 15, studies=8000, seed=2)

    assert abs(one.false_alarms - 0.05) < 4 * one.false_alarms_se
    assert several.false_alarms < 0.05 - 4 * several.false_alarms_se


def test_false_alarms_exceed_the_level_where_the_pair_varies_more_than_the_others() -> None:
    people = [normal_people(300, 0, 5), normal_people(300, 3, 5), *[normal_people(300)] * 4]

    assert power(people, 15, studies=2000, seed=2).false_alarms > 0.1


def test_drawing_without_replacement_would_promise_too_much() -> None:
    """Why studies are drawn with replacement: see the module."""
    people = [normal_people(60), normal_people(60, 0.6)]
    without = [rng(c).permuted(np.tile(p, (4000, 1)), axis=1)[:, :40] for c, p in enumerate(people)]

    expected = STUDENT.power(0.6, 40, 0.05)
    assert separable(without).mean() > expected + 0.1
    assert separable_share(people, 40, studies=4000, rng=rng()) == pytest.approx(expected, abs=0.04)


def test_the_error_by_who_was_simulated_is_what_other_people_would_change() -> None:
    def people(seed: int) -> list[np.ndarray]:
        return [rng([seed, c]).normal(0, 1, 120) + (c == 1) for c in range(3)]

    def closed(seed: int) -> float:
        return people_power(people(seed), 1.0, 15)

    def error(seed: int) -> float:
        scores = people(seed)
        centred = [scores[0] - scores[0].mean(), scores[1] - scores[1].mean() + 1, scores[2]]
        return people_error(centred, 15)

    varies = np.std([closed(seed) for seed in range(100)])
    assert np.mean([error(seed) for seed in range(30)]) == pytest.approx(varies, rel=0.3)


def test_the_interval_is_that_of_the_bootstrap() -> None:
    drawn = rng(3).gamma(2.0, 20.0, (4, 24))

    widths = interval_widths(drawn, rng(4))

    for scores, width in zip(drawn, widths, strict=True):
        found = bootstrap(scores, np.ones(24), draws=10_000, rng=rng(5))
        assert width == pytest.approx(found.ci_high - found.ci_low, rel=0.05)


def test_the_interval_narrows_with_the_root_of_the_evaluators() -> None:
    people = [normal_people(400), normal_people(400, 1)]
    few, many = (power(people, n, studies=400, seed=0).interval_width for n in (15, 60))

    assert few / many == pytest.approx(2, rel=0.08)


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    people = [normal_people(100), normal_people(100, 0.5)]

    one, again, other = (power(people, 20, studies=500, seed=s) for s in (1, 1, 2))

    assert one == again
    assert one.power != other.power


def test_how_many_are_needed_is_what_the_noncentral_t_says() -> None:
    people = [normal_people(50), normal_people(50, 0.4)]
    deviation = people[0].std(ddof=1)

    needed = STUDENT.solve_power(0.4 / deviation, alpha=0.05, power=0.8)

    assert evaluators_for(people) == math.ceil(needed)


def test_no_number_is_enough_without_a_difference_or_without_a_test() -> None:
    assert evaluators_for([normal_people(50), normal_people(50)]) is None
    assert evaluators_for([np.zeros(5), np.ones(5)]) is None


def test_the_planned_test_goes_by_the_number_of_conditions() -> None:
    assert [planned_test(k) for k in (2, 3)] == ["student-t", "tukey-hsd"]


@pytest.mark.parametrize(
    ("people", "evaluators", "studies", "message"),
    [
        ([[1, 2, 3]], 5, 10, "conditions: 1;.*2 or more"),
        ([[1, 2, 3], [1, 2]], 5, 10, "people: 2;.*3 or more"),
        ([[1, 2, 3], [1, 2, 4]], 1, 10, "evaluators: 1;.*2 or more"),
        ([[1, 2, 3], [1, 2, 4]], 5, 0, "studies: 0;.*1 or more"),
    ],
)
def test_numbers_out_of_range_are_refused(
    people: list[list[float]], evaluators: int, studies: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        power(people, evaluators, studies=studies, seed=0)
