"""How good conditions are found on each axis, and beside an external leaderboard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.protocols.rating.tables import condition_names, main_axis
from hype.report import wording
from hype.report.figures.axes import INK, PAPER, SOFT, level_grid, linear, upright_grid
from hype.report.figures.dot_panels import PANEL_WIDTH_IN, Dot, DotPanel, DotPanels
from hype.report.figures.drawing import Drawing, Margins, Panel, fitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from hype.protocols.rating.results import AxisScore, LeaderboardAxis, RatingScore

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
        caption=_caption_of_strengths(score, what, axes, shown=len(names), all_of=len(order)),
        alt=_alt(what, axes[0]),
        panels=panels.drawn(),
        width_in=PANEL_WIDTH_IN,
        height_in=panels.height_in,
        x_label=what.x_label,
        margins=panels.margins,
        by_condition=False,
    )


def _caption_of_strengths(
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


_WIDTH_IN: Final = 5.2

_HEIGHT_IN: Final = 3.9

_LONGEST: Final = 16

_ROOM: Final = 0.12

_Point = tuple[str, float, float, tuple[float, float] | None]

"""A condition, its score on the leaderboard, its figure here, and the interval of this."""


def leaderboard_drawing(score: RatingScore, scores: Mapping[str, float]) -> Drawing | None:
    """Draw strengths, or means, over a leaderboard's scores.

    Parameters
    ----------
    score
        Of the ratings.
    scores
        The leaderboard, by condition; empty where there is none.

    Returns
    -------
    Drawing or None
        Of the axis that stands for all; None without a leaderboard.
    """
    found = score.leaderboard
    row = found.axes[0] if found else None
    points = _points(score, row, scores) if row else []
    if row is None or not points:
        return None
    what = "log-strength (Bradley–Terry)" if row.what == "strength" else "mean rating"
    return Drawing(
        name="rating-leaderboard",
        title="Beside the leaderboard",
        caption=_caption_of_leaderboard(row, points),
        alt=f"{len(points)} conditions by the leaderboard's score and by {what} on {row.axis}.",
        panels=(Panel(draw=partial(_draw, points=points)),),
        width_in=_WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="score on the leaderboard",
        y_label=f"{what} on {row.axis}",
        margins=Margins(left_in=0.55, right_in=0.2, bottom_in=0.5, top_in=0.34),
    )


def _points(score: RatingScore, row: LeaderboardAxis, scores: Mapping[str, float]) -> list[_Point]:
    axis = score.axis(row.axis)
    found: list[_Point] = []
    for name in score.conditions:
        strong, mean = axis.strength(name), axis.mean(name)
        own, ends = (mean.mean, (mean.low, mean.high)) if mean else (None, (None, None))
        if row.what == "strength":
            own = strong.strength if strong else None
            ends = (strong.strength_low, strong.strength_high) if strong else (None, None)
        if name in scores and own is not None:
            low, high = ends
            known = (low, high) if low is not None and high is not None else None
            found.append((name, scores[name], own, known))
    return found


def _draw(axes: Axes, points: Sequence[_Point]) -> None:
    xs, ys = [point[1] for point in points], [point[2] for point in points]
    ends = [end for point in points for end in point[3] or ()]
    _limits(axes, xs, [*ys, *ends])
    linear(axes.xaxis)
    linear(axes.yaxis)
    upright_grid(axes)
    level_grid(axes)
    for _, x, _, known in points:
        if known:
            axes.vlines(x, *known, color=INK, linewidth=1.6, zorder=3)
    style: dict[str, Any] = {"color": INK, "markersize": 6.5, "mec": PAPER, "mew": 1}
    axes.plot(xs, ys, "o", **style, zorder=5, clip_on=False)
    middle = (min(xs) + max(xs)) / 2
    for name, x, y, _ in points:
        side = -1 if x > middle else 1
        beside: dict[str, Any] = {"ha": "right" if side < 0 else "left", "va": "center"}
        axes.annotate(
            fitted(name, _LONGEST),
            (x, y),
            xytext=(7 * side, 0),
            textcoords="offset points",
            color=SOFT,
            **beside,
        )


def _limits(axes: Axes, xs: Sequence[float], ys: Sequence[float]) -> None:
    for values, limit in ((xs, axes.set_xlim), (ys, axes.set_ylim)):
        low, high = min(values), max(values)
        room = (high - low or abs(high) or 1) * _ROOM
        limit(low - room, high + room)


def _caption_of_leaderboard(row: LeaderboardAxis, points: Sequence[_Point]) -> str:
    said = "Each condition by its score on the leaderboard"
    said += f" and by its {'strength' if row.what == 'strength' else 'mean'} on {row.axis}"
    said += ", with interval (line)." if any(point[3] for point in points) else "."
    return said
