"""The strength of each condition, from rankings and from the pairs in them, the best on top."""

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
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from hype.analysis.rankings.scores import RankedCondition, RankingScore

MOST_DRAWN: Final = 40
"""Conditions; a figure of more is longer than anybody reads, and the table has them all."""
_HEADER_IN: Final = 0.55
_KEY: Final = (
    Entry(label="Plackett–Luce", marker="o", colour=INK),
    Entry(label="Bradley–Terry", marker="d", colour=BLUE),
)
Three = tuple[float | None, float | None, float | None]


def strength_drawing(score: RankingScore) -> Drawing | None:
    """Draw log-strengths by both models with their intervals; None without any strength."""
    strong = [row for row in score.conditions if row.strength is not None]
    shown = strong[:MOST_DRAWN]
    if not shown:
        return None
    rows = Rows(
        names=tuple(row.condition for row in shown),
        values=tuple(_value(row) for row in shown),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name="ranking-strengths",
        title="Ranking",
        caption=" ".join(_caption(score, strong)),
        alt=_alt(strong),
        panels=(Panel(draw=partial(_draw, shown=shown, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="log-strength",
        margins=rows.margins,
    )


def _value(row: RankedCondition) -> tuple[str, str]:
    strength, ends = wording.number(row.strength, 2), _ends(row)
    of_100 = "" if row.share100 is None else f"  ·  {wording.number(row.share100)} of 100"
    return (f"{strength}{f'  ({ends})' if ends else ''}{of_100}", strength)


def _ends(row: RankedCondition) -> str:
    low, high = row.strength_sandwich_low, row.strength_sandwich_high
    return "" if low is None and high is None else wording.open_interval(low, high, 2)


def _both(row: RankedCondition) -> tuple[Three, Three]:
    return (
        (row.strength, row.strength_sandwich_low, row.strength_sandwich_high),
        (row.bt_strength, row.bt_strength_low, row.bt_strength_high),
    )


def _draw(axes: Axes, shown: Sequence[RankedCondition], rows: Rows) -> None:
    rows.prepare(axes)
    known = [value for row in shown for three in _both(row) for value in three if value is not None]
    widest(axes, [*known, 0.0])
    linear(axes.xaxis)
    mark(axes, 0.0, "mean of all")
    apart = rows.half * 0.55
    for place, row in enumerate(shown):
        for entry, three, y in zip(_KEY, _both(row), (-apart, apart), strict=True):
            _draw_one(axes, entry, three, rows.centre(place) + y, close=rows.close)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 12)


def _draw_one(axes: Axes, entry: Entry, three: Three, y: float, *, close: bool) -> None:
    """Draw an estimate and its interval; an end that is open goes to the edge of the axes."""
    value, low, high = three
    if value is None:
        return
    if low is not None or high is not None:
        left, right = axes.get_xlim()
        ends = (left if low is None else low, right if high is None else high)
        axes.hlines(y, *ends, color=entry.colour, linewidth=1.3 if close else 2, zorder=4)
    entry.draw(axes, [value], [y], size=4 if close else 6.5)


def _caption(score: RankingScore, strong: Sequence[RankedCondition]) -> Iterator[str]:
    confidence = f"{score.confidence:.0%}"
    if score.bootstrap is not None:
        yield (
            f"Log-strengths (marks) with {confidence} intervals (lines), {score.bootstrap.unit} "
            "being the independent units: from whole rankings, and from the pairs in them."
        )
    else:
        yield "Log-strengths from whole rankings, and from the pairs in them."
    yield (
        "An image of a condition that is stronger by 0.41 is put above the other one in 60% of "
        "rankings, by 1.10 in 75%."
    )
    if len(strong) > MOST_DRAWN:
        yield f"The {MOST_DRAWN} strongest of {len(strong):,}; the table has all."
    without = len(score.conditions) - len(strong)
    if without:
        number = f"{without:,} condition" + "s" * (without > 1)
        yield f"Not drawn: {number} without a strength."


def _alt(strong: Sequence[RankedCondition]) -> str:
    best, worst = strong[0], strong[-1]
    return f"Log-strengths of {len(strong)} conditions, from {_told(worst)}, to {_told(best)}."


def _told(row: RankedCondition) -> str:
    ends = _ends(row)
    return f"{row.condition}, {wording.number(row.strength, 2)}" + (f" ({ends})" if ends else "")
