import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.table import check_judgements
from hype.protocols.hype.thresholds import curve_of, curve_points, psychometric_curves
from hype.statistics.psychometric_fit import weibull
from hype.statistics.thresholds import FEWEST_TRIALS, fit_threshold

BOUNDS_MS = (100.0, 1000.0)
TRUE = {"gan": (250.0, 2.5, 0.03), "vae": (500.0, 2.0, 0.05)}


def judged(condition, exposures_ms, correct, truth=None):
    truth = np.tile(["real", "fake"], len(correct))[: len(correct)] if truth is None else truth
    other = np.where(truth == "real", "fake", "real")
    return pd.DataFrame(
        {
            "evaluator": f"of {condition}",
            "condition": condition,
            "truth": truth,
            "answer": np.where(correct, truth, other),
            "exposure_ms": exposures_ms,
        }
    )


def known(condition, rng, trials=12_000):
    exposures_ms = rng.choice(np.arange(100.0, 1010.0, 10), trials)
    return judged(
        condition, exposures_ms, rng.random(trials) < weibull(exposures_ms, *TRUE[condition])
    )


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    return check_judgements(pd.concat([known(name, rng) for name in reversed(TRUE)]))


@pytest.fixture(scope="module")
def curves(table):
    return psychometric_curves(table, BOUNDS_MS)


def test_the_curve_of_each_condition_is_recovered(curves):
    shown_ms = np.linspace(100, 1000, 50)
    assert list(curves) == ["gan", "vae"]
    for name, curve in curves.items():
        found = curve.function.accuracy(shown_ms)
        assert found == pytest.approx(weibull(shown_ms, *TRUE[name]), abs=0.04)
        assert (curve.reason, curve.trials) == (None, 12_000)
        assert (curve.shortest_ms, curve.longest_ms) == BOUNDS_MS


def test_points_lie_about_the_curve(curves):
    for curve in curves.values():
        at = curve.function.accuracy([point.exposure_ms for point in curve.points])
        held = [p.ci_low <= value <= p.ci_high for p, value in zip(curve.points, at, strict=True)]
        assert len(curve.points) == 12
        assert sum(held) >= 10


def test_other_conditions_do_not_matter(table, curves):
    alone = psychometric_curves(table[table["condition"].eq("gan")], BOUNDS_MS)
    assert alone == {"gan": curves["gan"]}


def test_bounds_are_those_of_the_staircases_by_default(table, curves):
    assert psychometric_curves(table) == curves  # 100 and 1000 ms were shown
    declared = table.assign(floor_ms=20.0, ceiling_ms=5000.0)
    assert psychometric_curves(declared) == psychometric_curves(table, (20.0, 5000.0))


def test_without_a_fit_there_are_points_and_the_reason():
    few = judged("gan", [100.0, 100.0, 200.0, 200.0] * 5, [True, True, False, False] * 5)
    curve = psychometric_curves(few, BOUNDS_MS)["gan"]
    assert curve.function is None
    assert curve.reason == f"20 answers are too few, {FEWEST_TRIALS} are needed"
    assert [(p.exposure_ms, p.correct, p.trials) for p in curve.points] == [
        (100.0, 10, 10),
        (200.0, 0, 10),
    ]


@pytest.mark.parametrize(
    ("correct", "reason"),
    [
        ([True] * 100, "every answer is correct"),
        ([False] * 100, "every answer is wrong"),
        ([True, False] * 50, "every answer is 'real'"),
    ],
)
def test_reasons_are_those_of_thresholds(correct, reason):
    curves = psychometric_curves(judged("gan", [100.0, 100.0, 200.0, 200.0] * 25, correct))
    assert curves["gan"].reason == reason


def test_one_exposure_has_no_curve():
    curves = psychometric_curves(judged("gan", [300.0] * 100, [True] * 60 + [False] * 40))
    assert curves["gan"].reason == "only one exposure was shown, 300 ms"
    assert len(curves["gan"].points) == 1


def test_bounds_that_are_none_are_refused(table):
    with pytest.raises(InputError, match="bounds_ms: 500 to 100; allowed"):
        psychometric_curves(table, (500.0, 100.0))


def test_few_exposures_are_points_of_their_own():
    points = curve_points(np.array([300.0, 100.0, 300.0]), np.array([True, False, False]))
    rows = [(p.exposure_ms, p.trials, p.correct, p.share) for p in points]
    assert rows == [(100.0, 1, 0, 0.0), (300.0, 2, 1, 0.5)]
    # Wilson's interval of 0 of 1: 0 to z² / (1 + z²).
    assert (points[0].ci_low, points[0].ci_high) == (0.0, pytest.approx(0.7935, abs=1e-4))


def test_rare_exposures_join_and_frequent_ones_do_not():
    exposures_ms = np.repeat([100.0, 110.0, 500.0, 550.0, 600.0], [500, 500, 5, 5, 5])
    points = curve_points(exposures_ms, np.ones(1015, dtype=bool), most=3)
    assert [(p.shortest_ms, p.longest_ms) for p in points] == [(100, 100), (110, 110), (500, 600)]
    assert points[2].exposure_ms == pytest.approx((500 * 550 * 600) ** (1 / 3))


@given(
    st.lists(st.tuples(st.integers(10, 1000), st.booleans()), min_size=1, max_size=80),
    st.integers(1, 12),
)
def test_points_hold_every_answer_once(trials, most):
    exposures_ms, correct = (np.array(column) for column in zip(*trials, strict=True))
    points = curve_points(exposures_ms.astype(float), correct, most=most)
    assert len(points) == min(most, len(set(exposures_ms.tolist())))
    assert sum(p.trials for p in points) == len(trials)
    assert sum(p.correct for p in points) == correct.sum()
    ends = [end for p in points for end in (p.shortest_ms, p.longest_ms)]
    assert ends == sorted(ends)
    for point in points:
        inside = (exposures_ms >= point.shortest_ms) & (exposures_ms <= point.longest_ms)
        assert (point.trials, point.correct) == (inside.sum(), correct[inside].sum())
        assert point.shortest_ms <= point.exposure_ms <= point.longest_ms
        assert point.ci_low <= point.share <= point.ci_high


def test_a_threshold_knows_the_function_it_was_read_off():
    exposures_ms = np.repeat([100.0, 200.0, 300.0, 400.0, 600.0, 900.0], 100)
    correct = np.random.default_rng(4).random(600) < weibull(exposures_ms, 250.0, 2.5, 0.03)
    rng = np.random.default_rng(0)
    threshold = fit_threshold(exposures_ms, correct, rng=rng, bounds_ms=BOUNDS_MS)
    function = curve_of(threshold)
    assert function.accuracy(threshold.threshold_ms) == pytest.approx(threshold.at)
    quick = psychometric_curves(judged("gan", exposures_ms, correct), BOUNDS_MS)["gan"].function
    assert dataclasses.astuple(function) == pytest.approx(dataclasses.astuple(quick), rel=0.01)


def test_where_nothing_was_fitted_there_is_no_function():
    threshold = fit_threshold([100.0, 200.0], [True, False], rng=np.random.default_rng(0))
    assert threshold.reason
    assert curve_of(threshold) is None
