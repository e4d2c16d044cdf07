"""How long people took to answer; how exactly images and masks were on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.protocols.hype.results import Row
from hype.report import wording
from hype.report.figures.drawing import (
    AMBER,
    BLUE,
    FAINT,
    SKY,
    SOFT,
    VERMILLION,
    Axes,
    Drawing,
    LegendEntry,
    Margins,
    Panel,
    draw_key,
    log_exposures,
    log_seconds,
)
from hype.report.figures.rows import CLEARING, WIDTH_IN, Rows
from hype.report.terminal import share, signed
from hype.statistics.arrays import FloatArray

_HEADER_IN_OF_RESPONSE_TIMES: Final = 0.36
_ENDS: Final = (0.005, 0.995)
"""Quantiles of all times between which the axis goes."""
_NARROWEST_MS: Final = (300.0, 1500.0)
"""It shows at least these."""
_BINS: Final = 44
_SMOOTHED: Final = np.array([1, 4, 6, 4, 1]) / 16
"""Weights of neighbouring bins: a histogram of a few hundred times is ragged."""
_FEWEST: Final = 20
"""Times, before there is a distribution to be drawn."""
_KEY_OF_RESPONSE_TIMES: Final = (
    LegendEntry(label="correct", marker="o", colour=BLUE),
    LegendEntry(label="wrong", marker="s", colour=VERMILLION),
)


def response_time_drawing(protocol: str, shown: Sequence[Row], since: str = "") -> Drawing | None:
    """Draw the distributions of the response times of each condition; None where there are none.

    ``since``: what they count from; empty where that is not known.
    """
    if not shown:
        return None
    medians = [wording.number(row["median"], 0) for row in shown]
    rows = Rows(
        names=tuple(row["condition"] for row in shown),
        values=tuple((f"median {median} ms", median) for median in medians),
        header_in=_HEADER_IN_OF_RESPONSE_TIMES,
    )
    middle = "median (circle)" if rows.close else "median (circle) and quartiles (line)"
    numbers = " The numbers are medians of all answers, in ms." if rows.close else ""
    ordered = sorted((row["median"], row["condition"]) for row in shown)
    (low, first), (high, last) = ordered[0], ordered[-1]
    to_last = f" to {wording.number(high, 0)} ms ({last})" if first != last else ""
    return rows.drawing(
        name=f"{protocol}-response-times",
        title="Response times",
        caption=f"{f'From {since} to the answer' if since else 'As the table has them'}, on a "
        "logarithmic axis. Upward: how the times of correct answers are distributed, with their "
        f"{middle}. Downward: those of wrong ones (square). All distributions are drawn equally "
        "high, however many answers they have; their ends take in the few times that lie beyond "
        f"the axis.{numbers}",
        alt=f"Median response times: {wording.number(low, 0)} ms ({first}){to_last}.",
        draw=partial(_draw_response_times, shown=shown, rows=rows),
        x_label="response time",
    )


def _draw_response_times(axes: Axes, shown: Sequence[Row], rows: Rows) -> None:
    rows.prepare(axes)
    everything = np.concatenate([ms for row in shown for ms in (row["correct"], row["wrong"])])
    low_ms, high_ms = np.quantile(everything, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    for entry, side in zip(_KEY_OF_RESPONSE_TIMES, (-1, 1), strict=True):
        reach = side * rows.half * (1.25 if rows.close else 1)
        own = [(rows.centre(place), row[entry.label]) for place, row in enumerate(shown)]
        ridges = [_ridge(ms, edges_ms, ground, reach) for ground, ms in own if len(ms) >= _FEWEST]
        _draw_ridges(axes, ridges, entry.colour, close=rows.close)
        known = [(ground + reach * 0.36, ms) for ground, ms in own if len(ms)]
        if not known:
            continue
        heights = [height for height, _ in known]
        low, median, high = np.array([np.quantile(ms, (0.25, 0.5, 0.75)) for _, ms in known]).T
        if not rows.close:  # where there is room for quartiles
            axes.hlines(heights, low, high, color=entry.colour, linewidth=2, zorder=3)
        entry.draw(axes, median, heights, size=4.5 if rows.close else 6.5)
    draw_key(axes, _KEY_OF_RESPONSE_TIMES, 72 * _HEADER_IN_OF_RESPONSE_TIMES - 10)


def _ridge(times_ms: FloatArray, edges_ms: FloatArray, ground: float, reach: float) -> FloatArray:
    """Give the outline of a distribution that stands on its ground and reaches up or down."""
    counts = np.histogram(times_ms.clip(edges_ms[0], edges_ms[-1]), edges_ms)[0]
    density = np.convolve(counts, _SMOOTHED, mode="same")
    middles_ms = np.sqrt(edges_ms[1:] * edges_ms[:-1])
    tops = ground + reach * density / density.max()
    ends = [[middles_ms[-1], ground], [middles_ms[0], ground]]
    return np.vstack([np.column_stack([middles_ms, tops]), ends])


def _draw_ridges(axes: Axes, ridges: Sequence[FloatArray], colour: str, *, close: bool) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    style: dict[str, Any] = {
        "facecolors": colour,
        "alpha": 0.35 if close else 0.22,
        "linewidths": 0,
    }
    axes.add_collection(PolyCollection(ridges, **style, zorder=1), autolim=False)
    if not close:
        outlines = [ridge[:-2] for ridge in ridges]
        lines = LineCollection(outlines, colors=colour, linewidths=0.8, zorder=2)
        axes.add_collection(lines, autolim=False)


_FARTHEST: Final = 3.0
"""Frames; what is farther off is drawn at the edge."""
_LEAST: Final = 1.25
"""Frames that are seen above and below in any case."""
_CELL: Final = 0.05
"""Frames; pictures whose deviations agree to that are one mark."""
_COLUMNS: Final = 60
"""Of marks, for each power of ten of the duration."""
_STRIDE: Final = 1000
"""More than twice the cells of a column."""
_SIZES: Final = ((1, 3.0), (10, 4.5), (100, 6.0))
"""From how many pictures on a mark has which diameter, in points."""
_HEIGHT_IN: Final = 3.7
_HEADER_IN_OF_EXPOSURES: Final = 0.98
_AXIS_IN: Final = 0.48
_VERDICTS: Final = (("ok", SKY), ("late", AMBER), ("dropped", VERMILLION), ("seen", FAINT))
_ALWAYS_TOLD: Final = 3
"""So many of the verdicts are told of even where no trial has them."""
_KEY_OF_EXPOSURES: Final = (
    LegendEntry(label="image", marker="o", colour=BLUE),
    LegendEntry(label="mask", marker="s", colour=VERMILLION),
)


def timing_drawings(pictures: pd.DataFrame, verdicts: Mapping[str, int]) -> tuple[Drawing, ...]:
    """Draw by how much images and masks were longer or shorter on the screen than their frames.

    ``pictures``: as `measured_pictures` gives them; ``verdicts``: how many trials have each. None
    where no duration was measured.
    """
    if pictures.empty:
        return ()
    counts = {name: verdicts.get(name, 0) for name, _ in _VERDICTS}
    told = {n: counts[n] for place, n in enumerate(counts) if counts[n] or place < _ALWAYS_TOLD}
    total = sum(told.values())
    shares = ", ".join(f"{share(number / total)} {name}" for name, number in told.items())
    worst = [
        f"{kind}s off by at most {signed(float(max(own, key=abs)))} frames"
        for kind, own in pictures.groupby("kind")["frames_off"]
    ]
    caption = (
        "Bar: share of the verdicts on exposures. Below: by how many frames each image and each "
        "mask was longer (up) or shorter (down) on the screen than it should have been; larger "
        f"marks stand for {_SIZES[1][0]} and more and for {_SIZES[2][0]} and more pictures. "
        "Lines: half a frame, which is tolerated unless the study says otherwise, and a frame."
    )
    if beyond := int((pictures["frames_off"].abs() > _FARTHEST).sum()):
        noun = "picture was" if beyond == 1 else "pictures were"
        caption += f" {beyond:,} {noun} off by more than {_FARTHEST:g} frames, drawn at the edge."
    drawing = Drawing(
        name="time-exposures",
        title="Exposures",
        caption=caption,
        alt=f"Exposures: {shares}; {', '.join(worst)}.",
        panels=(Panel(draw=partial(_draw_exposures, pictures=pictures, verdicts=told)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="nominal duration in ms",
        y_label="measured less nominal, in frames",
        margins=Margins(
            left_in=0.5, right_in=0.8, bottom_in=_AXIS_IN, top_in=_HEADER_IN_OF_EXPOSURES
        ),
    )
    return (drawing,)


def _draw_exposures(axes: Axes, pictures: pd.DataFrame, verdicts: Mapping[str, int]) -> None:
    off = pictures["frames_off"].clip(-_FARTHEST, _FARTHEST)
    low, high = min(-_LEAST, off.min() - 0.2), max(_LEAST, off.max() + 0.2)
    log_exposures(axes, pictures["nominal_ms"].min(), pictures["nominal_ms"].max())
    axes.set_ylim(low, high)
    axes.set_yticks([tick for tick in range(-3, 4) if low <= tick <= high])
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
    for at, dashes, label in ((0.5, (0, (1, 2)), "½ frame"), (1, (0, (4, 3)), "1 frame")):
        for side in (-at, at):
            axes.axhline(side, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
        place = axes.get_yaxis_transform()
        axes.text(1.01, at, label, transform=place, va="center", color=SOFT)
    for entry in _KEY_OF_EXPOSURES:
        own = pictures["kind"].eq(entry.label)
        columns = np.round(np.log10(pictures.loc[own, "nominal_ms"].to_numpy()) * _COLUMNS)
        heights = np.round(off[own].to_numpy() / _CELL)
        # Both in one number: sorting pairs takes ten times as long.
        cells, counts = np.unique(columns * _STRIDE + heights, return_counts=True)
        columns = np.round(cells / _STRIDE)
        x_ms, y = 10 ** (columns / _COLUMNS), (cells - columns * _STRIDE) * _CELL
        most = [*(fewest for fewest, _ in _SIZES[1:]), np.inf]
        for (fewest, size), too_many in zip(_SIZES, most, strict=True):
            these = (counts >= fewest) & (counts < too_many)
            if these.any():
                entry.draw(axes, x_ms[these], y[these], size=size)
    draw_key(axes, _KEY_OF_EXPOSURES, 72 * _HEADER_IN_OF_EXPOSURES - 44)
    _draw_verdicts(axes, verdicts)


def _draw_verdicts(axes: Axes, verdicts: Mapping[str, int]) -> None:
    total, left = sum(verdicts.values()), 0.0
    axes_in = _HEIGHT_IN - _HEADER_IN_OF_EXPOSURES - _AXIS_IN
    low, high = (1 + (_HEADER_IN_OF_EXPOSURES - below_in) / axes_in for below_in in (0.2, 0.06))
    for name, colour in _VERDICTS:
        width = verdicts.get(name, 0) / total
        if not width:
            continue
        axes.fill_between(
            [left, left + width],
            low,
            high,
            transform=axes.transAxes,
            color=colour,
            linewidth=0,
            clip_on=False,
        )
        left += width
    shares = " · ".join(f"{name} {share(number / total)}" for name, number in verdicts.items())
    axes.text(0, low - 0.03, shares, transform=axes.transAxes, va="top", bbox=CLEARING)
