import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import betabinom, binom
from simulated_staircases import accuracy, on_staircases

from hype.errors import InputError
from hype.protocols.hype.observer import Psychometric
from hype.statistics.psychometric_fit import (
    LevelCounts,
    Posterior,
    beta_binomial,
    count_levels,
    fit_psychometric,
    quick_fit,
    weibull,
)

BOUNDS_MS = (100.0, 1000.0)
SAME = 0.002
"""The greatest difference from psignifit's curve that is no difference, in accuracy."""


def counted(levels_ms, correct, trials):
    return LevelCounts(
        levels_ms=np.array(levels_ms, dtype=float),
        correct=np.array(correct, dtype=float),
        trials=np.array(trials, dtype=float),
        shortest_ms=float(min(levels_ms)),
        longest_ms=float(max(levels_ms)),
    )


def scattered(rng, overdispersion=0.15):
    """Answers at fixed exposures that scatter more than coins do, about a known function."""
    levels_ms = np.geomspace(100, 1000, 15)
    right = weibull(levels_ms, 300.0, 2.0, 0.04)
    nu = overdispersion**-2 - 1
    trials = np.full(15, 200)
    correct = rng.binomial(trials, rng.beta(right * nu, (1 - right) * nu))
    return counted(levels_ms, correct, trials)


def staircase_answers(person, seed, blocks=3):
    return count_levels(*on_staircases(person, np.random.default_rng(seed), blocks=blocks))


ANSWERS = {
    "of one evaluator": staircase_answers(Psychometric(threshold_ms=180, slope=3), 1),
    "of many evaluators": staircase_answers(
        Psychometric(threshold_ms=250, slope=2, ceiling=0.95), 2, blocks=60
    ),
    "of guessing": staircase_answers(Psychometric(threshold_ms=4000), 4),
    "that scatter": scattered(np.random.default_rng(5)),
}


@pytest.mark.parametrize("answers", ANSWERS)
def test_the_curve_is_that_of_psignifit(answers):
    counts = ANSWERS[answers]
    quick, full = quick_fit(counts, BOUNDS_MS), fit_psychometric(counts, BOUNDS_MS)
    apart = np.abs(quick.accuracy(counts.levels_ms) - full.accuracy(counts.levels_ms))
    assert apart.max() < SAME


@pytest.mark.parametrize(
    "person",
    [
        Psychometric(threshold_ms=200, slope=2.5, ceiling=0.98),
        Psychometric(threshold_ms=350, slope=3, ceiling=0.9),
    ],
)
def test_known_functions_are_recovered(person):
    counts = staircase_answers(person, 6, blocks=100)
    found = quick_fit(counts, BOUNDS_MS).accuracy(counts.levels_ms)
    true = [accuracy(person, level_ms) for level_ms in counts.levels_ms.tolist()]
    assert np.average(np.abs(found - true), weights=counts.trials) < 0.01


def test_a_low_ceiling_is_found_among_other_explanations():
    """Few lapses and a late rise fit almost as well, which a climb from one place takes for it."""
    person = Psychometric(threshold_ms=90, slope=2, ceiling=0.65)
    found = quick_fit(staircase_answers(person, 7, blocks=60), BOUNDS_MS)
    assert found.lapse == pytest.approx(0.35, abs=0.03)
    assert found.accuracy(1000.0) == pytest.approx(0.65, abs=0.02)


def test_the_same_answers_give_the_same_function():
    counts = ANSWERS["that scatter"]
    assert quick_fit(counts, BOUNDS_MS) == quick_fit(counts, BOUNDS_MS)


@settings(max_examples=40, deadline=None)
@given(
    middle=st.floats(4.0, 7.5),
    width=st.floats(0.06, 6.0),
    lapse=st.floats(0.001, 0.45),
    overdispersion=st.floats(0.02, 0.9),
)
def test_the_gradient_is_that_of_finite_differences(middle, width, lapse, overdispersion):
    posterior = Posterior(ANSWERS["of one evaluator"], BOUNDS_MS)
    place = np.array([middle, np.log(width), lapse, overdispersion])
    found = posterior.descent(place)[1]
    expected = approx_fprime(place, lambda at: posterior.descent(at)[0], 1e-7)
    assert found == pytest.approx(expected, rel=1e-3, abs=2e-2)


def test_the_likelihood_is_that_of_scipy():
    counts = counted([100, 200, 400], [5, 11, 20], [10, 15, 20])
    right, overdispersion = np.array([0.55, 0.7, 0.93]), 0.2
    nu = overdispersion**-2 - 1

    def likelihood(at):
        return beta_binomial(counts, at, overdispersion)[0]

    def of_scipy(at):
        return betabinom.logpmf(counts.correct, counts.trials, at * nu, (1 - at) * nu).sum()

    # They differ by the binomial coefficients, which do not depend on the function.
    other = np.array([0.6, 0.65, 0.8])
    assert likelihood(right) - likelihood(other) == pytest.approx(of_scipy(right) - of_scipy(other))


def test_without_overdispersion_answers_are_coins():
    counts = counted([100, 200, 400], [50, 110, 200], [100, 150, 210])
    right, other = np.array([0.55, 0.7, 0.93]), np.array([0.6, 0.65, 0.8])
    found = beta_binomial(counts, right, 5e-4)[0] - beta_binomial(counts, other, 5e-4)[0]
    expected = (
        binom.logpmf(counts.correct, counts.trials, right).sum()
        - binom.logpmf(counts.correct, counts.trials, other).sum()
    )
    assert found == pytest.approx(expected, rel=1e-3)


def test_bounds_that_are_one_exposure_are_refused():
    with pytest.raises(InputError, match="bounds_ms: 100 to 100; allowed are a shorter"):
        quick_fit(ANSWERS["that scatter"], (100.0, 100.0))
    with pytest.raises(InputError, match="bounds_ms: 100 to 100; allowed are a shorter"):
        fit_psychometric(ANSWERS["that scatter"], (100.0, 100.0))
