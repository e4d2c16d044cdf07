"""Errors on fakes against errors on reals, condition by condition."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.axes import BLUE, FAINT, SOFT, VERMILLION, linear
from hype.report.figures.drawing import Drawing, Entry, Panel, draw_key
from hype.report.figures.rows import CHANCE, WIDTH_IN, Rows, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hype.protocols.hype.results import ConditionScore, Score

_HEADER_IN: Final = 0.52
_FULL: Final = 100
_KEY: Final = (
    Entry(label="fakes", marker="o", colour=VERMILLION),
    Entry(label="reals", marker="s", colour=BLUE, hollow=True),
)


def error_drawing(score: Score) -> Drawing:
    """Draw the errors on fakes and on reals as two points with a line between them."""
    rows = Rows(
        names=tuple(row.condition for row in score.conditions),
        values=tuple(_value(row) for row in score.conditions),
        header_in=_HEADER_IN,
    )
    return Drawing(
        name=f"{score.protocol}-errors",
        title="Errors on fakes and on reals",
        caption="Fakes that were taken for real (circle) and reals that were taken for fake "
        "(square), of all that were judged; the line between them is the difference. Guessing "
        f"gives {CHANCE}% on both, and saying real too often more errors on fakes than on reals.",
        alt=_alt(score),
        panels=(Panel(draw=partial(_draw, score=score, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=rows.height_in,
        x_label="judged wrongly, in %",
        margins=rows.margins,
    )


def _value(row: ConditionScore) -> tuple[str, str]:
    fakes, reals = _told(row.fakes_error, "fakes"), _told(row.reals_error, "reals")
    if row.fakes_error is None or row.reals_error is None:
        return (fakes if row.reals_error is None else reals), ""
    return f"{fakes} · {reals}", ""


def _told(error: float | None, kind: str) -> str:
    return f"no {kind}" if error is None else f"{kind} {wording.number(error)}%"


def _draw(axes: Axes, score: Score, rows: Rows) -> None:
    rows.prepare(axes)
    known = [error for row in score.conditions for error in _errors(row)]
    axes.set_xlim(-1, min(_FULL, max([CHANCE, *known]) * 1.06) + 1)
    linear(axes.xaxis)
    mark(axes, CHANCE, "chance")
    _draw_lines(axes, score, rows)
    size = 5 if rows.close else 6.5
    for kind, entry in zip(("fakes_error", "reals_error"), _KEY, strict=True):
        at = [(getattr(row, kind), rows.centre(p)) for p, row in enumerate(score.conditions)]
        errors, heights = [e for e, _ in at if e is not None], [y for e, y in at if e is not None]
        entry.draw(axes, errors, heights, size=size)
    for place, row in enumerate(score.conditions):
        if len(_errors(row)) < 2:
            missing = "no fakes" if row.fakes_error is None else "no reals"
            axes.text(0, rows.centre(place), missing, va="center", color=SOFT)
    draw_key(axes, _KEY, 72 * _HEADER_IN - 12)


def _errors(row: ConditionScore) -> list[float]:
    return [error for error in (row.fakes_error, row.reals_error) if error is not None]


def _draw_lines(axes: Axes, score: Score, rows: Rows) -> None:
    both = [
        (rows.centre(p), row) for p, row in enumerate(score.conditions) if len(_errors(row)) > 1
    ]
    ends = [_errors(row) for _, row in both]
    heights = [y for y, _ in both]
    axes.hlines(heights, [e[0] for e in ends], [e[1] for e in ends], color=FAINT, lw=2, zorder=3)


def _alt(score: Score) -> str:
    parts = []
    for kind in ("fakes", "reals"):
        known = [(getattr(row, f"{kind}_error"), row.condition) for row in score.conditions]
        seen = sorted((error, name) for error, name in known if error is not None)
        if not seen:
            parts.append(f"There are no {kind}.")
            continue
        (low, least), (high, most) = seen[0], seen[-1]
        parts.append(
            f"Errors on {kind}: {wording.number(low)}% ({least})"
            + (f" to {wording.number(high)}% ({most})." if least != most else ".")
        )
    return " ".join(parts)
