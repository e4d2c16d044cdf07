import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.condition_scores import precision
from hype.statistics.resampling import bootstrap, condition_rng


def curve_of(totals, weights=None, *, draws=4_000, **settings):
    weights = np.ones(len(totals)) if weights is None else weights
    return precision(totals, weights, draws=draws, rng=condition_rng(0, "gan"), **settings)


def test_sizes_are_those_of_the_papers_figure():
    assert [point["evaluators"] for point in curve_of([1, 2, 3])] == list(range(10, 121, 10))


def test_at_their_own_number_it_is_the_bootstrap_over_evaluators(rng):
    judged = rng.integers(50, 100, size=30)
    wrong = rng.binomial(judged, 0.3)
    (point,) = curve_of(100 * wrong, judged, draws=40_000, sizes=[30])
    spread = bootstrap(100 * wrong, judged, draws=40_000, rng=rng)
    assert point["std"] == pytest.approx(spread.std, rel=0.03)
    assert point["low"] == pytest.approx(spread.ci_low, abs=0.1)
    assert point["high"] == pytest.approx(spread.ci_high, abs=0.1)


def test_one_evaluator_by_hand():
    # A draw of one of {0, 10} is one of the two.
    (point,) = curve_of([0, 10], sizes=[1])
    assert (point["low"], point["high"]) == (0.0, 10.0)
    assert point["std"] == pytest.approx(5, rel=0.01)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=40))
def test_the_spread_of_a_mean_falls_with_the_root_of_the_number(scores):
    for point in curve_of(scores):
        expected = np.std(scores) / np.sqrt(point["evaluators"])
        assert point["std"] == pytest.approx(expected, rel=0.1, abs=1e-9)
