"""Krippendorff's α of each axis, over conditions and over items."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.drawing import Drawing, Panel
from hype.report.figures.key import Entry, draw_key
from hype.report.figures.palette import BLUE, INK
from hype.report.figures.rows import WIDTH_IN, Rows, mark, widest
from hype.report.figures.scales import linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.analysis.ratings.axis_scores import Alpha, AlphaUnit, AxisScore
    from hype.analysis.ratings.scores import RatingScore

_HEADER_IN: Final = 0.55
_APART: Final = 0.11
"""Of a row, between its two marks."""
_KEYS: Final[dict[AlphaUnit, Entry]] = {
    "conditions": Entry(label="over conditions", marker="o", colour=INK),
    "items": Entry(label="over items", marker="s", colour=BLUE),
}


def agreement_drawing(score: RatingScore) -> Drawing | None:
    """Draw α with its interval; None where no axis has any."""
    shown = [axis for axis in score.axes if axis.alphas]
    if not shown:
        return None
    rows = Rows(
        names=tuple(axis.axis for axis in shown),
        values=tuple(_value(axis) for axis in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name="rating-agreement",
        title="Do people agree?",
        caption=_caption(score),
        alt=_alt(shown),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="Krippendorff's α",
        margins=rows.margins,
    )


def _value(axis: AxisScore) -> tuple[str, str]:
    numbers = [f"{one.unit} {wording.number(one.alpha, 2)}" for one in axis.alphas]
    short = [wording.number(one.alpha, 2) for one in axis.alphas]
    return " · ".join(numbers), ", ".join(short)


def _draw(axes: Axes, shown: Sequence[AxisScore], rows: Rows) -> None:
    rows.prepare(axes)
    found = [alpha for axis in shown for alpha in axis.alphas]
    ends = [end for one in found for end in (one.alpha, one.low, one.high) if end is not None]
    widest(axes, [*ends, 0.0])
    linear(axes.xaxis)
    mark(axes, 0.0, "chance")
    units = {alpha.unit for alpha in found}
    for place, axis in enumerate(shown):
        for alpha in axis.alphas:
            side = 0.0 if len(units) == 1 else -_APART if alpha.unit == "conditions" else _APART
            _draw_alpha(axes, alpha, rows.centre(place) + side, close=rows.close)
    entries = [entry for unit, entry in _KEYS.items() if unit in units]
    draw_key(axes, entries, 72 * _HEADER_IN - 12)


def _draw_alpha(axes: Axes, alpha: Alpha, y: float, *, close: bool) -> None:
    entry = _KEYS[alpha.unit]
    if alpha.low is not None and alpha.high is not None:
        width = 1.4 if close else 2.2
        axes.hlines(y, alpha.low, alpha.high, color=entry.colour, linewidth=width, zorder=3)
    entry.draw(axes, [alpha.alpha], [y], size=4.5 if close else 6.5)


def _caption(score: RatingScore) -> str:
    units = {alpha.unit for axis in score.axes for alpha in axis.alphas}
    what = "pair" if score.what == "pairs" else "image"
    said = [f"Krippendorff's α with its {score.confidence:.0%} interval over evaluators."]
    if "conditions" in units:
        said.append(
            "Over conditions: how far all ratings of a condition agree, whichever image they are "
            "of; it is low as well where conditions are equally good."
        )
    if "items" in units:
        said.append(f"Over items: how far several ratings of the same {what} agree.")
    return " ".join(said)


def _alt(shown: Sequence[AxisScore]) -> str:
    told = [f"{axis.axis}: {_value(axis)[0]}" for axis in shown]
    return f"Krippendorff's α. {'; '.join(told)}."
