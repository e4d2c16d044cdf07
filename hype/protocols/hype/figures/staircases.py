"""The course of the staircases, block by block: the paper's Figure 3, with its data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from hype.report import wording
from hype.report.figures.axes import BLUE, FAINT, INK, PAPER, SKY, SOFT, level_grid, linear
from hype.report.figures.drawing import Drawing, Margins, Panel, fitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes

    from hype.protocols.hype.results import ConditionScore, Score


FloatArray = npt.NDArray[np.float64]

PANEL_IN: Final = (3.3, 2.3)

MARGINS: Final = Margins(left_in=0.44, right_in=0.14, bottom_in=0.42, top_in=0.26)

MOST_TRACES: Final = 30

_MOST_POINTS: Final = 400

_QUARTILES: Final = (0.25, 0.5, 0.75)

_MOST_LABELS: Final = 6

_GAP: Final = 0.14

_STEP: Final = 0.075

"""Where the blocks' scores stand beside the course, and how far apart, as shares of its width."""


@dataclass(frozen=True, kw_only=True)
class _Course:
    """The staircases of one condition.

    Parameters
    ----------
    quartiles
        Trial, and the three quartiles of the exposure in ms; shape (4, trials).
    traces
        Trial and exposure of single blocks, shape (trials, 2) each.
    blocks
        How many blocks there are.
    scores
        For each label of a block the quartiles of the scores of the blocks that have it, in ms;
        empty where there is one label, or more than can be told apart.
    """

    quartiles: FloatArray
    traces: tuple[FloatArray, ...]
    blocks: int
    scores: Mapping[str, FloatArray]


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """What all panels have in common: floor and ceiling where they are known, and the y axis."""

    bounds_ms: Bounds | None
    limits_ms: tuple[float, float]


def staircase_drawing(
    score: Score, judgements: pd.DataFrame, bounds_ms: Bounds | None
) -> Drawing | None:
    """Draw the requested exposure over the trials of a block, a panel for each condition.

    Parameters
    ----------
    score
        Of the time protocol.
    judgements
        As `hype.analysis.check_judgements` returns them, of that protocol.
    bounds_ms
        Floor and ceiling, where they are known.

    Returns
    -------
    Drawing or None
        None where the judgements do not say which trial they belong to.
    """
    if "repeats" in judgements:  # at the end of few blocks only
        judgements = judgements[judgements["repeats"].isna()]
    if "trial" not in judgements or judgements["trial"].isna().any():
        return None
    courses = {
        row.condition: _course(row, judgements[judgements["condition"].eq(row.condition)])
        for row in score.conditions
    }
    frame = _Frame(bounds_ms=bounds_ms, limits_ms=_limits_ms(courses.values(), bounds_ms))
    return Drawing(
        name="time-staircases",
        title="Staircases",
        caption=_caption(courses.values(), frame),
        alt=_alt(courses),
        panels=tuple(
            Panel(title=name, draw=partial(_draw, course=course, frame=frame))
            for name, course in courses.items()
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="trial in the block",
        y_label="exposure in ms",
        margins=MARGINS,
    )


def _course(row: ConditionScore, judgements: pd.DataFrame) -> _Course:
    blocks = judgements.groupby(["evaluator", "block"], observed=True, sort=True).indices
    trials = judgements["trial"].to_numpy(dtype=float)
    exposures_ms = judgements["exposure_ms"].to_numpy(dtype=float)
    places = list(blocks.values())
    rng = np.random.default_rng(len(places))  # a draw, but the same one every time
    drawn = sorted(rng.permutation(len(places))[:MOST_TRACES])
    return _Course(
        quartiles=_quartiles(trials, exposures_ms),
        traces=tuple(_trace(trials[places[n]], exposures_ms[places[n]]) for n in drawn),
        blocks=len(places),
        scores=_scores(row),
    )


def _quartiles(trials: FloatArray, exposures_ms: FloatArray) -> FloatArray:
    """Give the trials, and the quartiles of the exposures in each; shape (4, trials)."""
    order = np.lexsort((exposures_ms, trials))
    sorted_ms = exposures_ms[order]
    distinct, first, counts = np.unique(trials[order], return_index=True, return_counts=True)
    rows = [distinct]
    for share in _QUARTILES:
        at = share * (counts - 1)
        below = first + at.astype(np.int64)
        above = np.minimum(below + 1, first + counts - 1)
        part = at - np.floor(at)
        rows.append(sorted_ms[below] + part * (sorted_ms[above] - sorted_ms[below]))
    return np.vstack(rows)


def _trace(trials: FloatArray, exposures_ms: FloatArray) -> FloatArray:
    """Give the points of one block's line; of a very long one some."""
    order = np.argsort(trials, kind="stable")
    points = np.column_stack([trials[order], exposures_ms[order]])
    return points[:: -(-len(points) // _MOST_POINTS)]


def _scores(row: ConditionScore) -> dict[str, FloatArray]:
    """Give the quartiles of the blocks' scores by label, in the order of the labels."""
    by_label: dict[str, list[float]] = {}
    for evaluator in row.evaluator_scores:
        for block in evaluator.blocks:
            by_label.setdefault(block.block, []).append(block.exposure_ms)
    if not 1 < len(by_label) <= _MOST_LABELS:
        return {}
    labels = sorted(by_label, key=lambda label: (len(label), label))
    return {
        label: np.array(np.quantile(by_label[label], _QUARTILES), dtype=float) for label in labels
    }


def _limits_ms(courses: Iterable[_Course], bounds_ms: Bounds | None) -> tuple[float, float]:
    """Give the ends of the y axis; a ceiling is seen if staircases came half of the way to it."""
    shown = np.concatenate([trace[:, 1] for course in courses for trace in course.traces])
    low_ms, high_ms = float(shown.min()), float(shown.max())
    if bounds_ms:
        low_ms = bounds_ms[0]
        high_ms = bounds_ms[1] if high_ms >= bounds_ms[1] / 2 else high_ms
    room_ms = (high_ms - low_ms or high_ms) * 0.05
    return max(0.0, low_ms - room_ms), high_ms + room_ms


def _draw(axes: Axes, course: _Course, frame: _Frame) -> None:
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


def _caption(courses: Iterable[_Course], frame: _Frame) -> str:
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


def _alt(courses: Mapping[str, _Course]) -> str:
    told = [
        f"{name} from {wording.number(course.quartiles[2][0], 0)} to "
        f"{wording.number(course.quartiles[2][-1], 0)} ms"
        for name, course in courses.items()
    ]
    return f"Median exposure from the first trial of a block to the last: {'; '.join(told)}."


Bounds = tuple[float, float]


def known_bounds_ms(score: Score, judgements: pd.DataFrame) -> Bounds | None:
    """Give floor and ceiling in ms.

    None for a table that does not tell them: the extremes that were shown are no bounds.

    Parameters
    ----------
    score
        Of either protocol; untimed scores have no bounds.
    judgements
        As `hype.analysis.check_judgements` returns them.
    """
    stairs = score.conditions[0].staircases
    if stairs is None or not {"floor_ms", "ceiling_ms"} <= set(judgements.columns):
        return None
    return stairs.shortest_ms, stairs.longest_ms
