"""Axes with few, round ticks, set by hand: automatic ones cost more than all that they carry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from hype.report.figures.palette import GRID

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_STEPS: Final = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
)
_MOST_TICKS: Final = 5
_EDGE: Final = 0.03
"""Room at either end of a logarithmic axis, as a share of its length."""


def log_exposures(axes: Axes, low_ms: float, high_ms: float) -> None:
    """Make the x axis one of durations, longer ones closer together, with a little room around.

    Parameters
    ----------
    axes
        Empty ones.
    low_ms, high_ms
        What must fit onto it; above 0.
    """
    room = (high_ms / low_ms) ** _EDGE if high_ms > low_ms else 1.5
    values = round_values(low_ms / room, high_ms * room)
    _log_axis(axes, low_ms / room, high_ms * room, values, "{:g}".format)


def log_seconds(axes: Axes, low_ms: float, high_ms: float) -> None:
    """Make the x axis one of response times in ms, whose ticks are in ms below a second, else s."""
    room = (high_ms / low_ms) ** _EDGE  # where a tick's label would have no room
    values = round_values(low_ms * room, high_ms / room)
    _log_axis(axes, low_ms / room, high_ms * room, values, _duration)


def linear(axis: Axis, most_ticks: int = 5) -> None:
    """Give an axis few ticks."""
    axis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 2.5, 5, 10]))


def upright_grid(axes: Axes) -> None:
    """Draw pale lines at the ticks of the x axis."""
    axes.xaxis.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def level_grid(axes: Axes) -> None:
    """Draw pale lines at the ticks of the y axis."""
    axes.yaxis.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def _log_axis(
    axes: Axes, low: float, high: float, ticks: Sequence[float], write: Callable[[float], str]
) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
    axes.set_xlim(low, high)


def round_values(low: float, high: float) -> list[float]:
    """Give round numbers between two others, ascending; above 0.

    As many as there are room for, and those that are roundest where that leaves a choice.
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    choices = [
        [
            value
            for decade in decades
            for step in steps
            if low <= (value := step * 10.0**decade) <= high
        ]
        for steps in _STEPS
    ]
    return max((found for found in choices if len(found) <= _MOST_TICKS), key=len, default=[])


def _duration(value_ms: float) -> str:
    return f"{value_ms:g} ms" if value_ms < 1000 else f"{value_ms / 1000:g} s"
