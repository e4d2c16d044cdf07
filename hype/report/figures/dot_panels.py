"""Small multiples: the same rows in every panel, each with a dot and its interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report.figures.axes import FAINT, GRID, INK, PAPER, SOFT, letters_pt, linear, upright_grid
from hype.report.figures.drawing import Margins, Panel, fitted, letters_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

PANEL_WIDTH_IN: Final = 3.1
LONGEST: Final = 17
"""Letters of a name beside its row."""
_PITCH_IN: Final = 0.235
_ABOVE_IN: Final = 0.3
_BELOW_IN: Final = 0.46
_LETTER_EM: Final = 0.58
_EDGE: Final = 0.04
_TICKS: Final = 4


@dataclass(frozen=True, kw_only=True)
class Dot:
    """An estimate with its interval, each of whose ends may be unknown; None is not drawn."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class DotPanel:
    """One panel.

    Parameters
    ----------
    title
        What it shows.
    dots
        One for each row.
    band
        What dots are seen against, a value with its interval; None for none.
    """

    title: str
    dots: tuple[Dot, ...]
    band: Dot | None = None


@dataclass(frozen=True, kw_only=True)
class DotPanels:
    """All panels.

    Parameters
    ----------
    names
        Of the rows, from the top.
    panels
        In reading order.
    mark
        Where a line is drawn, and what it is called.
    """

    names: tuple[str, ...]
    panels: tuple[DotPanel, ...]
    mark: tuple[float, str] | None = None

    @property
    def height_in(self) -> float:
        return len(self.names) * _PITCH_IN + _ABOVE_IN + _BELOW_IN

    @property
    def margins(self) -> Margins:
        letters = max(letters_in(fitted(name, LONGEST)) for name in self.names)
        left_in = letters * _LETTER_EM * letters_pt(PANEL_WIDTH_IN) / 72 + 0.12
        return Margins(left_in=left_in, right_in=0.12, bottom_in=_BELOW_IN, top_in=_ABOVE_IN)

    @property
    def limits(self) -> tuple[float, float]:
        """Of the x axis, the same in all panels."""
        shown = [*(dot for panel in self.panels for dot in panel.dots)]
        shown += [panel.band for panel in self.panels if panel.band]
        values = [*_known(end for dot in shown for end in (dot.value, dot.low, dot.high))]
        values += [self.mark[0]] if self.mark else []
        low, high = min(values), max(values)
        room = (high - low or abs(high) or 1) * _EDGE
        return low - room, high + room

    def drawn(self) -> tuple[Panel, ...]:
        """Make panels that draw themselves; a single one has no title."""
        several = len(self.panels) > 1
        return tuple(
            Panel(draw=partial(_draw, panel=panel, of=self), title=panel.title if several else "")
            for panel in self.panels
        )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _draw(axes: Axes, panel: DotPanel, of: DotPanels) -> None:
    axes.set_ylim(len(of.names) - 0.5, -0.5)
    axes.set_xlim(of.limits)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    linear(axes.xaxis, _TICKS)
    upright_grid(axes)
    _name_rows(axes, of.names)
    if of.mark:
        _mark(axes, *of.mark)
    if panel.band:
        _band(axes, panel.band)
    _draw_dots(axes, panel.dots)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    place = axes.get_yaxis_transform()
    axes.hlines(range(len(names)), 0, 1, transform=place, color=GRID, linewidth=0.8, zorder=0.5)
    for row, name in enumerate(names):
        axes.text(-0.02, row, fitted(name, LONGEST), transform=place, va="center", ha="right")


def _mark(axes: Axes, at: float, label: str) -> None:
    axes.axvline(at, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    place = axes.get_xaxis_transform()
    axes.text(at, 1, label, transform=place, ha="center", va="bottom", color=SOFT)


def _band(axes: Axes, band: Dot) -> None:
    """Draw a value as a line, and its interval as a pale ground."""
    if band.low is not None and band.high is not None:
        axes.axvspan(band.low, band.high, color=GRID, linewidth=0, zorder=0.4)
    if band.value is not None:
        axes.axvline(band.value, color=SOFT, linewidth=1.2, zorder=0.9)


def _draw_dots(axes: Axes, dots: Sequence[Dot]) -> None:
    edges = axes.get_xlim()
    for row, dot in enumerate(dots):
        if dot.value is None or (dot.low is None and dot.high is None):
            continue
        low = edges[0] if dot.low is None else dot.low
        high = edges[1] if dot.high is None else dot.high
        axes.hlines(row, low, high, color=INK, linewidth=2, zorder=3)
    known = [(dot.value, row) for row, dot in enumerate(dots) if dot.value is not None]
    style: dict[str, Any] = {"markersize": 5.5, "color": INK, "mec": PAPER, "mew": 0.8}
    if known:
        axes.plot(*zip(*known, strict=True), "o", **style, zorder=5, clip_on=False)
