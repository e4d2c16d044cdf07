import numpy as np
import pytest

from hype.statistics.psychometric_fit import PsychometricFit, count_levels
from hype.statistics.thresholds import deviance, goodness_of_fit

LEVELS_MS = np.repeat([100.0, 200.0, 300.0, 400.0, 500.0, 600.0], 60)


def certain_fit(overdispersion=0.0):
    """Return a posterior with a single cell: α = 300 ms, β = 2, no lapses."""
    draws = np.array([[300.0, 2.0, 0.0, overdispersion]])
    rest = {"scale_ms": 300.0, "exponent": 2.0, "lapse": 0.0, "overdispersion": overdispersion}
    return PsychometricFit(**rest, draws=draws, weights=np.ones(1))


def answers(accuracy, rng):
    return count_levels(LEVELS_MS, rng.random(len(LEVELS_MS)) < accuracy)


def test_deviance_is_that_of_statsmodels():
    import statsmodels.api as sm

    correct, trials = np.array([12, 20, 27, 30]), np.array([24, 30, 30, 30])
    accuracy = np.array([0.55, 0.7, 0.85, 0.95])
    family = sm.families.Binomial()
    expected = family.deviance(correct / trials, accuracy, var_weights=trials)
    assert deviance(correct, trials, accuracy) == pytest.approx(expected)


def test_p_is_uniform_where_function_and_answers_agree():
    rng = np.random.default_rng(2)
    fit = certain_fit()
    found = [
        goodness_of_fit(answers(fit.accuracy(LEVELS_MS), rng), fit, rng, draws=200)
        for _ in range(200)
    ]
    # With a single cell nothing was fitted, so p is uniform: each quarter has 50 ± 6 values.
    quarters = np.histogram(found, bins=[0, 0.25, 0.5, 0.75, 1.01])[0]
    assert quarters == pytest.approx([50] * 4, abs=25)


def test_another_shape_does_not_fit():
    rng = np.random.default_rng(3)
    guesses = answers(np.full(len(LEVELS_MS), 0.6), rng)
    assert goodness_of_fit(guesses, certain_fit(), rng) < 0.01


def test_overdispersion_explains_what_coins_do_not():
    rng = np.random.default_rng(4)
    fit = certain_fit(overdispersion=0.4)
    ups_and_downs = np.where((LEVELS_MS // 100) % 2, -0.1, 0.1)
    counts = answers(fit.accuracy(LEVELS_MS) + ups_and_downs, rng)
    assert goodness_of_fit(counts, fit, rng, binomial=True) < 0.01
    assert goodness_of_fit(counts, fit, rng) > 0.05
