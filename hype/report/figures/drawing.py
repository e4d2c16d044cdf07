"""A figure of the report before it is drawn: what it shows, and what is said of it.

The page shows each panel as an SVG of its own, so that a phone can stack them and a reader can look
one condition up; a file holds all panels of a figure side by side.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from matplotlib.transforms import ScaledTranslation

from hype.report import wording
from hype.report.figures.axes import PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


@dataclass(frozen=True, kw_only=True)
class Margins:
    """Room around the axes of a panel, for labels, in inches."""

    left_in: float = 0.45
    right_in: float = 0.12
    bottom_in: float = 0.44
    top_in: float = 0.26


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes."""

    draw: Callable[[Axes], None]  # puts its content into empty axes
    # The condition that it shows, or the axis; empty where a figure shows all in one panel
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure."""

    name: str  # distinguishes it from the others of a report; a file name without its ending
    # title, caption: above it and beneath it
    title: str
    caption: str
    alt: str  # what somebody is told who does not see it
    panels: tuple[Panel, ...]  # one or more, all of the same size
    # width_in, height_in: size of a panel, in inches
    width_in: float
    height_in: float
    # x_label, y_label: of the axes of every panel; empty where a panel speaks for itself
    x_label: str = ""
    y_label: str = ""
    margins: Margins = field(default_factory=Margins)  # of every panel
    by_condition: bool = True  # whether panels that have titles are those of conditions


_WIDE = ("W", "F")


def letters_in(name: str) -> int:
    """Count the letters in the width of a name; those of Chinese, Japanese and Korean are two."""
    return sum(2 if unicodedata.east_asian_width(sign) in _WIDE else 1 for sign in name)


def fitted(name: str, most: int) -> str:
    """Give a name of at most so many letters: names of models differ at either end.

    ``most``: as `letters_in` counts, 2 or more.
    """
    if letters_in(name) <= most:
        return name
    head, tail = list(name[: most // 2]), list(name[-(most // 2) :])
    while letters_in("".join(head + tail)) >= most:
        (head if len(head) > len(tail) else tail).pop(-1 if len(head) > len(tail) else 0)
    return f"{''.join(head).rstrip()}…{''.join(tail).lstrip()}"


def measured(value: float, unit: str) -> str:
    return f"{wording.number(value)}{'' if unit == '%' else ' '}{unit}"


_EM: Final = 0.62
_GAP_PT: Final = 26
_SQUARE: Final = 0.88


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One kind of mark."""

    label: str  # what it means
    marker: str  # its shape, as matplotlib names it
    colour: str  # a hex value of the palette
    # Whether it is a larger outline, so that another mark at the same place is seen inside it
    hollow: bool = False

    def draw(self, axes: Axes, x: ArrayLike, y: ArrayLike, *, size: float, **more: Any) -> None:
        """Draw such marks; a square looks as large as a circle if it is a little smaller."""
        size *= _SQUARE if self.marker == "s" else 1
        solid: dict[str, Any] = {
            "markersize": size,
            "color": self.colour,
            "mec": PAPER,
            "mew": 0.8,
            "zorder": 5,
        }
        hollow: dict[str, Any] = {
            "markersize": size * 1.5,
            "mfc": PAPER,
            "mec": self.colour,
            "mew": size / 4,
        }
        style = {**hollow, "zorder": 4} if self.hollow else solid
        axes.plot(x, y, self.marker, **style, clip_on=False, **more)


def draw_key(axes: Axes, entries: Sequence[Entry], rise_pt: float) -> None:
    """Draw each kind of mark beside its meaning, from the left, so far above the axes."""
    x_pt, size_pt = 4.0, float(axes.xaxis.label.get_fontsize())
    inches = axes.figure.dpi_scale_trans
    for entry in entries:
        place = axes.transAxes + ScaledTranslation(x_pt / 72, rise_pt / 72, inches)
        entry.draw(axes, [0], [1], size=6.5, transform=place)
        axes.annotate(
            entry.label,
            (0, 1),
            xycoords="axes fraction",
            xytext=(x_pt + 9, rise_pt),
            textcoords="offset points",
            va="center_baseline",
        )
        x_pt += len(entry.label) * _EM * size_pt + _GAP_PT
