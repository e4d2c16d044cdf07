"""The verdict finds frames that were dropped on purpose, at windows with a virtual clock."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import pytest
from fake_window import LOOK_S, FakeTime, HastyWindow, WaitingWindow
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.session.timing import Flip, Request, Timing, Verdict, judge_timing
from hype.station.frame_clock import LEAD_FRAMES, SoftwareClock, TimedPicture, VsyncClock

HZ = 60.0
FRAME_S = 1 / HZ
FRAMES = (6, 2, 2)
"""Frames of the image and its masks."""
IMAGE, MASK_1, MASK_2, QUESTION = 1, 2, 3, 4
"""Numbers of the flips that show them if flips do not wait; flip 0 shows the lead."""
WAITING = dict(zip((IMAGE, MASK_1, MASK_2, QUESTION), accumulate((4, *FRAMES)), strict=True))
"""The same numbers if each frame has a flip."""

Window = WaitingWindow | HastyWindow


def trial_at(window: Window, time: FakeTime, draw_s: Mapping[int, float] | None = None) -> list:
    """Return the pictures of one trial; ``draw_s`` is the drawing time of slow ones."""
    names = ("lead", "image", "mask 1", "mask 2", "question")
    slow = draw_s or {}
    return [
        TimedPicture(window.drawing(name, time, slow.get(place, 0.0)), frames)
        for place, (name, frames) in enumerate(zip(names, (LEAD_FRAMES, *FRAMES, 0), strict=True))
    ]


def judged(flips: Sequence[Flip], tolerance_ms: float | None = None) -> Timing:
    """Judge a trial by its flips; the first one is that of the lead."""
    requests = [Request(1000 * n * FRAME_S, n) for n in FRAMES]
    return judge_timing(requests, flips[1:], refresh_hz=HZ, tolerance_ms=tolerance_ms)


def frames_off(changes_s: Sequence[float]) -> float:
    """Return the largest true deviation of the image or a mask, in frames."""
    lasted_s = (after - before for before, after in pairwise(changes_s))
    return max(abs(s * HZ - n) for s, n in zip(lasted_s, FRAMES, strict=True))


def at_a_waiting_window(
    missed: Mapping[int, int] | None = None, late_s: Mapping[int, float] | None = None
) -> tuple[list[Flip], list[float]]:
    """Show a trial; return the measured flips and the true changes."""
    time = FakeTime()
    window = WaitingWindow(time, HZ, missed=missed, late_s=late_s)
    flips = VsyncClock(window, HZ, time).show(trial_at(window, time))
    return flips, [window.changes_s[number] for number in WAITING.values()]


def at_a_hasty_window(
    *,
    costs_s: Mapping[int, float] | None = None,
    changes_at: Mapping[int, float] | None = None,
    draw_s: Mapping[int, float] | None = None,
) -> tuple[list[Flip], list[float]]:
    """Show a trial after a first one for warming up; return flips and true changes."""
    time = FakeTime()
    window = HastyWindow(time, costs_s=second(costs_s), changes_at=second(changes_at))
    clock = SoftwareClock(window, HZ, time)
    clock.show(trial_at(window, time))
    flips = clock.show(trial_at(window, time, draw_s))
    return flips, window.changes_s[-len(FRAMES) - 1 :]


def second(of_flips: Mapping[int, float] | None) -> dict[int, float]:
    """Move values by flip to the next trial's flips, whose numbers continue the first trial's."""
    return {QUESTION + 1 + number: value for number, value in (of_flips or {}).items()}


WAITING_CASES = {
    "nothing": ({}, {}, "ok"),
    "a frame missed while the lead stands": ({2: 1}, {}, "ok"),
    "a frame missed while the image stands": ({WAITING[IMAGE] + 2: 1}, {}, "dropped"),
    "three frames missed while the image stands": ({WAITING[IMAGE] + 2: 3}, {}, "dropped"),
    "the image comes a frame late": ({WAITING[IMAGE]: 1}, {}, "dropped"),
    "the first mask comes a frame late": ({WAITING[MASK_1]: 1}, {}, "dropped"),
    "a frame missed while the second mask stands": ({WAITING[MASK_2] + 1: 1}, {}, "dropped"),
    "the question comes a frame late": ({WAITING[QUESTION]: 1}, {}, "dropped"),
    "told late of the lead": ({}, {1: 0.4}, "ok"),
    "told late of the image": ({}, {WAITING[IMAGE]: 0.4}, "ok"),
    "told late of one mask, and the next late": ({12: 1}, {10: 0.4}, "dropped"),
    "told late of the frame before the one missed": ({10: 1}, {9: 0.9}, "dropped"),
}


@pytest.mark.parametrize("case", WAITING_CASES)
def test_verdicts_where_flips_wait(case):
    missed, late, verdict = WAITING_CASES[case]
    flips, _ = at_a_waiting_window(missed, {n: share * FRAME_S for n, share in late.items()})

    assert judged(flips).verdict.value == verdict


@pytest.mark.parametrize(
    ("late_frames", "tolerance_ms", "verdict"),
    [
        (0.3, None, Verdict.OK),
        (0.3, 4.0, Verdict.LATE),  # it may have come 5 ms before its measured time
        (0.3, 6.0, Verdict.OK),
        (0.1, 1.0, Verdict.LATE),
    ],
)
def test_a_flip_told_late_may_have_been_late(late_frames, tolerance_ms, verdict):
    flips, _ = at_a_waiting_window(late_s={WAITING[MASK_1]: late_frames * FRAME_S})

    assert judged(flips, tolerance_ms).verdict is verdict


@pytest.mark.parametrize("missed", [1, 2, 5])
def test_missed_frames_are_counted(missed):
    flips, changes_s = at_a_waiting_window({WAITING[IMAGE] + 1: missed})
    timing = judged(flips)

    assert timing.missed_frames == missed == round(frames_off(changes_s))
    assert timing.image.measured_ms == pytest.approx(1000 * (6 + missed) * FRAME_S)


HASTY_CASES: dict[str, tuple[dict[str, dict[int, float]], str]] = {
    "nothing": ({}, "ok"),
    "a flip takes 0.4 frames": ({"costs_s": {MASK_1: 0.4}}, "ok"),
    "a flip takes 0.6 frames": ({"costs_s": {MASK_1: 0.6}}, "late"),
    "a flip takes a frame and changes the screen in time": (
        {"costs_s": {MASK_1: 1.0}, "changes_at": {MASK_1: 0.02}},
        "dropped",
    ),
    "the image's flip takes two frames": ({"costs_s": {IMAGE: 2.0}}, "dropped"),
    "the last flip takes a frame": ({"costs_s": {QUESTION: 1.0}}, "dropped"),
    "the lead's flip takes five frames": ({"costs_s": {0: 5.0}}, "ok"),
    "the image is drawn slowly, in time": ({"draw_s": {IMAGE: 3.0}}, "ok"),
    "the image is drawn too slowly, so the lead is longer": ({"draw_s": {IMAGE: 4.6}}, "ok"),
    "the first mask is drawn too slowly": ({"draw_s": {MASK_1: 7.5}}, "dropped"),
    "the first mask is drawn 0.4 frames too slowly": ({"draw_s": {MASK_1: 6.3}}, "ok"),
    "the question is drawn too slowly": ({"draw_s": {QUESTION: 2.6}}, "late"),
    "the question is drawn far too slowly": ({"draw_s": {QUESTION: 5.0}}, "dropped"),
}


@pytest.mark.parametrize("case", HASTY_CASES)
def test_verdicts_where_flips_do_not_wait(case):
    events, verdict = HASTY_CASES[case]
    in_s = {
        what: {n: share * (1 if what == "changes_at" else FRAME_S) for n, share in by.items()}
        for what, by in events.items()
    }
    flips, changes_s = at_a_hasty_window(**in_s)
    timing = judged(flips)

    assert timing.verdict.value == verdict
    if timing.verdict is Verdict.OK:
        assert frames_off(changes_s) < 0.5


shares = st.floats(0, 1)
numbers = st.integers(0, QUESTION)


@settings(max_examples=150, deadline=None)
@given(
    costs=st.dictionaries(numbers, st.floats(0.01, 2.5)),
    changes_at=st.dictionaries(numbers, shares),
    drawn=st.dictionaries(numbers, st.floats(0, 8)),
)
def test_a_hasty_window_never_gets_a_dropped_frame_past_the_verdict(costs, changes_at, drawn):
    flips, changes_s = at_a_hasty_window(
        costs_s={n: share * FRAME_S for n, share in costs.items()},
        changes_at=changes_at,
        draw_s={n: share * FRAME_S for n, share in drawn.items()},
    )
    off = frames_off(changes_s)

    for flip, change_s in zip(flips[IMAGE:], changes_s, strict=True):
        assert flip.earliest_s - LOOK_S <= change_s <= flip.latest_s + LOOK_S
    if off > 0.76:
        assert judged(flips).verdict is Verdict.DROPPED
    elif off > 0.51:
        assert judged(flips).verdict is not Verdict.OK


def seldom_late(lateness: Sequence[float]) -> list[float]:
    """Return delays in which no two consecutive flips are late by half a frame or more."""
    told: list[float] = []
    for share in lateness:
        told.append(share % 0.5 if told and told[-1] >= 0.5 else share)
    return told


FLIPS = WAITING[QUESTION] + 1
lateness = st.lists(
    st.one_of(st.just(0.0), st.floats(0, 0.45), st.floats(0, 0.97)), min_size=FLIPS, max_size=FLIPS
)
misses = st.dictionaries(st.integers(0, FLIPS - 1), st.integers(1, 3), max_size=4)


@settings(max_examples=300, deadline=None)
@given(missed=misses, late=lateness.map(seldom_late))
def test_a_waiting_window_never_gets_a_missed_frame_past_the_verdict(missed, late):
    flips, changes_s = at_a_waiting_window(
        missed, {n: share * FRAME_S for n, share in enumerate(late)}
    )

    if frames_off(changes_s) > 0.5:
        assert judged(flips).verdict is not Verdict.OK


@settings(max_examples=100, deadline=None)
@given(
    missed=st.dictionaries(st.integers(0, LEAD_FRAMES - 1), st.integers(1, 3)),
    late=st.lists(st.floats(0, 0.24), min_size=FLIPS, max_size=FLIPS),
)
def test_a_trial_on_the_beat_is_ok_although_its_flips_are_told_with_jitter(missed, late):
    """Frames may be missed before the trial."""
    flips, _ = at_a_waiting_window(missed, {n: share * FRAME_S for n, share in enumerate(late)})

    assert judged(flips).verdict is Verdict.OK
