"""Milliseconds and whole frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocol.frames import duration_of, frames_of


@pytest.mark.parametrize(
    ("duration_ms", "refresh_hz", "frames"),
    [
        (500, 60, 30),
        (490, 60, 29),  # 29.4
        (30, 60, 2),  # 1.8: a mask at 60 Hz lasts 33.3 ms
        (10, 60, 1),  # 0.6
        (1, 60, 1),  # never nothing
        (100, 100, 10),
        (110, 100, 11),
        (30, 144, 4),  # 4.32
        (500, 59.94, 30),  # 29.97
    ],
)
def test_nearest_whole_number_of_frames(duration_ms: float, refresh_hz: float, frames: int) -> None:
    assert frames_of(duration_ms, refresh_hz) == frames


def test_100_hz_shows_every_level_of_the_staircase_exactly() -> None:
    assert all(duration_of(frames_of(ms, 100), 100) == ms for ms in range(100, 1001, 10))


@given(
    duration_ms=st.floats(0.01, 5000), refresh_hz=st.floats(20, 1000), more_ms=st.floats(0, 1000)
)
def test_off_by_half_a_frame_at_most_and_never_shorter_for_longer(
    duration_ms: float, refresh_hz: float, more_ms: float
) -> None:
    frame_ms = 1000 / refresh_hz
    frames = frames_of(duration_ms, refresh_hz)

    assert frames >= 1
    if duration_ms >= frame_ms / 2:
        assert abs(duration_of(frames, refresh_hz) - duration_ms) <= frame_ms / 2 * (1 + 1e-9)
    assert frames_of(duration_ms + more_ms, refresh_hz) >= frames
