import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import expit

from hype.statistics.crossed_logistic import average, expectations, expected_log_partition


@pytest.mark.parametrize(("mean", "sd"), [(0, 1), (-1, 0.9), (2, 0.1), (-3, 1.5)])
def test_scipy_integrates_to_the_same(mean, sd):
    def over_normal(function):
        normal = stats.norm(mean, sd)
        return integrate.quad(lambda x: function(x) * normal.pdf(x), mean - 9 * sd, mean + 9 * sd)[
            0
        ]

    place, variance = np.array([float(mean)]), np.array([sd**2])
    value, slope = expectations(place, variance)
    assert value == pytest.approx(over_normal(expit), abs=1e-4)
    assert slope == pytest.approx(over_normal(lambda x: expit(x) * expit(-x)), abs=1e-4)
    partition = expected_log_partition(place, variance)
    assert partition == pytest.approx(over_normal(lambda x: np.logaddexp(0, x)), abs=1e-4)


@given(st.floats(-6, 6), st.floats(0, 9))
def test_variation_pulls_the_average_towards_one_half_and_it_is_symmetric(mean, variance):
    there, back = average(np.array([mean, -mean]), np.full(2, variance))
    assert there + back == pytest.approx(1)
    assert abs(there - 0.5) <= abs(expit(mean) - 0.5) + 1e-9


def test_without_variation_it_is_the_function_itself():
    assert average(np.array([-1.0]), np.zeros(1)) == pytest.approx(expit(-1))
