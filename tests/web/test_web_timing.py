"""Timing in a browser: facts about display and exposures from callbacks and presentations."""

import pytest

from hype.session.timing import Request, Verdict, judge_timing
from hype.web.simulated import callbacks_of
from hype.web.wire import (
    CALLBACKS,
    PRESENTATIONS,
    Callback,
    DisplayRate,
    display_rate,
    flips_of,
)

FRAME_MS = 1000 / 60
FRAMES = (6, 2, 2)
CHANGES = (6, 12, 14, 16)
"""The numbers of the callbacks at which the picture changes."""


def called():
    return [Callback(*one) for one in callbacks_of(list(FRAMES))]


def verdict(callbacks, presented=None, judged_by=CALLBACKS):
    flips = flips_of(callbacks, FRAMES, 60.0, judged_by, presented=presented)
    requests = [Request(frames * FRAME_MS, frames) for frames in FRAMES]
    return judge_timing(requests, flips, refresh_hz=60.0).verdict


def test_a_rate_is_that_of_the_regular_intervals():
    found = display_rate([FRAME_MS] * 95 + [2 * FRAME_MS] * 5)
    assert found.refresh_hz == pytest.approx(60.0)
    assert found.regular == pytest.approx(0.95)
    assert found.is_held


def test_a_display_that_misses_frames_does_not_hold_its_rate():
    assert not display_rate([FRAME_MS, 2 * FRAME_MS, FRAME_MS] * 20).is_held
    assert not DisplayRate(refresh_hz=5.0, regular=1.0).is_held


@pytest.mark.parametrize("intervals", [[], [16.7, 0.0]])
def test_what_are_no_intervals_is_refused(intervals):
    with pytest.raises(ValueError, match="intervals"):
        display_rate(intervals)


def test_callbacks_in_time_are_ok():
    assert verdict(called()) is Verdict.OK


def test_a_frame_that_was_missed_is_dropped():
    late = [
        Callback(t + FRAME_MS * (n > 8), d + FRAME_MS * (n > 8))
        for n, (t, d) in enumerate(called())
    ]
    assert verdict(late) is Verdict.DROPPED


def test_drawing_that_took_longer_than_its_frame_is_not_ok():
    callbacks = called()
    callbacks[12] = Callback(callbacks[12].began, callbacks[12].began + 1.5 * FRAME_MS)
    assert verdict(callbacks) is Verdict.DROPPED


def test_what_was_presented_counts_and_not_when_it_was_drawn():
    shown = [called()[place].began + 20.0 for place in CHANGES]
    assert verdict(called(), shown, PRESENTATIONS) is Verdict.OK
    shown[1] += FRAME_MS
    assert verdict(called(), shown, PRESENTATIONS) is Verdict.DROPPED


def test_a_browser_that_tells_of_changes_and_told_not_of_all_has_no_trial_that_is_ok():
    assert verdict(called(), None, PRESENTATIONS) is Verdict.DROPPED


@pytest.mark.parametrize("presented", [(), (1.0,) * 4, (500.0,) * 3])
def test_presentations_that_cannot_be_are_refused(presented):
    with pytest.raises(ValueError, match=r"presentations|was seen"):
        flips_of(called(), FRAMES, 60.0, PRESENTATIONS, presented=presented)


@pytest.mark.parametrize(
    "callbacks", [[], called()[:-1], called()[::-1], [Callback(t, t - 1) for t, _ in called()]]
)
def test_callbacks_that_cannot_be_are_refused(callbacks):
    with pytest.raises(ValueError, match=r"callback"):
        flips_of(callbacks, FRAMES, 60.0, CALLBACKS)
