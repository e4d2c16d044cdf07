"""How long people took to answer; how exactly images and masks were on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from hype.protocols.hype.answers import (
    AnswerTimes,
    Durations,
    MeasuredExposures,
)
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


def response_time_drawing(
    protocol: str, shown: Sequence[AnswerTimes], since: str = ""
) -> Drawing | None:
    """Draw the distributions of the response times of each condition; None where there are none.

    ``since``: what they count from; empty where that is not known.
    """
    if not shown:
        return None
    rows = Rows(
        names=tuple(row.condition for row in shown),
        values=tuple(_value(row) for row in shown),
        header_in=_HEADER_IN_OF_RESPONSE_TIMES,
    )
    return rows.drawing(
        name=f"{protocol}-response-times",
        title="Response times",
        caption=_caption_of_response_times(since, close=rows.close),
        alt=_alt_of_response_times(shown),
        draw=partial(_draw_of_response_times, shown=shown, rows=rows),
        x_label="response time",
    )


def _value(row: AnswerTimes) -> tuple[str, str]:
    median = wording.number(row.median_ms, 0)
    return f"median {median} ms", median


def _draw_of_response_times(axes: Axes, shown: Sequence[AnswerTimes], rows: Rows) -> None:
    rows.prepare(axes)
    everything = np.concatenate([ms for row in shown for ms in (row.correct_ms, row.wrong_ms)])
    low_ms, high_ms = np.quantile(everything, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    for entry, side, kind in zip(
        _KEY_OF_RESPONSE_TIMES, (-1, 1), ("correct_ms", "wrong_ms"), strict=True
    ):
        reach = side * rows.half * (1.25 if rows.close else 1)
        own = [(rows.centre(place), getattr(row, kind)) for place, row in enumerate(shown)]
        ridges = [_ridge(ms, edges_ms, ground, reach) for ground, ms in own if len(ms) >= _FEWEST]
        _draw_ridges(axes, ridges, entry.colour, close=rows.close)
        known = [(ground + reach * 0.36, ms) for ground, ms in own if len(ms)]
        _draw_quartiles(axes, entry, known, close=rows.close)
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


def _draw_quartiles(
    axes: Axes, entry: LegendEntry, known: Sequence[tuple[float, FloatArray]], *, close: bool
) -> None:
    """Draw medians; quartiles only where there is room for them."""
    if not known:
        return
    heights = [height for height, _ in known]
    low, median, high = np.array([np.quantile(ms, (0.25, 0.5, 0.75)) for _, ms in known]).T
    if not close:
        axes.hlines(heights, low, high, color=entry.colour, linewidth=2, zorder=3)
    entry.draw(axes, median, heights, size=4.5 if close else 6.5)


def _caption_of_response_times(since: str, *, close: bool) -> str:
    middle = "median (circle)" if close else "median (circle) and quartiles (line)"
    numbers = " The numbers are medians of all answers, in ms." if close else ""
    return (
        f"{f'From {since} to the answer' if since else 'As the table has them'}, on a logarithmic "
        "axis. Upward: how the times of correct "
        f"answers are distributed, with their {middle}. Downward: those of wrong ones (square). "
        "All distributions are drawn equally high, however many answers they have; their ends "
        f"take in the few times that lie beyond the axis.{numbers}"
    )


def _alt_of_response_times(shown: Sequence[AnswerTimes]) -> str:
    medians = sorted((row.median_ms, row.condition) for row in shown)
    (low, first), (high, last) = medians[0], medians[-1]
    caption = f"Median response times: {wording.number(low, 0)} ms ({first})"
    return caption + (f" to {wording.number(high, 0)} ms ({last})." if first != last else ".")


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


def exposure_drawing(measured: MeasuredExposures) -> Drawing | None:
    """Draw by how much images and masks were longer or shorter on the screen than their frames.

    None where no duration was measured.
    """
    shown = (measured.images, measured.masks)
    if not any(len(kind.nominal_ms) for kind in shown):
        return None
    counts = ((name, measured.verdicts.get(name, 0)) for name, _ in _VERDICTS)
    verdicts = {
        name: number
        for place, (name, number) in enumerate(counts)
        if number or place < _ALWAYS_TOLD
    }
    return Drawing(
        name="time-exposures",
        title="Exposures",
        caption=_caption_of_exposures(shown),
        alt=_alt_of_exposures(shown, verdicts),
        panels=(Panel(draw=partial(_draw_of_exposures, shown=shown, verdicts=verdicts)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="nominal duration in ms",
        y_label="measured less nominal, in frames",
        margins=Margins(
            left_in=0.5, right_in=0.8, bottom_in=_AXIS_IN, top_in=_HEADER_IN_OF_EXPOSURES
        ),
    )


def _draw_of_exposures(axes: Axes, shown: tuple[Durations, ...], verdicts: dict[str, int]) -> None:
    nominal_ms = np.concatenate([kind.nominal_ms for kind in shown])
    off = np.concatenate([kind.frames_off for kind in shown])
    shortest, longest = off.clip(-_FARTHEST, _FARTHEST).min(), off.clip(-_FARTHEST, _FARTHEST).max()
    low, high = min(-_LEAST, shortest - 0.2), max(_LEAST, longest + 0.2)
    log_exposures(axes, float(nominal_ms.min()), float(nominal_ms.max()))
    axes.set_ylim(low, high)
    axes.set_yticks([tick for tick in range(-3, 4) if low <= tick <= high])
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
    for at, dashes, label in ((0.5, (0, (1, 2)), "½ frame"), (1, (0, (4, 3)), "1 frame")):
        for side in (-at, at):
            axes.axhline(side, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
        place = axes.get_yaxis_transform()
        axes.text(1.01, at, label, transform=place, va="center", color=SOFT)
    for kind, entry in zip(shown, _KEY_OF_EXPOSURES, strict=True):
        _draw_pictures(axes, kind, entry)
    draw_key(axes, _KEY_OF_EXPOSURES, 72 * _HEADER_IN_OF_EXPOSURES - 44)
    _draw_verdicts(axes, verdicts)


def _draw_pictures(axes: Axes, kind: Durations, entry: LegendEntry) -> None:
    columns = np.round(np.log10(kind.nominal_ms) * _COLUMNS)
    heights = np.round(kind.frames_off.clip(-_FARTHEST, _FARTHEST) / _CELL)
    # Both in one number: sorting pairs takes ten times as long.
    cells, counts = np.unique(columns * _STRIDE + heights, return_counts=True)
    columns = np.round(cells / _STRIDE)
    x_ms, off = 10 ** (columns / _COLUMNS), (cells - columns * _STRIDE) * _CELL
    most = [*(fewest for fewest, _ in _SIZES[1:]), np.inf]
    for (fewest, size), too_many in zip(_SIZES, most, strict=True):
        these = (counts >= fewest) & (counts < too_many)
        if these.any():
            entry.draw(axes, x_ms[these], off[these], size=size)


def _draw_verdicts(axes: Axes, verdicts: dict[str, int]) -> None:
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


def _caption_of_exposures(shown: tuple[Durations, ...]) -> str:
    beyond = sum(int((np.abs(kind.frames_off) > _FARTHEST).sum()) for kind in shown)
    caption = (
        "Bar: share of the verdicts on exposures. Below: by how many frames each image and each "
        "mask was longer (up) or shorter (down) on the screen than it should have been; larger "
        f"marks stand for {_SIZES[1][0]} and more and for {_SIZES[2][0]} and more pictures. "
        "Lines: half a frame, which is tolerated unless the study says otherwise, and a frame."
    )
    if beyond:
        noun = "picture was" if beyond == 1 else "pictures were"
        caption += f" {beyond:,} {noun} off by more than {_FARTHEST:g} frames, drawn at the edge."
    return caption


def _alt_of_exposures(shown: tuple[Durations, ...], verdicts: dict[str, int]) -> str:
    total = sum(verdicts.values())
    shares = ", ".join(f"{share(number / total)} {name}" for name, number in verdicts.items())
    worst = [
        f"{name} off by at most {signed(float(max(kind.frames_off, key=abs)))} frames"
        for name, kind in zip(("images", "masks"), shown, strict=True)
        if len(kind.nominal_ms)
    ]
    return f"Exposures: {shares}; {', '.join(worst)}."
