"""Opening the window, and finding out what display it is on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from hype.errors import SessionProblem
from hype.station.config import Appearance, image_side_px
from hype.station.display import import_psychopy
from hype.station.monitors import (
    MeasuredRate,
    Rectangle,
    Sync,
    UnfitDisplay,
    measure,
    measure_patiently,
    monitor_under,
    monitors,
    most_covered,
    settle,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayFacts:
    """What was found out about a display.

    ``screen`` is the one that was wanted, ``on_screen`` the one on which most of the window lies
    (None: on none), and ``output`` its name. ``sync`` is "vsync" where a flip waits for the screen,
    and "software" where it does not and frames are timed by the program. ``mode_hz`` is the rate
    that the system reports (None: it does not), ``flip_hz`` how many flips a second were measured,
    and ``refresh_hz`` what makes frames into durations.
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

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def open_window(appearance: Appearance, *, virtual: bool) -> tuple[Any, DisplayFacts]:
    """Open the PsychoPy window that ``appearance`` describes.

    Raises SessionProblem: PsychoPy is not installed, the screen does not exist, or the display runs
    at another refresh rate than the study's.
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
        measured = measure_patiently(partial(measure, window.flip))
        return window, facts_of(window, appearance, measured, virtual=virtual)
    except SessionProblem:
        window.close()
        raise


def require_screen(screen: int) -> None:
    """Refuse a screen that the display does not have; PsychoPy would silently take another."""
    number = len(screen_places())
    if screen >= number:
        raise UnfitDisplay(
            "screen-missing",
            f"display.screen = {screen}: this display has {number} "
            f"(0{f' to {number - 1}' if number > 1 else ''})",
            "switch that screen on, or take another with display.screen",
        )


def facts_of(
    window: Any, appearance: Appearance, measured: MeasuredRate, *, virtual: bool
) -> DisplayFacts:
    """Put together what is known of the display under a window.

    Raises SessionProblem: the display runs at another rate than it says or the study wants, or
    images do not fit.
    """
    covered = covered_by(window)
    monitor = monitor_under(monitors(), covered)
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
        renderer=renderer_name(),
        refresh_hz=refresh_hz,
        mode_hz=mode_hz,
        flip_hz=round(measured.flip_hz, 2),
        sync=sync,
        virtual=virtual,
    )


def screen_places() -> list[Rectangle]:
    """Give where the screens lie, numbered as the study numbers them."""
    import pyglet

    screens = pyglet.canvas.get_display().get_screens()
    return [Rectangle(screen.x, screen.y, screen.width, screen.height) for screen in screens]


def covered_by(window: Any) -> Rectangle:
    x_px, y_px = window.winHandle.get_location()
    return Rectangle(int(x_px), int(y_px), int(window.size[0]), int(window.size[1]))


def renderer_name() -> str:
    """What draws: the OpenGL renderer's own name."""
    from pyglet.gl import gl_info

    return str(gl_info.get_renderer())


def x_window_id(window: Any) -> int:
    return int(window.winHandle._window)
