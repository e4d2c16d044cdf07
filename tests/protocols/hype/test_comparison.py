from dataclasses import asdict
from inspect import signature
from json import dumps

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import a_third
from scipy import stats
from statsmodels.stats.oneway import anova_oneway

from hype.errors import InputError
from hype.protocols.hype.separability import compare_conditions, letters_of

needs_equal_var = pytest.mark.skipif(
    "equal_var" not in signature(stats.tukey_hsd).parameters,
    reason="SciPy allows different variances since 1.16",
)


@pytest.fixture(params=["unbalanced", "balanced"])
def groups(request, rng):
    sizes = [30, 27, 30, 12] if request.param == "unbalanced" else [20] * 4
    names = ["stylegan", "progan", "began", "wgan-gp"]
    spreads = [8, 5, 11, 8]
    return {
        name: rng.normal(32 - 4 * i, spread, n)
        for i, (name, n, spread) in enumerate(zip(names, sizes, spreads, strict=True))
    }


def long(groups):
    return pd.DataFrame(
        [(name, value) for name, values in groups.items() for value in values],
        columns=["condition", "score"],
    )


def test_statsmodels_agrees_on_the_anova(groups):
    import statsmodels.formula.api as smf  # imported here: few test processes need it
    from statsmodels.stats.anova import anova_lm

    table = anova_lm(smf.ols("score ~ C(condition)", long(groups)).fit())
    anova = compare_conditions(groups).anova
    assert anova.f == pytest.approx(table["F"].iloc[0], rel=1e-10)
    assert anova.p == pytest.approx(table["PR(>F)"].iloc[0], rel=1e-8)
    assert [anova.df_between, anova.df_within] == table["df"].tolist()


def test_statsmodels_agrees_on_welchs_anova(groups):
    ours = compare_conditions(groups).welch
    welch = anova_oneway(list(groups.values()), use_var="unequal")
    found = [ours.f, ours.p, ours.df_between, ours.df_within]
    assert found == pytest.approx([welch.statistic, welch.pvalue, *welch.df], rel=1e-9)


@needs_equal_var
@pytest.mark.parametrize("groups", ["unbalanced"], indirect=True)
def test_scipy_agrees_on_pairs_and_their_intervals(groups):
    names = list(groups)[:3]
    groups = {name: groups[name] for name in names}
    result = compare_conditions(groups)
    witness = stats.tukey_hsd(*groups.values())
    interval = witness.confidence_interval(0.95)
    for pair in result.pairwise:
        place = names.index(pair.a), names.index(pair.b)
        assert pair.difference == pytest.approx(witness.statistic[place])
        assert pair.p == pytest.approx(witness.pvalue[place], rel=1e-6, abs=1e-10)
        assert pair.ci_low == pytest.approx(interval.low[place], rel=1e-6, abs=1e-6)
        assert pair.ci_high == pytest.approx(interval.high[place], rel=1e-6, abs=1e-6)


def test_two_conditions_take_a_t_test(groups):
    two = {name: groups[name] for name in ("progan", "wgan-gp")}
    result = compare_conditions(two, alpha=0.1)
    (pair,) = result.pairwise
    witness = stats.ttest_ind(*two.values())
    interval = witness.confidence_interval(0.9)
    assert result.method == "student-t"
    assert pair.statistic == pytest.approx(witness.statistic)
    assert pair.df == pytest.approx(witness.df)
    assert pair.p == pytest.approx(witness.pvalue)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((interval.low, interval.high))
    assert result.anova.f == pytest.approx(witness.statistic**2)
    assert result.anova.p == pytest.approx(witness.pvalue)


def test_one_evaluator_in_one_condition_still_has_a_test():
    result = compare_conditions({"a": [1, 2, 3], "b": [10], "c": [4, 5, 9]})
    assert result.anova.df_within == 4
    assert all(0 < pair.p < 1 for pair in result.pairwise)
    assert result.welch.f is None
    assert result.welch.problem.endswith(
        "is unknown or 0 for b (a single evaluator, or equal scores)."
    )


@pytest.mark.parametrize(
    ("groups", "df_within", "sentence"),
    [
        ({"a": [1], "b": [2], "c": [4]}, 0, "single evaluator"),
        ({"a": [5, 5], "b": [7, 7, 7], "c": [5]}, 3, "variance .* is zero"),
        ({"a": [5, 5], "b": [7, 7]}, 2, "variance .* is zero"),
        ({"a": [0.1 + 0.2, 0.3], "b": [0.7, 0.7]}, 2, "variance .* is zero"),
    ],
)
def test_degenerate_data_are_named_not_invented(groups, df_within, sentence):
    result = compare_conditions(groups)
    anova = asdict(result.anova)
    assert (anova.pop("df_between"), anova.pop("df_within")) == (len(groups) - 1, df_within)
    assert set(anova.values()) == {None}
    for pair in result.pairwise:
        assert {
            value
            for key, value in asdict(pair).items()
            if key not in {"a", "b", "difference", "problem"}
        } == {None}
        assert pair.problem
    assert result.pairwise[0].difference == pytest.approx(groups["a"][0] - groups["b"][0])
    assert letters_of(list(groups), result.pairwise) is None
    with pytest.raises(ValueError, match=sentence):
        raise ValueError(result.problem)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "no condition"),
        ({"a": [1, 2], "b": []}, "scores of b: there is no score"),
        ({"a": [1, np.nan], "b": [2, 3]}, "scores of a: a score is missing or infinite"),
        ({"a": [1, 2], "b": [2, np.inf]}, "scores of b: a score is missing"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores, message):
    with pytest.raises(InputError, match=message):
        compare_conditions(scores)


SAMPLE = st.lists(st.integers(0, 100), min_size=1, max_size=8)
SAMPLES = st.lists(SAMPLE, min_size=2, max_size=5)


@a_third()
@given(SAMPLES)
def test_every_number_is_finite_and_in_its_range(samples):
    result = compare_conditions({f"c{i}": sample for i, sample in enumerate(samples)})
    dumps(asdict(result), allow_nan=False)
    for pair in result.pairwise:
        assert (pair.p is None) == bool(pair.problem)
        if pair.p is not None:
            assert 0 <= pair.p <= 1
            assert pair.ci_low <= pair.difference <= pair.ci_high
    assert result.anova.eta_squared is None or 0 <= result.anova.eta_squared <= 1
