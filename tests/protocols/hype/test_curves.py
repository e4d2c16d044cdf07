import numpy as np
import pandas as pd
import pytest

from hype.protocols.hype.table import check_judgements
from hype.protocols.hype.thresholds import fit_curves, typical_function
from hype.statistics.psychometric_fit import PsychometricFunction, weibull

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


def test_the_typical_curve_is_of_the_medians(curves):
    own = [one.function for one in curves["gan"]]
    assert typical_function(curves["gan"]) == PsychometricFunction(
        scale_ms=np.median([one.scale_ms for one in own]),
        exponent=np.median([one.exponent for one in own]),
        lapse=np.median([one.lapse for one in own]),
    )


@pytest.mark.parametrize(
    ("exposures_ms", "correct", "reason"),
    [
        ([100.0, 200.0], [True, True], "every answer is correct"),
        ([100.0, 200.0], [False, False], "every answer is wrong"),
        ([100.0, 200.0], [True, False], "every answer is 'real'"),
        ([300.0, 300.0, 300.0], [True, False, True], "only one exposure was shown, 300 ms"),
    ],
)
def test_where_nobody_can_be_fitted_there_is_a_reason(exposures_ms, correct, reason):
    curves = fit_curves(judged("gan", exposures_ms * 50, correct * 50))["gan"]
    assert typical_function(curves) is None
    assert curves[0].against[0] == reason
