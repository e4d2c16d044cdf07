"""Frame clocks: order, beat, and the duration of flips, at windows with a virtual clock."""

import gc
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import pytest
from fake_window import LOOK_S, FakeTime, HastyWindow, WaitingWindow
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.session.timing import Flip
from hype.station.frame_clock import (
    CHANGED_BY,
    FrameClock,
    SoftwareClock,
    TimedPicture,
    VsyncClock,
    align_to_beat,
)

HZ = 60.0
FRAME_S = 1 / HZ
LOOK = 4 * LOOK_S * HZ
"""The time for reading the clock between two flips, in frames."""
Window = WaitingWindow | HastyWindow


def on_time(beats: Sequence[int]) -> list[float]:
    """Return time stamps at these frames."""
    return [50 + beat * FRAME_S for beat in beats]


def frames(flips: Sequence[Flip]) -> list[tuple[float, float]]:
    """Return the earliest and latest time of each flip, in frames from the first stamp."""
    return [(round((f.earliest_s - 50) * HZ, 6), round((f.latest_s - 50) * HZ, 6)) for f in flips]


def test_flips_on_the_beat_are_known_exactly():
    stamps_s = on_time(range(70))
    flips = align_to_beat(stamps_s, FRAME_S)

    assert [f.at_s for f in flips] == stamps_s
    assert frames(flips) == [(n, n) for n in range(70)]


@pytest.mark.parametrize("missed", [1, 3])
def test_after_a_gap_a_flip_may_have_come_as_early_as_it_was_due(missed):
    flips = align_to_beat(on_time([0, 1, 2, 3 + missed, 4 + missed]), FRAME_S)

    assert frames(flips)[3] == (3, 3 + missed)
    assert [f.earliest_s == pytest.approx(f.latest_s) for f in flips] == [True] * 3 + [False, True]


@pytest.mark.parametrize("late", [0.2, 0.4, 0.5, 0.6, 0.75, 0.9])
def test_a_stamp_that_is_late_while_the_next_is_on_time_keeps_the_truth_within_bounds(late):
    stamps_s = on_time(range(10))
    stamps_s[5] += late * FRAME_S
    flips = align_to_beat(stamps_s, FRAME_S)

    for true, (earliest, latest) in enumerate(frames(flips)):
        assert earliest <= true <= latest
    assert frames(flips)[5][1] == pytest.approx(5 + late)
    assert frames(flips)[9] == (9, 9)


@pytest.mark.parametrize("display_hz", [59.94, 60.06])
def test_a_display_that_is_not_quite_at_its_rate_keeps_the_beat(display_hz):
    """At 59.94 Hz each frame is a thousandth longer than at 60 Hz, but none was missed."""
    stamps_s = [50 + n / display_hz for n in range(65)]
    flips = align_to_beat(stamps_s, FRAME_S)

    for flip, true_s in zip(flips, stamps_s, strict=True):
        assert flip.earliest_s <= true_s + 1e-9 <= flip.latest_s + 2e-9
        assert flip.latest_s - flip.earliest_s < 0.1 * FRAME_S


@settings(max_examples=200, deadline=None)
@given(
    steps=st.lists(st.sampled_from([1, 1, 1, 1, 2, 3]), min_size=1, max_size=40),
    late=st.lists(st.floats(0, 0.49), min_size=41, max_size=41),
    common=st.floats(0, 0.9),
)
def test_true_frames_are_within_the_bounds_but_for_the_lateness_that_all_stamps_share(
    steps, late, common
):
    """A delay that all flips share shifts all of them equally, so no duration changes."""
    true = [0, *accumulate(steps)]
    told = [n + common + share for n, share in zip(true, late, strict=False)]
    shared = min(seen - n for n, seen in zip(true, told, strict=True))
    flips = align_to_beat([50 + seen * FRAME_S for seen in told], FRAME_S)

    for n, (earliest, latest) in zip(true, frames(flips), strict=True):
        assert earliest - 1e-5 <= n + shared <= latest + 1e-5


CLOCKS: dict[str, Callable[[FakeTime], tuple[Window, FrameClock]]] = {
    "waiting": lambda time: (w := WaitingWindow(time, HZ), VsyncClock(w, HZ, time)),
    "hasty": lambda time: (w := HastyWindow(time), SoftwareClock(w, HZ, time)),
}


def triggering(window: Window, time: FakeTime, frames: Sequence[int]) -> list[TimedPicture]:
    """Return pictures whose triggers are logged."""
    return [
        TimedPicture(window.drawing(str(place), time), number, window.noting(f"trigger {place}"))
        for place, number in enumerate(frames)
    ]


@pytest.mark.parametrize(("kind", "flips_before"), [("waiting", [0, 4, 7, 9]), ("hasty", range(4))])
def test_a_trigger_leaves_after_its_flip_and_before_anything_else(kind, flips_before):
    time = FakeTime()
    window, clock = CLOCKS[kind](time)
    clock.show(triggering(window, time, (4, 3, 2, 0)))
    log = window.log

    for place, before in enumerate(flips_before):
        at = log.index(f"trigger {place}")
        assert log.count(f"trigger {place}") == 1
        assert log[at - 1 : at + 2] == ["flip", f"trigger {place}", "clear"]
        assert log[:at].count("flip") == before + 1


def test_where_flips_wait_every_frame_is_drawn_flipped_and_cleared():
    time = FakeTime()
    window = WaitingWindow(time, HZ)
    flips = VsyncClock(window, HZ, time).show(
        [TimedPicture(window.drawing("a", time), 2), TimedPicture(window.drawing("b", time), 0)]
    )

    assert window.log == ["draw a", "flip", "clear"] * 2 + ["draw b", "flip", "clear"]
    changes_s = window.changes_s
    assert [flip.at_s for flip in flips] == pytest.approx(changes_s[::2], abs=2 * LOOK_S)


def test_where_flips_do_not_wait_each_picture_is_ready_before_its_time():
    time = FakeTime()
    window = HastyWindow(time)
    SoftwareClock(window, HZ, time).show(
        [TimedPicture(window.drawing("a", time), 2), TimedPicture(window.drawing("b", time), 0)]
    )

    assert window.log == [
        *("draw a", "render", "flip", "clear"),
        *("draw b", "render", "flip", "clear"),
    ]


def stumbling(time: FakeTime) -> Callable[[], None]:
    """Return a drawing function that fails, and checks that garbage collection is off."""

    def draw() -> None:
        assert not gc.isenabled()
        time.take(0.001)
        raise RuntimeError("no such texture")

    return draw


@pytest.mark.parametrize("kind", CLOCKS)
def test_nothing_is_collected_while_pictures_are_shown_and_everything_is_afterwards(kind):
    time = FakeTime()
    _, clock = CLOCKS[kind](time)
    with pytest.raises(RuntimeError, match="no such texture"):
        clock.show([TimedPicture(stumbling(time), 1)])

    assert gc.isenabled()


def steady(clock_flip_s: float, shows: int, **slow: float) -> list[list[float]]:
    """Show five pictures of three frames several times; return the true onsets, in frames.

    ``slow`` is the time of single flips, by their number in all shows: ``flip_7=0.01``.
    """
    time = FakeTime()
    costs_s = {int(name.removeprefix("flip_")): s for name, s in slow.items()}
    window = HastyWindow(time, flip_s=clock_flip_s, costs_s=costs_s)
    clock = SoftwareClock(window, HZ, time)
    pictures = [TimedPicture(window.drawing(str(n), time), 3) for n in range(5)]
    onsets = []
    for number in range(shows):
        clock.show(pictures)
        first_s, *rest_s = window.changes_s[5 * number :]
        onsets.append([(s - first_s) * HZ for s in rest_s])
    return onsets


@pytest.mark.parametrize("slow", [1, 2, 4, 7, 12])
def test_one_slow_flip_is_not_expected_again(slow):
    """The slow flip changes the screen late; the flips after it are on time."""
    shows = steady(0.001, 4, **{f"flip_{slow}": 0.013})

    for number, onsets in enumerate(shows):
        for place, onset in enumerate(onsets, start=1):
            late = CHANGED_BY * (0.013 - 0.001) * HZ if 5 * number + place == slow else 0.0
            assert onset == pytest.approx(3 * place + late, abs=place * LOOK)


def test_flips_that_became_slower_are_expected_to_stay_so():
    time = FakeTime()
    window = HastyWindow(time, costs_s=dict.fromkeys(range(20, 200), 0.005))
    clock = SoftwareClock(window, HZ, time)
    pictures = [TimedPicture(window.drawing(str(n), time), 3) for n in range(5)]
    for _ in range(8):
        clock.show(pictures)
    lasted = [(b - a) * HZ for a, b in pairwise(window.changes_s[-5:])]

    assert lasted == pytest.approx([3] * 4, abs=LOOK)
