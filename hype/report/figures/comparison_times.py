"""How long people took to choose, with the answers that came hastily."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.report import wording
from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.key import Entry, draw_key
from hype.report.figures.palette import BLUE, FAINT, SOFT, VERMILLION
from hype.report.figures.rows import CLEARING, WIDTH_IN
from hype.report.figures.scales import level_grid, linear, log_seconds

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_HEADER_IN: Final = 0.62
_ENDS: Final = (0.002, 0.998)
_NARROWEST_MS: Final = (300.0, 3000.0)
_BINS: Final = 48
_KEY: Final = (
    Entry(label="answers", marker="s", colour=BLUE),
    Entry(label="hasty ones", marker="s", colour=VERMILLION),
)


def answer_time_drawing(rows: pd.DataFrame) -> Drawing | None:
    """Draw how the times of all scored answers are distributed.

    Parameters
    ----------
    rows
        The scored rows of a table of comparisons.

    Returns
    -------
    Drawing or None
        None where there are no times.
    """
    if "rt_ms" not in rows or not rows["rt_ms"].ge(1).any():
        return None
    known = rows["rt_ms"].ge(1).to_numpy()  # no logarithm of 0
    times_ms = rows["rt_ms"].to_numpy(dtype=float)[known]
    hasty = rows["hasty"].to_numpy()[known] if "hasty" in rows else np.zeros(len(times_ms), bool)
    return Drawing(
        name="comparison-response-times",
        title="Answer times",
        caption=_caption(times_ms, hasty),
        alt=_alt(times_ms, hasty),
        panels=(Panel(draw=partial(_draw, times_ms=times_ms, hasty=hasty)),),
        width_in=WIDTH_IN,
        height_in=2.6,
        x_label="answer time",
        y_label="answers",
        margins=Margins(left_in=0.56, right_in=0.2, bottom_in=0.48, top_in=_HEADER_IN),
    )


def _draw(axes: Axes, times_ms: np.ndarray, hasty: np.ndarray) -> None:
    low_ms, high_ms = np.quantile(times_ms, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    shown_ms = times_ms.clip(edges_ms[0], edges_ms[-1])
    quick, every = (np.histogram(some, edges_ms)[0] for some in (shown_ms[hasty], shown_ms))
    bars: dict[str, Any] = {"align": "edge", "linewidth": 0, "zorder": 2}
    widths = np.diff(edges_ms) * 0.92
    axes.bar(edges_ms[:-1], every - quick, widths, quick, color=BLUE, **bars)
    axes.bar(edges_ms[:-1], quick, widths, color=VERMILLION, **bars)
    axes.set_ylim(0, every.max() * 1.08)
    linear(axes.yaxis, 4)
    level_grid(axes)
    _mark_median(axes, float(np.median(times_ms)))
    draw_key(axes, _KEY[: 1 + bool(hasty.any())], 72 * _HEADER_IN - 10)


def _mark_median(axes: Axes, median_ms: float) -> None:
    axes.axvline(median_ms, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=3)
    place: dict[str, Any] = {
        "xycoords": axes.get_xaxis_transform(),
        "textcoords": "offset points",
        "va": "top",
    }
    label = f"median {wording.number(median_ms, 0)} ms"
    axes.annotate(label, (median_ms, 1), xytext=(5, 0), **place, color=SOFT, bbox=CLEARING)


def _caption(times_ms: np.ndarray, hasty: np.ndarray) -> str:
    low, high = np.quantile(times_ms, (0.25, 0.75))
    said = [
        "From the moment both images could be seen to the answer, on a logarithmic axis; the "
        f"middle half lies between {wording.number(low, 0)} and {wording.number(high, 0)} ms. The "
        "bars at either end take in the few times that lie beyond the axis."
    ]
    if hasty.any():
        said.append(
            f"Hasty, faster than the study's minimum: {hasty.sum():,} of the {len(times_ms):,} "
            "answers that are scored and drawn here."
        )
    return " ".join(said)


def _alt(times_ms: np.ndarray, hasty: np.ndarray) -> str:
    median = wording.number(float(np.median(times_ms)), 0)
    return (
        f"Times of {len(times_ms):,} answers around a median of {median} ms; {hasty.sum():,} were "
        "hasty."
    )
