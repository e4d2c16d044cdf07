"""The psychometric function of a simulated evaluator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.observer import Psychometric

functions = st.builds(
    Psychometric,
    threshold_ms=st.floats(10, 3000),
    slope=st.floats(0.2, 6),
    ceiling=st.floats(0.05, 1),
    lapse=st.floats(0, 1),
    bias=st.floats(-2, 2),
)
exposures = st.floats(1, 5000)


@given(function=functions)
def test_halfway_between_chance_and_ceiling_at_the_threshold(function):
    halfway = (0.5 + function.ceiling) / 2

    assert function.accuracy(function.threshold_ms) == pytest.approx(halfway)


@given(function=functions, share=st.floats(0.01, 0.99))
def test_settling_is_where_accuracy_with_lapses_is_so_high(function, share):
    best = function.lapse / 2 + (1 - function.lapse) * function.ceiling
    exposure_ms = function.settling_ms(0.5 + share * (best - 0.5))

    if function.ceiling <= 0.5 or function.lapse > 0.99:
        return
    assert exposure_ms is not None
    found = function.lapse / 2 + (1 - function.lapse) * function.accuracy(exposure_ms)
    assert found == pytest.approx(0.5 + share * (best - 0.5), abs=1e-6)
    assert function.settling_ms(best + 0.01) is None
    assert function.settling_ms(0.5) is None


@given(function=functions, one=exposures, more=st.floats(0, 5000))
def test_longer_shows_more_of_what_there_is(function, one, more):
    """Nearer to the ceiling, be it above chance or, with hyper-real fakes, below."""
    longer, shorter = function.accuracy(one + more), function.accuracy(one)

    assert abs(longer - 0.5) >= abs(shorter - 0.5) - 1e-12
    assert (longer - 0.5) * (function.ceiling - 0.5) >= 0


@given(threshold=st.floats(50, 500), exposure=exposures)
def test_without_bias_and_lapses_both_kinds_are_told_at_the_accuracy(threshold, exposure):
    function = Psychometric(threshold_ms=threshold, lapse=0.0)
    accuracy = function.accuracy(exposure)

    assert function.says_fake(exposure, fake=True) == pytest.approx(accuracy)
    assert function.says_fake(exposure, fake=False) == pytest.approx(1 - accuracy)


def test_bias_is_the_criterion_of_signal_detection():
    """d' = 2 and c = 0.5, by hand: hits are Phi(1 - 0.5), false alarms Phi(-1 - 0.5)."""
    ceiling = 0.8413447460685429  # Phi(1)
    function = Psychometric(threshold_ms=100, ceiling=ceiling, lapse=0.0, bias=0.5)

    assert function.says_fake(None, fake=True) == pytest.approx(0.6914624612740131)
    assert function.says_fake(None, fake=False) == pytest.approx(0.0668072012688581)


@given(exposure_ms=exposures, ceiling=st.floats(0.5, 1))
def test_a_timed_ceiling_is_that_of_flashed_images_alone(exposure_ms, ceiling):
    both = Psychometric(threshold_ms=200, ceiling=0.6, timed_ceiling=ceiling)

    assert both.accuracy(None) == 0.6
    assert both.accuracy(exposure_ms) == Psychometric(threshold_ms=200, ceiling=ceiling).accuracy(
        exposure_ms
    )


def test_what_an_image_looks_like_is_seen_at_leisure_and_not_in_no_time():
    """Evidence 1 and looks 0.5, by hand: Phi(1.5) and Phi(-0.5)."""
    ceiling = 0.8413447460685429  # Phi(1)
    function = Psychometric(threshold_ms=100, ceiling=ceiling, lapse=0.0)

    assert function.says_fake(None, fake=True, looks=0.5) == pytest.approx(0.9331927987311419)
    assert function.says_fake(None, fake=False, looks=0.5) == pytest.approx(0.3085375387259869)
    assert function.says_fake(1e-9, fake=True, looks=0.5) == pytest.approx(0.5, abs=1e-6)


def test_a_slope_beyond_all_numbers_is_a_step():
    person = Psychometric(threshold_ms=250.0, slope=1e9, ceiling=0.95)

    assert person.accuracy(1000.0) == 0.95
    assert person.accuracy(100.0) == 0.5
