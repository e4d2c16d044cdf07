import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from hype.statistics.proportions import CrossedShare, even_chance_p, holm, wilson


@given(st.integers(1, 500), st.floats(0, 1))
def test_against_statsmodels_and_scipy(trials, share):
    successes = round(share * trials)
    low, high = wilson(successes, trials)
    assert (low, high) == pytest.approx(
        proportion_confint(successes, trials, method="wilson"), abs=1e-9
    )
    assert even_chance_p(successes, trials) == pytest.approx(
        binomtest(successes, trials, 0.5).pvalue, rel=1e-9
    )


def test_nothing_tried_has_no_interval():
    assert np.isnan(wilson(0, 0)).all()


def test_ends_are_exact():
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1


@pytest.mark.parametrize("seed", [0, 4])
def test_holm_against_statsmodels(seed):
    p = np.random.default_rng(seed).uniform(0, 0.2, size=1 + 3 * seed)
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_holm_passes_over_what_was_not_tested():
    assert holm([0.01, np.nan, 0.04]) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)


def test_a_share_of_clusters_is_tested_by_students_t():
    share = CrossedShare(value=0.6, answers=1e9, effective=40.0, freedom=9.0)
    t = (0.5 - 0.6) / 0.5 * np.sqrt(40)
    assert share.p_above(0.5) == pytest.approx(stats.t.cdf(t, 9))
    assert share.p_above(0.65) > 0.5
