"""The pre-flight of a station: display, screens, keyboard, triggers, and other programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

import psutil

from hype.check.findings import Finding, Preflight
from hype.check.machine import explain_no_station
from hype.check.texts import check_fonts, keys_used
from hype.errors import HypeError, SessionProblem
from hype.session.course import Course
from hype.session.materials import read_stimuli
from hype.session.stage import Seating, ink_of, look_of, software_sync
from hype.station.config import LEAST, Appearance, contrast, ink_on, most_side_px, study_side_px
from hype.station.display import VIRTUAL, import_psychopy, require_display
from hype.station.input_devices import Keyboard
from hype.station.window import (
    DisplayFacts,
    Monitor,
    UnfitDisplay,
    ask_x_server,
    open_window,
    read_monitors,
    same_rate,
)
from hype.study.assignment import Assignment
from hype.study.studies import AnyStudy

LOOK_S: Final = 0.3
"""The time over which the load of the cores is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Facts about the machine; None if unknown.

    ``busy`` is the load of all ``cores`` together, from 0 to 1.
    """

    wayland: bool | None
    compositor: bool | None
    on_battery: bool | None
    busy: float | None
    cores: int | None


def look_around(environment: Mapping[str, str] = os.environ) -> Surroundings:
    """Collect facts about the machine, which takes `LOOK_S` seconds."""
    battery = psutil.sensors_battery()
    return Surroundings(
        wayland=is_wayland(environment, is_xwayland()),
        compositor=has_compositor(),
        on_battery=None if battery is None else battery.power_plugged is False,
        busy=psutil.cpu_percent(LOOK_S) / 100,
        cores=os.cpu_count(),
    )


def is_wayland(environment: Mapping[str, str], xwayland: bool | None) -> bool | None:
    """Whether windows reach the screen through Wayland; None if unknown.

    ``xwayland``: whether the X server reports that it runs on Wayland; some never report it.
    """
    display = environment.get("DISPLAY")
    if display and display == environment.get(VIRTUAL):
        return False
    kind = environment.get("XDG_SESSION_TYPE", "")
    if xwayland or kind == "wayland" or environment.get("WAYLAND_DISPLAY"):
        return True
    return False if kind == "x11" else None


def is_xwayland() -> bool | None:
    return ask_x_server(lambda server: bool(server.has_extension("XWAYLAND")))


def has_compositor() -> bool | None:
    """Whether a compositor says that it owns the screen, as EWMH requires (_NET_WM_CM_Sn)."""

    def is_taken(server: Any) -> bool:
        name = server.intern_atom(f"_NET_WM_CM_S{server.get_default_screen()}")
        return bool(server.get_selection_owner(name))

    return ask_x_server(is_taken)


BUSY: Final = 0.4
"""Above this load of all cores, other programs can delay a session."""


def check_station(
    flight: Preflight, study: AnyStudy, course: Course[Any] | None
) -> DisplayFacts | None:
    """Check display, keyboard and surroundings; return the facts of a usable display."""
    if not os.environ.get("DISPLAY"):
        found, remedy = explain_no_station() or (
            "there is no display here",
            "run hype check at the station, in its desktop session",
        )
        flight.warn("no-display", f"{found}, so the station was not checked", remedy)
        return None
    if find_spec("Xlib") and not flight.allows("display-silent", require_display):
        return None
    if not flight.allows("psychopy-missing", import_psychopy):
        return None
    check_fonts(flight, study, course.prompts if course else ())
    if keyboard := flight.attempt("keyboard-unfit", Keyboard):
        flight.attempt("key-missing", partial(keyboard.require, keys_used(study.settings)))
    window, display = try_window(flight, study, course)
    # The window is still open, as in sessions: some compositors stop when a window opens.
    with closing(window) if window else nullcontext():
        around, screens = look_around(), read_monitors()
    flight.facts["surroundings"] = asdict(around)
    flight.facts["screens"] = [
        {"output": screen.output, **screen.place._asdict(), "refresh_hz": screen.refresh_hz}
        for screen in screens
    ]
    if display:
        flight.facts["display"] = asdict(display)
    check_surroundings(flight, display, screens, around)
    return display


def try_window(
    flight: Preflight, study: AnyStudy, course: Course[Any] | None
) -> tuple[Any, DisplayFacts | None]:
    virtual = os.environ["DISPLAY"] == os.environ.get(VIRTUAL)
    try:
        return open_window(appearance_for(study, course), virtual=virtual)
    except UnfitDisplay as error:
        flight.add(error.code, error)
    except SessionProblem as error:
        flight.add("display-unfit", error)
    return None, None


def appearance_for(study: AnyStudy, course: Course[Any] | None) -> Appearance:
    """Return the look of the window in a study's sessions.

    The protocol decides how many images are on the screen at once, which limits their size.
    """
    seating = Seating(simulated=False)
    if course is None:
        return look_of(study, seating)
    anybody = Assignment(evaluator="anybody", cell=course.cells[0], left_means="real")
    return course.station_config(seating, anybody).appearance


def check_surroundings(
    flight: Preflight,
    display: DisplayFacts | None,
    screens: Sequence[Monitor],
    around: Surroundings,
) -> None:
    if display and display.sync == "software":
        flight.warn(
            "flips-unsynced",
            software_sync(display),
            "switch on the graphics driver's vertical synchronisation, and end other programs; "
            "hype run needs --allow-unsynced to flash images to a person on this display",
        )
    if display and display.on_screen not in (None, display.screen):
        output = f" ({display.output})" if display.output else ""
        flight.refuse(
            "wrong-screen",
            f"the window is on screen {display.on_screen}{output}, "
            f"not on display.screen = {display.screen}",
            "set display.fullscreen = true, stop the window manager from moving windows, "
            "or set display.screen to the other screen",
        )
    rates = [(screen.output, screen.refresh_hz) for screen in screens if screen.refresh_hz]
    if any(not same_rate(hz, rates[0][1]) for _, hz in rates):  # flips may wait for any screen
        listed = ", ".join(f"{output} at {hz:.2f} Hz" for output, hz in rates)
        flight.warn(
            "screens-differ",
            f"the screens have different refresh rates: {listed}",
            "switch off the screens that sessions do not need, or run all at the same rate",
        )
    if around.wayland:
        flight.warn(
            "wayland",
            "this is a Wayland session: its compositor decides when a picture reaches the screen",
            "log out, and choose the desktop on Xorg when you log in",
        )
    elif around.compositor:
        flight.warn(
            "compositor",
            "a compositor draws this desktop: pictures may appear later than their flips",
            "switch compositing off in the desktop's settings, or log in with a window "
            "manager without compositing, such as Openbox",
        )
    if around.busy is not None and around.busy >= BUSY:
        cores = f"its {around.cores} cores" if around.cores else "its processor"
        flight.warn(
            "machine-busy",
            f"the machine uses {around.busy:.0%} of {cores} already: frames may be missed",
            "end other programs, wait for updates to finish, and check again",
        )
    if around.on_battery:
        flight.warn(
            "on-battery", "the machine runs on its battery, and may slow itself down", "plug it in"
        )


def check_texts(flight: Preflight, study: AnyStudy) -> None:
    """Check that texts have enough contrast with the background."""
    display = study.settings.display
    paper = display.background
    ink, best = ink_of(display), ink_on(paper)
    ratio = contrast(ink, paper)
    flight.facts["text_contrast"] = round(ratio, 2)
    if ratio < LEAST:
        message = (
            f"{study.path}: the contrast of display.text_rgb {list(ink)} with the background "
            f"{list(paper)} is {ratio:.2f}:1; texts need {LEAST:g}:1"
        )
        best_ratio = f"{contrast(best, paper):.2f}:1"
        remedy = f"leave display.text_rgb out: the colour is then {list(best)} ({best_ratio})"
        finding = Finding(code="text-contrast", severity="error", message=message, remedy=remedy)
        flight.find(finding)


def check_sizes(
    flight: Preflight, study: AnyStudy, course: Course[Any] | None, display: DisplayFacts | None
) -> None:
    """Report how large images will be shown, and warn if that is not what the study asks for.

    Sizes are longest sides in screen pixels. "own_px" are sizes of the image files; "wanted_px" is
    what the study or the window asks for (None if no window is known). Without a ``display``, only
    sizes that need no display are reported.
    """
    try:
        own = [max(size) for size in read_stimuli(study).sizes_px.values()]
    except HypeError:
        return  # `check_images` has reported it
    look = appearance_for(study, course)
    wanted_px = side_wanted(look, display)
    enlarge = study.settings.display.enlarge
    if wanted_px is None and enlarge:
        return
    smallest_px, largest_px = min(own), max(own)
    shown_px = wanted_px if wanted_px and enlarge else min(wanted_px or largest_px, largest_px)
    times = max(1.0, shown_px / smallest_px) if enlarge else 1.0
    flight.facts["image_size"] = {
        "own_px": [smallest_px, largest_px],
        "wanted_px": wanted_px,
        "shown_px": shown_px,
        "enlarged": round(times, 2),
    }
    if times > 1:
        flight.warn(
            "images-enlarged",
            f"{study.stimuli_folder}: images of {smallest_px} px are shown at {shown_px} px, "
            f"enlarged {times:.1f} times (display.enlarge), so people see blurred images",
            "leave display.enlarge out, or use larger images",
        )
    asked = study.settings.display.size_px or study.settings.display.size_deg
    if asked and wanted_px and not enlarge and smallest_px < wanted_px:
        sides = f"{smallest_px} to {largest_px}" if largest_px > smallest_px else f"{smallest_px}"
        flight.warn(
            "images-small",
            f"{study.stimuli_folder}: images of {sides} px are shown at that size, but the study "
            f"asks for {wanted_px} px",
            "use larger images, or a smaller display.size_px or size_deg; display.enlarge = true "
            "enlarges them",
        )


def side_wanted(look: Appearance, display: DisplayFacts | None) -> int | None:
    """Return the longest side (px) of shown images, if they have enough pixels; None if unknown."""
    if display:
        window_px, screen_px = display.window_px, display.screen_px
    elif look.size_px is not None:
        return round(look.size_px)
    elif look.fullscreen or look.size_deg is not None:
        return None
    else:
        window_px = screen_px = look.window_px
    wanted_px = study_side_px(look, window_px, screen_px)
    return min(wanted_px, most_side_px(look, window_px))
