"""The course of the staircases (the paper's Figure 3), and psychometric curves with their data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Final

import numpy as np

from hype.protocols.hype.answers import MOST_TRACES, Bounds, StaircaseCourse
from hype.protocols.hype.results import Score
from hype.protocols.hype.thresholds import Curve, PeoplesThreshold
from hype.report import wording
from hype.report.figures.drawing import (
    AMBER,
    BLUE,
    FAINT,
    INK,
    PAPER,
    SKY,
    SOFT,
    VERMILLION,
    Axes,
    Drawing,
    Margins,
    Panel,
    fitted,
    level_grid,
    linear,
    log_exposures,
)
from hype.statistics.arrays import FloatArray
from hype.statistics.psychometric_fit import LevelCounts, PsychometricFunction

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
    courses: Mapping[str, StaircaseCourse], bounds_ms: Bounds | None, *, title: str = "Staircases"
) -> Drawing | None:
    """Draw the requested exposure over the trials of a block, a panel for each condition."""
    if not courses:
        return None
    frame = _Frame(bounds_ms=bounds_ms, limits_ms=_limits_ms(courses.values(), bounds_ms))
    return Drawing(
        name="time-staircases",
        title=title,
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
    """Give the ends of the y axis; a ceiling is seen if staircases came half of the way to it.

    Scores of QUEST+ may lie beyond floor and ceiling.
    """
    evaluators = list(courses)
    traces = [trace[:, 1] for course in evaluators for trace in course.traces]
    shown = np.concatenate(
        [*traces, *(own for course in evaluators for own in course.scores.values())]
    )
    low_ms, high_ms = float(shown.min()), float(shown.max())
    if bounds_ms:
        low_ms = min(low_ms, bounds_ms[0])
        high_ms = max(high_ms, bounds_ms[1]) if high_ms >= bounds_ms[1] / 2 else high_ms
    room_ms = (high_ms - low_ms or high_ms) * 0.05
    return max(0.0, low_ms - room_ms), high_ms + room_ms


def _draw_of_staircases(axes: Axes, course: StaircaseCourse, frame: _Frame) -> None:
    from matplotlib.collections import LineCollection

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
    from matplotlib.ticker import MaxNLocator

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
    evaluators = list(courses)
    lines = "faint lines: single blocks"
    if any(course.blocks > MOST_TRACES for course in evaluators):
        lines += f", {MOST_TRACES} of each condition drawn at random"
    sentences = [
        "Requested exposure over the trials of a block, on one scale in all panels. Thick line: "
        f"median over the blocks; band: quartiles; {lines}."
    ]
    if any(course.scores for course in evaluators):
        sentences.append(
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
        sentences.append(f"Dashed: the floor, {floor_ms:g} ms{seen}.")
    return " ".join(sentences)


def _alt_of_staircases(courses: Mapping[str, StaircaseCourse]) -> str:
    sentences = [
        f"{name} from {wording.number(course.quartiles[2][0], 0)} to "
        f"{wording.number(course.quartiles[2][-1], 0)} ms"
        for name, course in courses.items()
    ]
    return f"Median exposure from the first trial of a block to the last: {'; '.join(sentences)}."


_CHANCE: Final = 0.5
_STEPS: Final = 60
_TOP: Final = 1.03
_LOW: Final = 0.38
"""The ends of the y axis; functions rise from one half."""


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """What all panels have in common."""

    # low_ms, high_ms: ends of the data
    low_ms: float
    high_ms: float
    settles_at: float | None  # the accuracy at which the staircase settles, if known
    quest_plus: bool  # whether it is the accuracy at the threshold that QUEST+ estimates


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """What one panel shows."""

    curve: Curve
    threshold: PeoplesThreshold | None


def psychometric_drawing(
    score: Score, curves: Mapping[str, Curve], *, settles_at: float | None = None
) -> Drawing | None:
    """Draw the evaluators' psychometric functions, a panel for each condition.

    Marked are the thresholds where the score has them, else the settle points. None where there is
    only one exposure, so that there is nothing to be a curve.
    """
    panels = {
        row.condition: _Panel(
            curve=curves[row.condition], threshold=row.thresholds or row.settle_point
        )
        for row in score.conditions
        if row.condition in curves
    }
    known = [panel.curve for panel in panels.values()]
    scale = _Scale(
        low_ms=min(curve.shortest_ms for curve in known),
        high_ms=max(curve.longest_ms for curve in known),
        settles_at=settles_at,
        quest_plus=any(row.posteriors for row in score.conditions),
    )
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


def _draw_of_curves(axes: Axes, panel: _Panel, scale: _Scale) -> None:
    log_exposures(axes, scale.low_ms, scale.high_ms)
    axes.set_ylim(_LOW, _TOP)
    shares = (0.5, 0.75, 1.0)
    axes.set_yticks(shares, [f"{100 * share:.0f}" for share in shares])
    level_grid(axes)
    _mark_level(axes, _CHANCE, "chance", (0, (4, 3)))
    if scale.settles_at:
        label = "sought" if scale.quest_plus else "settles"
        _mark_level(axes, scale.settles_at, label, (0, (1, 2)))
    _draw_answers(axes, [evaluator.counts for evaluator in panel.curve.evaluators])
    _draw_functions(axes, panel.curve)
    _draw_threshold(axes, panel.threshold, scale)


def _mark_level(axes: Axes, share: float, label: str, dashes: tuple[int, tuple[int, int]]) -> None:
    axes.axhline(share, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
    place = axes.get_yaxis_transform()
    axes.text(1, share, label, transform=place, ha="right", va="top", color=SOFT)


_POINT_PT2: Final = 60
"""Area of the largest point, in square points."""
_LEVELS: Final = 16
"""Points of a panel at most: neighbouring exposures share one."""


def _draw_answers(axes: Axes, counts: Sequence[LevelCounts]) -> None:
    """Draw the shares that were correct, larger where there are more answers."""
    levels_ms, trials, correct = (
        np.concatenate([getattr(own, name) for own in counts])
        for name in ("levels_ms", "trials", "correct")
    )
    edges = np.geomspace(levels_ms.min(), levels_ms.max(), _LEVELS + 1)[1:-1]
    at = np.searchsorted(edges, levels_ms)
    total = np.bincount(at, trials, minlength=_LEVELS)
    some = total > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        centre_ms = np.exp(np.bincount(at, trials * np.log(levels_ms), minlength=_LEVELS) / total)
        share = np.bincount(at, correct, minlength=_LEVELS) / total
    axes.scatter(
        centre_ms[some],
        np.maximum(share[some], _LOW),
        s=_POINT_PT2 * total[some] / total.max(),
        color=AMBER,
        alpha=0.75,
        linewidth=0,
        zorder=3,
        clip_on=False,
    )


def _draw_functions(axes: Axes, curve: Curve) -> None:
    from matplotlib.collections import LineCollection

    if curve.typical is None:
        place: dict[str, Any] = {
            "transform": axes.transAxes,
            "ha": "right",
            "va": "bottom",
            "color": SOFT,
        }
        axes.text(1, 0.04, "no curve was fitted", **place)
        return
    own = [
        _points(evaluator.function, evaluator.counts.shortest_ms, evaluator.counts.longest_ms)
        for evaluator in curve.evaluators
        if evaluator.function
    ]
    lines = LineCollection(own, colors=BLUE, linewidths=0.6, alpha=0.35, zorder=2)
    axes.add_collection(lines, autolim=False)
    typical = _points(curve.typical, curve.shortest_ms, curve.longest_ms)
    axes.plot(*typical.T, color=INK, linewidth=1.8, zorder=4)


def _points(function: PsychometricFunction, shortest_ms: float, longest_ms: float) -> FloatArray:
    exposures_ms = np.geomspace(shortest_ms, longest_ms, _STEPS)
    return np.column_stack([exposures_ms, function.accuracy(exposures_ms)])


def _draw_threshold(axes: Axes, threshold: PeoplesThreshold | None, scale: _Scale) -> None:
    """Mark the median threshold on the axis, and its interval, as far as this goes."""
    if threshold is None or threshold.median is None:
        return
    median = threshold.median
    low_ms, high_ms = max(median.low or 0.0, scale.low_ms), min(median.high or inf, scale.high_ms)
    at = axes.get_xaxis_transform()
    style: dict[str, Any] = {"color": VERMILLION, "transform": at, "clip_on": False}
    if median.ends != (None, None):
        axes.plot([low_ms, high_ms], [0, 0], linewidth=3, solid_capstyle="butt", zorder=5, **style)
    axes.plot([median.value], [0.035], "v", markersize=7, mec=PAPER, mew=0.6, zorder=6, **style)
    axes.plot([median.value] * 2, [_LOW, threshold.at], color=VERMILLION, lw=0.8, zorder=2)


def _caption_of_curves(score: Score, panels: Mapping[str, _Panel], scale: _Scale) -> str:
    sentences = [
        "Share of correct answers over the requested exposure (logarithmic). Points: the answers "
        "of all evaluators, larger where there are more. Faint lines: the "
        "Weibull function fitted to each evaluator's answers, as far as exposures were shown to "
        "them; thick line: that of the medians of their parameters. Dashed: chance"
    ]
    if scale.settles_at:
        what = "QUEST+ seeks" if scale.quest_plus else "the staircase settles at"
        sentences[0] += f"; dotted: what {what}, {scale.settles_at:.1%}"
    sentences[0] += "."
    thresholds = [panel.threshold for panel in panels.values() if panel.threshold]
    if thresholds:
        sentences.append(
            "Triangle and bar on the axis: the exposure at which "
            f"{thresholds[0].at:.0%} are correct, the median over evaluators, and its "
            f"{score.confidence:.0%} interval."
        )
    reasons = [(name, panel.curve.reason) for name, panel in panels.items() if panel.curve.reason]
    if reasons:
        listed_reasons = "; ".join(f"{name}: {reason}" for name, reason in reasons)
        sentences.append(
            f"No curve of evaluators for whom none could be fitted ({listed_reasons})."
        )
    return " ".join(sentences)


def _alt_of_curves(panels: Mapping[str, _Panel]) -> str:
    sentences = []
    for name, panel in panels.items():
        typical, threshold = panel.curve.typical, panel.threshold
        ends_ms = panel.curve.shortest_ms, panel.curve.longest_ms
        shares = typical.accuracy(ends_ms) if typical else ()
        words = ", ".join(
            f"{share:.0%} correct at {ms:.0f} ms"
            for share, ms in zip(shares, ends_ms, strict=False)
        )
        if threshold and threshold.median_ms is not None:
            words += f", {threshold.at:.0%} at {wording.number(threshold.median_ms)} ms"
        sentences.append(f"{name}: {words or panel.curve.reason or 'no curve'}")
    return f"Share of correct answers over exposure. {'; '.join(sentences)}."
