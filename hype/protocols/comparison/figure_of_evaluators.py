"""What each evaluator chose between two conditions: one preference of all, or camps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.protocols.comparison.evaluator_rates import FEWEST
from hype.report import wording
from hype.report.figures.axes import BLUE, GRID, INK, PAPER, linear
from hype.report.figures.drawing import Drawing, Entry, Panel, draw_key, fitted
from hype.report.figures.rows import CHANCE, WIDTH_IN, Rows, mark, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.protocols.comparison.evaluator_rates import EvaluatorRates

_HEADER_IN: Final = 0.55
_LONGEST: Final = 14
_MOST_APART: Final = 12
_LARGEST_PT: Final = 17.0
_SMALLEST_PT: Final = 3.0
_KEY: Final = (
    Entry(label="evaluator", marker="o", colour=BLUE),
    Entry(label="all choices", marker="d", colour=INK),
)


def evaluator_drawing(shown: Sequence[EvaluatorRates]) -> Drawing | None:
    """Draw the share of each evaluator's choices that are for the first of two conditions.

    Parameters
    ----------
    shown
        Pairs of conditions, a row each; those with few evaluators who chose often enough are left
        out.

    Returns
    -------
    Drawing or None
        None where there is no pair.
    """
    shown = [one for one in shown if one.telling.sum() >= FEWEST]
    if not shown:
        return None
    rows = Rows(
        names=tuple(f"{fitted(one.a, _LONGEST)} over {fitted(one.b, _LONGEST)}" for one in shown),
        values=tuple(_value(one) for one in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name="comparison-evaluators",
        title="Agreement among evaluators",
        caption=_caption(shown),
        alt=_alt(shown),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows, crowded=_crowded(shown))),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="choices for the first, in %",
        margins=rows.margins,
    )


def _value(one: EvaluatorRates) -> tuple[str, str]:
    share = wording.share(one.share)
    return f"{share} of {one.choices.sum():,}, {len(one.choices):,} evaluators", share


def _crowded(shown: Sequence[EvaluatorRates]) -> bool:
    return any(_counted(one)[1].max() > _MOST_APART for one in shown)


def _counted(one: EvaluatorRates) -> tuple[np.ndarray, np.ndarray]:
    """Give the shares that occur, in percent, and how many evaluators have each.

    Somebody with a single choice lies at an end, and many of them would look like camps: only those
    with enough choices count.
    """
    shares, people = np.unique(np.round(100 * one.shares[one.telling], 6), return_counts=True)
    return shares, people


def _draw(axes: Axes, shown: Sequence[EvaluatorRates], rows: Rows, *, crowded: bool) -> None:
    rows.prepare(axes)
    axes.set_xlim(-2, 102)
    linear(axes.xaxis)
    mark(axes, CHANCE, "no preference")
    for place, one in enumerate(shown):
        y = rows.centre(place)
        _draw_range(axes, one, y, rows.half)
        if crowded:
            _draw_circles(axes, one, y)
        else:
            _draw_dots(axes, one, y, rows.half)
        _KEY[-1].draw(axes, [100 * one.share], [y], size=8)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 12)


def _draw_range(axes: Axes, one: EvaluatorRates, y: float, half: float) -> None:
    """Draw where evaluators would lie by chance."""
    if one.by_chance:
        low, high = (100 * end for end in one.by_chance)
        band: dict[str, Any] = {"color": GRID, "linewidth": 0, "zorder": 0.7}
        axes.barh(y, high - low, left=low, height=2 * half, **band)


def _draw_dots(axes: Axes, one: EvaluatorRates, y: float, half: float) -> None:
    shares = np.repeat(*_counted(one))
    style: dict[str, Any] = {"markersize": 4.6, "mec": PAPER, "mew": 0.4, "color": BLUE}
    axes.plot(shares, y + spread(shares, half), "o", **style, zorder=3, clip_on=False)


def _draw_circles(axes: Axes, one: EvaluatorRates, y: float) -> None:
    """Draw one circle for all evaluators of a share, its area being their number."""
    shares, people = _counted(one)
    areas = np.maximum(_LARGEST_PT**2 * people / people.max(), _SMALLEST_PT**2)
    style: dict[str, Any] = {"color": BLUE, "edgecolor": PAPER, "linewidth": 0.4}
    axes.scatter(shares, np.full(len(shares), y), areas, **style, zorder=3, clip_on=False)


def _caption(shown: Sequence[EvaluatorRates]) -> str:
    equal = "one for equal ones, its area their number" if _crowded(shown) else "equal ones apart"
    said = [
        "The share of each evaluator's choices that are for the first of the two conditions (dot: "
        f"{equal}), and that of all choices (diamond). Ties are no choices; evaluators with fewer "
        "than five choices of a pair are not drawn."
    ]
    if any(one.by_chance for one in shown):
        said.append(
            "Within the grey band 95% of these evaluators would lie if all had one preference: "
            "dots that fill it show that, dots at both ends of the axis show "
            "camps."
        )
    return " ".join(said)


def _alt(shown: Sequence[EvaluatorRates]) -> str:
    first = shown[0]
    shares = first.shares[first.telling]
    low, high = wording.share(float(shares.min())), wording.share(float(shares.max()))
    return (
        f"{first.a} over {first.b}: {wording.share(first.share)} of all choices; evaluators range "
        f"from {low} to {high}."
        + (f" {len(shown) - 1} more pairs of conditions." if len(shown) > 1 else "")
    )
