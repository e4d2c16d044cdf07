"""What the marks of a figure mean, in a line above its axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from matplotlib.transforms import ScaledTranslation

from hype.report.figures.palette import PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_EM: Final = 0.62
_GAP_PT: Final = 26
_SQUARE: Final = 0.88


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One kind of mark.

    Parameters
    ----------
    label
        What it means.
    marker
        Its shape, as matplotlib names it.
    colour
        A hex value of the palette.
    hollow
        Whether it is a larger outline, so that another mark at the same place is seen inside it.
    """

    label: str
    marker: str
    colour: str
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
