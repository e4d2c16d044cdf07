"""How answers are distributed on each axis, those that call it not relevant apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report import wording
from hype.report.figures.drawing import Drawing, Panel
from hype.report.figures.palette import BLUE, FAINT, GRID, INK, PAPER, STRONGEST, VERMILLION
from hype.report.figures.rows import WIDTH_IN, Rows
from hype.report.figures.scales import linear

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from hype.analysis.ratings.axis_scores import AxisScore
    from hype.analysis.ratings.scores import RatingScore

_GAP: Final = 1.5
"""Percent of the width between relevant answers and those that are not."""
_NARROWEST: Final = 4.5
"""Percent of the width that a label needs."""
_LETTER: Final = 1.6
"""Percent of the width that each further letter needs."""
_PALEST: Final = 0.12


def answer_drawing(score: RatingScore) -> Drawing | None:
    """Draw the answers of each axis as one bar; None where there are no axes."""
    if not score.axes:
        return None
    rows = Rows(
        names=tuple(axis.axis for axis in score.axes),
        values=tuple(_value(axis) for axis in score.axes),
    )
    return Drawing(
        name="rating-answers",
        title="How people answered",
        caption=_caption(score),
        alt=_alt(score),
        panels=(Panel(draw=partial(_draw, score=score, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="answers, in %",
        margins=rows.margins,
    )


def _value(axis: AxisScore) -> tuple[str, str]:
    share = wording.share(axis.not_relevant_share)
    counted = f"{axis.ratings:,} answers"
    return (f"{counted}, {share} not relevant" if axis.not_relevant else counted, share)


def _draw(axes: Axes, score: RatingScore, rows: Rows) -> None:
    rows.prepare(axes)
    axes.set_xlim(-0.5, 100 + _GAP + 0.5)
    linear(axes.xaxis)
    for place, axis in enumerate(score.axes):
        _draw_axis(axes, axis, rows.centre(place), rows.half)


def _draw_axis(axes: Axes, axis: AxisScore, y: float, half: float) -> None:
    left = 0.0
    style: dict[str, Any] = {"height": 2 * half, "edgecolor": PAPER, "linewidth": 0.8, "zorder": 2}
    shades = tuple(_shades(axis))
    for one, (colour, strength) in zip(axis.answers, shades, strict=True):
        width = 100 * one.count / axis.ratings
        axes.barh(y, width, left=left, color=PAPER, **style)
        axes.barh(y, width, left=left, color=colour, alpha=strength, **style)
        _label(axes, left + width / 2, y, one.answer, width)
        left += width
    if axis.not_relevant:
        width = 100 * axis.not_relevant_share
        hollow = {**style, "edgecolor": FAINT, "facecolor": PAPER, "linestyle": (0, (3, 2))}
        axes.barh(y, width, left=left + _GAP, **hollow)
        _label(axes, left + _GAP + width / 2, y, "not relevant", width)


def _label(axes: Axes, x: float, y: float, text: str, width: float) -> None:
    if width >= _NARROWEST + _LETTER * (len(text) - 1):
        axes.text(x, y, text, ha="center", va="center", color=INK, zorder=4)


def _shades(axis: AxisScore) -> Iterator[tuple[str, float]]:
    """Give a colour and its strength for each answer, in the order of the scale."""
    number = len(axis.answers)
    if axis.kind == "yes-no":
        yield from ((BLUE, STRONGEST), (VERMILLION, STRONGEST))
    elif axis.kind == "levels":
        yield from (_of_level(place, number // 2) for place in range(number))
    else:
        step = (STRONGEST - _PALEST) / max(number - 1, 1)
        yield from ((BLUE, _PALEST + step * place) for place in range(number))


def _of_level(place: int, middle: int) -> tuple[str, float]:
    """Give the ends the strongest colour, and the middle none."""
    if place == middle:
        return GRID, 0.99
    colour = BLUE if place < middle else VERMILLION
    return colour, STRONGEST * abs(place - middle) / middle


def _caption(score: RatingScore) -> str:
    said = ["All answers on each axis."]
    if score.what == "pairs":
        said.append(
            f"From 1, the first image is much better (blue), to {score.scale.levels}, the second "
            "is (vermillion), whichever stood on which side."
        )
    elif any(axis.kind == "numbers" for axis in score.axes):
        said.append("The higher the number, the darker.")
    if any(axis.not_relevant for axis in score.axes):
        said.append(
            "Hollow, apart from the others: not relevant, which counts as missing and never as 0."
        )
    return " ".join(said)


def _alt(score: RatingScore) -> str:
    told = [f"{axis.axis}: {_told(axis)}" for axis in score.axes]
    return f"Answers. {'; '.join(told)}."


def _told(axis: AxisScore) -> str:
    shares: Sequence[str] = [f"{one.answer} {wording.share(one.share)}" for one in axis.answers]
    return ", ".join(shares) + f", not relevant {wording.share(axis.not_relevant_share)}"
