"""What goes on around a session: compositing, battery, load. Read where the system tells."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from hype.station.monitors import ask_x_server
from hype.station.xvfb import VIRTUAL

POWER: Final = Path("/sys/class/power_supply")
LOAD: Final = Path("/proc/stat")
LOOK_S: Final = 0.3
"""Between two looks at what the cores have done."""
IDLE: Final = slice(3, 5)
COUNTED: Final = slice(0, 8)
"""Columns of the kernel's count of time: idle and waiting for a disk; all but what counts twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of the machine; what cannot be known is None.

    ``busy`` is the share, 0 to 1, of all ``cores``' time in which something ran.
    """

    wayland: bool | None
    compositor: bool | None
    on_battery: bool | None
    busy: float | None
    cores: int | None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def look_around(
    environment: Mapping[str, str] = os.environ, power: Path = POWER, load: Path = LOAD
) -> Surroundings:
    """Find out what can be known. Takes `LOOK_S`."""
    return Surroundings(
        wayland=on_wayland(environment, x_server_of_wayland()),
        compositor=composited(),
        on_battery=on_battery(power),
        busy=busy_share(load),
        cores=os.cpu_count(),
    )


def on_wayland(environment: Mapping[str, str], of_wayland: bool | None) -> bool | None:
    """Whether windows reach the screen through Wayland.

    ``of_wayland`` is whether the X server says that it belongs to Wayland; not all that do say so.
    """
    display = environment.get("DISPLAY")
    if display and display == environment.get(VIRTUAL):
        return False
    kind = environment.get("XDG_SESSION_TYPE", "")
    if of_wayland or kind == "wayland" or environment.get("WAYLAND_DISPLAY"):
        return True
    return False if kind == "x11" else None


def x_server_of_wayland() -> bool | None:
    return ask_x_server(lambda server: bool(server.has_extension("XWAYLAND")))


def composited() -> bool | None:
    """Whether a compositor has taken the screen, as it must say on X11 (EWMH, _NET_WM_CM_Sn)."""

    def is_taken(server: Any) -> bool:
        name = server.intern_atom(f"_NET_WM_CM_S{server.get_default_screen()}")
        return bool(server.get_selection_owner(name))

    return ask_x_server(is_taken)


def on_battery(power: Path = POWER) -> bool | None:
    """Whether the machine runs on its battery; those of mice and keyboards do not count."""
    if not power.is_dir():
        return None
    supplies = [supply for supply in sorted(power.iterdir()) if entry(supply, "scope") != "Device"]
    batteries = [supply for supply in supplies if entry(supply, "type") == "Battery"]
    if not batteries:
        return False
    plugs = {(entry(supply, "type"), entry(supply, "online")) for supply in supplies}
    states = {entry(battery, "status") for battery in batteries}
    if plugs & {("Mains", "1"), ("USB", "1")}:
        return False
    if "Discharging" in states or ("Mains", "0") in plugs:
        return True
    return False if states - {"", "Unknown"} else None


def entry(supply: Path, name: str) -> str:
    """Read what the kernel says of a power supply; nothing where it does not."""
    try:
        return (supply / name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def busy_share(load: Path = LOAD, pause: Callable[[float], None] = time.sleep) -> float | None:
    """Give the share of all cores' time, over `LOOK_S`, in which something ran."""
    before = core_time(load)
    pause(LOOK_S)
    after = core_time(load)
    if before is None or after is None:
        return None
    idle, total = after[0] - before[0], after[1] - before[1]
    return 1 - idle / total if 0 <= idle <= total and total else None


def core_time(load: Path) -> tuple[int, int] | None:
    """Give the time that all cores were idle, and all time, as the kernel counted them."""
    try:
        name, *columns = load.read_text(encoding="utf-8").split("\n", 1)[0].split()
        counts = [int(column) for column in columns]
    except (OSError, ValueError):
        return None
    return (sum(counts[IDLE]), sum(counts[COUNTED])) if name == "cpu" and counts[IDLE] else None
