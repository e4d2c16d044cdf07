"""The verdict on a trial's timing: measurements, uncertainty, and deviations that never pass."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.session.timing import (
    WHOLE,
    Flip,
    Request,
    Timing,
    Verdict,
    describe_shown,
    judge_timing,
)

HZ = 100.0
TRIAL = (Request(100.0, 10), Request(30.0, 3), Request(30.0, 3))
ON_TIME_MS = (0.0, 100.0, 130.0, 160.0)
"""Ideal times of the flips of `TRIAL`: onsets of the image, of both masks, of the question."""


def flip(at_ms: float, *, before_ms: float = 0.0, after_ms: float = 0.0) -> Flip:
    """Return a flip with an uncertainty of some time before and after its measured time."""
    bounds = (at_ms, at_ms - before_ms, at_ms + after_ms)
    return Flip(*(5000.0 + ms / 1000 for ms in bounds))


def judged(*late_ms: float, tolerance_ms: float | None = None) -> Timing:
    """Judge `TRIAL` with flips that are late by these times."""
    flips = [flip(at + late) for at, late in zip(ON_TIME_MS, late_ms, strict=True)]
    return judge_timing(TRIAL, flips, refresh_hz=HZ, tolerance_ms=tolerance_ms)


CASES = {
    "on time": ((0, 0, 0, 0), "ok", 0),
    "all of it later": ((7, 7, 7, 7), "ok", 0),
    "image too long by 0.6 frames": ((0, 6, 6, 6), "late", 0),
    "image too short by 0.6 frames": ((0, -6, -6, -6), "late", 0),
    "first mask too long by 0.6 frames": ((0, 0, 6, 6), "late", 0),
    "second mask too long by 0.6 frames": ((0, 0, 0, 6), "late", 0),
    "image and mask late together": ((0, 3, 6, 9), "ok", 0),
    "just not a frame": ((0, 7.4, 7.4, 7.4), "late", 0),
    "as good as a frame": ((0, 7.6, 7.6, 7.6), "dropped", 1),
    "image too long by a frame": ((0, 10, 10, 10), "dropped", 1),
    "image too short by a frame": ((0, -10, -10, -10), "dropped", 1),
    "image a frame late, then in step again": ((0, 10, 0, 0), "dropped", 1),
    "second mask too long by three frames": ((0, 0, 0, 30), "dropped", 3),
    "the worst one counts": ((0, 10, 30, 30), "dropped", 2),
}


@pytest.mark.parametrize("case", CASES)
def test_verdicts_at_a_tolerance_of_half_a_frame(case):
    late_ms, verdict, missed = CASES[case]
    timing = judged(*late_ms)

    assert (timing.verdict.value, timing.missed_frames) == (verdict, missed)


@pytest.mark.parametrize(
    ("tolerance_ms", "late_ms", "verdict"),
    [
        (2, 1.9, Verdict.OK),
        (2, 2.1, Verdict.LATE),
        (100, 7.4, Verdict.OK),
        (100, 10, Verdict.DROPPED),  # no tolerance allows a whole frame
        (100, 50, Verdict.DROPPED),
    ],
)
def test_the_study_may_be_stricter_or_laxer(tolerance_ms, late_ms, verdict):
    assert judged(0, late_ms, late_ms, late_ms, tolerance_ms=tolerance_ms).verdict is verdict


def test_off_by_just_what_is_tolerated_is_ok():
    """These numbers are exact in binary: 8 frames at 64 Hz, and 1/256 s too long."""
    on, off = (Flip(at_s, at_s, at_s) for at_s in (5000.0, 5000.0 + 1 / 8 + 1 / 256))
    timing = judge_timing([Request(125.0, 8)], [on, off], refresh_hz=64.0, tolerance_ms=3.90625)

    assert timing.image.worst_ms == 3.90625
    assert timing.verdict is Verdict.OK


BOUNDS = {
    "onset may have been a frame earlier": (0, {"before_ms": 10}, "dropped", 1),
    "onset may have been 0.6 frames later": (0, {"after_ms": 6}, "late", 0),
    "onset may have been 0.4 frames earlier": (0, {"before_ms": 4}, "ok", 0),
    "first mask may have been two frames later": (1, {"after_ms": 20}, "dropped", 2),
    "second mask may have been 0.6 frames earlier": (2, {"before_ms": 6}, "late", 0),
    "the end may have been a frame later": (3, {"after_ms": 10}, "dropped", 1),
}


@pytest.mark.parametrize("case", BOUNDS)
def test_what_may_have_been_counts_and_not_what_seems(case):
    """The measured time of every flip is exactly right."""
    place, bounds, verdict, missed = BOUNDS[case]
    flips = [flip(at, **(bounds if n == place else {})) for n, at in enumerate(ON_TIME_MS)]
    timing = judge_timing(TRIAL, flips, refresh_hz=HZ)

    assert (timing.verdict.value, timing.missed_frames) == (verdict, missed)
    assert [p.measured_ms for p in (timing.image, *timing.masks)] == pytest.approx([100, 30, 30])
    assert timing.uncertainty_ms == pytest.approx(next(iter(bounds.values())))


def test_doubts_about_both_ends_of_a_picture_add_up():
    """Each flip is known to ±3 ms, so each duration is known to ±6 ms."""
    flips = [flip(at, before_ms=3, after_ms=3) for at in ON_TIME_MS]

    assert judge_timing(TRIAL, flips, refresh_hz=HZ).verdict is Verdict.LATE
    assert judge_timing(TRIAL, flips, refresh_hz=HZ, tolerance_ms=6.1).verdict is Verdict.OK


def test_requested_nominal_and_measured_durations_are_three_things():
    """At 60 Hz, 30 ms are two frames or 33.3 ms, and 34 ms were measured."""
    one = describe_shown(Request(30.0, 2), flip(0, before_ms=0.5), flip(34, after_ms=0.25), 60.0)

    assert (one.requested_ms, one.frames) == (30, 2)
    assert one.nominal_ms == pytest.approx(100 / 3)
    assert one.measured_ms == pytest.approx(34)
    assert one.deviation_ms == pytest.approx(4)  # from the request
    assert one.worst_ms == pytest.approx(34.75 - 100 / 3)  # from the nominal duration


shares = st.floats(0, 1.5)


@st.composite
def seen_trials(draw: st.DrawFn) -> tuple[list[Request], list[float], list[Flip], float]:
    """Return requests, the true times of screen changes, and the flips measured for them."""
    hz = draw(st.sampled_from([60.0, 59.94, 100.0, 144.0]))
    frames = draw(st.lists(st.integers(1, 60), min_size=1, max_size=4))
    off = st.one_of(st.just(0.0), st.floats(-0.9, 0.9), st.sampled_from([-1.0, 1.0, 2.0]))
    doubt = st.one_of(st.just(0.0), st.floats(0, 0.3), shares)
    true_s = [draw(st.floats(1, 10_000))]
    for number in frames:
        true_s.append(true_s[-1] + max(0.01, number + draw(off)) / hz)
    flips = []
    for at_s in true_s:
        earliest_s, latest_s = at_s - draw(doubt) / hz, at_s + draw(doubt) / hz
        seems_s = earliest_s + draw(st.floats(0, 1)) * (latest_s - earliest_s)
        flips.append(Flip(seems_s, earliest_s, latest_s))
    return [Request(1000 * n / hz, n) for n in frames], true_s, flips, hz


def frames_too_long(requests: Sequence[Request], true_s: Sequence[float], hz: float) -> list[float]:
    """Return by how many frames each picture was truly shown too long."""
    lasted_s = [off - on for on, off in pairwise(true_s)]
    return [s * hz - request.frames for s, request in zip(lasted_s, requests, strict=True)]


@given(trial=seen_trials(), tolerance_ms=st.one_of(st.none(), st.floats(0.5, 100)))
def test_a_trial_that_is_off_by_a_frame_is_never_ok_whatever_its_flips_seem_to_be(
    trial, tolerance_ms
):
    requests, true_s, flips, hz = trial
    timing = judge_timing(requests, flips, refresh_hz=hz, tolerance_ms=tolerance_ms)
    worst = max(map(abs, frames_too_long(requests, true_s, hz)))
    slack = 1e-6

    if worst > 1 - slack:
        assert timing.verdict is Verdict.DROPPED
    if timing.verdict is Verdict.OK:
        assert worst <= min(WHOLE, (tolerance_ms or 500 / hz) * hz / 1000) + slack
    assert worst <= timing.missed_frames + WHOLE + slack


@given(
    frames=st.lists(st.integers(1, 60), min_size=1, max_size=4),
    hz=st.sampled_from([60.0, 59.94, 75.0, 100.0, 144.0]),
    onset_s=st.floats(0, 1e6),
)
def test_a_trial_on_time_is_ok_at_any_hour(frames, hz, onset_s):
    times_s = [onset_s + sum(frames[:n]) / hz for n in range(len(frames) + 1)]
    timing = judge_timing(
        [Request(1000 * n / hz, n) for n in frames],
        [Flip(s, s, s) for s in times_s],
        refresh_hz=hz,
        tolerance_ms=0.1,
    )

    assert (timing.verdict, timing.missed_frames) == (Verdict.OK, 0)
