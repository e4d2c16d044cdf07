"""How long people took to answer, correctly and wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.collections import LineCollection, PolyCollection

from hype.report import wording
from hype.report.figures.axes import BLUE, VERMILLION, log_seconds
from hype.report.figures.drawing import Drawing, Entry, Panel, draw_key
from hype.report.figures.rows import WIDTH_IN, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from hype.protocols.hype.results import Score

FloatArray = npt.NDArray[np.float64]

_HEADER_IN: Final = 0.36
_ENDS: Final = (0.005, 0.995)
"""Quantiles of all times between which the axis goes."""
_NARROWEST_MS: Final = (300.0, 1500.0)
"""It shows at least these."""
_BINS: Final = 44
_SMOOTHED: Final = np.array([1, 4, 6, 4, 1]) / 16
"""Weights of neighbouring bins: a histogram of a few hundred times is ragged."""
_FEWEST: Final = 20
"""Times, before there is a distribution to be drawn."""
_KEY: Final = (
    Entry(label="correct", marker="o", colour=BLUE),
    Entry(label="wrong", marker="s", colour=VERMILLION),
)


@dataclass(frozen=True, kw_only=True)
class _Times:
    """Response times of one condition, of correct and of wrong answers."""

    condition: str
    correct_ms: FloatArray
    wrong_ms: FloatArray

    @property
    def median_ms(self) -> float:
        return float(np.median(np.concatenate([self.correct_ms, self.wrong_ms])))


def response_time_drawing(score: Score, judgements: pd.DataFrame) -> Drawing | None:
    """Draw the distributions of the response times of each condition.

    Parameters
    ----------
    score
        Of either protocol.
    judgements
        As `hype.analysis.check_judgements` returns them, of that protocol.

    Returns
    -------
    Drawing or None
        None where there are no response times.
    """
    shown = _times(score, judgements)
    if not shown:
        return None
    rows = Rows(
        names=tuple(row.condition for row in shown),
        values=tuple(_value(row) for row in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name=f"{score.protocol}-response-times",
        title="Response times",
        caption=_caption(close=rows.close),
        alt=_alt(shown),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="response time",
        margins=rows.margins,
    )


def _times(score: Score, judgements: pd.DataFrame) -> list[_Times]:
    """Give the times of each condition that has any, in the order of the scores."""
    if "rt_ms" not in judgements:
        return []
    rt_ms = judgements["rt_ms"].to_numpy(dtype=float)
    fake = judgements["truth"].eq("fake").to_numpy()
    correct = judgements["answer"].eq("fake").to_numpy() == fake
    # No logarithm of 0; what took less than a millisecond is no answer to what was seen.
    known = rt_ms >= 1
    found = []
    for row in score.conditions:
        own = judgements["condition"].eq(row.condition).to_numpy() & known
        times = _Times(
            condition=row.condition,
            correct_ms=rt_ms[own & correct],
            wrong_ms=rt_ms[own & ~correct],
        )
        found += [times] if own.any() else []
    return found


def _value(row: _Times) -> tuple[str, str]:
    median = wording.number(row.median_ms, 0)
    return f"median {median} ms", median


def _draw(axes: Axes, shown: list[_Times], rows: Rows) -> None:
    rows.prepare(axes)
    everything = np.concatenate([ms for row in shown for ms in (row.correct_ms, row.wrong_ms)])
    low_ms, high_ms = np.quantile(everything, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    for entry, side, kind in zip(_KEY, (-1, 1), ("correct_ms", "wrong_ms"), strict=True):
        reach = side * rows.half * (1.25 if rows.close else 1)
        own = [(rows.centre(place), getattr(row, kind)) for place, row in enumerate(shown)]
        ridges = [_ridge(ms, edges_ms, ground, reach) for ground, ms in own if len(ms) >= _FEWEST]
        _draw_ridges(axes, ridges, entry.colour, close=rows.close)
        known = [(ground + reach * 0.36, ms) for ground, ms in own if len(ms)]
        _draw_quartiles(axes, entry, known, close=rows.close)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 10)


def _ridge(times_ms: FloatArray, edges_ms: FloatArray, ground: float, reach: float) -> FloatArray:
    """Give the outline of a distribution that stands on its ground and reaches up or down."""
    counts = np.histogram(times_ms.clip(edges_ms[0], edges_ms[-1]), edges_ms)[0]
    density = np.convolve(counts, _SMOOTHED, mode="same")
    middles_ms = np.sqrt(edges_ms[1:] * edges_ms[:-1])
    tops = ground + reach * density / density.max()
    ends = [[middles_ms[-1], ground], [middles_ms[0], ground]]
    return np.vstack([np.column_stack([middles_ms, tops]), ends])


def _draw_ridges(axes: Axes, ridges: Sequence[FloatArray], colour: str, *, close: bool) -> None:
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
    axes: Axes, entry: Entry, known: Sequence[tuple[float, FloatArray]], *, close: bool
) -> None:
    """Draw medians; quartiles only where there is room for them."""
    if not known:
        return
    heights = [height for height, _ in known]
    low, median, high = np.array([np.quantile(ms, (0.25, 0.5, 0.75)) for _, ms in known]).T
    if not close:
        axes.hlines(heights, low, high, color=entry.colour, linewidth=2, zorder=3)
    entry.draw(axes, median, heights, size=4.5 if close else 6.5)


def _caption(*, close: bool) -> str:
    middle = "median (circle)" if close else "median (circle) and quartiles (line)"
    numbers = " The numbers are medians of all answers, in ms." if close else ""
    return (
        "From the question to the answer, on a logarithmic axis. Upward: how the times of correct "
        f"answers are distributed, with their {middle}. Downward: those of wrong ones (square). "
        "All distributions are drawn equally high, however many answers they have; their ends "
        f"take in the few times that lie beyond the axis.{numbers}"
    )


def _alt(shown: list[_Times]) -> str:
    medians = sorted((row.median_ms, row.condition) for row in shown)
    (low, first), (high, last) = medians[0], medians[-1]
    told = f"Median response times: {wording.number(low, 0)} ms ({first})"
    return told + (f" to {wording.number(high, 0)} ms ({last})." if first != last else ".")
