"""Opening the window, and finding out what display it is on."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from hype.errors import SessionProblem
from hype.station.config import Appearance, image_side_px
from hype.station.home import import_psychopy

TRIAL_FLIPS: Final = 40
LONGEST_PROBE_S: Final = 2.0
NEARLY: Final = 0.05
"""Relative difference up to which a measured refresh rate is the wanted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayFacts:
    """What was found out about a display.

    ``sync`` is "vsync" where a flip waits for the screen, and "software" where it does not and
    frames are timed by the program. ``flip_hz`` is how many flips a second were measured.
    """

    window_px: tuple[int, int]
    screen_px: tuple[int, int]
    image_side_px: int
    screen: int
    fullscreen: bool
    renderer: str
    refresh_hz: float
    flip_hz: float
    sync: Literal["vsync", "software"]
    virtual: bool

    def as_dict(self) -> dict[str, object]:
        """Give the facts for the record."""
        return asdict(self)


def open_window(appearance: Appearance, *, virtual: bool) -> tuple[Any, DisplayFacts]:
    """Open the PsychoPy window that ``appearance`` describes.

    Raises
    ------
    SessionProblem
        PsychoPy is not installed, the screen does not exist, or the display runs at another
        refresh rate than the study's.
    """
    import_psychopy()
    from psychopy import monitors, visual

    # PsychoPy wants a monitor to exist; all sizes here are pixels, so its numbers do not matter.
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
        flip_hz = measure_flips(window, appearance.refresh_hz)
        return window, facts_of(window, appearance, flip_hz, virtual=virtual)
    except SessionProblem:
        window.close()
        raise


def require_screen(screen: int) -> None:
    """Refuse a screen that the display does not have; PsychoPy would silently take another."""
    import pyglet

    number = len(pyglet.canvas.get_display().get_screens())
    if screen >= number:
        raise SessionProblem(
            f"display.screen = {screen}: this display has {number} "
            f"(0{f' to {number - 1}' if number > 1 else ''})"
        )


def measure_flips(window: Any, refresh_hz: float) -> float:
    """Measure flips per second, over at most `LONGEST_PROBE_S` seconds."""
    end = time.monotonic() + LONGEST_PROBE_S
    intervals, last = [], 0.0
    for _ in range(TRIAL_FLIPS):
        window.flip()
        now = time.monotonic()
        if last:
            intervals.append(now - last)
        last = now
        if now > end:
            break
    return 1 / statistics.median(intervals) if intervals else refresh_hz


def facts_of(window: Any, appearance: Appearance, flip_hz: float, *, virtual: bool) -> DisplayFacts:
    """Decide whether flips wait for the screen; refuse a screen of another rate than wanted."""
    wanted = appearance.refresh_hz
    close = abs(flip_hz - wanted) <= NEARLY * wanted
    if not close and flip_hz < wanted * 3:
        raise SessionProblem(
            f"display.refresh_hz = {wanted:g}, but the display was measured at {flip_hz:.1f} Hz; "
            "change the display's mode or the study"
        )
    window_px = (int(window.size[0]), int(window.size[1]))
    screen = window.winHandle.screen
    screen_px = (int(screen.width), int(screen.height))
    return DisplayFacts(
        window_px=window_px,
        screen_px=screen_px,
        image_side_px=image_side_px(appearance, window_px=window_px, screen_px=screen_px),
        screen=appearance.screen,
        fullscreen=appearance.fullscreen,
        renderer=renderer_name(),
        refresh_hz=wanted,
        flip_hz=round(flip_hz, 2),
        sync="vsync" if close else "software",
        virtual=virtual,
    )


def renderer_name() -> str:
    """What draws: the OpenGL renderer's own name."""
    from pyglet.gl import gl_info

    return str(gl_info.get_renderer())


def x_window_id(window: Any) -> int:
    """Give the X server's number of a window."""
    return int(window.winHandle._window)
