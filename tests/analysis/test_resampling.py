import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hype.analysis import bootstrap, condition_rng, resampled_scores
from hype.errors import InputError

SCORES = st.lists(st.floats(0, 100), min_size=2, max_size=40)


def of_mean(scores, *, draws=10_000, seed=0, confidence=0.95):
    rng = condition_rng(seed, "gan")
    ones = np.ones(len(scores))
    return bootstrap(scores, ones, draws=draws, rng=rng, confidence=confidence)


def test_two_evaluators_by_hand():
    # Means of two drawn from {0, 10}: 0, 5, 10 with probability 1/4, 1/2, 1/4; sd 3.5355.
    spread = of_mean([0, 10])
    assert (spread.ci_low, spread.ci_high) == (0.0, 10.0)
    assert spread.std == pytest.approx(10 / np.sqrt(8), abs=0.06)


@settings(max_examples=25)
@given(SCORES)
def test_distribution_of_the_mean_has_its_known_moments(scores):
    means = resampled_scores(scores, np.ones(len(scores)), draws=4_000, rng=condition_rng(1, "x"))
    error = np.std(scores) / np.sqrt(len(scores))
    assert means.mean() == pytest.approx(np.mean(scores), abs=6 * error / np.sqrt(4_000) + 1e-9)
    assert means.std() == pytest.approx(error, rel=0.2, abs=1e-9)


def test_scipy_agrees(rng):
    scores = rng.normal(30, 8, size=30)
    witness = stats.bootstrap((scores,), np.mean, n_resamples=20_000, method="percentile", rng=rng)
    spread = of_mean(scores, draws=20_000)
    assert spread.std == pytest.approx(witness.standard_error, rel=0.03)
    assert spread.ci_low == pytest.approx(witness.confidence_interval.low, abs=0.15)
    assert spread.ci_high == pytest.approx(witness.confidence_interval.high, abs=0.15)


def test_interval_covers_the_truth_about_as_often_as_it_says(rng):
    intervals = [of_mean(rng.normal(50, 10, size=30), draws=400) for _ in range(400)]
    covered = np.mean([spread.ci_low <= 50 <= spread.ci_high for spread in intervals])
    assert 0.90 < covered < 0.98


def test_pooled_rate_weighs_evaluators_by_their_judgements():
    rates = resampled_scores([0, 100], [1, 99], draws=10_000, rng=condition_rng(0, "x"))
    assert set(np.unique(rates)) == {0.0, 1.0, 100 / 99}


@given(st.floats(0, 1000), st.integers(2, 40))
def test_identical_evaluators_leave_no_doubt(score, evaluators):
    spread = of_mean([score] * evaluators, draws=50)
    assert spread.std == pytest.approx(0, abs=1e-9)
    assert spread.ci_low == pytest.approx(score)


def test_more_evaluators_than_fit_in_one_go_are_all_drawn(monkeypatch):
    monkeypatch.setattr("hype.analysis.resampling._CELLS", 64)
    scores = resampled_scores(np.arange(30), np.ones(30), draws=101, rng=condition_rng(0, "x"))
    assert scores.shape == (101,)
    assert scores.std() > 0


def test_a_wider_confidence_gives_a_wider_interval():
    narrow, wide = of_mean([1, 2, 3, 9], confidence=0.5), of_mean([1, 2, 3, 9], confidence=0.99)
    assert wide.ci_low < narrow.ci_low < narrow.ci_high < wide.ci_high


def test_streams_depend_on_seed_and_name_alone():
    first = condition_rng(3, "gan").random()
    assert condition_rng(3, "gan").random() == first
    assert condition_rng(4, "gan").random() != first
    assert condition_rng(3, "gan2").random() != first


def test_negative_seed():
    with pytest.raises(InputError, match="seed: -1; allowed is a whole number, 0 or more"):
        condition_rng(-1, "gan")


def test_too_few_draws():
    with pytest.raises(InputError, match="draws: 1; allowed is a whole number, 2 or more"):
        of_mean([1, 2], draws=1)
