"""Figures with a row for each condition, the best on top, in one panel or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from hype.report.figures.drawing import (
    FAINT,
    GRID,
    INK,
    PAPER,
    SOFT,
    Axes,
    Drawing,
    LegendEntry,
    Margins,
    Panel,
    fit_names,
    letters_pt,
    linear,
    upright_grid,
)
from hype.report.wording import letters_in
from hype.statistics.estimate import Estimate

WIDTH_IN: Final = 5.2
CLEARING: Final = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.2}
"""Background of a text, which hides the lines behind the text."""
CHANCE: Final = 50
"""Percentage of wrong judgements by a person who only guesses."""
_MOST_ROOMY: Final = 10
_ROOMY_IN: Final = 0.6
_CLOSE_IN: Final = 0.21
_LONGEST_ABOVE: Final = 34
_LONGEST_BESIDE: Final = 18
_LETTER_EM: Final = 0.58
_AXIS_IN: Final = 0.48
_HEADER_IN: Final = 0.3


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The layout of a figure with one row per condition."""

    names: tuple[str, ...]  # The conditions, from top to bottom.
    # The value at the end of each row, as a long and as a short text.
    values: tuple[tuple[str, str], ...]
    header_in: float = _HEADER_IN  # Room above the rows.

    @property
    def close(self) -> bool:
        """Whether names are next to their marks instead of above them."""
        return len(self.names) > _MOST_ROOMY

    @property
    def height_in(self) -> float:
        pitch_in = _CLOSE_IN if self.close else _ROOMY_IN
        return len(self.names) * pitch_in + self.header_in + _AXIS_IN

    @cached_property
    def shown(self) -> list[str]:
        """The names, shortened to fit."""
        return fit_names(self.names, _LONGEST_BESIDE if self.close else _LONGEST_ABOVE)

    @cached_property
    def margins(self) -> Margins:
        left_in = right_in = 0.08
        if self.close:
            left_in = self._width_in(self.shown)
            right_in = self._width_in([value for _, value in self.values])
        return Margins(
            left_in=left_in, right_in=right_in, bottom_in=_AXIS_IN, top_in=self.header_in
        )

    def drawing(
        self,
        *,
        name: str,
        title: str,
        caption: str,
        alt: str,
        draw: Callable[[Axes], None],
        x_label: str,
    ) -> Drawing:
        """Make a figure with one panel of these rows."""
        return Drawing(
            name=name,
            title=title,
            caption=caption,
            alt=alt,
            panels=(Panel(draw=draw),),
            width_in=WIDTH_IN,
            height_in=self.height_in,
            x_label=x_label,
            margins=self.margins,
        )

    def _width_in(self, texts: Sequence[str]) -> float:
        longest = max(map(letters_in, texts))
        return longest * _LETTER_EM * letters_pt(WIDTH_IN) / 72 + 0.12

    def centre(self, place: int) -> float:
        return place if self.close else place + 0.14

    @property
    def half(self) -> float:
        return 0.36 if self.close else 0.24

    def prepare(self, axes: Axes) -> None:
        axes.set_ylim(len(self.names) - 0.5, -0.5)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        upright_grid(axes)
        if self.close:
            self._label_beside(axes)
        else:
            place = axes.get_yaxis_transform()
            for row, (shown, (value, _)) in enumerate(zip(self.shown, self.values, strict=True)):
                y = row - 0.25
                bold: dict[str, Any] = {"weight": "bold", "bbox": CLEARING, "color": INK}
                axes.text(0, y, shown, transform=place, va="center", **bold)
                axes.text(1, y, value, transform=place, va="center", ha="right", bbox=CLEARING)

    def _label_beside(self, axes: Axes) -> None:
        place = axes.get_yaxis_transform()
        rows = range(len(self.names))
        axes.hlines(rows, 0, 1, transform=place, color=GRID, linewidth=0.8, zorder=0.5)
        gap = 0.012
        for row, (shown, (_, value)) in enumerate(zip(self.shown, self.values, strict=True)):
            axes.text(-gap, row, shown, transform=place, va="center", ha="right")
            axes.text(1 + gap, row, value, transform=place, va="center", color=SOFT)


def mark_mean(axes: Axes, mean: float | None, values: Iterable[float]) -> None:
    """Prepare a horizontal axis for strengths, with a line at ``mean`` if it is given."""
    line = [] if mean is None else [mean]
    widest(axes, [*values, *line])
    linear(axes.xaxis)
    if mean is not None:
        mark(axes, mean, "mean of all")


def mark(axes: Axes, at: float, label: str) -> None:
    """Draw a reference line for scores, with a label above it."""
    axes.axvline(at, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    place = axes.get_xaxis_transform()
    axes.text(at, 1, label, transform=place, ha="center", va="bottom", color=SOFT)


def draw_estimate(
    axes: Axes, entry: LegendEntry, estimate: Estimate, y: float, *, close: bool
) -> None:
    low, high = estimate.ends
    if low is not None or high is not None:
        left, right = axes.get_xlim()
        ends = (left if low is None else low, right if high is None else high)
        axes.hlines(y, *ends, color=entry.colour, linewidth=1.3 if close else 2, zorder=4)
    entry.draw(axes, [estimate.value], [y], size=4 if close else 6.5)


def list_values(estimates: Iterable[Estimate | None]) -> list[float]:
    """List the values and the ends of intervals that must fit on the axes."""
    values = [at for estimate in estimates if estimate for at in (estimate.value, *estimate.ends)]
    return [at for at in values if at is not None]


def widest(axes: Axes, values: Sequence[float]) -> None:
    low, high = min(values), max(values)
    margin = (high - low or abs(high) or 1) * 0.04
    axes.set_xlim(low - margin, high + margin)


_MOST_OF_HEIGHT: Final = 0.29
"""Maximum distance by which equal scores are moved apart, as a share of ``half``."""


def spread(scores: np.ndarray, half: float) -> np.ndarray:
    """Return offsets that move equal scores apart: 0, down, up, further down, further up, ..."""
    seen: dict[float, int] = {}
    offsets = []
    for score in scores.tolist():
        nth = seen[score] = seen.get(score, -1) + 1
        offsets.append((nth + 1) // 2 * (1 if nth % 2 else -1))
    most = max(map(abs, offsets))
    return np.array(offsets) * min(_MOST_OF_HEIGHT * half, half / most if most else 0)


PANEL_WIDTH_IN: Final = 3.1
LONGEST: Final = 17
"""Names next to their rows have at most this many letters."""
_PITCH_IN: Final = 0.235
_ABOVE_IN: Final = 0.3
_BELOW_IN: Final = 0.46
_EDGE: Final = 0.04
_TICKS: Final = 4


@dataclass(frozen=True, kw_only=True)
class DotPanel:
    """One panel, with a dot and its interval in each row."""

    title: str  # What the panel shows.
    dots: tuple[Estimate | None, ...]  # One dot for each row; None is not drawn.
    band: Estimate | None = None  # Drawn as a band with a line, behind the dots.
    limits: tuple[float, float] | None = None  # Ends of the x axis; None: those of all panels.


@dataclass(frozen=True, kw_only=True)
class DotPanels:
    """Panels side by side, which have the same rows."""

    names: tuple[str, ...]  # Names of the rows, from top to bottom.
    panels: tuple[DotPanel, ...]  # The panels in reading order.
    mark: tuple[float, str] | None = None  # Place and label of a vertical line.

    @property
    def height_in(self) -> float:
        return len(self.names) * _PITCH_IN + _ABOVE_IN + _BELOW_IN

    @property
    def width_in(self) -> float:
        return PANEL_WIDTH_IN if len(self.panels) > 1 else WIDTH_IN

    @cached_property
    def shown(self) -> list[str]:
        """The names, shortened to fit."""
        return fit_names(self.names, LONGEST)

    @property
    def margins(self) -> Margins:
        letters = max(map(letters_in, self.shown))
        left_in = letters * _LETTER_EM * letters_pt(self.width_in) / 72 + 0.12
        return Margins(left_in=left_in, right_in=0.12, bottom_in=_BELOW_IN, top_in=_ABOVE_IN)

    @property
    def limits(self) -> tuple[float, float]:
        """The common limits of the x axes."""
        values = list_values(one for panel in self.panels for one in (*panel.dots, panel.band))
        values += [self.mark[0]] if self.mark else []
        low, high = min(values), max(values)
        room = (high - low or abs(high) or 1) * _EDGE
        return low - room, high + room

    def make_panels(self) -> tuple[Panel, ...]:
        """Make the panels; a single panel has no title."""
        several = len(self.panels) > 1
        return tuple(
            Panel(draw=partial(_draw, panel=panel, of=self), title=panel.title if several else "")
            for panel in self.panels
        )


def _draw(axes: Axes, panel: DotPanel, of: DotPanels) -> None:
    axes.set_ylim(len(of.names) - 0.5, -0.5)
    axes.set_xlim(panel.limits or of.limits)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    linear(axes.xaxis, _TICKS)
    upright_grid(axes)
    place = axes.get_yaxis_transform()
    axes.hlines(range(len(of.names)), 0, 1, transform=place, color=GRID, linewidth=0.8, zorder=0.5)
    for row, name in enumerate(of.shown):
        axes.text(-0.02, row, name, transform=place, va="center", ha="right")
    if of.mark:
        mark(axes, *of.mark)
    if band := panel.band:
        if band.low is not None and band.high is not None:
            axes.axvspan(band.low, band.high, color=GRID, linewidth=0, zorder=0.4)
        axes.axvline(band.value, color=SOFT, linewidth=1.2, zorder=0.9)
    style: dict[str, Any] = {"markersize": 5.5, "color": INK, "mec": PAPER, "mew": 0.8}
    edges = axes.get_xlim()
    for row, dot in enumerate(panel.dots):
        if dot and dot.ends != (None, None):
            low, high = (edges[n] if end is None else end for n, end in enumerate(dot.ends))
            axes.hlines(row, low, high, color=INK, linewidth=2, zorder=3)
    known = [(dot.value, row) for row, dot in enumerate(panel.dots) if dot]
    if known:
        axes.plot(*zip(*known, strict=True), "o", **style, zorder=5, clip_on=False)
