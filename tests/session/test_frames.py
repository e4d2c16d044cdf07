"""Milliseconds and whole frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.session.timing import (
    COMMON_RATES_HZ,
    EXACT_MS,
    frames_of,
    is_exact,
    rates_exact_for,
    real_ms,
    rounding_of,
)

TENS_MS = tuple(float(ms) for ms in range(100, 1001, 10))
"""The exposures of the paper's staircase."""


@pytest.mark.parametrize(
    ("duration_ms", "refresh_hz", "frames"),
    [
        (500, 60, 30),
        (490, 60, 29),  # 29.4
        (30, 60, 2),  # 1.8: a mask at 60 Hz lasts 33.3 ms
        (10, 60, 1),  # 0.6
        (1, 60, 1),  # at least one frame
        (100, 100, 10),
        (110, 100, 11),
        (30, 144, 4),  # 4.32
        (500, 59.94, 30),  # 29.97
    ],
)
def test_nearest_whole_number_of_frames(duration_ms, refresh_hz, frames):
    assert frames_of(duration_ms, refresh_hz) == frames


def test_what_60_hz_makes_of_the_papers_exposures():
    """By hand: a frame lasts 16.67 ms, so only multiples of 50 ms are whole frames, 6 to 60."""
    found = rounding_of(TENS_MS, 60)

    assert set(TENS_MS) - set(found.inexact_ms) == set(range(100, 1001, 50))
    assert found.distinct == 55
    assert (found.worst_ms, round(found.worst_shown_ms, 2)) == (110, 116.67)
    assert found.deviation_ms == pytest.approx(20 / 3)
    assert found.exact_at_hz == (100, 200, 300, 500)


@pytest.mark.parametrize(
    ("durations_ms", "rates"),
    [
        ((30.0,), (100, 200, 300, 500)),
        ((50.0, 100.0), (60, 100, 120, 160, 180, 200, 240, 280, 300, 360, 480, 500)),
        ((1000 / 60,), (60, 120, 180, 240, 300, 360, 480)),
        ((12.34,), ()),
        ((), COMMON_RATES_HZ),
    ],
)
def test_rates_that_show_all_exactly(durations_ms, rates):
    assert rates_exact_for(durations_ms) == rates


def test_exact_means_to_a_twentieth_of_a_millisecond():
    assert is_exact(500.04, 100)
    assert not is_exact(500.06, 100)
    assert not is_exact(1000, 99.98)


@given(
    durations_ms=st.lists(st.floats(10, 2000), min_size=1, max_size=20),
    refresh_hz=st.floats(50, 500),
)
def test_a_rounding_says_the_same_as_its_durations(durations_ms, refresh_hz):
    found = rounding_of(durations_ms, refresh_hz)
    deviations = [abs(real_ms(ms, refresh_hz) - ms) for ms in durations_ms]

    assert found.deviation_ms == pytest.approx(max(deviations), abs=1e-6)
    assert len(found.inexact_ms) == sum(deviation > EXACT_MS for deviation in deviations)
    assert 1 <= found.distinct <= len(set(durations_ms))
    for hz in COMMON_RATES_HZ:
        assert (rounding_of(durations_ms, hz).inexact_ms == ()) == (hz in found.exact_at_hz)
