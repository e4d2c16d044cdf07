from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from hype.statistics.pairs import critical, survival


@pytest.mark.parametrize(("k", "df"), list(product([2, 9, 60], [1.5, 29.5, 10_000])))
def test_scipy_agrees(k, df):
    q = np.array([0.3, 3.0, 4.5, 7.0])
    expected = stats.studentized_range.sf(q, k, df)
    assert survival(q, k, df) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("k", "df"), [(4, 23.7), (31, 116)])
def test_scipy_agrees_on_critical_values(k, df):
    assert critical(0.05, k, df) == pytest.approx(stats.studentized_range.isf(0.05, k, df))


@pytest.mark.parametrize("df", [1, 1.5, 4, 29.5, 116, 1000])
def test_two_means_are_students_t_far_into_the_tail(df):
    p = np.array([0.9, 0.5, 0.05, 1e-4, 1e-8, 1e-12, 1e-30])
    t = stats.t.isf(p / 2, df)
    assert survival(np.sqrt(2) * t, 2, df) == pytest.approx(p, rel=1e-7, abs=0)


def exact_tail(q, k, df):
    """Return the tail itself, with both integrals by adaptive quadrature; this is slow."""

    def over_largest(z, w):
        below, between = special.ndtr(z), special.ndtr(z) - special.ndtr(z - w)
        terms = sum(below**i * between ** (k - 2 - i) for i in range(k - 1))
        return k * stats.norm._pdf(z) * special.ndtr(z - w) * terms

    def over_scale(s):
        w = q * s
        tail = integrate.quad(over_largest, w / 2 - 8, w / 2 + 8, args=(w,), epsabs=0, epsrel=1e-9)
        return tail[0] * stats.chi.pdf(s * np.sqrt(df), df) * np.sqrt(df)

    return integrate.quad(over_scale, 0, 3, epsabs=0, epsrel=1e-8)[0]


@pytest.mark.parametrize(
    ("q", "k", "df"), [(12.0, 6, 60), pytest.param(20.0, 4, 30.5, marks=pytest.mark.long)]
)
def test_small_probabilities_are_exact_in_proportion(q, k, df):
    expected = exact_tail(q, k, df)
    assert expected < 1e-6
    assert survival(q, k, df) == pytest.approx(expected, rel=1e-6, abs=0)


@given(
    st.floats(1e-12, 0.999),
    st.integers(2, 60),
    st.lists(st.floats(1, 1e5), min_size=1, max_size=4),
)
def test_critical_is_the_inverse(alpha, k, df):
    found = critical(alpha, k, df)
    assert found.shape == (len(df),)
    assert survival(found, k, df) == pytest.approx(alpha, rel=1e-5, abs=0)


@given(st.floats(0, 40), st.floats(0, 5), st.integers(2, 59), st.floats(1, 1e6))
def test_more_means_and_smaller_ranges_are_likelier(q, further, k, df):
    here = survival(q, k, df)
    slack = 1e-7 * here
    assert 0 <= here <= 1
    assert survival(q + further, k, df) <= here + slack
    assert survival(q, k + 1, df) >= here - slack
    # The bounds are those for a single pair and Bonferroni's.
    pairs = k * (k - 1) / 2
    single = 2 * stats.t.sf(q / np.sqrt(2), df)
    assert single - slack <= here <= min(1, pairs * single) + slack


def test_the_ends_are_plain_numbers():
    assert survival([0, 1e-300, 1e5], 5, [20, np.inf, 1e4]).tolist() == [1, 1, 0]
    assert survival(1e9, 60, 500) == 0
    assert 0 < critical(1 - 1e-6, 3, 116) < 0.1
