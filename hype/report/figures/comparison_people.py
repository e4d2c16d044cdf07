"""Who the evaluators are, beside the population they are to stand for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report import wording
from hype.report.figures.canvas import letters_pt
from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.key import Entry, draw_key
from hype.report.figures.names import fitted, letters_in
from hype.report.figures.palette import BLUE, FAINT, INK, SOFT
from hype.report.figures.rows import WIDTH_IN
from hype.report.figures.scales import linear, upright_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from hype.analysis.pairwise.demographics import Demographic

_HEADER_IN: Final = 0.42
_AXIS_IN: Final = 0.48
_ROW_IN: Final = 0.34
_BAR: Final = 0.34
_LONGEST: Final = 22
_LETTER_EM: Final = 0.58
_MOST_ROWS: Final = 60
_KEY: Final = (
    Entry(label="evaluators", marker="s", colour=BLUE),
    Entry(label="reference", marker="s", colour=FAINT),
)


@dataclass(frozen=True, kw_only=True)
class _Row:
    """An answer with its shares; or, without a share, the question above its answers."""

    label: str
    share: float | None = None
    reference: float | None = None
    count: int = 0


def demographic_drawing(asked: Sequence[Demographic]) -> Drawing | None:
    """Draw the share of each answer beside that of the reference.

    Returns
    -------
    Drawing or None
        None where nobody answered anything.
    """
    rows = [row for one in asked if one.answered for row in _rows(one)][:_MOST_ROWS]
    if not rows:
        return None
    referred = any(row.reference is not None for row in rows)
    longest = max(letters_in(fitted(row.label, _LONGEST)) for row in rows if row.share is not None)
    left_in = longest * _LETTER_EM * letters_pt(WIDTH_IN) / 72 + 0.16
    return Drawing(
        name="comparison-demographics",
        title="Who the evaluators are",
        caption="Shares of the evaluators who answered"
        + (
            " (upper bar), and those of the population that the study names as its reference "
            "(lower bar)."
            if referred
            else "."
        ),
        alt=_alt(rows),
        panels=(Panel(draw=partial(_draw, rows=rows, left_in=left_in - 0.04, referred=referred)),),
        width_in=WIDTH_IN,
        height_in=len(rows) * _ROW_IN + _HEADER_IN + _AXIS_IN,
        x_label="share in %",
        margins=Margins(
            left_in=left_in,
            right_in=0.95,
            bottom_in=_AXIS_IN,
            top_in=_HEADER_IN,
        ),
    )


def _rows(one: Demographic) -> list[_Row]:
    answers = [
        _Row(
            label=group.answer,
            share=group.share or 0.0,
            reference=group.reference_share,
            count=group.count,
        )
        for group in one.groups
    ]
    return [_Row(label=one.question), *answers]


def _draw(axes: Axes, rows: Sequence[_Row], left_in: float, *, referred: bool) -> None:
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    shares = [100 * (share or 0.0) for row in rows for share in (row.share, row.reference)]
    axes.set_xlim(0, max(shares) * 1.04 or 1)
    linear(axes.xaxis)
    upright_grid(axes)
    for place, row in enumerate(rows):
        _draw_row(axes, place, row, left_in)
    draw_key(axes, _KEY[: 1 + referred], 72 * _HEADER_IN - 12)


def _draw_row(axes: Axes, y: int, row: _Row, left_in: float) -> None:
    beside: dict[str, Any] = {
        "xycoords": axes.get_yaxis_transform(),
        "textcoords": "offset points",
        "va": "center_baseline",
    }
    left_pt = -72 * left_in if row.share is None else -5
    if row.share is None:
        bold: dict[str, Any] = {"weight": "bold", "color": INK}
        axes.annotate(row.label, (0, y + 0.15), xytext=(left_pt, 0), **beside, **bold)
        return
    label = fitted(row.label, _LONGEST)
    axes.annotate(label, (0, y), xytext=(-5, 0), ha="right", **beside)
    bar: dict[str, Any] = {"height": _BAR, "linewidth": 0, "zorder": 2}
    own = y - _BAR / 2 if row.reference is not None else y
    axes.barh(own, 100 * row.share, color=BLUE, **bar)
    said = wording.share(row.share)
    if row.reference is not None:
        axes.barh(y + _BAR / 2, 100 * row.reference, color=FAINT, **bar)
        said += f" · {wording.share(row.reference)}"
    axes.annotate(said, (1, y), xytext=(5, 0), **beside, color=SOFT)


def _alt(rows: Sequence[_Row]) -> str:
    said = [
        f"{row.label} {wording.share(row.share)}"
        + (f" (reference {wording.share(row.reference)})" if row.reference is not None else "")
        if row.share is not None
        else f"{row.label}:"
        for row in rows
    ]
    return f"Shares of answers. {', '.join(said).replace(':,', ':')}."
