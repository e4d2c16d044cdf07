"""The page's figures: scores with their intervals, the two kinds of error, the staircases.

Colours are those of Okabe and Ito (2008), which people with any colour vision tell apart.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from hype.report import wording
from hype.report.svg import FAINT, INK, inline_svg

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hype.analysis import ConditionScore, Score

BLUE = "#0072B2"
SKY = "#56B4E9"
VERMILLION = "#D55E00"

_CLEARING = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
"""Keeps the line that marks chance from running through letters."""

_CHANCE = 50
_ROW_IN = 0.62
_AXIS_IN = 0.65
_LONGEST_NAME = 40
_PANELS_PER_ROW = 2
_PANEL_IN = 1.55
_PRECISION_IN = 2.6


def interval_figure(score: Score) -> Markup:
    """Draw each condition's score and interval over the scores of its evaluators."""

    def draw(figure: Figure) -> None:
        axes = _rows(figure, score)
        if score.protocol == "infinity":
            _mark_chance(axes)
        for y, row in enumerate(score.conditions):
            _draw_interval(axes, y, row)
        axes.set_xlabel(f"score in {score.unit}")
        axes.margins(x=0.04)

    return inline_svg(f"interval-{score.protocol}", _height_in(score), draw)


def errors_figure(score: Score) -> Markup:
    """Draw the errors on fakes and on reals, condition by condition."""

    def draw(figure: Figure) -> None:
        axes = _rows(figure, score)
        _mark_chance(axes)
        for y, row in enumerate(score.conditions):
            _label_row(axes, y, row.condition, "")
            _draw_error(axes, y + 0.02, row.fakes_error, "fakes", VERMILLION)
            _draw_error(axes, y + 0.27, row.reals_error, "reals", BLUE)
        errors = [e for c in score.conditions for e in (c.fakes_error, c.reals_error) if e]
        axes.set_xlim(0, max([_CHANCE, *errors]) * 1.25)
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= 100])
        axes.set_xlabel("images judged wrongly, in %")

    return inline_svg(f"errors-{score.protocol}", _height_in(score), draw)


def precision_figure(score: Score) -> Markup | None:
    """Draw the width of each condition's interval against the number of evaluators.

    Returns
    -------
    Markup or None
        None where every condition has a single evaluator.
    """
    curves = [row.precision for row in score.conditions if row.precision]
    if not curves:
        return None

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        evaluators = [point.evaluators for point in curves[0]]
        widths = np.array([[point.width for point in curve] for curve in curves])
        axes.plot(evaluators, widths.T, color=SKY, linewidth=1, alpha=0.7)
        axes.plot(evaluators, np.median(widths, axis=0), color=INK, linewidth=2.2)
        axes.set_xlim(0, max(evaluators))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("evaluators")
        axes.set_ylabel(f"width of the interval in {score.unit}")

    return inline_svg(f"precision-{score.protocol}", _PRECISION_IN, draw)


def staircase_figure(score: Score, judgements: pd.DataFrame) -> Markup | None:
    """Draw median and quartiles of the exposure over the trials of a block, per condition.

    Parameters
    ----------
    score
        Of the time protocol.
    judgements
        As `hype.analysis.check_judgements` returns them.

    Returns
    -------
    Markup or None
        None where the judgements do not say which trial they belong to.
    """
    timed = judgements[judgements["task"].eq("time")]
    if "repeats" in timed:  # at the end of few blocks only
        timed = timed[timed["repeats"].isna()]
    if "trial" not in timed or timed["trial"].isna().any():
        return None
    quartiles = {
        row.condition: _quartiles(timed[timed["condition"].eq(row.condition)])
        for row in score.conditions
    }
    rows = -(-len(quartiles) // _PANELS_PER_ROW)
    height_in = rows * _PANEL_IN + 0.5
    return inline_svg("staircases", height_in, lambda figure: _draw_panels(figure, quartiles))


def _height_in(score: Score) -> float:
    return len(score.conditions) * _ROW_IN + _AXIS_IN


def _rows(figure: Figure, score: Score) -> Axes:
    """Prepare axes with a row for each condition, the first on top."""
    axes = figure.add_subplot()
    axes.set_ylim(len(score.conditions) - 0.4, -0.62)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    return axes


def _label_row(axes: Axes, y: float, name: str, value: str) -> None:
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    place = axes.get_yaxis_transform()
    axes.text(0, y - 0.26, shown, transform=place, va="center", weight="bold", bbox=_CLEARING)
    axes.text(1, y - 0.26, value, transform=place, va="center", ha="right", bbox=_CLEARING)


def _mark_chance(axes: Axes) -> None:
    axes.axvline(_CHANCE, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    place = axes.get_xaxis_transform()
    axes.text(_CHANCE, 1.01, "chance", transform=place, ha="center", va="bottom", fontsize=9)


def _draw_interval(axes: Axes, y: float, row: ConditionScore) -> None:
    interval = wording.interval(row.ci_low, row.ci_high)
    _label_row(axes, y, row.condition, f"{wording.number(row.score)}  ({interval})")
    scores = np.array([evaluator.score for evaluator in row.evaluator_scores])
    axes.plot(scores, y + 0.12 + _spread(scores), "o", color=SKY, markersize=4, alpha=0.55, mew=0)
    if row.ci_low is not None and row.ci_high is not None:
        axes.plot([row.ci_low, row.ci_high], [y + 0.12] * 2, color=INK, linewidth=2.2)
    axes.plot(row.score, y + 0.12, "o", color=INK, markersize=7, mec="white", mew=1)


def _spread(scores: np.ndarray) -> np.ndarray:
    """Move equal scores apart, the same way every time: up, down, further up, further down."""
    seen: dict[float, int] = {}
    offsets = []
    for score in scores.tolist():
        nth = seen[score] = seen.get(score, -1) + 1
        offsets.append((nth + 1) // 2 * (1 if nth % 2 else -1))
    most = max(map(abs, offsets))
    return np.array(offsets) * min(0.07, 0.22 / most if most else 0)


def _draw_error(axes: Axes, y: float, error: float | None, kind: str, colour: str) -> None:
    if error is None:
        axes.text(0, y, f" no {kind}", va="center", fontsize=9)
        return
    axes.barh(y, error, height=0.2, color=colour, zorder=3)
    axes.annotate(
        f"{kind} {wording.number(error)}%",
        (error, y),
        xytext=(4, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=9,
        bbox=_CLEARING,
        zorder=2,
    )


def _quartiles(judgements: pd.DataFrame) -> np.ndarray:
    """Return trial, lower quartile, median and upper quartile in ms, shape (4, trials)."""
    exposures_ms = judgements.groupby("trial")["exposure_ms"]
    quartiles_ms = [exposures_ms.quantile(q) for q in (0.25, 0.5, 0.75)]
    trials = quartiles_ms[0].index.to_numpy(dtype=float)
    return np.vstack([trials, *quartiles_ms])


def _draw_panels(figure: Figure, quartiles: dict[str, np.ndarray]) -> None:
    rows = -(-len(quartiles) // _PANELS_PER_ROW)
    columns = min(_PANELS_PER_ROW, len(quartiles))
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, name in zip_longest(grid.flat, quartiles):
        if name is None:
            axes.set_visible(False)
            continue
        _draw_panel(axes, name, quartiles)
    figure.supxlabel("trial in the block", fontsize=10)
    figure.supylabel("exposure in ms", fontsize=10)


def _draw_panel(axes: Axes, name: str, quartiles: dict[str, np.ndarray]) -> None:
    for other, (trial, _, median_ms, _) in quartiles.items():
        if other != name:
            axes.plot(trial, median_ms, color=FAINT, linewidth=0.8, alpha=0.7)
    trial, low_ms, median_ms, high_ms = quartiles[name]
    axes.fill_between(trial, low_ms, high_ms, color=SKY, alpha=0.35, linewidth=0)
    axes.plot(trial, median_ms, color=BLUE, linewidth=1.8)
    shown = name if len(name) <= _LONGEST_NAME // 2 else name[: _LONGEST_NAME // 2 - 1] + "…"
    axes.set_title(shown, loc="left", fontsize=10, weight="bold")
