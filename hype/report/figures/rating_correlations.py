"""Correlations between axes as a heat map, for papers; the page has a table of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.report import wording
from hype.report.figures.canvas import letters_pt
from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.names import fitted, letters_in
from hype.report.figures.palette import BLUE, INK, PAPER, STRONGEST, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hype.analysis.ratings.scores import AxisCorrelations, RatingScore

NAME: Final = "rating-correlations"
_CELL_IN: Final = 0.5
_LONGEST: Final = 16
_LETTER_EM: Final = 0.58


def correlation_drawing(score: RatingScore) -> Drawing | None:
    """Draw the square of all axes; None with a single one."""
    found = score.correlations
    if found is None:
        return None
    number = len(found.axes)
    side_in = number * _CELL_IN
    longest = max(letters_in(fitted(name, _LONGEST)) for name in found.axes)
    names_in = longest * _LETTER_EM * letters_pt(side_in + 1.2) / 72 + 0.15
    return Drawing(
        name=NAME,
        title="Correlations between axes",
        caption=(
            "Pearson's correlations of what one person said of one item on two axes, answers that "
            "are not relevant left out. Blue: above 0; vermillion: below."
        ),
        alt=_alt(found),
        panels=(Panel(draw=partial(_draw, found=found)),),
        width_in=side_in + names_in + 0.1,
        height_in=side_in + names_in * 0.75 + 0.1,
        margins=Margins(left_in=names_in, right_in=0.1, bottom_in=0.1, top_in=names_in * 0.75),
    )


def _draw(axes: Axes, found: AxisCorrelations) -> None:
    number = len(found.axes)
    axes.set_xlim(-0.5, number - 0.5)
    axes.set_ylim(number - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for place, name in enumerate(found.axes):
        shown = fitted(name, _LONGEST)
        axes.text(-0.6, place, shown, ha="right", va="center")
        turned: dict[str, Any] = {"rotation": 45, "ha": "left", "va": "bottom"}
        axes.text(place - 0.2, -0.6, shown, **turned, rotation_mode="anchor")
    for i, j in np.ndindex(number, number):
        if i != j and not np.isnan(found.matrix.r[i, j]):
            _draw_cell(axes, j, i, float(found.matrix.r[i, j]))


def _draw_cell(axes: Axes, x: int, y: int, r: float) -> None:
    style: dict[str, Any] = {"width": 1, "edgecolor": PAPER, "linewidth": 1}
    colour = BLUE if r >= 0 else VERMILLION
    axes.bar(x, 1, bottom=y - 0.5, color=colour, alpha=STRONGEST * abs(r), **style)
    axes.text(x, y, wording.number(r, 2), ha="center", va="center", color=INK)


def _alt(found: AxisCorrelations) -> str:
    r = found.matrix.r[np.triu_indices(len(found.axes), 1)]
    known = r[~np.isnan(r)]
    if not known.size:
        return "No correlation is known."
    low, high = (wording.number(float(end), 2) for end in (known.min(), known.max()))
    return f"Correlations between {len(found.axes)} axes, from {low} to {high}."
