from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from hype.analysis import compare_conditions


@pytest.fixture
def groups(rng):
    sizes = {"stylegan": 30, "progan": 27, "began": 30, "wgan-gp": 12}
    return {name: rng.normal(20 + 4 * i, 8, n) for i, (name, n) in enumerate(sizes.items())}


def long(groups):
    return pd.DataFrame(
        [(name, value) for name, values in groups.items() for value in values],
        columns=["condition", "score"],
    )


def with_mean_and_sd(n, mean, sd):
    z = np.linspace(-1, 1, n)
    return mean + sd * z / z.std(ddof=1)


def test_anova_by_hand():
    # Means 2, 4, 9; between 2*(9+1+16) = 52 on 2; within 2+2+2 = 6 on 3; F = 26/2.
    result = compare_conditions({"a": [1, 3], "b": [3, 5], "c": [8, 10]})
    assert (result.anova.df_between, result.anova.df_within) == (2, 3)
    assert result.anova.f == pytest.approx(13.0)


def test_statsmodels_agrees_on_the_anova(groups):
    table = anova_lm(smf.ols("score ~ C(condition)", long(groups)).fit())
    anova = compare_conditions(groups).anova
    assert anova.f == pytest.approx(table["F"].iloc[0], rel=1e-10)
    assert anova.p == pytest.approx(table["PR(>F)"].iloc[0], rel=1e-8)
    assert [anova.df_between, anova.df_within] == table["df"].tolist()


def test_scipy_agrees_on_tukey(groups):
    witness = stats.tukey_hsd(*groups.values())
    names = list(groups)
    for pair in compare_conditions(groups).pairwise:
        i, j = names.index(pair.a), names.index(pair.b)
        assert pair.difference == pytest.approx(witness.statistic[i, j])
        assert pair.p == pytest.approx(witness.pvalue[i, j], rel=1e-6, abs=1e-10)


def test_statsmodels_agrees_on_tukey(groups):
    data = long(groups)
    witness = pairwise_tukeyhsd(data["score"], data["condition"])
    expected = dict(zip(combinations(witness.groupsunique, 2), witness.pvalues, strict=True))
    for pair in compare_conditions(groups).pairwise:
        assert pair.p == pytest.approx(expected[tuple(sorted([pair.a, pair.b]))], abs=1e-3)


def test_two_conditions_take_students_t(groups):
    two = {name: groups[name] for name in ("progan", "wgan-gp")}
    result = compare_conditions(two)
    (pair,) = result.pairwise
    witness = stats.ttest_ind(*two.values(), equal_var=True)
    assert result.method == "student-t"
    assert pair.statistic == pytest.approx(witness.statistic)
    assert pair.p == pytest.approx(witness.pvalue)
    assert result.anova.f == pytest.approx(witness.statistic**2)
    assert result.anova.p == pytest.approx(witness.pvalue)


def test_published_design_has_116_degrees_of_freedom_not_29(rng):
    groups = {name: rng.normal(size=30) for name in "abcd"}
    assert compare_conditions(groups).anova.df_between == 3
    assert compare_conditions(groups).anova.df_within == 116


@pytest.mark.parametrize(
    ("means", "stds", "expected_t"),
    [((363.2, 240.7), (32.1, 29.9), 2.79), ((27.6, 19.0), (2.4, 1.8), 2.87)],
)
def test_published_t_follows_from_the_published_table_only_as_computed(means, stds, expected_t):
    # "Std." is the standard error of a mean over 30; the paper prints t(58) = 2.3 and 8.3.
    groups = {
        name: with_mean_and_sd(30, mean, std * np.sqrt(30))
        for name, mean, std in zip("ab", means, stds, strict=True)
    }
    (pair,) = compare_conditions(groups).pairwise
    assert pair.statistic == pytest.approx(expected_t, abs=0.01)
    assert pair.statistic == pytest.approx((means[0] - means[1]) / np.hypot(*stds), rel=1e-9)
    assert pair.separable


def test_one_evaluator_in_one_condition_still_has_a_test():
    result = compare_conditions({"a": [1, 2, 3], "b": [10], "c": [4, 5, 9]})
    assert result.anova.df_within == 4
    assert all(0 < pair.p < 1 for pair in result.pairwise)


def test_one_condition_needs_no_test():
    result = compare_conditions({"a": [1, 2, 3]})
    assert (result.anova, result.pairwise, result.method) == (None, (), None)


@pytest.mark.parametrize(
    ("groups", "df_within", "sentence"),
    [
        ({"a": [1], "b": [2], "c": [4]}, 0, "single evaluator"),
        ({"a": [5, 5], "b": [7, 7, 7], "c": [5]}, 3, "variance .* is zero"),
        ({"a": [5, 5], "b": [7, 7]}, 2, "variance .* is zero"),
    ],
)
def test_degenerate_data_are_named_not_invented(groups, df_within, sentence):
    result = compare_conditions(groups)
    assert (result.anova.f, result.anova.p) == (None, None)
    assert result.anova.df_within == df_within
    assert {(p.statistic, p.p, p.separable) for p in result.pairwise} == {(None, None, None)}
    assert result.pairwise[0].difference == groups["a"][0] - groups["b"][0]
    with pytest.raises(ValueError, match=sentence):
        raise ValueError(result.problem)


def test_alpha_decides_what_is_separable(groups):
    lenient, strict = (
        compare_conditions(groups, alpha=0.999999),
        compare_conditions(groups, alpha=1e-300),
    )
    assert all(pair.separable for pair in lenient.pairwise)
    assert not any(pair.separable for pair in strict.pairwise)


SAMPLE = st.lists(st.integers(0, 100), min_size=2, max_size=8)


@settings(max_examples=25, deadline=None)
@given(st.lists(SAMPLE, min_size=2, max_size=5), st.integers(-50, 50), st.randoms())
def test_only_differences_between_scores_matter(samples, shift, random):
    groups = {f"c{i}": sample for i, sample in enumerate(samples)}
    moved = {name: random.sample([x + shift for x in s], len(s)) for name, s in groups.items()}
    for one, other in zip(
        compare_conditions(groups).pairwise, compare_conditions(moved).pairwise, strict=True
    ):
        assert (one.p is None) == (other.p is None)
        assert one.p is None or one.p == pytest.approx(other.p, rel=1e-6, abs=1e-9)
        assert one.difference == pytest.approx(other.difference, abs=1e-9)


@pytest.mark.parametrize(("conditions", "studies"), [("ab", 500), ("abc", 80)])
def test_equal_conditions_are_called_separable_as_often_as_alpha_says(conditions, studies, rng):
    alarms = [
        any(
            pair.separable
            for pair in compare_conditions({c: rng.normal(size=15) for c in conditions}).pairwise
        )
        for _ in range(studies)
    ]
    assert 0.01 < np.mean(alarms) < 0.12
