"""The strength of each condition with its intervals, the strongest on top."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report import wording
from hype.report.figures.drawing import Drawing, Panel
from hype.report.figures.palette import INK, PAPER, SOFT
from hype.report.figures.rows import WIDTH_IN, Rows, mark, widest
from hype.report.figures.scales import linear

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from hype.analysis.pairwise.scores import ConditionStrength, PairwiseScore

MOST_DRAWN: Final = 40
"""Conditions; a figure of more is longer than anybody reads, and the table has them all."""


def ranking_drawing(score: PairwiseScore) -> Drawing | None:
    """Draw log-strengths with both kinds of interval.

    Returns
    -------
    Drawing or None
        None where no condition has a strength.
    """
    strong = [row for row in score.conditions if row.strength is not None]
    shown = strong[:MOST_DRAWN]
    if not shown:
        return None
    rows = Rows(
        names=tuple(row.condition for row in shown), values=tuple(_value(row) for row in shown)
    )
    return Drawing(
        name="comparison-ranking",
        title="Ranking",
        caption=" ".join(_caption(score, strong)),
        alt=_alt(strong),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="log-strength (Bradley–Terry)",
        margins=rows.margins,
    )


def _value(row: ConditionStrength) -> tuple[str, str]:
    strength, elo = wording.number(row.strength, 2), wording.number(row.elo, 0)
    ends = _ends(row, 2)
    return (f"{strength}{f'  ({ends})' if ends else ''}  ·  Elo {elo}", strength)


def _ends(row: ConditionStrength, decimals: int) -> str:
    """Write an interval that may be open; empty where nothing of it is known."""
    low, high = row.strength_low, row.strength_high
    return "" if low is None and high is None else wording.open_interval(low, high, decimals)


def _draw(axes: Axes, shown: Sequence[ConditionStrength], rows: Rows) -> None:
    rows.prepare(axes)
    widest(axes, [*_known(value for row in shown for value in _values(row)), 0.0])
    linear(axes.xaxis)
    mark(axes, 0.0, "mean of all")
    for place, row in enumerate(shown):
        y = rows.centre(place)
        sandwich = (row.strength_sandwich_low, row.strength_sandwich_high)
        _line(axes, y, sandwich, row, color=SOFT, linewidth=1, zorder=3)
        own = (row.strength_low, row.strength_high)
        _line(axes, y, own, row, color=INK, linewidth=2 if rows.close else 2.6, zorder=4)
    style: dict[str, Any] = {"color": INK, "markeredgecolor": PAPER, "markeredgewidth": 1}
    heights = [rows.centre(place) for place in range(len(shown))]
    strengths = [row.strength or 0.0 for row in shown]
    size = 4.5 if rows.close else 7
    axes.plot(strengths, heights, "o", markersize=size, **style, zorder=5, clip_on=False)


def _line(
    axes: Axes,
    y: float,
    ends: tuple[float | None, float | None],
    row: ConditionStrength,
    **style: Any,
) -> None:
    """Draw an interval; an end that is open goes to the edge of the axes."""
    if ends == (None, None) or row.strength is None:
        return
    low, high = axes.get_xlim()
    axes.hlines(
        y, low if ends[0] is None else ends[0], high if ends[1] is None else ends[1], **style
    )


def _values(row: ConditionStrength) -> tuple[float | None, ...]:
    return (
        row.strength,
        row.strength_low,
        row.strength_high,
        row.strength_sandwich_low,
        row.strength_sandwich_high,
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _caption(score: PairwiseScore, strong: Sequence[ConditionStrength]) -> Iterable[str]:
    confidence = f"{score.confidence:.0%}"
    unit = score.bootstrap.unit if score.bootstrap else "comparisons"
    also = " and by the sandwich's standard error (thin line)" if _has_sandwich(strong) else ""
    yield (
        f"Each condition's log-strength (dot) with its {confidence} interval over {unit} (thick "
        f"line){also}."
    )
    yield (
        "One that is stronger by 0.41 is chosen in 60% of the comparisons of the two without ties, "
        "by 1.10 in 75%; 400 points of Elo's are 2.30."
    )
    if len(strong) > MOST_DRAWN:
        yield f"The {MOST_DRAWN} strongest of {len(strong):,}; the table has all."
    without = [row.condition for row in score.conditions if row.strength is None]
    if without:
        number = f"{len(without):,} condition" + "s" * (len(without) > 1)
        yield f"Not drawn: {number} without a strength."


def _has_sandwich(strong: Sequence[ConditionStrength]) -> bool:
    return any(row.strength_sandwich_low is not None for row in strong)


def _alt(strong: Sequence[ConditionStrength]) -> str:
    best, worst = strong[0], strong[-1]
    return f"Log-strengths of {len(strong)} conditions, from {_told(worst)}, to {_told(best)}."


def _told(row: ConditionStrength) -> str:
    ends = _ends(row, 2)
    return f"{row.condition}, {wording.number(row.strength, 2)}" + (f" ({ends})" if ends else "")
