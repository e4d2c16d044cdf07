import numpy as np
import pytest
from scipy import stats

from hype.statistics.proportions import median_interval, median_over_people


@pytest.mark.parametrize(("n", "first"), [(5, None), (6, 1), (8, 1), (9, 2), (30, 10), (100, 40)])
def test_the_interval_of_a_median_is_that_of_the_tables(n, first):
    # David & Nagaraja, section 7.1; Conover's table for the sign test has the same values.
    expected = None if first is None else (float(first), float(n + 1 - first))
    assert median_interval(np.arange(1.0, n + 1)) == expected


def test_few_people_have_students_interval_of_the_logarithm():
    values = [200.0, 300.0, 500.0]
    found = median_over_people(values)
    expected = stats.t.interval(0.95, 2, np.mean(np.log(values)), stats.sem(np.log(values)))
    assert found.value == 300.0
    assert found.ends == pytest.approx(np.exp(expected))


@pytest.mark.parametrize("people", [2, 3, 5, 6, 10, 30])
def test_the_interval_holds_the_median_of_all_people(people):
    rng = np.random.default_rng(people)
    held = 0
    for _ in range(400):
        low, high = median_over_people(rng.lognormal(5.5, 0.4, people).tolist()).ends
        held += low <= np.exp(5.5) <= high
    assert held / 400 >= 0.92


def test_ends_among_those_beyond_are_open():
    assert median_over_people([100.0] * 5 + [np.inf] * 3).ends == (100.0, None)
    assert median_over_people([-np.inf, 100.0, 110.0]).ends == (None, None)
    assert median_over_people([100.0]).ends == (None, None)
