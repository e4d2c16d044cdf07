import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hype.errors import InputError
from hype.statistics.resampling import bootstrap, condition_rng

SCORES = st.lists(st.integers(0, 100), min_size=2, max_size=40)


def of_mean(scores, *, draws=10_000, seed=0, confidence=0.95):
    rng = condition_rng(seed, "gan")
    ones = np.ones(len(scores))
    return bootstrap(scores, ones, draws=draws, rng=rng, confidence=confidence)


@given(SCORES)
def test_draws_of_the_mean_have_its_known_standard_deviation(scores):
    spread = of_mean(scores, draws=4_000)
    assert spread.std == pytest.approx(np.std(scores) / np.sqrt(len(scores)), rel=0.2, abs=1e-9)
    assert min(scores) <= spread.ci_low <= spread.ci_high <= max(scores)


@given(SCORES, st.integers(1, 50), st.integers(-50, 50))
def test_another_unit_gives_the_same_intervals_in_it(scores, factor, offset):
    plain = of_mean(scores, draws=200)
    other = of_mean([factor * score + offset for score in scores], draws=200)
    assert (other.bca_low is None) == (plain.bca_low is None)
    for name in ("ci_low", "ci_high", "bca_low", "bca_high"):
        if getattr(plain, name) is not None:
            assert getattr(other, name) == pytest.approx(factor * getattr(plain, name) + offset)


def test_pooled_rate_weighs_evaluators_by_their_judgements():
    # 0% of 1 and 100% of 99 are wrong: if both are drawn, 99 of 100 are wrong.
    draws = bootstrap([0, 9900], [1, 99], draws=10_000, rng=condition_rng(0, "x"), confidence=0.4)
    assert (draws.ci_low, draws.ci_high) == (99.0, 99.0)


@given(st.floats(0, 1000), st.integers(2, 40))
def test_identical_evaluators_leave_no_doubt_and_no_bca(score, evaluators):
    spread = of_mean([score] * evaluators, draws=50)
    assert (spread.std, spread.ci_low, spread.ci_high) == (0.0, score, score)
    assert (spread.bca_low, spread.bca_high) == (None, None)


def test_no_bca_where_all_draws_lie_on_one_side():
    found = [of_mean([0, 0, 0, 0, 0, 0, 0, 0, 1000], draws=2, seed=seed) for seed in range(20)]
    lopsided = [spread for spread in found if spread.ci_high == 0]
    assert lopsided
    assert all(spread.bca_low is None and spread.bca_high is None for spread in lopsided)


def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch):
    scores = np.arange(30) ** 2
    whole = of_mean(scores, draws=101)
    monkeypatch.setattr("hype.statistics.resampling._CELLS", 64)
    assert of_mean(scores, draws=101) == whole


def test_streams_depend_on_seed_name_and_purpose_alone():
    first = condition_rng(3, "gan").random()
    assert condition_rng(3, "gan").random() == first
    others = [(4, "gan"), (3, "gan2"), (3, "gan", "two-way"), (3, "gantwo-way"), (3, "g", "an")]
    assert first not in [condition_rng(*key).random() for key in others]


def test_negative_seed():
    with pytest.raises(InputError, match="seed: -1; it must be a whole number, 0 or more"):
        condition_rng(-1, "gan")


def test_too_few_draws():
    with pytest.raises(InputError, match="draws: 1; it must be a whole number, 2 or more"):
        of_mean([1, 2], draws=1)


def coverage(studies, truth):
    """Return how often each kind of interval contains the truth; one row of scores per study."""
    found = [of_mean(scores, draws=600, seed=seed) for seed, scores in enumerate(studies)]
    return (
        np.mean([spread.ci_low <= truth <= spread.ci_high for spread in found]),
        np.mean([spread.bca_low <= truth <= spread.bca_high for spread in found]),
    )


def test_recovery_of_an_error_rate(rng):
    # People vary on the normal-quantile scale, so the truth is known exactly.
    typical, spread = stats.norm.ppf(0.3) * np.sqrt(1 + 0.4**2), 0.4
    people = stats.norm.cdf(typical + spread * rng.standard_normal((100, 30)))
    for share in coverage(rng.binomial(100, people), truth=30):
        assert 0.90 < share < 0.98
