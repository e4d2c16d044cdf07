import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hype.statistics.anova import levene


@pytest.fixture
def groups(rng):
    return {
        name: rng.normal(50, spread, size)
        for name, spread, size in [("a", 5, 30), ("b", 9, 22), ("c", 6, 17)]
    }


def test_scipy_and_pingouin_agree(groups):
    import pingouin

    ours = levene(groups)
    scipys = stats.levene(*groups.values(), center="median")
    frame = pd.DataFrame(
        [(name, value) for name, values in groups.items() for value in values],
        columns=["condition", "score"],
    )
    pingouins = pingouin.homoscedasticity(
        frame, dv="score", group="condition", method="levene", center="median"
    )
    assert ours.f == pytest.approx(scipys.statistic, rel=1e-10)
    assert ours.p == pytest.approx(scipys.pvalue, rel=1e-9)
    assert [ours.f, ours.p] == pytest.approx(pingouins.iloc[0, :2].astype(float).tolist())
    assert (ours.df_between, ours.df_within, ours.centre) == (2, 66, "median")
    assert (ours.left_out, ours.problem) == ((), "")


def test_by_hand():
    # Distances from the medians 2 and 5: 1, 0, 1 and 4, 0, 4; means 2/3 and 8/3;
    # between 6 on 1, within 2/3 + 32/3 on 4.
    result = levene({"a": np.array([1.0, 2, 3]), "b": np.array([1.0, 5, 9])})
    assert result.f == pytest.approx(6 / (34 / 3 / 4))


def test_a_single_evaluator_is_left_out(groups):
    assert levene(groups | {"alone": np.array([3.0])}).f == levene(groups).f
    assert levene(groups | {"alone": np.array([3.0])}).left_out == ("alone",)


def test_a_condition_without_variance_counts(groups):
    constant = np.full(20, 100.0)
    result = levene(groups | {"floor": constant})
    witness = stats.levene(*groups.values(), constant, center="median")
    assert result.p == pytest.approx(witness.pvalue)


@pytest.mark.parametrize(
    ("groups", "degrees", "why"),
    [
        ({"a": [1, 2, 3], "b": [4]}, (0, 2), "fewer than two of them have two evaluators"),
        ({"a": [1], "b": [4]}, (0, 0), "fewer than two"),
        ({"a": [5, 5], "b": [7, 7]}, (1, 2), "equally far from the median"),
        ({"a": [0.1, 0.7], "b": [0.3, 0.4], "c": [33.3, 33.7]}, (2, 3), "equally far"),
    ],
)
def test_what_cannot_be_tested_is_named(groups, degrees, why):
    result = levene({name: np.array(values, dtype=float) for name, values in groups.items()})
    assert (result.f, result.p) == (None, None)
    assert (result.df_between, result.df_within) == degrees
    assert why in result.problem


SCORES = st.lists(st.integers(0, 60), min_size=3, max_size=9)


@settings(max_examples=30, deadline=None)
@given(st.lists(SCORES, min_size=2, max_size=4), st.integers(-90, 90), st.integers(1, 9))
def test_shift_and_scale_change_nothing(samples, shift, scale):
    groups = {str(i): np.array(sample, dtype=float) for i, sample in enumerate(samples)}
    here = levene(groups)
    moved = levene({name: shift * (1 + int(name)) + scale * x for name, x in groups.items()})
    assert (here.p is None) == (moved.p is None)
    assert here.p is None or here.p == pytest.approx(moved.p, rel=1e-6, abs=1e-12)


def test_equal_variances_seldom_look_different(rng):
    # Skewed, as exposures are: about the mean, twice as many would.
    alarms = [levene({c: rng.exponential(size=20) for c in "ab"}).p < 0.05 for _ in range(600)]
    assert 0.01 < np.mean(alarms) < 0.08
