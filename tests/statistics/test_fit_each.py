import numpy as np
import pytest
from long import long_but
from simulated_staircases import accuracy, on_staircases, true_threshold_ms

from hype.errors import InputError
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.staircase import PRESETS
from hype.statistics.psychometric_fit import count_levels, fit_each, fit_psychometric

BOUNDS_MS = (100.0, 1000.0)


def staircase_answers(person, seed, blocks=3, preset="hype"):
    rng = np.random.default_rng(seed)
    return count_levels(*on_staircases(person, rng, blocks=blocks, preset=preset), tolerance=0)


PEOPLE = {
    "steep": Psychometric(threshold_ms=180, slope=3),
    "usual": Psychometric(threshold_ms=250, slope=2, ceiling=0.95),
    "never sure": Psychometric(threshold_ms=90, slope=2, ceiling=0.65),
}


@pytest.fixture(scope="module")
def many():
    return {name: staircase_answers(person, 6, blocks=60) for name, person in PEOPLE.items()}


@pytest.fixture(scope="module")
def fitted(many):
    return dict(zip(many, fit_each(list(many.values()), BOUNDS_MS), strict=True))


@pytest.mark.parametrize("name", PEOPLE)
def test_known_functions_are_recovered(many, fitted, name):
    counts = many[name]
    found = fitted[name].accuracy(counts.levels_ms)
    true = [accuracy(PEOPLE[name], level_ms) for level_ms in counts.levels_ms.tolist()]
    assert np.average(np.abs(found - true), weights=counts.trials) < 0.015


def test_the_function_is_nearly_that_of_psignifit(many, fitted):
    counts = many["usual"]
    full = fit_psychometric(counts, BOUNDS_MS)
    apart = fitted["usual"].accuracy(counts.levels_ms) - full.accuracy(counts.levels_ms)
    assert np.average(np.abs(apart), weights=counts.trials) < 0.01


def test_neither_company_nor_number_matters(many, fitted):
    (alone,) = fit_each([many["usual"]], BOUNDS_MS)
    crowd = fit_each([many["usual"]] * 300, BOUNDS_MS)
    at = many["usual"].levels_ms
    assert alone.accuracy(at) == pytest.approx(fitted["usual"].accuracy(at), abs=0.002)
    assert crowd == [crowd[0]] * 300


@pytest.mark.parametrize("preset", long_but(["weighted-75"], PRESETS))
def test_whoever_has_one_threshold_has_it_under_every_rule(preset):
    person = Psychometric(threshold_ms=240)
    at = PRESETS[preset].settles_at
    many = [staircase_answers(person, seed, preset=preset) for seed in range(60)]
    found = [function.exposure_ms_at(at) for function in fit_each(many, BOUNDS_MS)]
    assert np.median(found) == pytest.approx(true_threshold_ms(person, at), rel=0.08)


def test_bounds_that_are_one_exposure_are_refused(many):
    for fit in (fit_psychometric, lambda counts, bounds_ms: fit_each([counts], bounds_ms)):
        with pytest.raises(InputError, match="bounds_ms: 100 to 100; give two diff"):
            fit(many["usual"], (100.0, 100.0))
