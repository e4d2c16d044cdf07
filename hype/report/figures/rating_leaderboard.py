"""Conditions beside an external leaderboard: each a dot, its name beside it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report.figures.drawing import Drawing, Margins, Panel
from hype.report.figures.names import fitted
from hype.report.figures.palette import INK, PAPER, SOFT
from hype.report.figures.scales import level_grid, linear, upright_grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from hype.analysis.ratings.scores import LeaderboardAxis, RatingScore

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
        caption=_caption(row, points),
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


def _caption(row: LeaderboardAxis, points: Sequence[_Point]) -> str:
    said = "Each condition by its score on the leaderboard"
    said += f" and by its {'strength' if row.what == 'strength' else 'mean'} on {row.axis}"
    said += ", with interval (line)." if any(point[3] for point in points) else "."
    return said
