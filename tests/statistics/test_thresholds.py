import dataclasses
import json

import numpy as np
import pytest
from simulated_staircases import on_staircases, true_threshold_ms

import hype
from hype.errors import InputError
from hype.protocols.hype.observer import Psychometric
from hype.statistics.psychometric_fit import count_levels
from hype.statistics.thresholds import FEWEST_TRIALS, falling_accuracy, fit_threshold

BOUNDS_MS = (100.0, 1000.0)


def fitted(person, *, seed=1, preset="hype", **settings):
    rng = np.random.default_rng(seed)
    exposures_ms, correct = on_staircases(person, rng, preset=preset)
    settings = {"bounds_ms": BOUNDS_MS, **settings}
    return fit_threshold(exposures_ms, correct, rng=rng, **settings)


@pytest.mark.parametrize(
    ("person", "preset"),
    [
        pytest.param(Psychometric(threshold_ms=180, slope=3), "hype", marks=pytest.mark.long),
        (Psychometric(threshold_ms=300, ceiling=0.95, lapse=0.04), "weighted-75"),
    ],
)
def test_recovers_the_threshold_of_a_simulated_evaluator(person, preset):
    threshold = fitted(person, preset=preset)
    true_ms = true_threshold_ms(person)
    assert threshold.threshold_ms == pytest.approx(true_ms, rel=0.2)
    assert threshold.ci_low < true_ms < threshold.ci_high
    assert threshold.ci_low < threshold.threshold_ms < threshold.ci_high
    assert (threshold.trials, threshold.reason, threshold.beyond) == (450, None, None)
    assert threshold.goodness_p > 0.01
    assert threshold.binomial_p > 0.01
    assert 0 <= threshold.lapse < 0.25
    json.dumps(dataclasses.asdict(threshold), allow_nan=False)


def test_settings_and_the_generator_matter_where_they_should():
    levels_ms, rng = np.repeat([150.0, 250.0, 400.0, 700.0], 60), np.random.default_rng(9)
    correct = rng.random(len(levels_ms)) < np.repeat([0.6, 0.7, 0.85, 0.95], 60)

    def fit(seed=1, **settings):
        return fit_threshold(levels_ms, correct, rng=np.random.default_rng(seed), **settings)

    usual = fit()
    assert usual == fit()
    p = {"goodness_p": 0.5, "binomial_p": 0.5}
    assert dataclasses.replace(fit(seed=2), **p) == dataclasses.replace(usual, **p)
    assert fit(at=0.8).threshold_ms > usual.threshold_ms


def test_an_easy_condition_has_its_threshold_below_the_floor():
    threshold = fitted(Psychometric(threshold_ms=30))
    assert (threshold.threshold_ms, threshold.beyond) == (None, "below")
    assert threshold.reason == "below 100 ms, the shortest exposure shown"
    assert threshold.ci_low is None


def test_a_hard_condition_has_its_threshold_above_the_ceiling():
    threshold = fitted(Psychometric(threshold_ms=4000))
    assert (threshold.threshold_ms, threshold.beyond) == (None, "above")
    assert threshold.reason.startswith("above ")
    assert threshold.ci_high is None
    assert threshold.slope is not None


def test_accuracy_that_levels_off_never_gets_there():
    rng = np.random.default_rng(6)
    exposures_ms = np.repeat([100.0, 150.0, 200.0, 400.0, 600.0, 800.0, 1000.0], 200)
    accuracy = np.where(exposures_ms < 180, 0.5, 0.65)
    threshold = fit_threshold(exposures_ms, rng.random(len(accuracy)) < accuracy, rng=rng)
    assert (threshold.threshold_ms, threshold.beyond) == (None, "above")
    assert threshold.reason.startswith("accuracy levels off at 6")
    assert threshold.reason.endswith("does not reach 75%")


def nothing_fitted(exposures_ms, correct):
    threshold = fit_threshold(exposures_ms, correct, rng=np.random.default_rng(0))
    numbers = dataclasses.asdict(threshold)
    for name in ("at", "confidence", "trials", "levels", "reason", "beyond"):
        del numbers[name]
    assert set(numbers.values()) == {None}
    return threshold.reason, threshold.beyond


def test_few_answers_have_no_threshold():
    few = FEWEST_TRIALS - 1
    reason = f"there are only {few} answers, but {FEWEST_TRIALS} are needed"
    assert nothing_fitted([100.0, *[200.0] * (few - 1)], [True] * few) == (reason, None)


def test_one_exposure_has_no_threshold():
    correct = [True] * 60 + [False] * 40
    assert nothing_fitted([300.0] * 100, correct) == ("only one exposure was shown, 300 ms", None)


@pytest.mark.parametrize(
    ("correct", "expected"),
    [(True, ("every answer is correct", "below")), (False, ("every answer is wrong", None))],
)
def test_equal_answers_have_no_threshold(correct, expected):
    assert nothing_fitted([100.0, 200.0] * 50, [correct] * 100) == expected


def test_accuracy_that_falls_has_no_threshold():
    """80 answers at two exposures: scipy's two-sided test of the four counts gives p < 1e-6."""
    shown_ms, correct = [100.0] * 40 + [1000.0] * 40, [True] * 40 + [True, False] * 20
    reason = (
        "accuracy falls as exposure grows (100% at 100 ms, 50% at 1000 ms): "
        "are answers or exposures swapped?"
    )
    assert nothing_fitted(shown_ms, correct) == (reason, None)
    several_ms = np.repeat([100.0, 200.0, 800.0, 1000.0], 20)
    said, _ = nothing_fitted(several_ms, (several_ms < 500) | (np.arange(80) % 2 > 0))
    assert "(100% at 100 to 200 ms, 50% at 800 to 1000 ms)" in said
    block = hype.Staircase(rule="quest+", trials=60)
    while not block.finished:
        block = block.after(correct=block.exposure_ms < 300)
    assert block.threshold_ms is None


def test_accuracy_that_is_flat_seldom_seems_to_fall(rng):
    shown_ms = np.repeat([100.0, 200.0, 400.0, 800.0], 40)
    answers = rng.random((1000, len(shown_ms))) < 0.8
    assert sum(bool(falling_accuracy(count_levels(shown_ms, own))) for own in answers) <= 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"at": 0.5}, "at: 0.5; it must be a share above 0.5"),
        ({"at": 1.0}, "at: 1.0; it must"),
        ({"confidence": 95}, "confidence: 95; it must"),
        ({"bounds_ms": (500.0, 100.0)}, "bounds_ms: 500 to 100; give two"),
        ({"bounds_ms": (0.0, 100.0)}, "bounds_ms: 0 to 100; give two"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        fit_threshold([100.0, 200.0], [True, False], rng=np.random.default_rng(0), **settings)


@pytest.mark.parametrize(
    ("exposures_ms", "correct"),
    [([], []), ([100.0], [True, False]), ([0.0, 100.0], [True] * 2), ([np.nan, 1.0], [True] * 2)],
)
def test_trials_that_are_none_are_refused(exposures_ms, correct):
    with pytest.raises(InputError, match="one exposure above 0 for each answer"):
        fit_threshold(exposures_ms, correct, rng=np.random.default_rng(0))
