import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.observer import Psychometric
from hype.statistics.psychometric_fit import (
    PsychometricFit,
    count_levels,
    fit_psychometric,
    weibull,
    weibull_inverse,
    width_prior,
)

BOUNDS_MS = (100.0, 1000.0)


def test_the_weibull_is_that_of_the_simulated_evaluators():
    person = Psychometric(threshold_ms=300, slope=2.0, ceiling=0.95)
    scale_ms = 300 * np.log(2) ** (-1 / 2.0)
    levels_ms = np.array([50.0, 100.0, 300.0, 700.0, 5000.0])
    expected = [person.accuracy(level) for level in levels_ms]
    assert weibull(levels_ms, scale_ms, 2.0, 0.05) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0.51, 0.99), st.floats(50, 2000), st.floats(0.3, 20), st.floats(0, 0.45))
def test_the_inverse_leads_back_or_to_infinity(at, scale_ms, exponent, lapse):
    found = weibull_inverse(at, *np.array([[scale_ms, exponent, lapse]]).T)
    if 1 - lapse > at:
        assert weibull(found, scale_ms, exponent, lapse) == pytest.approx([at], abs=1e-9)
    else:
        assert np.isinf(found).all()


def test_near_levels_are_joined_at_their_geometric_mean():
    counts = count_levels([500, 510, 510, 520, 600], [True] * 5)
    assert counts.levels_ms == pytest.approx([(500 * 510 * 510) ** (1 / 3), 520, 600])
    assert counts.trials.tolist() == [3, 1, 1]
    assert (counts.shortest_ms, counts.longest_ms) == (500.0, 600.0)


@given(st.lists(st.tuples(st.integers(10, 1000), st.booleans()), min_size=1, max_size=60))
def test_joining_loses_no_answer(trials):
    exposures_ms, correct = zip(*trials, strict=True)
    exact = count_levels(exposures_ms, correct, tolerance=0)
    joined = count_levels(exposures_ms, correct)
    assert exact.levels_ms == pytest.approx(sorted(set(exposures_ms)))
    assert joined.trials.sum() == exact.trials.sum() == len(trials)
    assert joined.correct.sum() == exact.correct.sum() == sum(correct)
    assert (np.diff(joined.levels_ms) > 0).all()


@pytest.mark.long
def test_joining_and_a_coarser_grid_agree_with_psignifit_as_it_comes():
    from psignifit import psignifit

    levels_ms = np.repeat([120.0, 160.0, 220.0, 300.0, 306.0, 420.0, 600.0, 900.0], 50)
    right = weibull(levels_ms, 300.0, 2.0, 0.03)
    correct = np.random.default_rng(3).random(len(right)) < right
    fit = fit_psychometric(count_levels(levels_ms, correct), BOUNDS_MS)
    exact = count_levels(levels_ms, correct, tolerance=0)
    data = np.column_stack([np.log(exact.levels_ms), exact.correct, exact.trials])
    result = psignifit(
        data,
        sigmoid="weibull",
        experiment_type="2AFC",
        stimulus_range=tuple(np.log(BOUNDS_MS)),
    )
    # psignifit's default, "scaled" by chance and lapses, means 75% of all answers.
    expected_ms, ends = result.threshold(0.75)
    assert fit.exposure_ms_at(0.75) == pytest.approx(np.exp(expected_ms), rel=0.01)
    assert fit.lapse == pytest.approx(result.parameter_estimate["lambda"], abs=0.01)
    # psignifit combines the intervals of the parameters, which it calls an upper bound.
    low_ms, high_ms = fit.interval_ms(0.75, 0.95)
    widest_ms = np.exp(ends["0.95"])
    assert widest_ms[0] * 0.98 < low_ms < fit.exposure_ms_at(0.75) < high_ms < widest_ms[1] * 1.02


def test_the_prior_of_the_width_is_that_of_psignifit_to_the_last_digit():
    from psignifit._priors import width_prior as its_own

    spread = float(np.diff(np.log(BOUNDS_MS))[0])
    widths = np.concatenate([np.linspace(0, 4 * spread, 999), [spread / 100, spread / 50]])
    theirs = its_own(widths, alpha=0.05, wmin=spread / 100, wmax=spread)
    assert np.array_equal(width_prior(widths, spread), theirs)


def test_the_interval_holds_its_share_of_the_posterior():
    draws = np.column_stack([np.arange(1.0, 101.0), np.ones(100), np.zeros(100), np.zeros(100)])
    rest = {"scale_ms": 50.0, "exponent": 1.0, "lapse": 0.0, "overdispersion": 0.0}
    fit = PsychometricFit(**rest, draws=draws, weights=np.full(100, 0.01))
    # α = 1 … 100 ms with β = 1: three quarters of the answers are correct at α ln 2.
    low_ms, high_ms = fit.interval_ms(0.75, 0.9)
    assert fit.exposure_ms_at(0.75) == pytest.approx(50 * np.log(2))
    assert low_ms / np.log(2) == pytest.approx(5, abs=1)
    assert high_ms / np.log(2) == pytest.approx(95, abs=1)


def test_an_interval_is_open_where_accuracy_may_never_get_there():
    draws = np.array([[300.0, 2.0, 0.0, 0.0], [300.0, 2.0, 0.3, 0.0]])
    rest = {"scale_ms": 300.0, "exponent": 2.0, "lapse": 0.3, "overdispersion": 0.0}
    fit = PsychometricFit(**rest, draws=draws, weights=np.array([0.9, 0.1]))
    assert fit.exposure_ms_at(0.75) == np.inf
    assert fit.interval_ms(0.75, 0.95) == (pytest.approx(300 * np.log(2) ** 0.5), np.inf)
