"""A figure of the report before it is drawn: what it shows, and what is said of it.

The page shows each panel as an SVG of its own, so that a phone can stack them and a reader can look
one condition up; a file holds all panels of a figure side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Margins:
    """Room around the axes of a panel, for labels, in inches."""

    left_in: float = 0.45
    right_in: float = 0.12
    bottom_in: float = 0.44
    top_in: float = 0.26


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes.

    Parameters
    ----------
    draw
        Puts its content into empty axes.
    title
        The condition that it shows, or the axis; empty where a figure shows all in one panel.
    """

    draw: Callable[[Axes], None]
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure.

    Parameters
    ----------
    name
        Distinguishes it from the others of a report; a file name without its ending.
    title, caption
        Above it and beneath it.
    alt
        What somebody is told who does not see it.
    panels
        One or more, all of the same size.
    width_in, height_in
        Size of a panel, in inches.
    x_label, y_label
        Of the axes of every panel; empty where a panel speaks for itself.
    margins
        Of every panel.
    by_condition
        Whether panels that have titles are those of conditions.
    """

    name: str
    title: str
    caption: str
    alt: str
    panels: tuple[Panel, ...]
    width_in: float
    height_in: float
    x_label: str = ""
    y_label: str = ""
    margins: Margins = field(default_factory=Margins)
    by_condition: bool = True
