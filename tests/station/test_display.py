"""Decisions from a display's mode and flips, on simulated displays."""

import random
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from hype.station.window import (
    DOUBLE_SCANNED,
    INTERLACED,
    LONGEST_S,
    MeasuredRate,
    Rectangle,
    UnfitDisplay,
    judge_rate,
    list_monitors,
    measure,
    measure_patiently,
    most_covered,
    rate_of,
    read_monitors,
    settle,
)


class Display:
    """A display with a clock of its own, which only flips and pauses advance.

    Flips wait for ``refresh_hz``, or do not wait if it is None. Drawing takes ``work_s``, flips
    return up to ``jitter_s`` late, and the first ``queue`` flips do not wait.
    """

    def __init__(
        self,
        refresh_hz: float | None,
        *,
        work_s: float = 0.0005,
        jitter_s: float = 0.0,
        queue: int = 0,
        hangs: dict[int, float] | None = None,
    ) -> None:
        self.refresh_hz, self.work_s, self.jitter_s, self.queue = (
            refresh_hz,
            work_s,
            jitter_s,
            queue,
        )
        self.hangs = hangs or {}
        self.now_s = 12_345.678
        self.flips = 0
        self.random = random.Random(3)

    def flip(self) -> None:
        self.now_s += self.work_s + self.hangs.get(self.flips, 0.0)
        self.flips += 1
        if self.refresh_hz is not None and self.flips > self.queue:
            frame = int(self.now_s * self.refresh_hz + 1e-6) + 1
            self.now_s = frame / self.refresh_hz
        self.now_s += self.random.random() * self.jitter_s

    def pause(self, pause_s: float) -> None:
        self.now_s += pause_s + self.random.random() * self.jitter_s

    def measured(self) -> MeasuredRate:
        return measure(self.flip, now=lambda: self.now_s, pause=self.pause)


@pytest.mark.parametrize("refresh_hz", [20.0, 59.94, 60.0, 100.0, 143.86, 360.0, 1000.0])
@pytest.mark.parametrize("share_of_work", [0.0, 0.1, 0.5])
def test_flips_that_wait(refresh_hz, share_of_work):
    measured = Display(refresh_hz, work_s=share_of_work / refresh_hz).measured()

    assert measured.waits
    assert measured.flip_hz == pytest.approx(refresh_hz, rel=1e-3)


@pytest.mark.parametrize("work_s", [0.0, 0.00002, 0.0005, 0.002, 1 / 144, 0.016, 1 / 60, 0.04])
def test_flips_that_do_not_wait_even_if_they_come_at_the_rate_of_a_screen(work_s):
    measured = Display(None, work_s=work_s).measured()

    assert not measured.waits
    if work_s:
        assert measured.flip_hz == pytest.approx(1 / work_s, rel=1e-3)


@pytest.mark.parametrize(("refresh_hz", "jitter_s"), [(60.0, 0.004), (144.0, 0.0015)])
def test_a_program_that_is_told_late_is_not_misled(refresh_hz, jitter_s):
    measured = Display(refresh_hz, jitter_s=jitter_s).measured()

    assert measured.waits
    assert measured.flip_hz == pytest.approx(refresh_hz, rel=0.01)
    assert not Display(None, work_s=0.9 / refresh_hz, jitter_s=jitter_s).measured().waits


@pytest.mark.parametrize("seed", range(20))
def test_flips_that_others_hold_up_at_any_time_do_not_wait_for_a_screen(seed):
    """On a busy machine a pause may even make the next flip come earlier."""
    chance = random.Random(seed)
    bare_s, paused_s = ([chance.uniform(0.0005, 0.008) for _ in range(40)] for _ in range(2))

    assert not judge_rate(bare_s, paused_s).waits


def test_frames_that_were_missed_do_not_slow_a_display_down():
    measured = Display(60.0, hangs={20: 0.03, 31: 0.1, 40: 0.02}).measured()

    assert measured.waits
    assert measured.flip_hz == pytest.approx(60, rel=1e-3)


@pytest.mark.parametrize("refresh_hz", [None, 60.0, 20.0])
def test_measuring_takes_no_longer_than_two_seconds(refresh_hz):
    display = Display(refresh_hz, work_s=0.03)
    start_s = display.now_s
    display.measured()

    assert display.now_s - start_s <= LONGEST_S + 0.1, "the last flip may end later"


@pytest.mark.parametrize("flip", [0, 5, 12])
def test_a_display_that_hangs_is_left_alone(flip):
    display = Display(60.0, hangs={flip: 7.0})
    with pytest.raises(UnfitDisplay, match=r"in 7\.\d s .* too few pictures .*; wake the screen"):
        display.measured()

    assert display.flips == flip + 1


def test_a_display_that_was_busy_for_a_while_is_measured_again():
    display = Display(60.0, hangs={0: 7.0, 1: 7.0})
    assert measure_patiently(display.measured).waits
    slow = Display(None, work_s=0.7)
    with pytest.raises(UnfitDisplay, match="too few pictures"):
        measure_patiently(slow.measured)

    assert slow.flips <= 3 * 3


WAITS_60, WAITS_144 = (MeasuredRate(flip_hz=hz, waits=True) for hz in (59.97, 143.9))
FAST, AS_FAST = (MeasuredRate(flip_hz=hz, waits=False) for hz in (2400.0, 61.0))


@pytest.mark.parametrize(
    ("mode_hz", "measured", "wanted_hz", "settled"),
    [
        (59.94, WAITS_60, 60.0, ("vsync", 59.94)),
        (None, WAITS_60, 60.0, ("vsync", 59.97)),
        (143.86, WAITS_144, 144.0, ("vsync", 143.86)),
        (59.94, FAST, 60.0, ("software", 59.94)),
        (None, FAST, 75.0, ("software", 75.0)),
        (None, AS_FAST, 60.0, ("software", 60.0)),
        (None, AS_FAST, 100.0, ("software", 100.0)),
    ],
)
def test_what_agrees_is_settled(mode_hz, measured, wanted_hz, settled):
    assert settle(mode_hz, measured, wanted_hz) == settled


@pytest.mark.parametrize(
    ("mode_hz", "measured", "wanted_hz", "code", "said"),
    [
        (
            60.0,
            WAITS_144,
            60.0,
            "refresh-disagrees",
            r"display of 60\.00 Hz, .* of 143\.90 Hz; run",
        ),
        (143.86, WAITS_60, 144.0, "refresh-disagrees", r"of 143\.86 Hz, .* of 59\.97 Hz; run"),
        (59.94, WAITS_60, 100.0, "refresh-not-wanted", r"= 100, but .* 59\.94 Hz; set the disp"),
        (None, WAITS_144, 60.0, "refresh-not-wanted", r"= 60, but .* measured at 143\.90 Hz; set"),
        (75.0, FAST, 60.0, "refresh-not-wanted", r"= 60, but the display's mode is 75\.00 Hz; s"),
    ],
)
def test_what_disagrees_is_refused_with_both_rates(mode_hz, measured, wanted_hz, code, said):
    with pytest.raises(UnfitDisplay, match=said) as refused:
        settle(mode_hz, measured, wanted_hz)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("dot_clock_hz", "h_total", "v_total", "flags", "refresh_hz"),
    [
        (148_500_000, 2200, 1125, 0, 60.0),
        (148_350_000, 2200, 1125, 0, 59.939),
        (346_500_000, 2080, 1157, 0, 143.981),
        (25_175_000, 800, 525, 0, 59.940),
        (74_250_000, 2200, 1125, INTERLACED, 60.0),  # 1080i: 60 fields per second
        (12_587_500, 400, 262, DOUBLE_SCANNED, 60.054),  # 320 x 240
        (533_250_000, 4000, 2222, 0, 59.997),
    ],
)
def test_the_rate_of_a_modeline(dot_clock_hz, h_total, v_total, flags, refresh_hz):
    assert rate_of(dot_clock_hz, h_total, v_total, flags) == pytest.approx(refresh_hz, abs=0.001)


LEFT, RIGHT = Rectangle(0, 0, 1920, 1080), Rectangle(1920, 0, 2560, 1440)


@pytest.mark.parametrize(
    ("window", "number"),
    [
        (LEFT, 0),
        (RIGHT, 1),
        (Rectangle(1500, 100, 1000, 700), 1),
        (Rectangle(1300, 100, 1000, 700), 0),
        (Rectangle(-500, -500, 600, 600), 0),
        (Rectangle(0, 1080, 1920, 300), None),
        (Rectangle(-2000, 0, 1920, 1080), None),
    ],
)
def test_the_screen_on_which_most_of_a_window_lies(window, number):
    assert most_covered((LEFT, RIGHT), window) == number


class Server:
    """Answers of an X server with two active monitors, one with a clone, and an idle output.

    It replaces a real server, since virtual displays have one monitor without a rate.
    """

    modes = (
        SimpleNamespace(id=7, dot_clock=148_500_000, h_total=2200, v_total=1125, flags=0),
        SimpleNamespace(id=8, dot_clock=346_500_000, h_total=2080, v_total=1157, flags=0),
    )
    crtcs: ClassVar = {
        1: SimpleNamespace(mode=8, x=1920, y=0, width=1920, height=1080, outputs=[11]),
        2: SimpleNamespace(mode=0, x=0, y=0, width=0, height=0, outputs=[]),
        3: SimpleNamespace(mode=7, x=0, y=0, width=1920, height=1080, outputs=[12, 13]),
    }
    outputs: ClassVar = {11: "DP-1", 12: "HDMI-1", 13: "HDMI-2"}

    def screen(self) -> Any:
        found = SimpleNamespace(modes=self.modes, crtcs=list(self.crtcs), config_timestamp=0)
        root = SimpleNamespace(xrandr_get_screen_resources_current=lambda: found)
        return SimpleNamespace(root=root)

    def xrandr_get_crtc_info(self, number: int, _: int) -> Any:
        return self.crtcs[number]

    def xrandr_get_output_info(self, number: int, _: int) -> Any:
        return SimpleNamespace(name=self.outputs[number])


def test_monitors_that_show_something_are_told_with_their_rates():
    dp, hdmi = list_monitors(Server())

    assert (dp.output, dp.place) == ("DP-1", Rectangle(1920, 0, 1920, 1080))
    assert dp.refresh_hz == pytest.approx(143.981, abs=0.001)
    assert (hdmi.output, hdmi.refresh_hz) == ("HDMI-1+HDMI-2", 60.0)


def test_where_no_display_answers_no_monitor_is_known(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":no-such-display")

    assert read_monitors() == ()
