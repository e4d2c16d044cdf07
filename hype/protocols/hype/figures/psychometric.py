"""Psychometric curves with their data: how accuracy rises with the exposure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.protocols.hype.curves import curve_of, psychometric_curves
from hype.protocols.hype.figures.staircases import MARGINS, PANEL_IN
from hype.protocols.hype.spoiled import are_spoiled
from hype.report import wording
from hype.report.figures.axes import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    SOFT,
    VERMILLION,
    level_grid,
    log_exposures,
)
from hype.report.figures.drawing import Drawing, Panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes

    from hype.protocols.hype.curves import Curve
    from hype.protocols.hype.results import ConditionScore, Score
    from hype.statistics.psychometric_fit import PsychometricFunction
    from hype.statistics.thresholds import Threshold

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
    """What all panels have in common.

    Parameters
    ----------
    low_ms, high_ms
        Ends of the data.
    low_share
        Where the y axis begins.
    many_trials
        From so many on a point is drawn as the largest: those on the floor have by far the most.
    settles_at
        The accuracy at which the staircase settles, if known.
    """

    low_ms: float
    high_ms: float
    low_share: float
    many_trials: float
    settles_at: float | None


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """What one panel shows."""

    curve: Curve
    function: PsychometricFunction | None
    threshold: Threshold | None


def psychometric_drawing(
    score: Score, judgements: pd.DataFrame, *, settles_at: float | None = None
) -> Drawing | None:
    """Draw the share of correct answers over the exposure, a panel for each condition.

    Parameters
    ----------
    score
        Of the time protocol. Where it has thresholds, their functions are drawn.
    judgements
        As `hype.analysis.check_judgements` returns them.
    settles_at
        The accuracy at which the study's staircase settles, 0 to 1, if known.

    Returns
    -------
    Drawing or None
        None where there is only one exposure, so that there is nothing to be a curve.
    """
    panels = _panels(score, judgements)
    scale = _scale([panel.curve for panel in panels.values()], settles_at)
    if scale.low_ms == scale.high_ms:
        return None
    return Drawing(
        name="time-psychometric",
        title="Psychometric curves",
        caption=_caption(score, panels, scale),
        alt=_alt(panels),
        panels=tuple(
            Panel(title=name, draw=partial(_draw, panel=panel, scale=scale))
            for name, panel in panels.items()
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="exposure in ms",
        y_label="judged correctly, in %",
        margins=MARGINS,
    )


def _panels(score: Score, judgements: pd.DataFrame) -> dict[str, _Panel]:
    timed = judgements[judgements["task"].eq("time")]
    if score.spoiled_trials and score.spoiled_trials.left_out:
        timed = timed[~are_spoiled(timed)]
    curves = psychometric_curves(timed)
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


def _draw(axes: Axes, panel: _Panel, scale: _Scale) -> None:
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
    """Draw the curve as far as there are data, or say why there is none."""
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


def _caption(score: Score, panels: Mapping[str, _Panel], scale: _Scale) -> str:
    said = [
        "Share of correct answers over the requested exposure (logarithmic), all evaluators of a "
        "condition together. Points: neighbouring exposures, the larger the more trials, with "
        "Wilson's 95% interval, which takes answers as independent. Line: the fitted Weibull "
        "function. Dashed: chance"
    ]
    if scale.settles_at:
        said[0] += f"; dotted: what the staircase settles at, {scale.settles_at:.1%}"
    said[0] += "."
    found = [panel.threshold for panel in panels.values() if panel.threshold]
    if found:
        said.append(
            f"Triangle and bar on the axis: the exposure at which {found[0].at:.0%} are correct, "
            f"and its {score.confidence:.0%} credible interval."
        )
    reasons = [(name, panel.curve.reason) for name, panel in panels.items() if not panel.function]
    if reasons:
        told = "; ".join(f"{name}: {reason}" for name, reason in reasons)
        said.append(f"No curve where none could be fitted ({told}).")
    return " ".join(said)


def _alt(panels: Mapping[str, _Panel]) -> str:
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
