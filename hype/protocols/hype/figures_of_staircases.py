"""The course of the staircases (the paper's Figure 3), and psychometric curves with their data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import inf, isfinite
from typing import Any, Final

import numpy as np

from hype.protocols.hype.condition_scores import CONFIDENCE, JudgementRows
from hype.protocols.hype.thresholds import EvaluatorCurve, typical_function
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
    fit_name,
    level_grid,
    linear,
    log_exposures,
)
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows
from hype.statistics.arrays import FloatArray
from hype.statistics.psychometric_fit import LevelCounts, PsychometricFunction
from hype.study.phrases import write_count

PANEL_IN: Final = (3.3, 2.3)
MARGINS: Final = Margins(left_in=0.44, right_in=0.14, bottom_in=0.42, top_in=0.26)
_DASHED: Final = (0, (4, 3))
_DOTTED: Final = (0, (1, 2))
_GAP: Final = 0.14
_STEP: Final = 0.075
"""Minimum gaps, as shares of the course's width: from the course to scores; between scores."""
_WORDY_IN: Final = 1.5
"""In narrower axes, labels on the lines would cover the course."""
_MOST_OF_SCORES: Final = 0.5
"""The labels of the blocks may take this share of the axes' width."""
_EM: Final = 0.66
"""Width of a digit, as a share of the font size."""

MOST_TRACES: Final = 12
_MOST_POINTS: Final = 400
_QUARTILES: Final = np.array([0.25, 0.5, 0.75])
_MOST_LABELS: Final = 6

Bounds = tuple[float, float]


def staircase_courses(names: Sequence[str], rows: JudgementRows) -> Rows:
    """Return the staircases of each condition; empty if trials are not numbered.

    ``quartiles``: the trials' numbers and three quartiles of exposure in ms, shape (4, trials);
    ``traces``: trial and exposure of single blocks, shape (trials, 2) each, with fewer trials in
    very long blocks; ``blocks``: the number of all blocks; ``scores``: the quartiles of scores in
    ms for each label of blocks; empty if there is one label, or too many.
    """
    judgements = rows.shown
    if "repeats" in judgements:  # repeats come only at the end of some blocks
        judgements = judgements[judgements["repeats"].isna()]
    if "trial" not in judgements or judgements["trial"].isna().any():
        return ()
    shown = judgements[["condition", "evaluator", "block", "trial", "exposure_ms"]]
    shown = shown.astype({"trial": float, "exposure_ms": float})
    by_condition = dict(list(shown.groupby(shown["condition"].astype(str))))
    every = rows.blocks
    courses = []
    for name in names:
        own = by_condition[name]
        blocks = list(own.groupby(["evaluator", "block"], observed=True).indices.values())
        rng = np.random.default_rng(len(blocks))  # a fixed seed gives the same draw every time
        drawn = sorted(rng.permutation(len(blocks))[:MOST_TRACES])
        points = own[["trial", "exposure_ms"]].to_numpy()
        traces = [points[blocks[n]] for n in drawn]
        traces = [trace[np.argsort(trace[:, 0], kind="stable")] for trace in traces]
        quartiles = own.groupby("trial")["exposure_ms"].quantile(_QUARTILES)
        scores = every[every["condition"].eq(name)].groupby("block")["exposure_ms"]
        labels = sorted(map(str, scores.groups), key=lambda label: (len(label), label))
        several = labels if 1 < len(labels) <= _MOST_LABELS else []
        courses.append(
            {
                "condition": name,
                "quartiles": np.vstack(
                    [quartiles.index.unique(0), quartiles.to_numpy().reshape(-1, 3).T]
                ),
                "traces": [trace[:: -(-len(trace) // _MOST_POINTS)] for trace in traces],
                "blocks": len(blocks),
                "scores": {n: np.quantile(scores.get_group(n), _QUARTILES) for n in several},
            }
        )
    return tuple(courses)


def staircase_drawing(
    courses: Rows, bounds_ms: Bounds | None, *, title: str = "Staircases"
) -> Drawing | None:
    """Draw the requested exposure over the trials of a block, a panel for each condition.

    ``courses``: from `staircase_courses`; ``bounds_ms``: floor and ceiling, if known. The axis
    includes the ceiling if staircases reached half of it; a QUEST+ score may be beyond a bound.
    """
    if not courses:
        return None
    shown = np.concatenate(
        [trace[:, 1] for course in courses for trace in course["traces"]]
        + [own for course in courses for own in course["scores"].values()]
    )
    low_ms, high_ms = float(shown.min()), float(shown.max())
    if bounds_ms:
        low_ms = min(low_ms, bounds_ms[0])
        high_ms = max(high_ms, bounds_ms[1]) if high_ms >= bounds_ms[1] / 2 else high_ms
    room_ms = (high_ms - low_ms or high_ms) * 0.05
    limits_ms = max(0.0, low_ms - room_ms), high_ms + room_ms

    lines = "faint lines: single blocks"
    if any(course["blocks"] > MOST_TRACES for course in courses):
        lines += f", {MOST_TRACES} of each condition drawn at random"
    caption = (
        "Requested exposure over the trials of a block, on one scale in all panels. Thick line: "
        f"median over the blocks; band: quartiles; {lines}."
    )
    if any(course["scores"] for course in courses):
        caption += (
            " Right: median and quartiles of the scores of the first, second, … block; scores "
            "fall if people learn."
        )
    if bounds_ms:
        ceiling = f"ceiling, {bounds_ms[1]:g} ms"
        is_seen = bounds_ms[1] <= limits_ms[1]
        above = f", and the {ceiling}" if is_seen else f"; the {ceiling}, is above the axis"
        caption += f" Dashed: the floor, {bounds_ms[0]:g} ms{above}."
    medians = [
        f"{course['condition']} from {wording.number(course['quartiles'][2][0], 0)} to "
        f"{wording.number(course['quartiles'][2][-1], 0)} ms"
        for course in courses
    ]
    return Drawing(
        name="time-staircases",
        title=title,
        caption=caption,
        alt=f"Median exposure from the first trial of a block to the last: {'; '.join(medians)}.",
        panels=tuple(
            Panel(
                title=course["condition"],
                draw=partial(
                    _draw_course, course=course, bounds_ms=bounds_ms or (), limits_ms=limits_ms
                ),
            )
            for course in courses
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="trial in the block",
        y_label="exposure in ms",
        margins=MARGINS,
        one_scale=True,
        narrowest_in=0.9,
    )


def _draw_course(
    axes: Axes, course: Row, bounds_ms: Sequence[float], limits_ms: tuple[float, float]
) -> None:
    from matplotlib.collections import LineCollection

    level_grid(axes)
    lines = LineCollection(course["traces"], colors=SOFT, linewidths=0.5, alpha=0.25, zorder=1)
    axes.add_collection(lines, autolim=False)
    trials, low_ms, median_ms, high_ms = course["quartiles"]
    axes.fill_between(trials, low_ms, high_ms, color=SKY, alpha=0.4, linewidth=0, zorder=2)
    axes.plot(trials, median_ms, color=BLUE, linewidth=2, zorder=3)
    axes.set_ylim(*limits_ms)
    linear(axes.yaxis)
    first, last = float(trials[0]), float(trials[-1])
    for at, label, side in zip(bounds_ms, ("floor", "ceiling"), ("bottom", "top"), strict=False):
        if limits_ms[0] <= at <= limits_ms[1]:
            axes.axhline(at, color=FAINT, linewidth=1, linestyle=_DASHED, zorder=0.8)
            if _is_wordy(axes):
                place: dict[str, Any] = {"xytext": (3, 0), "textcoords": "offset points"}
                axes.annotate(label, (first, at), **place, va=side, color=SOFT, zorder=5)
    _draw_scores(axes, course["scores"], first, last)


def _is_wordy(axes: Axes) -> bool:
    return bool(axes.bbox.width / axes.figure.dpi > _WORDY_IN)


def _draw_scores(axes: Axes, scores: Mapping[str, FloatArray], first: float, last: float) -> None:
    """Draw the blocks' scores to the right of the course, and label the x axis under both."""
    from matplotlib import rcParams
    from matplotlib.ticker import MaxNLocator

    width, steps = last - first or 1.0, max(len(scores) - 1, 1)
    labels = [fit_name(label, 3) for label in scores]
    # Shares of the axes' width: a letter, a label, and the gap after the last trial.
    letter = _EM * rcParams["font.size"] / (72 * axes.bbox.width / axes.figure.dpi)
    step = letter * (max(map(len, labels), default=0) + 0.6)
    gap = step + letter * len(f"{last:g}") / 2
    if steps * step + gap > _MOST_OF_SCORES:  # label only the first and the last block
        labels = [labels[0], *[""] * (steps - 1), labels[-1]]
        step /= steps
    whole = 1.05 / (1 - steps * step - gap)
    gap, step = max(_GAP, gap * whole), max(_STEP, step * whole)
    at = [last + (gap + step * place) * width for place in range(len(scores))]
    most = max(1, min(4, int(1 / (letter * whole * (len(f"{last:g}") + 1)))))
    ticks = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(first - 1, last)
    ticks = [tick for tick in ticks if first - 1 <= tick <= last]
    axes.set_xlim(first - 0.01 * width, (at[-1] if at else last) + 0.04 * whole * width)
    axes.set_xticks([*ticks, *at], [*(f"{tick:g}" for tick in ticks), *labels])
    axes.spines["bottom"].set_bounds(first, last)
    if not scores:
        return
    low_ms, median_ms, high_ms = np.array(list(scores.values())).T
    axes.vlines(at, low_ms, high_ms, color=INK, linewidth=1.2, zorder=4)
    axes.plot(at, median_ms, "-", color=INK, linewidth=0.6, zorder=4)
    axes.plot(at, median_ms, "o", color=INK, markersize=5, mec=PAPER, mew=0.8, zorder=5)
    place: dict[str, Any] = {"xytext": (0, 7), "textcoords": "offset points", "ha": "right"}
    axes.annotate("score by block", (1, 1), xycoords="axes fraction", **place)


_CHANCE: Final = 0.5
_STEPS: Final = 60
_TOP: Final = 1.03
_LOW: Final = 0.38
"""The ends of the y axis; psychometric functions start at one half."""
_POINT_PT: Final = 7.7
"""Diameter of the largest point."""
_SIZES: Final = 6
_LEVELS: Final = 16
"""A panel has at most this many points; neighbouring exposures share a point."""

Curves = Mapping[str, Sequence[EvaluatorCurve]]


def _ends_ms(curves: Sequence[EvaluatorCurve]) -> tuple[float, float]:
    """Return the shortest and longest exposure; functions are drawn only between them."""
    return (
        min(own.counts.shortest_ms for own in curves),
        max(own.counts.longest_ms for own in curves),
    )


def psychometric_drawing(
    score: Scores, curves: Curves, *, settles_at: float | None = None
) -> Drawing | None:
    """Draw the evaluators' psychometric functions, a panel for each condition.

    Marks show the thresholds or, if there are none, the exposures at which staircases settle. None
    if there is only one exposure, since it gives no curve.
    """
    known = {name: curves[name] for name in score.names if name in curves}
    ends_ms = _ends_ms([curve for own in known.values() for curve in own])
    if ends_ms[0] == ends_ms[1]:
        return None
    rows = (*score.rows("staircases"), *score.rows("thresholds"))
    thresholds = {row["condition"]: row for row in rows if row["at"]}
    level = settles_at or 0.0, "sought" if score.rows("quest-plus") else "settles"
    caption = (
        "Share of correct answers over the requested exposure (logarithmic). Points: the "
        "answers of all evaluators, larger for more answers. Faint lines: the Weibull function "
        "fitted to each evaluator's answers, over the exposures shown; thick line: the function "
        "with the medians of the evaluators' parameters. Dashed: chance"
    )
    if settles_at:
        what = "QUEST+ searches for" if score.rows("quest-plus") else "the staircase settles at"
        caption += f"; dotted: the {settles_at:.1%} that {what}"
    caption += "."
    if thresholds:
        caption += (
            " Triangle and bar on the axis: the exposure with "
            f"{next(iter(thresholds.values()))['at']:.0%} correct answers (the median over "
            f"evaluators), and its {CONFIDENCE:.0%} interval."
        )
    against = {
        name: next((own.against[0] for own in each if own.against), "")
        for name, each in known.items()
    }
    if reasons := Counter(filter(None, against.values())):
        said = "; ".join(
            f"{reason} (in {write_count(number, 'condition')})"
            for reason, number in reasons.most_common()
        )
        caption += f" Some evaluators have no curve: {said}."
    alt = [
        f"{name}: {_curve_in_words(each, thresholds.get(name)) or against[name] or 'no curve'}"
        for name, each in known.items()
    ]
    return Drawing(
        name="time-psychometric",
        title="Psychometric curves",
        caption=caption,
        alt=f"Share of correct answers over exposure. {'; '.join(alt)}.",
        panels=tuple(
            Panel(
                title=name,
                draw=partial(
                    _draw_curves,
                    curves=each,
                    threshold=thresholds.get(name),
                    ends_ms=ends_ms,
                    level=level,
                ),
            )
            for name, each in known.items()
        ),
        width_in=PANEL_IN[0],
        height_in=PANEL_IN[1],
        x_label="exposure in ms",
        y_label="judged correctly, in %",
        margins=MARGINS,
        one_scale=True,
        narrowest_in=0.9,
    )


def _curve_in_words(curves: Sequence[EvaluatorCurve], threshold: Row | None) -> str:
    typical, ends_ms = typical_function(curves), _ends_ms(curves)
    shares = typical.accuracy(ends_ms) if typical else ()
    words = ", ".join(
        f"{share:.0%} correct at {ms:.0f} ms" for share, ms in zip(shares, ends_ms, strict=False)
    )
    if threshold and threshold["median"]:
        median_ms = wording.number(threshold["median"].value)
        words += f", {threshold['at']:.0%} at {median_ms} ms"
    return words


def _draw_curves(
    axes: Axes,
    curves: Sequence[EvaluatorCurve],
    threshold: Row | None,
    ends_ms: tuple[float, float],
    level: tuple[float, str],
) -> None:
    from matplotlib.collections import LineCollection

    _prepare(axes, ends_ms)
    for share, label, dashes in ((_CHANCE, "chance", _DASHED), (*level, _DOTTED)):
        if share:
            axes.axhline(share, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
            if _is_wordy(axes):
                place = axes.get_yaxis_transform()
                axes.text(1, share, label, transform=place, ha="right", va="top", color=SOFT)
    _draw_answers(axes, [own.counts for own in curves], _POINT_PT)
    typical = typical_function(curves)
    if typical is None:
        place = axes.transAxes
        axes.text(1, 0.04, "no curve was fitted", transform=place, ha="right", color=SOFT)
    else:
        own = [_points(own.function, _ends_ms([own])) for own in curves if own.function]
        lines = LineCollection(own, colors=BLUE, linewidths=0.6, alpha=0.35, zorder=2)
        axes.add_collection(lines, autolim=False)
        axes.plot(*_points(typical, _ends_ms(curves)).T, color=INK, linewidth=1.8, zorder=4)
    if threshold and threshold["median"]:
        median = threshold["median"]
        if median.ends != (None, None):
            low_ms, high_ms = (
                max(median.low or 0.0, ends_ms[0]),
                min(median.high or inf, ends_ms[1]),
            )
            style: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
            axes.plot([low_ms, high_ms], [0, 0], color=VERMILLION, lw=3, zorder=5, **style)
        _mark_threshold(axes, median.value, threshold["at"], size=7)


def _prepare(axes: Axes, ends_ms: tuple[float, float]) -> None:
    log_exposures(axes, *ends_ms)
    axes.set_ylim(_LOW, _TOP)
    axes.set_yticks([0.5, 0.75, 1.0], ["50", "75", "100"])
    level_grid(axes)


def _mark_threshold(axes: Axes, exposure_ms: float, at: float, *, size: float) -> None:
    """Mark an exposure on the axis, with a line up to its accuracy."""
    style: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    axes.plot(
        [exposure_ms],
        [0.035],
        "v",
        color=VERMILLION,
        ms=size,
        mec=PAPER,
        mew=0.6,
        zorder=6,
        **style,
    )
    axes.plot([exposure_ms] * 2, [_LOW, at], color=VERMILLION, lw=0.8, zorder=2)


def _draw_answers(axes: Axes, counts: Sequence[LevelCounts], largest_pt: float) -> None:
    """Draw the shares of correct answers as points, which are larger for more answers."""
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
    # few sizes, since each size becomes a path of the SVG
    size = np.ceil(_SIZES * total / total.max())
    for step in np.unique(size[some]):
        own = size == step
        axes.plot(
            centre_ms[own],
            np.maximum(share[own], _LOW),
            "o",
            markersize=largest_pt * np.sqrt(step / _SIZES),
            color=AMBER,
            alpha=0.75,
            mew=0,
            zorder=3,
            clip_on=False,
        )


def _points(function: PsychometricFunction, ends_ms: tuple[float, float]) -> FloatArray:
    exposures_ms = np.geomspace(*ends_ms, _STEPS)
    return np.column_stack([exposures_ms, function.accuracy(exposures_ms)])


EVALUATORS_FIGURE: Final = "time-evaluators-"
"""Prefix of the names of figures of single evaluators."""
MOST_EVALUATORS: Final = 36
"""A figure of single evaluators has at most this many panels."""
_PANELS_ACROSS: Final = 6
_SMALL_IN: Final = (1.75, 1.6)
_SMALL_MARGINS: Final = Margins(left_in=0.38, right_in=0.14, bottom_in=0.42, top_in=0.26)


def evaluator_drawings(score: Scores, curves: Curves) -> Iterator[Drawing]:
    """Draw each evaluator's answers, function and threshold, a figure for each condition."""
    own_ms: dict[tuple[str, str], float | None] = {
        (row["condition"], row["evaluator"]): row["threshold_ms"]
        for row in score.rows("evaluators-thresholds")
    }
    rows = score.rows("thresholds") or score.rows("staircases") or score.rows("quest-plus")
    at = next((row["at"] for row in rows if row["at"]), None)
    for place, name in enumerate(score.names, start=1):
        shown = curves.get(name, ())[:MOST_EVALUATORS]
        if not shown:
            continue
        ends_ms = _ends_ms(curves[name])
        if ends_ms[0] == ends_ms[1]:
            continue
        panels = []
        for curve in shown:
            exposure_ms = own_ms.get((name, curve.evaluator))
            if not own_ms and at:
                exposure_ms = curve.exposure_ms(at)
            panels.append(
                Panel(
                    title=curve.evaluator,
                    draw=partial(
                        _draw_evaluator,
                        curve=curve,
                        exposure_ms=exposure_ms,
                        at=at,
                        ends_ms=ends_ms,
                    ),
                )
            )
        number, most = len(curves[name]), len(shown)
        which = f"The first {most} of {number:,} evaluators" if most < number else "Each evaluator"
        threshold = f" Triangle: the exposure with {at:.0%} correct answers." if at else ""
        yield Drawing(
            name=f"{EVALUATORS_FIGURE}{place}",
            title=f"Evaluators of {name}",
            caption=f"{which}: the share of correct answers over the requested exposure "
            "(logarithmic). Points: the answers, larger for more answers. Line: the fitted Weibull "
            f"function, if there is one.{threshold}",
            alt=f"Psychometric functions of {most} evaluators of {name}.",
            panels=tuple(panels),
            width_in=_SMALL_IN[0],
            height_in=_SMALL_IN[1],
            x_label="exposure in ms",
            y_label="judged correctly, in %",
            margins=_SMALL_MARGINS,
            one_scale=True,
            narrowest_in=0.5,
            by_condition=False,
            panels_across=min(_PANELS_ACROSS, most),
        )


def _draw_evaluator(
    axes: Axes,
    curve: EvaluatorCurve,
    exposure_ms: float | None,
    at: float | None,
    ends_ms: tuple[float, float],
) -> None:
    _prepare(axes, ends_ms)
    axes.set_xticks(ends_ms, [f"{ms:g}" for ms in ends_ms])
    _draw_answers(axes, [curve.counts], _POINT_PT * 0.7)
    if curve.function:
        own = _points(curve.function, _ends_ms([curve]))
        axes.plot(*own.T, color=INK, linewidth=1.2, zorder=4)
    if at and exposure_ms is not None and isfinite(exposure_ms):
        _mark_threshold(axes, exposure_ms, at, size=5)
