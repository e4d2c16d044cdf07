"""The pre-flight of a machine; no study is needed. It gives the state and repair of each part.

Large libraries are loaded only when they are installed, so that an incomplete installation can be
checked too.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final, Literal

from packaging.requirements import Requirement

from hype.check.findings import Preflight
from hype.errors import installing
from hype.station.display import import_psychopy, require_display
from hype.station.frame_clock import LATENCY, find_priority
from hype.station.input_devices import Keyboard
from hype.station.window import read_monitors

State = Literal["works", "limited", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePart:
    """A part or an ability of a machine.

    Programs can rely on the code, which never changes. A ``limited`` part works, but with the
    limits in ``found``.
    """

    code: str
    name: str
    state: State
    found: str
    remedy: str = ""


works = partial(MachinePart, state="works")
limited = partial(MachinePart, state="limited")
missing = partial(MachinePart, state="missing")

EXTRAS: Final[Mapping[str, str]] = {
    "figures": "figures, thresholds",
    "parquet": "Parquet tables",
    "excel": "Excel workbooks",
    "postgres": "records in PostgreSQL",
    "masks": "making masks",
    "web": "sessions in browsers",
    "station": "sessions in a window",
    "judges": "running judges",
    "cluster": "masks on a cluster",
    "lsl": "triggers over LSL",
    "serial": "triggers, serial port",
}
"""The purpose of each optional extra."""
IMPORTED_AS: Final[Mapping[str, str]] = {
    "arabic-reshaper": "arabic_reshaper",
    "pillow": "PIL",
    "pyserial": "serial",
    "python-bidi": "bidi",
    "python-xlib": "Xlib",
}
"""Modules whose names differ from their packages' names."""
NEED_A_DISPLAY: Final = frozenset(("psychopy", "psychtoolbox"))
STATION_PYTHON: Final = (3, 12)
"""The newest Python version that PsychoPy supports."""


def parts() -> Iterator[MachinePart]:
    """Check every part in turn. This takes some seconds, since it loads all packages."""
    base = packages_part()
    yield base
    extras = {extra: packages_part(extra) for extra in EXTRAS}
    yield from extras.values()
    if base.state == "works" and extras["station"].state == "works":
        yield from station_parts()
    browser = partial(MachinePart, code="browser", name="browser for hype demo")
    if path := find_browser():
        yield browser(state="works", found=path)
    else:
        yield browser(
            state="missing",
            found="Chromium is not installed, so hype demo cannot show a session in a browser",
            remedy="install Chromium or Chrome (Debian: apt install chromium)",
        )


def packages_part(extra: str = "") -> MachinePart:
    """Report whether the packages of the program, or of an extra, can be loaded."""
    code, name = (extra, EXTRAS[extra]) if extra else ("analysis", "scores and reports")
    if extra == "station" and (why := explain_no_station()):
        return missing(code=code, name=name, found=why[0], remedy=why[1])
    wanted = packages(extra)
    if trouble := next(filter(None, map(describe_trouble, wanted)), None):
        return missing(code=code, name=name, found=trouble, remedy=installing(extra))
    found = f"{len(wanted)} packages"
    if extra:
        named = (package.name for package in wanted if package.name != "numpy")
        found = ", ".join(f"{package} {version(package)}" for package in named)
    return works(code=code, name=name, found=found)


def explain_no_station() -> tuple[str, str] | None:
    """Explain why no window can open on this machine, and what to do instead; None if one can."""
    if sys.platform != "linux":
        return "a window needs Linux with X11", "hype serve STUDY runs sessions in browsers"
    if sys.version_info[:2] > STATION_PYTHON:
        return "PsychoPy needs Python 3.10 to 3.12", "install hype under Python 3.12"
    return None


def packages(extra: str = "") -> list[Requirement]:
    """List the requirements of the installed program, or the additional ones of an extra."""
    from packaging.requirements import Requirement

    declared = [Requirement(line) for line in requires("hype") or ()]
    always, named = (
        [each for each in declared if each.marker is None or each.marker.evaluate({"extra": name})]
        for name in ("", extra)
    )
    return [each for each in named if each not in always] or always


def describe_trouble(requirement: Requirement) -> str:
    """Describe what is wrong with an installed package; empty if it can be used."""
    name = requirement.name
    try:
        installed = version(name)
        if not requirement.specifier.contains(installed, prereleases=True):
            return f"{name} {installed} is installed, but {requirement.specifier} is needed"
        if name not in NEED_A_DISPLAY:
            import_module(IMPORTED_AS.get(name, name))
    except PackageNotFoundError:
        return f"{name} is not installed"
    except Exception as error:  # a broken package may raise anything
        return f"{name} cannot be loaded ({error})"
    return ""


def station_parts() -> Iterator[MachinePart]:
    """Run the checks of a station that `hype check` does and that need no study."""
    name = "display"
    if not os.environ.get("DISPLAY"):
        virtual = shutil.which("Xvfb") and shutil.which("setpriv")
        yield missing(
            code="display",
            name=name,
            found="no display found"
            + ("; simulated evaluators get a virtual display" if virtual else ", and no Xvfb"),
            remedy="run hype doctor in the station's desktop session"
            + ("" if virtual else "; for a virtual display: apt install xvfb"),
        )
        return
    from hype.check.station import check_surroundings, look_around

    flight = Preflight()
    if flight.allows("display-silent", require_display) and flight.allows(
        "psychopy-missing", import_psychopy
    ):
        flight.attempt("keyboard-unfit", Keyboard)
        screens = read_monitors()
        rates = (
            f"{screen.output} {screen.place.width_px} x {screen.place.height_px} px"
            + (f" at {screen.refresh_hz:.2f} Hz" if screen.refresh_hz else "")
            for screen in screens
        )
        yield works(code="display", name=name, found=", ".join(rates) or os.environ["DISPLAY"])
        check_surroundings(flight, None, screens, look_around())
    for finding in flight.findings:
        part = limited if finding.severity == "warning" else missing
        yield part(code=finding.code, name="", found=finding.message, remedy=finding.remedy)
    yield priority_part()


def priority_part() -> MachinePart:
    """Report whether other programs or sleeping cores can delay an exposure."""
    part = partial(MachinePart, code="priority", name="priority")
    if find_priority() != "realtime":
        return part(
            state="limited",
            found="ordinary priority: other programs can delay an exposure",
            remedy="as root: echo '* - rtprio 10' > /etc/security/limits.d/hype.conf; then log in "
            "again",
        )
    if not os.access(LATENCY, os.W_OK):
        return part(
            state="limited",
            found="real-time priority during exposures, but cores may sleep",
            remedy=f"as root, after each start: chmod a+w {LATENCY}",
        )
    return part(state="works", found="real-time priority during exposures, and cores stay awake")


BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """Find Chromium; None if it is not installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
