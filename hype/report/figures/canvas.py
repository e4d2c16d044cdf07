"""Empty axes for a panel, in the one style of all figures."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import matplotlib as mpl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
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

    Parameters
    ----------
    drawing
        Its width says how large letters are.
    salt
        What the identifiers inside the SVG follow from.
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
    """Write what the axes are; the vertical one level above it, where it needs no turned head."""
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
