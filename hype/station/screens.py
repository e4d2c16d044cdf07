"""The monitors of the X server: where each lies, and at what rate the system says it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

Answer = TypeVar("Answer")

INTERLACED: Final = 0x10
DOUBLE_SCANNED: Final = 0x20
"""Flags of a mode, as RandR numbers them."""


class Rectangle(NamedTuple):
    """A part of the X server's plane: upper left corner and size."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    def shared_px(self, other: Rectangle) -> int:
        """Give the area that two rectangles share."""
        width = min(self.x_px + self.width_px, other.x_px + other.width_px)
        height = min(self.y_px + self.height_px, other.y_px + other.height_px)
        return max(0, width - max(self.x_px, other.x_px)) * max(
            0, height - max(self.y_px, other.y_px)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor. ``refresh_hz`` is None where the system does not say."""

    output: str
    place: Rectangle
    refresh_hz: float | None

    def as_dict(self) -> dict[str, object]:
        """Give the facts for programs."""
        return {"output": self.output, **self.place._asdict(), "refresh_hz": self.refresh_hz}


def rate_of(dot_clock_hz: int, h_total: int, v_total: int, flags: int = 0) -> float | None:
    """Give the refresh rate of a mode; None where its numbers are missing, as on Xvfb.

    An interlaced mode shows each frame in two fields, a double-scanned one each line twice.
    """
    if not (dot_clock_hz and h_total and v_total):
        return None
    lines = v_total * (2.0 if flags & DOUBLE_SCANNED else 1.0) / (2.0 if flags & INTERLACED else 1)
    return dot_clock_hz / (h_total * lines)


def most_covered(places: Sequence[Rectangle], window: Rectangle) -> int | None:
    """Give the number of the place that a window covers most of; None where it covers none."""
    shared = [place.shared_px(window) for place in places]
    return shared.index(max(shared)) if any(shared) else None


def monitor_under(monitors: Sequence[Monitor], window: Rectangle) -> Monitor | None:
    """Give the monitor on which most of a window lies."""
    number = most_covered([monitor.place for monitor in monitors], window)
    return None if number is None else monitors[number]


def monitors() -> tuple[Monitor, ...]:
    """Ask the X server; nothing is known where it does not answer or lacks the extension RandR."""

    def all_lit(server: Any) -> tuple[Monitor, ...]:
        return tuple(lit(server)) if server.has_extension("RANDR") else ()

    return ask_x_server(all_lit) or ()


def ask_x_server(question: Callable[[Any], Answer]) -> Answer | None:
    """Ask the X server something; None where it does not answer."""
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


def lit(server: Any) -> Iterator[Monitor]:
    """Yield the monitors that show something."""
    # Not `xrandr_get_screen_resources`, which makes the server ask all monitors again.
    found = server.screen().root.xrandr_get_screen_resources_current()
    modes = {mode.id: mode for mode in found.modes}
    for number in found.crtcs:
        crtc = server.xrandr_get_crtc_info(number, found.config_timestamp)
        mode = modes.get(crtc.mode)
        if mode is None:
            continue
        names = (server.xrandr_get_output_info(o, found.config_timestamp) for o in crtc.outputs)
        yield Monitor(
            output="+".join(str(output.name) for output in names),
            place=Rectangle(crtc.x, crtc.y, crtc.width, crtc.height),
            refresh_hz=rate_of(mode.dot_clock, mode.h_total, mode.v_total, mode.flags),
        )
