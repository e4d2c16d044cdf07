"""How exactly images and masks were on the screen, and the verdicts on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.hype.spoiled import are_measured
from hype.report.figures.axes import AMBER, BLUE, FAINT, SKY, SOFT, VERMILLION, log_exposures
from hype.report.figures.drawing import Drawing, Entry, Margins, Panel, draw_key
from hype.report.figures.rows import CLEARING, WIDTH_IN
from hype.report.timing import share, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = npt.NDArray[np.float64]

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
_HEADER_IN: Final = 0.98
_AXIS_IN: Final = 0.48
_VERDICTS: Final = (("ok", SKY), ("late", AMBER), ("dropped", VERMILLION), ("seen", FAINT))
_ALWAYS_TOLD: Final = 3
"""So many of the verdicts are told of even where no trial has them."""
_KEY: Final = (
    Entry(label="image", marker="o", colour=BLUE),
    Entry(label="mask", marker="s", colour=VERMILLION),
)


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """Pictures of one kind.

    Parameters
    ----------
    nominal_ms
        How long they should have been shown.
    frames_off
        By how many frames they were shown for longer; both of shape (pictures,).
    """

    nominal_ms: FloatArray
    frames_off: FloatArray


def exposure_drawing(judgements: pd.DataFrame) -> Drawing | None:
    """Draw by how much images and masks were longer or shorter on the screen than their frames.

    Parameters
    ----------
    judgements
        As `hype.analysis.check_judgements` returns them.

    Returns
    -------
    Drawing or None
        None where no duration was measured.
    """
    measured = judgements[are_measured(judgements)]
    shown = (_pictures(measured, "exposure"), _pictures(measured, "mask"))
    if not any(len(kind.nominal_ms) for kind in shown):
        return None
    counts = ((name, int(measured["verdict"].eq(name).sum())) for name, _ in _VERDICTS)
    verdicts = {
        name: number
        for place, (name, number) in enumerate(counts)
        if number or place < _ALWAYS_TOLD
    }
    return Drawing(
        name="time-exposures",
        title="Exposures",
        caption=_caption(shown),
        alt=_alt(shown, verdicts),
        panels=(Panel(draw=partial(_draw, shown=shown, verdicts=verdicts)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="nominal duration in ms",
        y_label="measured less nominal, in frames",
        margins=Margins(left_in=0.5, right_in=0.8, bottom_in=_AXIS_IN, top_in=_HEADER_IN),
    )


def _pictures(measured: pd.DataFrame, prefix: str) -> _Shown:
    """Read pictures of one kind; of masks several durations stand in one cell."""
    names = [f"{prefix}_{rest}" for rest in ("nominal_ms", "frames", "measured_ms")]
    if not set(names) <= set(measured.columns):
        return _Shown(nominal_ms=np.empty(0), frames_off=np.empty(0))
    table = measured[names].set_axis(["nominal_ms", "frames", "measured_ms"], axis=1)
    if prefix == "mask":
        table["measured_ms"] = table["measured_ms"].astype(str).str.split()
        table = table.explode("measured_ms")
        table["measured_ms"] = pd.to_numeric(table["measured_ms"], errors="coerce")
    table = table.dropna().astype(float)
    off_ms = table["measured_ms"] - table["nominal_ms"]
    frame_ms = table["nominal_ms"] / table["frames"]
    return _Shown(
        nominal_ms=table["nominal_ms"].to_numpy(), frames_off=(off_ms / frame_ms).to_numpy()
    )


def _draw(axes: Axes, shown: tuple[_Shown, ...], verdicts: dict[str, int]) -> None:
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
    for kind, entry in zip(shown, _KEY, strict=True):
        _draw_pictures(axes, kind, entry)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 44)
    _draw_verdicts(axes, verdicts)


def _draw_pictures(axes: Axes, kind: _Shown, entry: Entry) -> None:
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
    """Draw the share of each verdict as a bar over the whole width of the axes."""
    total, left = sum(verdicts.values()), 0.0
    axes_in = _HEIGHT_IN - _HEADER_IN - _AXIS_IN
    low, high = (1 + (_HEADER_IN - below_in) / axes_in for below_in in (0.2, 0.06))
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
    told = " · ".join(f"{name} {share(number / total)}" for name, number in verdicts.items())
    axes.text(0, low - 0.03, told, transform=axes.transAxes, va="top", bbox=CLEARING)


def _caption(shown: tuple[_Shown, ...]) -> str:
    beyond = sum(int((np.abs(kind.frames_off) > _FARTHEST).sum()) for kind in shown)
    said = (
        "Bar: share of the verdicts on exposures. Below: by how many frames each image and each "
        "mask was longer (up) or shorter (down) on the screen than it should have been; larger "
        f"marks stand for {_SIZES[1][0]} and more and for {_SIZES[2][0]} and more pictures. "
        "Lines: half a frame, which is tolerated unless the study says otherwise, and a frame."
    )
    if beyond:
        told = "picture was" if beyond == 1 else "pictures were"
        said += f" {beyond:,} {told} off by more than {_FARTHEST:g} frames, drawn at the edge."
    return said


def _alt(shown: tuple[_Shown, ...], verdicts: dict[str, int]) -> str:
    total = sum(verdicts.values())
    told = ", ".join(f"{share(number / total)} {name}" for name, number in verdicts.items())
    worst = [
        f"{name} off by at most {signed(float(max(kind.frames_off, key=abs)))} frames"
        for name, kind in zip(("images", "masks"), shown, strict=True)
        if len(kind.nominal_ms)
    ]
    return f"Exposures: {told}; {', '.join(worst)}."
