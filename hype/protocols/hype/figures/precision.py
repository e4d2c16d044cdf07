"""The width of the interval against the number of evaluators: the paper's Figure 4."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hype.report.figures.axes import BLUE, FAINT, INK, PAPER, SKY, SOFT, level_grid, linear
from hype.report.figures.drawing import Drawing, Margins, Panel, measured
from hype.report.figures.rows import CLEARING, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hype.protocols.hype.results import ConditionScore, Score


def precision_drawing(score: Score) -> Drawing | None:
    """Draw the width of each condition's interval against the number of evaluators.

    Returns
    -------
    Drawing or None
        None where every condition has a single evaluator.
    """
    rows = [row for row in score.conditions if row.precision and row.bootstrap]
    if not rows:
        return None
    several = len(rows) > 1
    return Drawing(
        name=f"{score.protocol}-precision",
        title="Evaluators and precision",
        caption=f"Width of the {score.confidence:.0%} interval that so many evaluators would give, "
        "drawn with replacement from those there are: "
        + ("each condition (thin) and the median of all (thick). " if several else "")
        + "Dots: the intervals of this study, at its own number of evaluators.",
        alt=_alt(score, rows),
        panels=(Panel(draw=partial(_draw, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=2.7,
        x_label="evaluators per condition",
        y_label=f"width of the interval in {score.unit}",
        margins=Margins(left_in=0.5, right_in=0.2, bottom_in=0.48, top_in=0.36),
    )


def _draw(axes: Axes, rows: list[ConditionScore]) -> None:
    evaluators, widths = _widths(rows)
    several = len(rows) > 1
    if several:
        thin: dict[str, Any] = {"color": SKY, "linewidth": 1, "alpha": 0.8}
        axes.plot(evaluators, widths.T, **thin, clip_on=False)
    axes.plot(evaluators, np.median(widths, axis=0), color=INK, linewidth=2.2, zorder=3)
    own = [row.evaluators for row in rows]
    here = [_width(row) for row in rows]
    style: dict[str, Any] = {"markersize": 5, "markeredgecolor": PAPER, "markeredgewidth": 0.6}
    axes.plot(own, here, "o", color=BLUE, **style, zorder=4, clip_on=False)
    axes.set_xlim(0, max(*evaluators, *own))
    axes.set_ylim(0, max(widths.max(), *here) * 1.05 or 1)
    linear(axes.xaxis, 6)
    linear(axes.yaxis)
    level_grid(axes)
    if len(set(own)) == 1:
        _mark_own(axes, own[0])


def _mark_own(axes: Axes, evaluators: int) -> None:
    axes.axvline(evaluators, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    place: dict[str, Any] = {
        "xycoords": axes.get_xaxis_transform(),
        "textcoords": "offset points",
        "va": "top",
    }
    label = f"{evaluators} in this study"
    axes.annotate(label, (evaluators, 1), xytext=(5, 0), **place, color=SOFT, bbox=CLEARING)


def _widths(rows: list[ConditionScore]) -> tuple[list[int], np.ndarray]:
    """Give the numbers of evaluators, and the width for each condition and number."""
    evaluators = [point.evaluators for point in rows[0].precision]
    return evaluators, np.array([[point.width for point in row.precision] for row in rows])


def _width(row: ConditionScore) -> float:
    return row.bootstrap.ci_high - row.bootstrap.ci_low if row.bootstrap else 0.0


def _alt(score: Score, rows: list[ConditionScore]) -> str:
    evaluators, widths = _widths(rows)
    medians = np.median(widths, axis=0)
    return (
        f"The interval narrows from {measured(medians[0], score.unit)} with {evaluators[0]} "
        f"evaluators to {measured(medians[-1], score.unit)} with {evaluators[-1]}"
        + (", median over conditions." if len(rows) > 1 else ".")
    )
