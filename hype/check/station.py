"""The pre-flight of a station: its display, its keyboard, its triggers, and what goes on around."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

from hype.check.findings import Finding, Preflight
from hype.check.texts import check_fonts
from hype.check.texts_shown import keys_used
from hype.errors import InputError, SessionProblem
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy, Study
from hype.session.stage import Seating, look_of, software_sync, trigger_ports
from hype.station.config import Appearance
from hype.station.input_devices import Keyboard
from hype.station.monitors import Monitor, UnfitDisplay, monitors, same_rate
from hype.station.psychopy_import import import_psychopy, require_display
from hype.station.surroundings import Surroundings, look_around
from hype.station.triggers import open_triggers
from hype.station.window import DisplayFacts, open_window
from hype.station.xvfb import VIRTUAL
from hype.study.assignment import Assignment

BUSY: Final = 0.4
"""Share of all cores' time from which other programs can hold up a session."""

warning = partial(Finding, severity="warning")


def check_triggers(flight: Preflight, study: Study) -> None:
    """Open what the study sends triggers to, and let go of it."""

    def open_and_close() -> None:
        with open_triggers(trigger_ports(study)):
            pass

    flight.attempt("trigger-missing", open_and_close)


def check_station(flight: Preflight, study: AnyStudy) -> DisplayFacts | None:
    """Look at display, keyboard and surroundings; give what the display is, if it is fit."""
    if not os.environ.get("DISPLAY"):
        flight.warn(
            "no-display",
            "there is no display here, so the station was not checked",
            "run hype check at the station, in its desktop session",
        )
        return None
    if find_spec("Xlib") and not flight.allows("display-silent", require_display):
        return None
    if not flight.allows("psychopy-missing", import_psychopy):
        return None
    check_fonts(flight, study)
    if keyboard := flight.attempt("keyboard-unfit", Keyboard):
        flight.attempt("key-missing", partial(keyboard.require, keys_used(study.settings)))
    window, display = try_window(flight, study)
    # Some compositors step aside for a window that fills the screen, so it stands meanwhile.
    with closing(window) if window else nullcontext():
        around, screens = look_around(), monitors()
    flight.facts["surroundings"] = around.as_dict()
    flight.facts["screens"] = [screen.as_dict() for screen in screens]
    if display:
        flight.facts["display"] = display.as_dict()
    for finding in findings_of(display, screens, around):
        flight.find(finding)
    return display


def try_window(flight: Preflight, study: AnyStudy) -> tuple[Any, DisplayFacts | None]:
    """Open the study's window, or say why it cannot be used."""
    virtual = os.environ["DISPLAY"] == os.environ.get(VIRTUAL)
    try:
        return open_window(appearance_for(study), virtual=virtual)
    except UnfitDisplay as error:
        flight.add(error.code, error)
    except SessionProblem as error:
        flight.add("display-unfit", error)
    return None, None


def appearance_for(study: AnyStudy) -> Appearance:
    """Give the look of the window in a study's sessions; whatever else is wrong is said elsewhere.

    How many images are on the screen at once, and so how large they may be, is the protocol's.
    """
    seating = Seating(simulated=False)
    try:
        protocol = conduct_of(study)
        anybody = Assignment(evaluator="anybody", cell=protocol.cells[0], left_means="real")
        return protocol.station_config(seating, anybody).appearance
    except InputError:
        return look_of(study, seating)


def findings_of(
    display: DisplayFacts | None, screens: Sequence[Monitor], around: Surroundings
) -> Iterator[Finding]:
    """Yield what the facts of a station say against it."""
    if display:
        yield from of_display(display)
    yield from of_screens(screens)
    yield from of_desktop(around)
    yield from of_machine(around)


def of_display(display: DisplayFacts) -> Iterator[Finding]:
    """Yield what is wrong with the display under the window."""
    if display.sync == "software":
        yield warning(
            code="flips-unsynced",
            message=software_sync(display),
            remedy=(
                "switch on the graphics driver's vertical synchronisation, and end what keeps the "
                "machine busy; hype run asks no person at such a display unless it is told "
                "--allow-unsynced"
            ),
        )
    if display.on_screen not in (None, display.screen):
        output = f" ({display.output})" if display.output else ""
        yield Finding(
            code="wrong-screen",
            severity="problem",
            message=(
                f"the window is on screen {display.on_screen}{output}, "
                f"and display.screen = {display.screen} is wanted"
            ),
            remedy=(
                "take display.fullscreen = true, keep the window manager from moving windows, "
                "or name the other screen with display.screen"
            ),
        )


def of_screens(screens: Sequence[Monitor]) -> Iterator[Finding]:
    """Yield whether screens differ in their rates: a flip can wait for one of them only."""
    rates = [(one.output, one.refresh_hz) for one in screens if one.refresh_hz is not None]
    if any(not same_rate(hz, rates[0][1]) for _, hz in rates):
        listed = ", ".join(f"{output} at {hz:.2f} Hz" for output, hz in rates)
        yield warning(
            code="screens-differ",
            message=f"the screens have different refresh rates: {listed}",
            remedy="switch off the screens that no session needs, or run all of them at one rate",
        )


def of_desktop(around: Surroundings) -> Iterator[Finding]:
    """Yield whether something stands between a flip and the screen."""
    if around.wayland:
        yield warning(
            code="wayland",
            message=(
                "this is a Wayland session: its compositor decides when a picture reaches the "
                "screen"
            ),
            remedy="log out, and at the login choose the desktop on Xorg",
        )
    elif around.compositor:
        yield warning(
            code="compositor",
            message="a compositor draws this desktop: pictures may come later than flips say",
            remedy=(
                "switch compositing off in the desktop's settings, or log in with a window "
                "manager that has none, such as Openbox"
            ),
        )


def of_machine(around: Surroundings) -> Iterator[Finding]:
    """Yield what may slow the machine down."""
    if around.busy is not None and around.busy >= BUSY:
        cores = f"its {around.cores} cores' time" if around.cores else "its time"
        yield warning(
            code="machine-busy",
            message=f"the machine is busy for {around.busy:.0%} of {cores}: frames may be missed",
            remedy="end the other programs, wait for updates to finish, and check again",
        )
    if around.on_battery:
        yield warning(
            code="on-battery",
            message="the machine runs on its battery, and may slow itself down",
            remedy="plug it in",
        )
