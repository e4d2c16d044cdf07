import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import a_third
from scipy import stats

from hype.statistics.correlation import correlation, correlation_matrix


def columns(rng, *, n=200, k=4, gaps=0.0, mean=0.0):
    """Draw correlated columns with random gaps."""
    x = rng.standard_normal((n, k)) @ rng.standard_normal((k, k)) + mean
    x[rng.random(x.shape) < gaps] = np.nan
    return x


@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_complete_columns_as_scipy_has_them(rng, mean):
    x = columns(rng, mean=mean)
    found = correlation_matrix(x, None, confidence=0.9)
    for i in range(4):
        for j in range(i):
            expected = stats.pearsonr(x[:, i], x[:, j])
            ends = expected.confidence_interval(0.9)
            assert found.r[i, j] == pytest.approx(expected.statistic, abs=1e-12)
            assert (found.low[i, j], found.high[i, j]) == pytest.approx((ends.low, ends.high))
    assert found.clusters is None
    assert (found.n == 200).all()
    assert np.array_equal(found.r, found.r.T)


def test_gaps_leave_out_pairs_of_numbers(rng):
    x = columns(rng, gaps=0.3)
    found = correlation_matrix(x, rng.integers(9, size=len(x)))
    expected = pd.DataFrame(x).corr()
    np.testing.assert_allclose(found.r, expected.to_numpy(), atol=1e-12)
    there = ~np.isnan(x)
    assert np.array_equal(found.n, there.T.astype(int) @ there.astype(int))


def test_the_interval_is_that_of_a_jackknife_over_clusters(rng):
    x, clusters = columns(rng, gaps=0.2), rng.integers(12, size=200) * 7
    both = ~np.isnan(x[:, :2]).any(axis=1)

    def without(cluster):
        kept = both & (clusters != cluster)
        return stats.pearsonr(x[kept, 0], x[kept, 1]).statistic

    r = np.array([without(cluster) for cluster in np.unique(clusters)])
    z = np.arctanh(r)
    error = np.sqrt(11 / 12 * np.square(z - z.mean()).sum())
    found = correlation(x[:, 0], x[:, 1], clusters, confidence=0.95)
    # This is true to first order; clusters differ in size, so df is below 11.
    reach = np.arctanh(found.high) - np.arctanh(found.r)
    assert reach == pytest.approx(stats.t.ppf(0.975, 10) * error, rel=0.1)
    assert (found.n, found.clusters) == (both.sum(), 12)


def test_other_items_make_it_less_sure_where_items_are_what_varies(rng):
    items, people = np.tile(np.arange(12), 20), np.repeat(np.arange(20), 12)
    own = rng.standard_normal((12, 2)) @ [[1, 0.5], [0, 0.8]]
    x = own[items] + 0.5 * rng.standard_normal((240, 2))
    alone = correlation(x[:, 0], x[:, 1], people)
    both = correlation(x[:, 0], x[:, 1], people, items)
    assert (both.r, both.clusters) == (alone.r, 20)
    assert both.high - both.low > 2 * (alone.high - alone.low)
    of_items = stats.pearsonr(*own.T).confidence_interval(0.95)
    assert both.high - both.low > 0.5 * (of_items.high - of_items.low)


def test_a_column_that_does_not_vary_goes_with_nothing():
    found = correlation([0.1, 0.1, 0.1, 0.1], [1, 2, 3, 4], [0, 1, 2, 3])
    assert (found.r, found.low, found.high, found.n) == (None, None, None, 4)


def test_where_one_evaluator_alone_varies_nothing_is_known_of_others():
    found = correlation([1, 2, 3, 0, 0, 0], [1, 3, 2, 0, 0, 0], [0, 0, 0, 1, 2, 3])
    assert found.r > 0.5
    assert found.low < -0.9
    assert found.high > 0.99


def test_a_perfect_correlation_has_no_ends():
    for clusters in (None, np.arange(30) // 5):
        found = correlation(np.arange(30), -2.0 * np.arange(30), clusters)
        assert (found.r, found.low, found.high) == (pytest.approx(-1), None, None)


def test_no_rows_and_no_complete_ones():
    assert correlation([], []).r is None
    found = correlation([1, np.nan, 2], [np.nan, 1, np.nan], [0, 1, 2])
    assert (found.r, found.n, found.clusters) == (None, 0, None)


@a_third()
@given(st.integers(0, 2**32 - 1), st.floats(-50, 50), st.floats(0.1, 10))
def test_units_and_order_do_not_matter(seed, shift, factor):
    rng = np.random.default_rng(seed)
    x, clusters = columns(rng, n=30, gaps=0.2), rng.integers(5, size=30)
    order = rng.permutation(30)
    one = correlation_matrix(x, clusters)
    other = correlation_matrix(x[order] * factor + shift, clusters[order])
    np.testing.assert_allclose(one.r, other.r, atol=1e-9)
    np.testing.assert_allclose(one.low, other.low, atol=1e-6)
