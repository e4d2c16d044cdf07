"""The window and its display: the monitor, its refresh rate, and whether flips wait for it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeVar

from hype.errors import SessionProblem
from hype.station.config import Appearance, image_side_px
from hype.station.display import import_psychopy

Answer = TypeVar("Answer")
INTERLACED: Final = 0x10
DOUBLE_SCANNED: Final = 0x20
"""Flags of a display mode in RandR, an extension of the X server."""


class Rectangle(NamedTuple):
    """A part of the X server's screen: its upper left corner and size."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    def overlap_px(self, other: Rectangle) -> int:
        width = min(self.x_px + self.width_px, other.x_px + other.width_px)
        height = min(self.y_px + self.height_px, other.y_px + other.height_px)
        return max(0, width - max(self.x_px, other.x_px)) * max(
            0, height - max(self.y_px, other.y_px)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor. ``refresh_hz`` is None if the system does not report it."""

    output: str
    place: Rectangle
    refresh_hz: float | None


def rate_of(dot_clock_hz: int, h_total: int, v_total: int, flags: int = 0) -> float | None:
    """Return the refresh rate of a mode; None if its numbers are missing, as on Xvfb.

    An interlaced mode shows each frame in two fields; a double-scanned mode shows each line twice.
    """
    if not (dot_clock_hz and h_total and v_total):
        return None
    lines = v_total * (2.0 if flags & DOUBLE_SCANNED else 1.0) / (2.0 if flags & INTERLACED else 1)
    return dot_clock_hz / (h_total * lines)


def most_covered(places: Sequence[Rectangle], window: Rectangle) -> int | None:
    """Return the index of the place that overlaps most with a window; None if no place does."""
    shared = [place.overlap_px(window) for place in places]
    return shared.index(max(shared)) if any(shared) else None


def read_monitors() -> tuple[Monitor, ...]:
    """Ask the X server for its monitors; none if it does not answer or lacks RandR."""
    return ask_x_server(lambda x: tuple(list_monitors(x)) if x.has_extension("RANDR") else ()) or ()


def ask_x_server(question: Callable[[Any], Answer]) -> Answer | None:
    """Send a request to the X server; return None if it does not answer."""
    from Xlib.display import Display
    from Xlib.error import ConnectionClosedError, DisplayError, XError

    try:
        server = Display()
    except (DisplayError, OSError):
        return None
    try:
        return question(server)
    except (ConnectionClosedError, XError):
        return None
    finally:
        server.close()


def list_monitors(server: Any) -> Iterator[Monitor]:
    """Yield the monitors that are in use."""
    # `xrandr_get_screen_resources` would make the server ask all monitors again.
    resources = server.screen().root.xrandr_get_screen_resources_current()
    modes = {mode.id: mode for mode in resources.modes}
    for number in resources.crtcs:
        crtc = server.xrandr_get_crtc_info(number, resources.config_timestamp)
        mode = modes.get(crtc.mode)
        if mode is None:
            continue
        names = (server.xrandr_get_output_info(o, resources.config_timestamp) for o in crtc.outputs)
        yield Monitor(
            output="+".join(str(output.name) for output in names),
            place=Rectangle(crtc.x, crtc.y, crtc.width, crtc.height),
            refresh_hz=rate_of(mode.dot_clock, mode.h_total, mode.v_total, mode.flags),
        )


Sync = Literal["vsync", "software"]
LONGEST_S: Final = 2.0
"""A measurement starts no new flip after this time; its last flip may end later."""
QUEUED_FLIPS: Final = 10
LONGEST_QUEUE_S: Final = 0.5
"""The first flips, up to this number and duration, are not measured: drivers may queue them."""
FIRST_FLIPS: Final = 3
"""The number of flips before the first pause; their intervals determine the length of pauses."""
PAIRS: Final = 40
FEWEST_PAIRS: Final = 5
TRIES: Final = 3
PAUSE: Final = 0.4
"""The length of a pause, as a share of the interval between flips without a pause."""
GROWTH: Final = 1.2
"""If flips do not wait for the screen, the interval between two flips with a pause is at least this
many times the interval without one. If flips wait, the two are the same."""
OFF_BEAT: Final = 0.25
REGULAR: Final = 0.75
"""If flips wait, at least this share of intervals is a whole number of frames, ± `OFF_BEAT`."""
NO_SCREEN_HZ: Final = 1_100.0
"""No screen reaches this frame rate."""
SHORTEST_S: Final = 1e-6
"""Shorter intervals between flips are treated as if they were this long."""
NEARLY: Final = 0.03
"""Two refresh rates count as equal if their relative difference is at most this."""


class UnfitDisplay(SessionProblem):
    """A display that is not fit for a session. ``code`` names the reason, for programs."""

    def __init__(self, code: str, problem: str, remedy: str) -> None:
        self.code = code
        super().__init__(f"{problem}; {remedy}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRate:
    """A display's measured flip rate, and whether flips wait for the next frame."""

    flip_hz: float
    waits: bool


def measure(
    flip: Callable[[], object],
    *,
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> MeasuredRate:
    """Measure flips for at most `LONGEST_S`, and find out whether they wait for the screen.

    Every second flip comes after a pause that is shorter than a frame. A flip that waits for the
    screen ends when the next frame begins, with or without the pause. A flip that does not wait
    ends later by the length of the pause. Flips with and without a pause alternate, so that a
    changing load affects both in the same way.

    Raises UnfitDisplay: there were too few flips, since they take too long.
    """
    start_s = last_s = now()

    def flip_after(pause_s: float = 0.0) -> float:
        """Pause, flip, and return the time since the previous flip, in s."""
        nonlocal last_s
        if pause_s:
            pause(pause_s)
        flip()
        before_s, last_s = last_s, now()
        return last_s - before_s

    def run(number: int, until_s: float) -> list[float]:
        """Flip this many times without a pause, or fewer times if ``until_s`` comes first."""
        return [flip_after() for _ in range(number) if now() - start_s < until_s]

    run(QUEUED_FLIPS, LONGEST_QUEUE_S)
    bare_s = run(FIRST_FLIPS, LONGEST_S)
    paused_s: list[float] = []
    while len(paused_s) < PAIRS and now() - start_s < LONGEST_S:
        bare_s.append(flip_after())
        if now() - start_s < LONGEST_S:
            paused_s.append(flip_after(PAUSE * statistics.median(bare_s)))
    if len(paused_s) < FEWEST_PAIRS:
        raise UnfitDisplay(
            "flips-too-slow",
            f"in {now() - start_s:.1f} s the display showed too few pictures to measure its "
            "refresh rate",
            "wake the screen, close programs that keep the machine or its graphics busy, and retry",
        )
    return judge_rate(bare_s, paused_s)


def measure_patiently(measured: Callable[[], Answer]) -> Answer:
    """Measure up to `TRIES` times, since a machine may be busy, or a screen still asleep.

    Raises UnfitDisplay: the display was unfit each time.
    """
    for _ in range(TRIES - 1):
        with suppress(UnfitDisplay):
            return measured()
    return measured()


def judge_rate(bare_s: Sequence[float], paused_s: Sequence[float]) -> MeasuredRate:
    """Decide whether flips wait, from the intervals between flips without and with a pause.

    If flips wait, each interval is a whole number of frames. If not, a pause lengthens it. On a
    busy machine the pauses may have no visible effect, but then the intervals are irregular.
    """
    typical_s = max(statistics.median(bare_s), SHORTEST_S)
    grows = statistics.median(paused_s) >= GROWTH * typical_s
    frames = [max(1, round(interval_s / typical_s)) for interval_s in (*bare_s, *paused_s)]
    off = [
        abs(interval_s / typical_s - number)
        for interval_s, number in zip((*bare_s, *paused_s), frames, strict=True)
    ]
    regular = sum(share <= OFF_BEAT for share in off) >= REGULAR * len(off)
    if grows or not regular or 1 / typical_s > NO_SCREEN_HZ:
        return MeasuredRate(flip_hz=1 / typical_s, waits=False)
    return MeasuredRate(flip_hz=sum(frames) / (sum(bare_s) + sum(paused_s)), waits=True)


def settle(mode_hz: float | None, measured: MeasuredRate, wanted_hz: float) -> tuple[Sync, float]:
    """Compare the refresh rates of a display.

    ``mode_hz``: the rate that the system reports; None if it does not.
    ``measured``: the rate of the flips.
    ``wanted_hz``: the study's ``display.refresh_hz``.

    Returns how exposures are timed, and the rate that converts frames to durations: the rate that
    the system reports, if known; else the rate of flips, if they wait; else the study's rate.

    Raises UnfitDisplay: two of these rates differ.
    """
    if measured.waits:
        if mode_hz is not None and not same_rate(mode_hz, measured.flip_hz):
            raise UnfitDisplay(
                "refresh-disagrees",
                f"the system reports a display of {mode_hz:.2f} Hz, but flips waited for "
                f"a screen of {measured.flip_hz:.2f} Hz",
                "run all screens at one rate or switch off the others, switch off compositing and "
                "variable refresh, close programs that keep the machine busy, and try again",
            )
        known_hz: float | None = mode_hz or round(measured.flip_hz, 2)
    else:
        known_hz = mode_hz
    if known_hz is not None and not same_rate(known_hz, wanted_hz):
        how = "flips were measured at" if mode_hz is None else "the display's mode is"
        raise UnfitDisplay(
            "refresh-not-wanted",
            f"display.refresh_hz = {wanted_hz:g}, but {how} {known_hz:.2f} Hz",
            f"set the display to {wanted_hz:g} Hz, or display.refresh_hz to {known_hz:.4g}",
        )
    return "vsync" if measured.waits else "software", known_hz or wanted_hz


def same_rate(one_hz: float, other_hz: float) -> bool:
    """Whether two rates differ by at most `NEARLY` of the larger one."""
    return abs(one_hz - other_hz) <= NEARLY * max(one_hz, other_hz)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayFacts:
    """The facts about a display.

    ``screen``: the screen's number in the study file; ``on_screen``: the screen that shows the
    window (None: no screen); ``output``: the monitor's name. ``sync``: "vsync" if flips wait for
    the screen, "software" if the program times the frames. ``mode_hz``: the rate that the system
    reports (None: it does not); ``flip_hz``: the measured rate of flips; ``refresh_hz``: the rate
    that converts frames to durations.
    """

    window_px: tuple[int, int]
    screen_px: tuple[int, int]
    image_side_px: int
    screen: int
    fullscreen: bool
    renderer: str
    refresh_hz: float
    flip_hz: float
    sync: Sync
    virtual: bool
    mode_hz: float | None = None
    on_screen: int | None = None
    output: str = ""


def open_window(appearance: Appearance, *, virtual: bool) -> tuple[Any, DisplayFacts]:
    """Open the PsychoPy window that ``appearance`` describes.

    Raises SessionProblem: PsychoPy is not installed, the screen does not exist, or the display's
    refresh rate differs from the study's.
    """
    import_psychopy()
    from psychopy import monitors, visual

    # PsychoPy requires a monitor; its numbers do not matter, since all sizes here are in pixels.
    monitor = monitors.Monitor("hype", width=53.0, distance=57.0, autoLog=False)
    monitor.setSizePix(appearance.window_px)
    require_screen(appearance.screen)
    window = visual.Window(
        size=appearance.window_px,
        fullscr=appearance.fullscreen,
        screen=appearance.screen,
        monitor=monitor,
        units="pix",
        color=appearance.background_rgb,
        colorSpace="rgb255",
        allowGUI=not appearance.fullscreen,
        checkTiming=False,
        waitBlanking=True,
        winType="pyglet",
        title="hype",
        autoLog=False,
    )
    window.mouseVisible = False
    try:
        return window, measure_patiently(partial(facts_of, window, appearance, virtual=virtual))
    except SessionProblem:
        window.close()
        raise


def require_screen(screen: int) -> None:
    """Refuse a screen that the display does not have; PsychoPy would silently use another."""
    number = len(screen_places())
    if screen >= number:
        raise UnfitDisplay(
            "screen-missing",
            f"display.screen = {screen}, but this display has {number} "
            f"{'screens' if number > 1 else 'screen'}, numbered from 0",
            "switch that screen on, or choose another with display.screen",
        )


def facts_of(window: Any, appearance: Appearance, *, virtual: bool) -> DisplayFacts:
    """Measure the display of a window, and collect the facts about it.

    Raises SessionProblem: the refresh rates differ (see `settle`), or images do not fit.
    """
    from pyglet.gl import gl_info

    measured = measure(window.flip)
    covered = window_place(window)
    monitors = read_monitors()
    under = most_covered([monitor.place for monitor in monitors], covered)
    monitor = None if under is None else monitors[under]
    mode_hz = monitor.refresh_hz if monitor else None
    sync, refresh_hz = settle(mode_hz, measured, appearance.refresh_hz)
    window_px = (int(window.size[0]), int(window.size[1]))
    screen = window.winHandle.screen
    screen_px = (int(screen.width), int(screen.height))
    return DisplayFacts(
        window_px=window_px,
        screen_px=screen_px,
        image_side_px=image_side_px(appearance, window_px=window_px, screen_px=screen_px),
        screen=appearance.screen,
        on_screen=most_covered(screen_places(), covered),
        output=monitor.output if monitor else "",
        fullscreen=appearance.fullscreen,
        renderer=str(gl_info.get_renderer()),
        refresh_hz=refresh_hz,
        mode_hz=mode_hz,
        flip_hz=round(measured.flip_hz, 2),
        sync=sync,
        virtual=virtual,
    )


def screen_places() -> list[Rectangle]:
    """Return the places of the screens, in the order of their numbers."""
    import pyglet

    screens = pyglet.canvas.get_display().get_screens()
    return [Rectangle(screen.x, screen.y, screen.width, screen.height) for screen in screens]


def window_place(window: Any) -> Rectangle:
    x_px, y_px = window.winHandle.get_location()
    return Rectangle(int(x_px), int(y_px), int(window.size[0]), int(window.size[1]))


def x_window_id(window: Any) -> int:
    return int(window.winHandle._window)
