"""Psychometric functions of evaluators, their thresholds, and the medians of these."""

import numpy as np
import pandas as pd
import pytest
from simulated_staircases import accuracy, true_threshold_ms

from hype.errors import InputError
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.table import check_judgements
from hype.protocols.hype.thresholds import (
    fit_curves,
    fit_thresholds,
    median_threshold,
)
from hype.statistics.psychometric_fit import weibull

PEOPLE = {
    "gan": {
        "b": Psychometric(threshold_ms=320, slope=2.5),
        "a": Psychometric(threshold_ms=220, slope=2.5),
    },
    "began": {"c": Psychometric(threshold_ms=30)},
}


LEVELS_MS = np.repeat([100.0, 150.0, 225.0, 340.0, 500.0, 750.0], 80)


def answered_by(person, rng):
    right = {level: accuracy(person, level) for level in np.unique(LEVELS_MS).tolist()}
    return rng.random(len(LEVELS_MS)) < [right[level] for level in LEVELS_MS.tolist()]


@pytest.fixture(scope="module")
def answered():
    rng = np.random.default_rng(12)
    return pd.concat(
        judged(condition, LEVELS_MS, answered_by(person, rng), evaluator)
        for condition, people in PEOPLE.items()
        for evaluator, person in people.items()
    )


@pytest.fixture(scope="module")
def thresholds(answered):
    return fit_thresholds(answered, seed=3)


def test_each_evaluator_is_recovered_and_the_median_is_theirs(thresholds):
    medians, people = thresholds
    own = [row for row in people if row["condition"] == "gan"]
    for row in own:
        true_ms = true_threshold_ms(PEOPLE["gan"][row["evaluator"][0]])
        assert row["ci_low"] < true_ms < row["ci_high"]
    own_ms = [row["threshold_ms"] for row in own]
    median = medians["gan"]["median"]
    assert median.value == sum(own_ms) / 2
    assert median.low < min(own_ms) < max(own_ms) < median.high
    assert (medians["gan"]["at"], medians["gan"]["without"]) == (0.75, 0)


def test_a_condition_below_the_floor_has_no_median(thresholds):
    began = thresholds[0]["began"]
    assert (began["median"], began["beyond"], began["without"]) == (None, "below", 1)


def test_settings_out_of_range_are_refused():
    table = judged("gan", [100.0, 200.0], [True, False])
    with pytest.raises(InputError, match=r"at: 0\.4; allowed"):
        fit_thresholds(table, seed=0, at=0.4)


INF = float("inf")


@pytest.mark.parametrize(
    ("own_ms", "expected"),
    [
        ([100.0, 300.0, 200.0], (200.0, None, 0)),
        ([100.0, 300.0, INF], (300.0, None, 1)),
        ([100.0, 300.0, -INF], (100.0, None, 1)),
        ([100.0, None, 300.0], (200.0, None, 1)),
        ([100.0, INF], (None, "above", 1)),
        ([100.0, -INF, -INF], (None, "below", 2)),
        ([INF, -INF], (None, None, 2)),
        ([None], (None, None, 1)),
    ],
)
def test_the_median_knows_who_lies_beyond(own_ms, expected):
    found = median_threshold(own_ms, 0.75)
    median_ms = found["median"] and found["median"].value
    assert (median_ms, found["beyond"], found["without"]) == expected


BOUNDS_MS = (100.0, 1000.0)


TRUE = {"gan": (250.0, 2.5, 0.03), "vae": (500.0, 2.0, 0.05)}


LONGER = (0.7, 1.0, 1.5)


"""How many times as long as others each evaluator needs."""


def judged(condition, exposures_ms, correct, evaluator="a"):
    truth = np.tile(["real", "fake"], len(correct))[: len(correct)]
    other = np.where(truth == "real", "fake", "real")
    return pd.DataFrame(
        {
            "evaluator": f"{evaluator} of {condition}",
            "condition": condition,
            "truth": truth,
            "answer": np.where(correct, truth, other),
            "exposure_ms": exposures_ms,
        }
    )


def known(condition, rng, times, trials=8_000):
    scale_ms, exponent, lapse = TRUE[condition]
    exposures_ms = rng.choice(np.arange(100.0, 1010.0, 10), trials)
    right = weibull(exposures_ms, times * scale_ms, exponent, lapse)
    return judged(condition, exposures_ms, rng.random(trials) < right, evaluator=times)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    return check_judgements(
        pd.concat([known(name, rng, times) for name in reversed(TRUE) for times in LONGER])
    )


@pytest.fixture(scope="module")
def curves(table):
    return fit_curves(table, BOUNDS_MS)


def test_everybodys_curve_is_recovered(curves):
    shown_ms = np.linspace(100, 1000, 50)
    assert list(curves) == ["gan", "vae"]
    for name, curve in curves.items():
        for own, times in zip(curve, LONGER, strict=True):
            assert own.against is None
            scale_ms, exponent, lapse = TRUE[name]
            expected = weibull(shown_ms, times * scale_ms, exponent, lapse)
            assert own.function.accuracy(shown_ms) == pytest.approx(expected, abs=0.06)
