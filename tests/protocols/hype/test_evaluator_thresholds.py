"""Psychometric functions of evaluators, their thresholds, and the median thresholds."""

import numpy as np
import pandas as pd
import pytest
from simulated_staircases import accuracy, true_threshold_ms

from hype.errors import InputError
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.thresholds import (
    fit_thresholds,
    median_threshold,
)

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
    with pytest.raises(InputError, match=r"at: 0\.4; it must"):
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
