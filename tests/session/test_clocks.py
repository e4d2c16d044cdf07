"""Readings of three clocks at the same time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.session.facts import SHORTEST_SLEEP_S, SMALLEST_SETTING_S, Clocks, gap_between

YEAR_S = 3.2e7
TOLERANCE_S = 1e-5
"""The seconds of a wall clock are exact to about seven decimals."""

readings = st.builds(
    Clocks, wall_s=st.floats(0, 4e9), monotonic_s=st.floats(0, YEAR_S), boot_s=st.floats(0, YEAR_S)
)
durations_s = st.floats(0, YEAR_S)


def later(before, *, awake_s, slept_s=0.0, set_s=0.0):
    """Return a later reading, after time awake and asleep, and a change of the wall clock."""
    return Clocks(
        wall_s=before.wall_s + awake_s + slept_s + set_s,
        monotonic_s=before.monotonic_s + awake_s,
        boot_s=before.boot_s + awake_s + slept_s,
    )


@given(before=readings, awake_s=durations_s)
def test_time_that_passes_is_no_gap(before, awake_s):
    assert gap_between(before, later(before, awake_s=awake_s)) == (0, 0)


@given(
    before=readings, awake_s=durations_s, slept_s=st.floats(SHORTEST_SLEEP_S + TOLERANCE_S, YEAR_S)
)
def test_sleep_is_found_however_long_the_machine_was_awake(before, awake_s, slept_s):
    slept, was_set = gap_between(before, later(before, awake_s=awake_s, slept_s=slept_s))
    assert slept == pytest.approx(slept_s, abs=TOLERANCE_S)
    assert was_set == 0


@given(
    before=readings,
    awake_s=durations_s,
    slept_s=st.one_of(st.just(0.0), st.floats(1.0, YEAR_S)),
    far_s=st.floats(SMALLEST_SETTING_S + TOLERANCE_S, 1e9),
    forward=st.booleans(),
)
def test_a_setting_is_found_with_its_direction_asleep_or_not(
    before, awake_s, slept_s, far_s, forward
):
    set_s = far_s if forward else -far_s
    slept, was_set = gap_between(
        before, later(before, awake_s=awake_s, slept_s=slept_s, set_s=set_s)
    )
    assert was_set == pytest.approx(set_s, abs=TOLERANCE_S)
    assert slept == pytest.approx(slept_s, abs=TOLERANCE_S)


@given(
    before=readings,
    awake_s=durations_s,
    slept_s=st.floats(0, SHORTEST_SLEEP_S - TOLERANCE_S),
    set_s=st.floats(TOLERANCE_S - SMALLEST_SETTING_S, SMALLEST_SETTING_S - TOLERANCE_S),
)
def test_what_a_busy_machine_or_a_time_server_does_is_no_gap(before, awake_s, slept_s, set_s):
    after = later(before, awake_s=awake_s, slept_s=slept_s, set_s=set_s)
    assert gap_between(before, after) == (0, 0)
