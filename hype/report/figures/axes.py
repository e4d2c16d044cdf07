"""Axes of a panel in the one style of all figures: empty, with few round ticks, and its colours."""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from hype.report.figures.drawing import Drawing

_STYLE: Final = Path(__file__).with_name("style.mplstyle")
_SMALLEST_PT: Final = 8.5
_PT_PER_IN: Final = 1.95
"""Letters of a panel that a phone shrinks to its width, 336 px without margins, are still 9 px."""


def letters_pt(width_in: float) -> float:
    """Give the size of the letters in a panel, in points: all are of one size."""
    return max(_SMALLEST_PT, _PT_PER_IN * width_in)


@contextmanager
def styled(drawing: Drawing, salt: str) -> Iterator[None]:
    """Draw in the style of the report.

    ``drawing``: its width says how large letters are.
    ``salt``: what the identifiers inside the SVG follow from.
    """
    with mpl.rc_context(_style()):
        mpl.rcParams["font.size"] = letters_pt(drawing.width_in)
        mpl.rcParams["svg.hashsalt"] = salt
        yield


@cache
def _style() -> mpl.RcParams:
    return mpl.rc_params_from_file(_STYLE, use_default_template=False)


def add_panel(figure: Figure, drawing: Drawing, left_in: float, bottom_in: float) -> Axes:
    """Add the axes of one panel, whose lower left corner lies there in the figure."""
    width_in, height_in = figure.get_size_inches()
    room = drawing.margins
    axes = figure.add_axes(
        (
            (left_in + room.left_in) / width_in,
            (bottom_in + room.bottom_in) / height_in,
            (drawing.width_in - room.left_in - room.right_in) / width_in,
            (drawing.height_in - room.bottom_in - room.top_in) / height_in,
        )
    )
    axes.set_facecolor("none")
    return axes


def label_axes(axes: Axes, drawing: Drawing) -> None:
    if drawing.x_label:
        axes.set_xlabel(drawing.x_label)
    if drawing.y_label:
        axes.annotate(
            drawing.y_label,
            (0, 1),
            xycoords="axes fraction",
            xytext=(-72 * drawing.margins.left_in + 4, 7),
            textcoords="offset points",
        )


INK: Final = "#1f2933"
SOFT: Final = "#52606d"
FAINT: Final = "#9aa5b1"
GRID: Final = "#e4e9ee"
PAPER: Final = "#ffffff"
BLUE: Final = "#0072b2"
SKY: Final = "#56b4e9"
VERMILLION: Final = "#d55e00"
AMBER: Final = "#e69f00"
STRONGEST: Final = 0.55
"""Opacity of a coloured ground on which ink is read, in light and in dark."""
PALETTE: Final = MappingProxyType(
    {
        "ink": INK,
        "soft": SOFT,
        "faint": FAINT,
        "grid": GRID,
        "paper": PAPER,
        "blue": BLUE,
        "sky": SKY,
        "vermillion": VERMILLION,
        "amber": AMBER,
    }
)
"""Name of a CSS variable, without its dashes, to the colour on white; each colour once."""
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

    ``low_ms``, ``high_ms``: what must fit onto it; above 0.
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
    axis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 2.5, 5, 10]))


def upright_grid(axes: Axes) -> None:
    axes.xaxis.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def level_grid(axes: Axes) -> None:
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
