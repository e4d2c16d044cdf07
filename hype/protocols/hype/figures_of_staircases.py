"""The course of the staircases (the paper's Figure 3), and psychometric curves with their data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from hype.protocols.hype.answers import MOST_TRACES, Bounds, StaircaseCourse
from hype.protocols.hype.thresholds import curve_of
from hype.report import wording
from hype.report.figures.axes import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    SKY,
    SOFT,
    VERMILLION,
    level_grid,
    linear,
    log_exposures,
)
from hype.report.figures.drawing import Drawing, Margins, Panel, fitted
from hype.statistics.arrays import FloatArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from hype.protocols.hype.results import ConditionScore, Score
    from hype.protocols.hype.thresholds import Curve
    from hype.statistics.psychometric_fit import PsychometricFunction
    from hype.statistics.thresholds import Threshold

PANEL_IN: Final = (3.3, 2.3)
MARGINS: Final = Margins(left_in=0.44, right_in=0.14, bottom_in=0.42, top_in=0.26)
_GAP: Final = 0.14
_STEP: Final = 0.075
"""Where the blocks' scores stand beside the course, and how far apart, as shares of its width."""


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """What all panels have in common: floor and ceiling where they are known, and the y axis."""

    bounds_ms: Bounds | None
    limits_ms: tuple[float, float]


def staircase_drawing(
    courses: Mapping[str, StaircaseCourse], bounds_ms: Bounds | None
) -> Drawing | None:
    """Draw the requested exposure over the trials of a block, a panel for each condition."""
    if not courses:
        return None
    frame = _Frame(bounds_ms=bounds_ms, limits_ms=_limits_ms(courses.values(), bounds_ms))
    return Drawing(
        name="time-staircases",
        title="Staircases",
        caption=_caption_of_staircases(courses.values(), frame),
        alt=_alt_of_staircases(courses),
        panels=tuple(
            Panel(title=name, draw=partial(_draw_of_staircases, course=course, frame=frame))
            for name, course in courses.items()
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="trial in the block",
        y_label="exposure in ms",
        margins=MARGINS,
    )


def _limits_ms(courses: Iterable[StaircaseCourse], bounds_ms: Bounds | None) -> tuple[float, float]:
    """Give the ends of the y axis; a ceiling is seen if staircases came half of the way to it."""
    shown = np.concatenate([trace[:, 1] for course in courses for trace in course.traces])
    low_ms, high_ms = float(shown.min()), float(shown.max())
    if bounds_ms:
        low_ms = bounds_ms[0]
        high_ms = bounds_ms[1] if high_ms >= bounds_ms[1] / 2 else high_ms
    room_ms = (high_ms - low_ms or high_ms) * 0.05
    return max(0.0, low_ms - room_ms), high_ms + room_ms


def _draw_of_staircases(axes: Axes, course: StaircaseCourse, frame: _Frame) -> None:
    level_grid(axes)
    lines = LineCollection(course.traces, colors=SOFT, linewidths=0.5, alpha=0.25, zorder=1)
    axes.add_collection(lines, autolim=False)
    trials, low_ms, median_ms, high_ms = course.quartiles
    axes.fill_between(trials, low_ms, high_ms, color=SKY, alpha=0.4, linewidth=0, zorder=2)
    axes.plot(trials, median_ms, color=BLUE, linewidth=2, zorder=3)
    axes.set_ylim(*frame.limits_ms)
    linear(axes.yaxis)
    _mark_bounds(axes, frame, float(trials[0]))
    _draw_scores(axes, course.scores, float(trials[0]), float(trials[-1]))


def _mark_bounds(axes: Axes, frame: _Frame, first: float) -> None:
    for at, label in zip(frame.bounds_ms or (), ("floor", "ceiling"), strict=False):
        if frame.limits_ms[0] <= at <= frame.limits_ms[1]:
            axes.axhline(at, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
            above = "bottom" if label == "floor" else "top"
            axes.annotate(
                label,
                (first, at),
                xytext=(3, 0),
                textcoords="offset points",
                va=above,
                color=SOFT,
                zorder=5,
            )


def _draw_scores(axes: Axes, scores: Mapping[str, FloatArray], first: float, last: float) -> None:
    """Draw the blocks' scores to the right of the course, and label the x axis under both."""
    width = last - first or 1.0
    at = [last + (_GAP + _STEP * place) * width for place in range(len(scores))]
    ticks = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(first, last)
    ticks = [tick for tick in ticks if first - 1 <= tick <= last]
    labels = [f"{tick:g}" for tick in ticks]
    axes.set_xlim(first - 0.01 * width, (at[-1] if at else last) + 0.04 * width)
    axes.set_xticks([*ticks, *at], [*labels, *(fitted(label, 3) for label in scores)])
    axes.spines["bottom"].set_bounds(first, last)
    if not scores:
        return
    low_ms, median_ms, high_ms = np.array(list(scores.values())).T
    axes.vlines(at, low_ms, high_ms, color=INK, linewidth=1.2, zorder=4)
    style: dict[str, Any] = {
        "color": INK,
        "markersize": 5,
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.8,
    }
    axes.plot(at, median_ms, "-", color=INK, linewidth=0.6, zorder=4)
    axes.plot(at, median_ms, "o", **style, zorder=5)
    axes.annotate(
        "score by block",
        (1, 1),
        xycoords="axes fraction",
        xytext=(0, 7),
        textcoords="offset points",
        ha="right",
    )


def _caption_of_staircases(courses: Iterable[StaircaseCourse], frame: _Frame) -> str:
    known = list(courses)
    lines = "faint lines: single blocks"
    if any(course.blocks > MOST_TRACES for course in known):
        lines += f", {MOST_TRACES} of each condition drawn at random"
    said = [
        "Requested exposure over the trials of a block, on one scale in all panels. Thick line: "
        f"median over the blocks; band: quartiles; {lines}."
    ]
    if any(course.scores for course in known):
        said.append(
            "At the right: median and quartiles of the scores of the blocks in their order, which "
            "fall where people learn."
        )
    if frame.bounds_ms:
        floor_ms, ceiling_ms = frame.bounds_ms
        ceiling = f"ceiling, {ceiling_ms:g} ms"
        seen = (
            f", and the {ceiling}"
            if ceiling_ms <= frame.limits_ms[1]
            else f"; the {ceiling}, lies above"
        )
        said.append(f"Dashed: the floor, {floor_ms:g} ms{seen}.")
    return " ".join(said)


def _alt_of_staircases(courses: Mapping[str, StaircaseCourse]) -> str:
    told = [
        f"{name} from {wording.number(course.quartiles[2][0], 0)} to "
        f"{wording.number(course.quartiles[2][-1], 0)} ms"
        for name, course in courses.items()
    ]
    return f"Median exposure from the first trial of a block to the last: {'; '.join(told)}."


_CHANCE: Final = 0.5
_LARGEST_PT: Final = 8.0
_SMALLEST_PT: Final = 3.2
"""Diameters of the points."""
_MANY: Final = 0.9
"""Quantile of the trials of all points from which on a point is drawn as the largest."""
_STEPS: Final = 60
_TOP: Final = 1.03
_LEAST_SHARE: Final = 0.4
"""From where the y axis goes, unless a share is lower."""


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """What all panels have in common."""

    # low_ms, high_ms: ends of the data
    low_ms: float
    high_ms: float
    low_share: float  # where the y axis begins
    # From so many on a point is drawn as the largest: those on the floor have by far the most
    many_trials: float
    settles_at: float | None  # the accuracy at which the staircase settles, if known


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """What one panel shows."""

    curve: Curve
    function: PsychometricFunction | None
    threshold: Threshold | None


def psychometric_drawing(
    score: Score, curves: Mapping[str, Curve], *, settles_at: float | None = None
) -> Drawing | None:
    """Draw the share of correct answers over the exposure, a panel for each condition.

    Where the score has thresholds, their functions are drawn. None where there is only one
    exposure, so that there is nothing to be a curve.
    """
    panels = _panels(score, curves)
    scale = _scale([panel.curve for panel in panels.values()], settles_at)
    if scale.low_ms == scale.high_ms:
        return None
    return Drawing(
        name="time-psychometric",
        title="Psychometric curves",
        caption=_caption_of_curves(score, panels, scale),
        alt=_alt_of_curves(panels),
        panels=tuple(
            Panel(title=name, draw=partial(_draw_of_curves, panel=panel, scale=scale))
            for name, panel in panels.items()
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="exposure in ms",
        y_label="judged correctly, in %",
        margins=MARGINS,
    )


def _panels(score: Score, curves: Mapping[str, Curve]) -> dict[str, _Panel]:
    panels = {}
    for row in score.conditions:
        if row.condition in curves:
            curve, threshold = curves[row.condition], _pooled(row)
            own = curve_of(threshold) if threshold else None
            function = own or curve.function
            panels[row.condition] = _Panel(curve=curve, function=function, threshold=threshold)
    return panels


def _pooled(row: ConditionScore) -> Threshold | None:
    return row.thresholds.pooled if row.thresholds else None


def _scale(curves: list[Curve], settles_at: float | None) -> _Scale:
    shares = [point.ci_low for curve in curves for point in curve.points]
    return _Scale(
        low_ms=min(curve.shortest_ms for curve in curves),
        high_ms=max(curve.longest_ms for curve in curves),
        low_share=max(0.0, min([_LEAST_SHARE, *shares]) - 0.02),
        many_trials=float(
            np.quantile([point.trials for curve in curves for point in curve.points], _MANY)
        ),
        settles_at=settles_at,
    )


def _draw_of_curves(axes: Axes, panel: _Panel, scale: _Scale) -> None:
    log_exposures(axes, scale.low_ms, scale.high_ms)
    axes.set_ylim(scale.low_share, _TOP)
    shares = [share for share in (0.0, 0.25, 0.5, 0.75, 1.0) if share >= scale.low_share]
    axes.set_yticks(shares, [f"{100 * share:.0f}" for share in shares])
    level_grid(axes)
    _mark_level(axes, _CHANCE, "chance", (0, (4, 3)))
    if scale.settles_at:
        _mark_level(axes, scale.settles_at, "settles", (0, (1, 2)))
    points = panel.curve.points
    axes.vlines(
        [point.exposure_ms for point in points],
        [point.ci_low for point in points],
        [point.ci_high for point in points],
        color=BLUE,
        linewidth=0.8,
        zorder=2,
    )
    areas = [_area(point.trials, scale.many_trials) for point in points]
    axes.scatter(
        [point.exposure_ms for point in points],
        [point.share for point in points],
        s=areas,
        color=BLUE,
        edgecolors=PAPER,
        linewidths=0.6,
        zorder=3,
        clip_on=False,
    )
    _draw_function(axes, panel)
    _draw_threshold(axes, panel.threshold, scale)


def _mark_level(axes: Axes, share: float, label: str, dashes: tuple[int, tuple[int, int]]) -> None:
    axes.axhline(share, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
    place = axes.get_yaxis_transform()
    axes.text(1, share, label, transform=place, ha="right", va="top", color=SOFT)


def _area(trials: int, many: float) -> float:
    return max(_LARGEST_PT**2 * min(trials / many, 1), _SMALLEST_PT**2)


def _draw_function(axes: Axes, panel: _Panel) -> None:
    curve = panel.curve
    if panel.function is None:
        place: dict[str, Any] = {
            "transform": axes.transAxes,
            "ha": "right",
            "va": "bottom",
            "color": SOFT,
        }
        axes.text(1, 0.04, "no curve was fitted", **place)
        return
    exposures_ms = np.geomspace(curve.shortest_ms, curve.longest_ms, _STEPS)
    accuracy = panel.function.accuracy(exposures_ms)
    axes.plot(exposures_ms, accuracy, color=INK, linewidth=1.6, zorder=4)


def _draw_threshold(axes: Axes, threshold: Threshold | None, scale: _Scale) -> None:
    """Mark the threshold on the axis, and its interval, as far as this goes."""
    if threshold is None or (threshold.ci_low is None and threshold.ci_high is None):
        return
    low_ms = max(threshold.ci_low or scale.low_ms, scale.low_ms)
    high_ms = min(threshold.ci_high or scale.high_ms, scale.high_ms)
    at = axes.get_xaxis_transform()
    style: dict[str, Any] = {"color": VERMILLION, "transform": at, "clip_on": False}
    if low_ms < high_ms:
        axes.plot([low_ms, high_ms], [0, 0], linewidth=3, solid_capstyle="butt", zorder=5, **style)
    found_ms = threshold.threshold_ms
    if found_ms is None or not scale.low_ms <= found_ms <= scale.high_ms:
        return
    axes.plot([found_ms], [0.035], "v", markersize=7, mec=PAPER, mew=0.6, zorder=6, **style)
    axes.plot([found_ms] * 2, [scale.low_share, threshold.at], color=VERMILLION, lw=0.8, zorder=2)


def _caption_of_curves(score: Score, panels: Mapping[str, _Panel], scale: _Scale) -> str:
    said = [
        "Share of correct answers over the requested exposure (logarithmic), all evaluators of a "
        "condition together. Points: neighbouring exposures, the larger the more trials, with "
        "Wilson's 95% interval, which takes answers as independent. Line: the fitted Weibull "
        "function. Dashed: chance"
    ]
    if scale.settles_at:
        said[0] += f"; dotted: what the staircase settles at, {scale.settles_at:.1%}"
    said[0] += "."
    thresholds = [panel.threshold for panel in panels.values() if panel.threshold]
    if thresholds:
        said.append(
            "Triangle and bar on the axis: the exposure at which "
            f"{thresholds[0].at:.0%} are correct, "
            f"and its {score.confidence:.0%} credible interval."
        )
    reasons = [(name, panel.curve.reason) for name, panel in panels.items() if not panel.function]
    if reasons:
        told = "; ".join(f"{name}: {reason}" for name, reason in reasons)
        said.append(f"No curve where none could be fitted ({told}).")
    return " ".join(said)


def _alt_of_curves(panels: Mapping[str, _Panel]) -> str:
    told = []
    for name, panel in panels.items():
        first, last = panel.curve.points[0], panel.curve.points[-1]
        words = (
            f"{name}: {first.share:.0%} correct at {first.exposure_ms:.0f} ms, "
            f"{last.share:.0%} at {last.exposure_ms:.0f} ms"
        )
        ms = panel.threshold.threshold_ms if panel.threshold else None
        if ms is not None and math.isfinite(ms):
            words += f", threshold {wording.number(ms)} ms"
        told.append(words)
    return f"Share of correct answers over exposure. {'; '.join(told)}."
