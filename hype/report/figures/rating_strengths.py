"""How good conditions are found on each axis: a panel for an axis, conditions in one order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.figures.dot_panels import WIDTH_IN, Dot, DotPanel, DotPanels
from hype.report.figures.drawing import Drawing
from hype.report.tables.rating_tables import condition_names, main_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hype.analysis.ratings.axis_scores import AxisScore
    from hype.analysis.ratings.scores import RatingScore

MOST_DRAWN: Final = 40
"""Conditions; a figure of more is longer than anybody reads, and the table has them all."""

_STRENGTHS_SAID: Final = (
    "One that is stronger by 0.41 is called better in 60% of the ratings of the two that call one "
    "better, by 1.10 in 75%."
)


@dataclass(frozen=True, kw_only=True)
class _What:
    """What a figure shows: its name, its words, the line in it, and how a dot is found."""

    name: str
    title: str
    x_label: str
    said: str
    found: Callable[[AxisScore, str], Dot]
    mark: tuple[float, str] | None = None


def _strength(axis: AxisScore, condition: str) -> Dot:
    row = axis.strength(condition)
    if row is None:
        return Dot(value=None)
    return Dot(value=row.strength, low=row.strength_low, high=row.strength_high)


def _mean(axis: AxisScore, condition: str, unit: float = 1) -> Dot:
    row = axis.mean(condition)
    if row is None:
        return Dot(value=None)
    low, high = (None if end is None else unit * end for end in (row.low, row.high))
    return Dot(value=unit * row.mean, low=low, high=high)


def _share(axis: AxisScore, condition: str) -> Dot:
    return _mean(axis, condition, 100)


_STRENGTHS: Final = _What(
    name="rating-strengths",
    title="How good conditions are found",
    x_label="log-strength (Bradley–Terry)",
    said=f"log-strength. {_STRENGTHS_SAID}",
    found=_strength,
    mark=(0, "mean of all"),
)
_DIFFERENCES: Final = _What(
    name="rating-means",
    title="How much better than others",
    x_label="mean rating",
    said="mean rating, above 0 where its images were called better than those they met.",
    found=_mean,
    mark=(0, "alike"),
)
_MEANS: Final = _What(
    name="rating-means",
    title="Mean ratings",
    x_label="mean rating",
    said="mean rating.",
    found=_mean,
)
_SHARES: Final = _What(
    name="rating-yes",
    title="Share of yes",
    x_label="yes, in %",
    said="share of yes.",
    found=_share,
)


def strength_drawings(score: RatingScore) -> Iterator[Drawing]:
    """Draw conditions on each axis, one figure for each kind of answer.

    Of pairs these are log-strengths, or, where no axis has any, means.
    """
    levels = [axis for axis in score.axes if axis.kind == "levels"]
    strong = [axis for axis in levels if any(r.strength is not None for r in axis.strengths)]
    numbers = [axis for axis in score.axes if axis.kind == "numbers"]
    words = [axis for axis in score.axes if axis.kind == "yes-no"]
    of_levels = (_STRENGTHS, strong) if strong else (_DIFFERENCES, levels)
    for what, axes in (of_levels, (_MEANS, numbers), (_SHARES, words)):
        if any(axis.means for axis in axes):
            yield _drawing(score, what, axes)


def _drawing(score: RatingScore, what: _What, axes: list[AxisScore]) -> Drawing:
    order = dict.fromkeys((*condition_names(main_axis(score)), *score.conditions))
    names = tuple(order)[:MOST_DRAWN]
    panels = DotPanels(
        names=names,
        panels=tuple(
            DotPanel(title=axis.axis, dots=tuple(what.found(axis, name) for name in names))
            for axis in axes
        ),
        mark=what.mark,
    )
    return Drawing(
        name=what.name,
        title=what.title,
        caption=_caption(score, what, axes, shown=len(names), all_of=len(order)),
        alt=_alt(what, axes[0]),
        panels=panels.drawn(),
        width_in=WIDTH_IN,
        height_in=panels.height_in,
        x_label=what.x_label,
        margins=panels.margins,
        by_condition=False,
    )


def _caption(
    score: RatingScore, what: _What, axes: list[AxisScore], *, shown: int, all_of: int
) -> str:
    where = f"on {axes[0].axis}" if len(axes) == 1 else "on each axis"
    order = f" Conditions stand in the order of {main_axis(score).axis}." if len(axes) > 1 else ""
    more = f" The first {shown} of {all_of:,}; the table has all." if shown < all_of else ""
    return (
        f"Each condition {where} with its {score.confidence:.0%} interval: {what.said}{order}{more}"
    )


def _alt(what: _What, axis: AxisScore) -> str:
    dots = [(name, what.found(axis, name).value) for name in condition_names(axis)]
    known = sorted((value, name) for name, value in dots if value is not None)
    told = [f"{name}, {wording.number(value, 2)}" for value, name in (known[0], known[-1])]
    return f"{what.title}: on {axis.axis} from {told[0]}, to {told[1]}."
