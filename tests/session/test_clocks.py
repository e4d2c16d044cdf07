"""What three clocks say together."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.session.facts import SHORTEST_SLEEP_S, SMALLEST_SETTING_S, Clocks, Gap, gap_between

YEAR_S = 3.2e7
TOLERANCE_S = 1e-5
"""A wall clock's seconds have about seven decimals."""

readings = st.builds(
    Clocks, wall_s=st.floats(0, 4e9), monotonic_s=st.floats(0, YEAR_S), boot_s=st.floats(0, YEAR_S)
)
durations_s = st.floats(0, YEAR_S)


def later(before, *, awake_s, slept_s=0.0, set_s=0.0):
    """Give the reading after some time awake, some asleep, and a setting of the wall clock."""
    return Clocks(
        wall_s=before.wall_s + awake_s + slept_s + set_s,
        monotonic_s=before.monotonic_s + awake_s,
        boot_s=before.boot_s + awake_s + slept_s,
    )


@given(before=readings, awake_s=durations_s)
def test_time_that_passes_is_no_gap(before, awake_s):
    assert gap_between(before, later(before, awake_s=awake_s)) == Gap()


@given(
    before=readings, awake_s=durations_s, slept_s=st.floats(SHORTEST_SLEEP_S + TOLERANCE_S, YEAR_S)
)
def test_sleep_is_found_however_long_the_machine_was_awake(before, awake_s, slept_s):
    gap = gap_between(before, later(before, awake_s=awake_s, slept_s=slept_s))
    assert gap.slept_s == pytest.approx(slept_s, abs=TOLERANCE_S)
    assert gap.set_s == 0


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
    gap = gap_between(before, later(before, awake_s=awake_s, slept_s=slept_s, set_s=set_s))
    assert gap.set_s == pytest.approx(set_s, abs=TOLERANCE_S)
    assert gap.slept_s == pytest.approx(slept_s, abs=TOLERANCE_S)


@given(
    before=readings,
    awake_s=durations_s,
    slept_s=st.floats(0, SHORTEST_SLEEP_S - TOLERANCE_S),
    set_s=st.floats(TOLERANCE_S - SMALLEST_SETTING_S, SMALLEST_SETTING_S - TOLERANCE_S),
)
def test_what_a_busy_machine_or_a_time_server_does_is_no_gap(before, awake_s, slept_s, set_s):
    after = later(before, awake_s=awake_s, slept_s=slept_s, set_s=set_s)
    assert gap_between(before, after) == Gap()


@given(before=readings, after=readings, shift_s=st.integers(-(10**6), 10**6))
def test_where_a_clock_began_to_count_says_nothing(before, after, shift_s):
    """As of 1 January 1970, or of some other day; up to what a float of that size holds."""

    def shifted(clocks):
        return replace(clocks, boot_s=clocks.boot_s + shift_s, wall_s=clocks.wall_s - shift_s)

    plain = gap_between(before, after)
    moved = gap_between(shifted(before), shifted(after))
    for one, other, smallest_s in (
        (plain.slept_s, moved.slept_s, SHORTEST_SLEEP_S),
        (plain.set_s, moved.set_s, SMALLEST_SETTING_S),
    ):
        near_the_edge = abs(max(abs(one), abs(other)) - smallest_s) < TOLERANCE_S
        assert one == pytest.approx(other, abs=TOLERANCE_S) or near_the_edge
