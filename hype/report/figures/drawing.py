"""A figure of the report before it is drawn, and the common style of its axes.

On the page, each panel is a separate SVG, so that a phone can stack panels and a reader can search
for a condition; a file shows all panels of a figure together. Matplotlib is loaded only for
drawing; without it, a report describes its figures in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import ArrayLike

from hype.report import wording
from hype.report.wording import letters_in

if TYPE_CHECKING:
    from matplotlib import RcParams
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 others take it from here
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414
else:  # matplotlib is optional; only annotations use these names
    Axes = Figure = Any


_STYLE: Final = Path(__file__).with_name("style.mplstyle")
_SMALLEST_PT: Final = 8.5
_PT_PER_IN: Final = 1.95
"""Size of letters, in points per inch of a panel's width; 9 px if the panel is 336 px wide."""


def letters_pt(width_in: float) -> float:
    """Return the size of all letters in a panel, in points."""
    return max(_SMALLEST_PT, _PT_PER_IN * width_in)


@contextmanager
def use_style(drawing: Drawing, salt: str) -> Iterator[None]:
    """Draw in the style of the report.

    ``drawing``: the figure; the size of letters depends on its width. ``salt``: a seed for the
    identifiers inside the SVG.
    """
    import matplotlib as mpl

    with mpl.rc_context(_style()):
        mpl.rcParams["font.size"] = drawing.letters_pt
        mpl.rcParams["svg.hashsalt"] = salt
        yield


@cache
def _style() -> RcParams:
    from matplotlib import rc_params_from_file

    return rc_params_from_file(_STYLE, use_default_template=False)


def add_panel(figure: Figure, drawing: Drawing, left_in: float, bottom_in: float) -> Axes:
    """Add the axes of a panel; their lower left corner is at ``left_in`` and ``bottom_in``."""
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
"""Maximum opacity of a coloured background on which light and dark text are both readable."""
PALETTE: Final = {
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
"""The colours on a white page, all different, by the names of their CSS variables (no dashes)."""
_STEPS: Final = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
)

_MOST_TICKS: Final = 5
_EDGE: Final = 0.03
"""Room at both ends of a logarithmic axis, as a share of its length."""


def log_exposures(axes: Axes, low_ms: float, high_ms: float) -> None:
    """Set up a logarithmic x axis for durations, with a little room at both ends.

    ``low_ms``, ``high_ms``: the smallest and the largest value that must fit; both are above 0.
    """
    room = (high_ms / low_ms) ** _EDGE if high_ms > low_ms else 1.5
    axes.set_xscale("log")
    axes.set_xlim(low_ms / room, high_ms * room)
    _log_ticks(axes, low_ms / room, high_ms * room, "{:g}".format)


def log_seconds(axes: Axes, low_ms: float, high_ms: float) -> None:
    """Set up a logarithmic x axis for response times in ms; ticks from 1 s on are in seconds."""
    room = (high_ms / low_ms) ** _EDGE  # no tick this close to the lowest or highest value
    axes.set_xscale("log")
    axes.set_xlim(low_ms / room, high_ms * room)
    _log_ticks(axes, low_ms * room, high_ms / room, _duration)


def linear(axis: Axis, most_ticks: int = 5) -> None:
    """Set ticks at round numbers; on an x axis with fixed limits, only as many as fit."""
    from matplotlib.ticker import MaxNLocator

    for most in range(most_ticks, 1, -1):
        axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
        ticks = axis.get_majorticklocs().tolist()
        if axis is axis.axes.yaxis or has_room(axis.axes, ticks, "{:g}".format):
            break


def has_room(axes: Axes, ticks: Sequence[float], write: Callable[[float], str]) -> bool:
    """Return whether the labels of these ticks fit on an x axis with fixed limits and scale."""
    points = [(tick, 1.0) for tick in (*ticks, *axes.get_xlim())]
    *places, low, high = axes.transScale.transform(points)[:, 0].tolist()
    letter = _EM * float(axes.xaxis.label.get_fontsize()) / (72 * axes.bbox.width / axes.figure.dpi)
    halves = [letter * (letters_in(write(tick)) + 1) / 2 for tick in ticks]
    return all(
        (place - before) / (high - low) >= half + other
        for before, place, half, other in zip(places, places[1:], halves, halves[1:], strict=False)
    )


def upright_grid(axes: Axes) -> None:
    axes.xaxis.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def level_grid(axes: Axes) -> None:
    axes.yaxis.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def _log_ticks(axes: Axes, low: float, high: float, write: Callable[[float], str]) -> None:
    """Set ticks between two values on a logarithmic x axis with fixed limits."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    choices = [ticks for ticks in round_values(low, high) if has_room(axes, ticks, write)]
    axes.xaxis.set_major_locator(FixedLocator(max(choices, key=len)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))


def round_values(low: float, high: float) -> list[list[float]]:
    """Return possible sets of ticks between two positive values, the roundest first."""
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
    return [[], *(ticks for ticks in choices if len(ticks) <= _MOST_TICKS)]


def _duration(value_ms: float) -> str:
    return f"{value_ms:g} ms" if value_ms < 1000 else f"{value_ms / 1000:g} s"


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

    draw: Callable[[Axes], None]  # Draws the content into empty axes.
    # The condition or axis of the panel; empty for a figure with one panel.
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure."""

    name: str  # A unique name in the report, and the file name without its extension.
    # ``title`` is above the figure, ``caption`` below it.
    title: str
    caption: str
    alt: str  # A description for people who cannot see the figure.
    panels: tuple[Panel, ...]  # At least one panel; all have the same size.
    # ``width_in``, ``height_in``: the size of a panel, in inches.
    width_in: float
    height_in: float
    # The labels of every panel's axes; may be empty.
    x_label: str = ""
    y_label: str = ""
    margins: Margins = field(default_factory=Margins)  # The margins of every panel.
    by_condition: bool = True  # Whether the panels' titles are conditions.
    font_pt: float | None = None  # Size of letters; None for the usual size.
    panels_across: int | None = None  # Panels in a row of a file; None: at most three.
    # Whether all panels have the same y axis; then only the first of a row shows its numbers.
    one_scale: bool = False
    narrowest_in: float = 1.15  # Minimum width of the axes if the figure's width is given.

    @property
    def letters_pt(self) -> float:
        return self.font_pt or letters_pt(self.width_in)


def fit_names(names: Sequence[str], most: int) -> list[str]:
    """Shorten names to ``most`` letters; keep as many of them as possible different.

    Names are cut in the middle or at both ends. ``most``: at least 3, counted as in `letters_in`.
    """
    long = [name for name in names if letters_in(name) > most]
    heads = sorted(range(most), key=lambda head: abs(head - most // 2))
    starts = range(1, max(map(len, long), default=0) - most + 2)
    cuts = [partial(_cut, most=most, head=head) for head in heads]
    cuts += [partial(_cut_ends, most=most, start=start) for start in starts]
    shown = ({name: cut(name) for name in long} for cut in cuts)
    best = max(shown, key=lambda one: len({*one.values()}))
    return [best.get(name, name) for name in names]


def fit_name(name: str, most: int) -> str:
    """Shorten a name in its middle."""
    return _cut(name, most, most // 2)


def _cut_ends(name: str, most: int, start: int) -> str:
    return _cut(f"…{name[start:]}", most, most)


def _cut(name: str, most: int, head: int) -> str:
    """Shorten a name to its first letters, an ellipsis and its last letters."""
    if letters_in(name) <= most:
        return name
    first, last = list(name[:head]), list(name[len(name) - (most - head) :])
    while letters_in("".join(first + last)) >= most:
        is_first_longer = len(first) * (most - head) > len(last) * head or not last
        (first if is_first_longer else last).pop(-1 if is_first_longer else 0)
    return f"{''.join(first).rstrip()}…{''.join(last).lstrip()}"


def write_measure(value: float, unit: str) -> str:
    return f"{wording.number(value)}{'' if unit == '%' else ' '}{unit}"


_EM: Final = 0.62
_GAP_PT: Final = 26
_SQUARE: Final = 0.88


@dataclass(frozen=True, kw_only=True)
class LegendEntry:
    """One kind of mark."""

    label: str  # The meaning of the mark.
    marker: str  # The name of the shape in matplotlib.
    colour: str  # A hex value of the palette.
    # Whether the mark is a larger outline, so that another mark can be seen inside it.
    hollow: bool = False

    def draw(self, axes: Axes, x: ArrayLike, y: ArrayLike, *, size: float, **more: Any) -> None:
        """Draw marks of this kind; a square is slightly smaller, to look as large as a circle."""
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


def draw_key(axes: Axes, entries: Sequence[LegendEntry], rise_pt: float) -> None:
    """Draw a legend ``rise_pt`` points above the axes: each mark, then its meaning."""
    from matplotlib.transforms import ScaledTranslation

    x_pt, size_pt = 4.0, float(axes.xaxis.label.get_fontsize())
    inches, dpi = axes.figure.dpi_scale_trans, axes.figure.dpi
    if sum(_key_width(entry, size_pt) for entry in entries) > 72 * axes.bbox.width / dpi:
        x_pt -= 72 * axes.bbox.x0 / dpi  # too wide for the axes: start at the left edge
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
        x_pt += _key_width(entry, size_pt)


def _key_width(entry: LegendEntry, size_pt: float) -> float:
    return len(entry.label) * _EM * size_pt + _GAP_PT
