"""The figures of a report: scores, errors, precision, confidence, and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, cycle
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.judges.report import judge_drawing
from hype.protocols.hype.block_scores import are_right
from hype.protocols.hype.condition_scores import CONFIDENCE, JudgementRows
from hype.protocols.hype.figures_of_staircases import (
    Bounds,
    evaluator_drawings,
    psychometric_drawing,
    staircase_courses,
    staircase_drawing,
)
from hype.protocols.hype.thresholds import fit_curves
from hype.protocols.hype.wording import METHOD_NAMES, SCORE_UNITS
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
    LegendEntry,
    Margins,
    Panel,
    draw_key,
    fit_names,
    level_grid,
    linear,
    log_exposures,
    log_seconds,
    write_measure,
)
from hype.report.figures.rows import CHANCE, CLEARING, WIDTH_IN, Rows, mark, spread, widest
from hype.report.scores import Scores
from hype.report.tabular import Row
from hype.report.terminal import write_signed
from hype.statistics.arrays import FloatArray
from hype.statistics.estimate import ends_of

_NEAR: Final = 0.6
"""A bound or chance is marked if it is this close to the scores, as a share of their range."""


def interval_drawing(score: Scores, bounds_ms: Bounds | None) -> Drawing:
    """Draw each condition's score and interval over the scores of its evaluators."""
    conditions, unit = score.rows("conditions"), SCORE_UNITS[score.protocol]
    of_scores = [wording.number(row["score"]) for row in conditions]
    ends = [ends_of(row["interval"]) for row in conditions]
    rows = Rows(
        names=score.names,
        values=tuple(
            (own if low is None else f"{own}  ({wording.interval(low, high)})", own)
            for own, (low, high) in zip(of_scores, ends, strict=True)
        ),
    )
    line = ""
    if any(row["interval"] for row in conditions):
        line = f" with its {CONFIDENCE:.0%} interval (line)"
    caption = [
        f"Each condition's score (dark dot){line}. Light dots: the scores of its evaluators; "
        "dots of equal scores are moved apart."
    ]
    if score.protocol == "infinity":
        above = "above it, fakes look more real than real images do"
        caption.append(f"Guessing gives {CHANCE}% (dashed, if it is on the axis); {above}.")
    if bounds_ms:
        floor, ceiling = (f"{bound:g} ms" for bound in bounds_ms)
        caption.append(f"No exposure can be below {floor} (floor) or above {ceiling} (ceiling).")
    best, worst = conditions[0], conditions[-1]
    if best is worst:
        alt = f"Score of {best['condition']}: {_score_in_words(best, unit)}."
    else:
        from_worst, to_best = (
            f"{row['condition']}, {_score_in_words(row, unit)}" for row in (worst, best)
        )
        alt = f"Scores of {len(conditions)} conditions, from {from_worst}, to {to_best}."
    return rows.drawing(
        name=f"{score.protocol}-intervals",
        title=f"Scores of {METHOD_NAMES[score.protocol]}",
        caption=" ".join(caption),
        alt=alt,
        draw=partial(_draw_intervals, score=score, rows=rows, bounds_ms=bounds_ms),
        x_label=f"score in {unit}",
    )


def _score_in_words(row: Row, unit: str) -> str:
    low, high = ends_of(row["interval"])
    if low is None or high is None:
        return write_measure(row["score"], unit)
    return f"{write_measure(row['score'], unit)} ({wording.number(low)} to {wording.number(high)})"


def _draw_intervals(axes: Axes, score: Scores, rows: Rows, bounds_ms: Bounds | None) -> None:
    rows.prepare(axes)
    conditions = score.rows("conditions")
    own: dict[str, list[float]] = {}
    for row in score.rows("evaluators"):
        own.setdefault(row["condition"], []).append(row["score"])
    ends = [end for row in conditions for end in ends_of(row["interval"]) if end is not None]
    values = [*(row["score"] for row in conditions), *chain(*own.values()), *ends]
    marks = list(zip(bounds_ms or (), ("floor", "ceiling"), strict=False))
    if score.protocol == "infinity":
        marks = [(CHANCE, "chance")]
    # If a mark were far from the scores, little width would be left for the scores.
    near = (max(values) - min(values)) * _NEAR
    marks = [(at, label) for at, label in marks if min(values) - near <= at <= max(values) + near]
    widest(axes, [*values, *(at for at, _ in marks)])
    linear(axes.xaxis)
    for at, label in marks:
        mark(axes, at, label)
    small, large, line = (4.5, 4.5, 1.2) if rows.close else (7, 7, 1.8)
    style: dict[str, Any] = {"color": INK, "mec": PAPER, "mew": 1, "zorder": 5, "clip_on": False}
    for place, row in enumerate(conditions):
        y, scores = rows.centre(place), np.array(own[row["condition"]])
        heights = y + spread(scores, rows.half)
        axes.plot(scores, heights, "o", color=SKY, ms=small, alpha=0.5, mew=0, clip_on=False)
        low, high = ends_of(row["interval"])
        if low is not None and high is not None:
            axes.hlines(y, low, high, color=INK, linewidth=line, zorder=4)
        axes.plot([row["score"]], [y], "o", markersize=large, **style)


_NAME_APART: Final = 9.0
"""Minimum distance between the names of lines, in units of the axis (% of right answers)."""
_HEADER_IN_OF_ERRORS: Final = 0.52
_FULL: Final = 100
_MOST_NAMED: Final = 10
"""With more lines there is no room for the lines' names."""

_KEY_OF_ERRORS: Final = (
    LegendEntry(label="fakes", marker="o", colour=VERMILLION),
    LegendEntry(label="reals", marker="s", colour=BLUE, hollow=True),
)


def error_drawing(score: Scores) -> Drawing:
    """Draw the errors on fakes and on reals as two points with a line between them."""
    kinds = ("fakes", "reals")
    values, alt = [], []
    for row in score.rows("conditions"):
        known = {kind: row[f"{kind}_error"] for kind in kinds}
        words = [f"{kind} {wording.number(e)}%" for kind, e in known.items() if e is not None]
        values.append((" · ".join(words), ""))
    for kind in kinds:
        seen = sorted(
            (row[f"{kind}_error"], row["condition"])
            for row in score.rows("conditions")
            if row[f"{kind}_error"] is not None
        )
        if not seen:
            alt.append(f"There are no {kind}.")
            continue
        (low, least), (high, most) = seen[0], seen[-1]
        alt.append(
            f"Errors on {kind}: {wording.number(low)}% ({least})"
            + (f" to {wording.number(high)}% ({most})." if least != most else ".")
        )
    rows = Rows(names=score.names, values=tuple(values), header_in=_HEADER_IN_OF_ERRORS)
    return rows.drawing(
        name=f"{score.protocol}-errors",
        title="Errors on fakes and on reals",
        caption="Fakes judged real (circle) and reals judged fake (square), in percent; the line "
        f"between them is the difference. Guessing gives {CHANCE}% on both; people who say 'real' "
        "more often than 'fake' make more errors on fakes than on reals.",
        alt=" ".join(alt),
        draw=partial(_draw_errors, score=score, rows=rows),
        x_label="judged wrongly, in %",
    )


def _draw_errors(axes: Axes, score: Scores, rows: Rows) -> None:
    rows.prepare(axes)
    each = [(row["fakes_error"], row["reals_error"]) for row in score.rows("conditions")]
    known = [error for both in each for error in both if error is not None]
    axes.set_xlim(-1, min(_FULL, max([CHANCE, *known]) * 1.06) + 1)
    linear(axes.xaxis)
    mark(axes, CHANCE, "chance")
    size = 5 if rows.close else 6.5
    for place, both in enumerate(each):
        y = rows.centre(place)
        if None in both:
            missing = "no fakes" if both[0] is None else "no reals"
            axes.text(0, y, missing, va="center", color=SOFT)
        else:
            axes.hlines(y, *both, color=FAINT, lw=2, zorder=3)
        for error, entry in zip(both, _KEY_OF_ERRORS, strict=True):
            if error is not None:
                entry.draw(axes, [error], [y], size=size)
    draw_key(axes, _KEY_OF_ERRORS, 72 * _HEADER_IN_OF_ERRORS - 12)


def precision_drawing(score: Scores) -> Drawing | None:
    """Draw the width of each condition's interval against the number of evaluators.

    None if no condition has enough evaluators.
    """
    unit = SCORE_UNITS[score.protocol]
    rows = [row | {"width": row["high"] - row["low"]} for row in score.rows("precision")]
    if not rows:
        return None
    widths = pd.DataFrame(rows).pivot_table("width", "evaluators", "condition")
    median, several = widths.median(axis=1), len(widths.columns) > 1
    first, last = (
        f"{write_measure(median.iloc[at], unit)} with {widths.index[at]}" for at in (0, -1)
    )
    own = [
        (row["evaluators"], row["bootstrap"][1] - row["bootstrap"][0])
        for row in score.rows("conditions")
        if row["condition"] in widths.columns
    ]
    return Drawing(
        name=f"{score.protocol}-precision",
        title="Evaluators and precision",
        caption=f"Width of the paper's {CONFIDENCE:.0%} interval with other numbers of evaluators, "
        "who are drawn with replacement from those of the study. "
        + ("Thin lines: conditions; thick line: the median over them. " if several else "")
        + "Dots: the study's own evaluators.",
        alt=f"The paper's interval narrows from {first} evaluators to {last}"
        + (", median over conditions." if several else "."),
        panels=(Panel(draw=partial(_draw_precision, widths=widths, own=own)),),
        width_in=WIDTH_IN,
        height_in=2.7,
        x_label="evaluators per condition",
        y_label=f"width of the interval in {unit}",
        margins=Margins(left_in=0.5, right_in=0.2, bottom_in=0.48, top_in=0.36),
    )


def _draw_precision(axes: Axes, widths: pd.DataFrame, own: list[tuple[int, float]]) -> None:
    if len(widths.columns) > 1:
        axes.plot(widths.index, widths, color=SKY, linewidth=1, alpha=0.8, clip_on=False)
    axes.plot(widths.index, widths.median(axis=1), color=INK, linewidth=2.2, zorder=3)
    numbers, here = zip(*own, strict=True)
    style: dict[str, Any] = {"markersize": 5, "markeredgecolor": PAPER, "markeredgewidth": 0.6}
    axes.plot(numbers, here, "o", color=BLUE, **style, zorder=4, clip_on=False)
    axes.set_xlim(0, max(*widths.index, *numbers))
    axes.set_ylim(0, max(widths.max(axis=None), *here) * 1.05 or 1)
    linear(axes.xaxis, 6)
    linear(axes.yaxis)
    level_grid(axes)
    if len(set(numbers)) == 1:
        number = numbers[0]
        axes.axvline(number, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
        # A line in the right half has no room for its label on the right.
        step, side = (-5, "right") if number > axes.get_xlim()[1] / 2 else (5, "left")
        axes.annotate(
            f"{number} in this study",
            (number, 1),
            xycoords=axes.get_xaxis_transform(),
            xytext=(step, 0),
            textcoords="offset points",
            ha=side,
            va="top",
            color=SOFT,
            bbox=CLEARING,
        )


def calibration_drawing(score: Scores) -> Drawing | None:
    """Draw how often people are right at each step of confidence, a line for each condition."""
    shares: dict[str, list[tuple[int, float]]] = {}
    right, every = Counter[int](), Counter[int]()
    for row in score.rows("calibration"):
        step, share = row["confidence"], 100 * row["right"].value
        shares.setdefault(row["condition"], []).append((step, share))
        right[step] += share * row["judgements"]
        every[step] += row["judgements"]
    if not shares:
        return None
    is_named = len(shares) <= _MOST_NAMED
    together = [(step, right[step] / every[step]) for step in sorted(every)]
    draw = partial(_draw_calibration, shares=shares, together=() if is_named else together)
    ends = (f"{name} {own[0][1]:.0f}% to {own[-1][1]:.0f}%" for name, own in shares.items())
    return Drawing(
        name=f"{score.protocol}-calibration",
        title="Confidence and correct answers",
        caption="Right answers at each step of confidence, a line for each condition. "
        f"{'' if is_named else 'Thick: all judgements together. '}Dashed: guessing. A "
        "rising line means that people are more confident when they are right.",
        alt=f"Right answers from the lowest to the highest confidence: {'; '.join(ends)}.",
        panels=(Panel(draw=draw),),
        width_in=WIDTH_IN,
        height_in=2.7,
        x_label="confidence",
        y_label="% right",
        margins=Margins(
            left_in=0.5, right_in=1.1 if is_named else 0.2, bottom_in=0.48, top_in=0.36
        ),
    )


def _draw_calibration(
    axes: Axes,
    shares: Mapping[str, Sequence[tuple[int, float]]],
    together: Sequence[tuple[int, float]],
) -> None:
    """Draw a named line for each condition, or faint lines and a thick line for ``together``."""
    steps = sorted({step for own in shares.values() for step, _ in own})
    axes.set_xticks(steps)
    axes.set_ylim(0, _FULL)
    linear(axes.yaxis)
    level_grid(axes)
    axes.axhline(CHANCE, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    if together:
        for own in shares.values():
            axes.plot(*zip(*own, strict=True), color=SKY, linewidth=1, alpha=0.8, clip_on=False)
        axes.plot(*zip(*together, strict=True), "o-", color=INK, linewidth=2.2, markersize=5)
        return
    ends = sorted((own[-1][1], name) for name, own in shares.items())
    heights = [at + 0.01 * place for place, (at, _) in enumerate(ends)]
    for place in range(len(ends) - 2, -1, -1):  # move down names that would touch
        heights[place] = min(heights[place], heights[place + 1] - _NAME_APART)
    names = fit_names([name for _, name in ends], 12)
    looks = zip(cycle("osD^vPX*<>"), cycle((BLUE, VERMILLION, AMBER, SKY)), strict=False)
    beside = axes.get_yaxis_transform()
    for (_, name), shown, y, (marker, colour) in zip(ends, names, heights, looks, strict=False):
        look: Any = {"marker": marker, "color": colour, "markersize": 4, "clip_on": False}
        axes.plot(*zip(*shares[name], strict=True), linewidth=1.2, **look)
        axes.plot(1.05, y, transform=beside, **look)
        axes.annotate(shown, (1.05, y), (8, 0), beside, textcoords="offset points", va="center")


def drawings(
    score: Scores,
    own: pd.DataFrame,
    scored: pd.DataFrame,
    *,
    settles_at: float | None = None,
    since: str = "",
) -> tuple[Drawing, ...]:
    """Prepare the figures of one protocol; figures without data are left out.

    ``own``: the protocol's judgements by scored evaluators; ``scored``: those of ``own`` that are
    scored; ``settles_at``: the accuracy at which the study's staircase settles, 0 to 1, if known;
    ``since``: what appears when response times start.
    """
    # The shortest and longest exposures of a table may not be the bounds of the study.
    rows = JudgementRows(protocol=score.protocol, shown=own, scored=scored)
    known = rows.timed and {"floor_ms", "ceiling_ms"} <= set(own)
    bounds_ms = rows.bounds_ms if known else None
    prepared: list[Drawing | None] = [interval_drawing(score, bounds_ms), error_drawing(score)]
    if rows.timed:
        curves = fit_curves(scored)
        title = "Exposures" if score.rows("quest-plus") else "Staircases"
        prepared += [
            staircase_drawing(staircase_courses(score.names, rows), bounds_ms, title=title),
            psychometric_drawing(score, curves, settles_at=settles_at),
            *evaluator_drawings(score, curves),
        ]
    prepared += [calibration_drawing(score)]
    prepared += [precision_drawing(score), response_time_drawing(score, own, since)]
    if score.judges:
        prepared.append(judge_drawing(score.judges, f"{score.protocol}-judge-agreement"))
    return tuple(drawing for drawing in prepared if drawing is not None)


_HEADER_IN_OF_RESPONSE_TIMES: Final = 0.36
_ENDS: Final = (0.005, 0.995)
"""The axis shows the times between these two quantiles."""
_NARROWEST_MS: Final = (300.0, 1500.0)
"""The axis includes at least these times."""
_BINS: Final = 44
_SMOOTHED: Final = np.array([1, 4, 6, 4, 1]) / 16
"""Weights to smooth neighbouring bins, since a histogram of a few hundred times is uneven."""
_FEWEST: Final = 20
"""A distribution is drawn only if there are at least this many times."""
_KEY_OF_RESPONSE_TIMES: Final = (
    LegendEntry(label="correct", marker="o", colour=BLUE),
    LegendEntry(label="wrong", marker="s", colour=VERMILLION),
)


def response_time_drawing(
    score: Scores, judgements: pd.DataFrame, since: str = ""
) -> Drawing | None:
    """Draw the distributions of the response times of each condition; None if there are none.

    ``since``: what appears when response times start; empty if unknown.
    """
    if "rt_ms" not in judgements:
        return None
    rt_ms, correct = judgements["rt_ms"].to_numpy(dtype=float), are_right(judgements)
    # Zero has no logarithm, and no one answers within a millisecond.
    known = rt_ms >= 1
    shown: list[Row] = []
    for name in score.names:
        own = judgements["condition"].eq(name).to_numpy() & known
        if own.any():
            times = {"correct": rt_ms[own & correct], "wrong": rt_ms[own & ~correct]}
            shown.append({"condition": name, **times, "median": float(np.median(rt_ms[own]))})
    if not shown:
        return None
    medians = [wording.number(row["median"], 0) for row in shown]
    rows = Rows(
        names=tuple(row["condition"] for row in shown),
        values=tuple((f"median {median} ms", median) for median in medians),
        header_in=_HEADER_IN_OF_RESPONSE_TIMES,
    )
    middle = "median (circle)" if rows.close else "median (circle) and quartiles (line)"
    numbers = " The numbers are medians of all answers, in ms." if rows.close else ""
    ordered = sorted((row["median"], row["condition"]) for row in shown)
    (low, first), (high, last) = ordered[0], ordered[-1]
    to_last = f" to {wording.number(high, 0)} ms ({last})" if first != last else ""
    return rows.drawing(
        name=f"{score.protocol}-response-times",
        title="Response times",
        caption=f"Times {f'from {since} to the answer' if since else 'of the column rt_ms'}, on a "
        "logarithmic axis. Upward: the distribution of the times of correct answers, with their "
        f"{middle}. Downward: the same for wrong answers, with a square for the median. All "
        "distributions have the same height, regardless of the number of answers; the few times "
        f"outside the axis are drawn at its ends.{numbers}",
        alt=f"Median response times: {wording.number(low, 0)} ms ({first}){to_last}.",
        draw=partial(_draw_response_times, shown=shown, rows=rows),
        x_label="response time",
    )


def _draw_response_times(axes: Axes, shown: Sequence[Row], rows: Rows) -> None:
    rows.prepare(axes)
    everything = np.concatenate([ms for row in shown for ms in (row["correct"], row["wrong"])])
    low_ms, high_ms = np.quantile(everything, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    for entry, side in zip(_KEY_OF_RESPONSE_TIMES, (-1, 1), strict=True):
        reach = side * rows.half * (1.25 if rows.close else 1)
        own = [(rows.centre(place), row[entry.label]) for place, row in enumerate(shown)]
        ridges = [_ridge(ms, edges_ms, ground, reach) for ground, ms in own if len(ms) >= _FEWEST]
        _draw_ridges(axes, ridges, entry.colour, close=rows.close)
        known = [(ground + reach * 0.36, ms) for ground, ms in own if len(ms)]
        if not known:
            continue
        heights = [height for height, _ in known]
        low, median, high = np.array([np.quantile(ms, (0.25, 0.5, 0.75)) for _, ms in known]).T
        if not rows.close:  # close rows have no room for quartiles
            axes.hlines(heights, low, high, color=entry.colour, linewidth=2, zorder=3)
        entry.draw(axes, median, heights, size=4.5 if rows.close else 6.5)
    draw_key(axes, _KEY_OF_RESPONSE_TIMES, 72 * _HEADER_IN_OF_RESPONSE_TIMES - 10)


def _ridge(times_ms: FloatArray, edges_ms: FloatArray, ground: float, reach: float) -> FloatArray:
    """Return the outline of a distribution that extends up or down from ``ground``."""
    counts = np.histogram(times_ms.clip(edges_ms[0], edges_ms[-1]), edges_ms)[0]
    density = np.convolve(counts, _SMOOTHED, mode="same")
    middles_ms = np.sqrt(edges_ms[1:] * edges_ms[:-1])
    tops = ground + reach * density / density.max()
    ends = [[middles_ms[-1], ground], [middles_ms[0], ground]]
    return np.vstack([np.column_stack([middles_ms, tops]), ends])


def _draw_ridges(axes: Axes, ridges: Sequence[FloatArray], colour: str, *, close: bool) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    style: dict[str, Any] = {
        "facecolors": colour,
        "alpha": 0.35 if close else 0.22,
        "linewidths": 0,
    }
    axes.add_collection(PolyCollection(ridges, **style, zorder=1), autolim=False)
    if not close:
        outlines = [ridge[:-2] for ridge in ridges]
        lines = LineCollection(outlines, colors=colour, linewidths=0.8, zorder=2)
        axes.add_collection(lines, autolim=False)


_FARTHEST: Final = 3.0
"""Deviations of more than this many frames are drawn at the edge."""
_LEAST: Final = 1.25
"""The axis always includes this many frames above and below 0."""
_CELL: Final = 0.05
"""Deviations are rounded to this fraction of a frame; equal deviations share one mark."""
_COLUMNS: Final = 60
"""The number of columns of marks for each power of ten of the duration."""
_STRIDE: Final = 1000
"""More than twice the largest height, so that a column and a height can be joined in one number."""
_SIZES: Final = ((1, 3.0), (10, 4.5), (100, 6.0))
"""For each size of mark: the minimum number of pictures, and the diameter in points."""
_HEIGHT_IN: Final = 3.1
_HEADER_IN_OF_EXPOSURES: Final = 0.36
_AXIS_IN: Final = 0.48
_KEY_OF_EXPOSURES: Final = (
    LegendEntry(label="image", marker="o", colour=BLUE),
    LegendEntry(label="mask", marker="s", colour=VERMILLION),
)

PICTURES: Final = {"exposure": "image", "mask": "mask"}
"""For each prefix of measured columns, the kind of picture."""


def timing_errors(measured: pd.DataFrame) -> pd.DataFrame:
    """Return each picture's planned duration, and how far the measured duration is from it.

    The columns are ``kind`` (image, mask), ``nominal_ms``, and ``frames_off``, above 0 if a picture
    was shown for longer.
    """
    pictures = [pd.DataFrame(columns=["kind", "nominal_ms", "frames_off"])]
    for prefix, kind in PICTURES.items():
        names = [f"{prefix}_{rest}" for rest in ("nominal_ms", "frames", "measured_ms")]
        if not set(names) <= set(measured.columns):
            continue
        table = measured[names].set_axis(["nominal_ms", "frames", "measured_ms"], axis=1)
        if kind == "mask":  # a cell has the durations of several masks
            table["measured_ms"] = table["measured_ms"].astype(str).str.split()
            table = table.explode("measured_ms")
            table["measured_ms"] = pd.to_numeric(table["measured_ms"], errors="coerce")
        table = table.dropna().astype(float)
        frame_ms = table["nominal_ms"] / table["frames"]
        off = (table["measured_ms"] - table["nominal_ms"]) / frame_ms
        pictures.append(table[["nominal_ms"]].assign(kind=kind, frames_off=off))
    return pd.concat([one for one in pictures if len(one)] or pictures[:1], ignore_index=True)


def timing_drawings(measured: pd.DataFrame) -> tuple[Drawing, ...]:
    """Draw how far the durations of images and masks were from the planned ones.

    ``measured``: the trials that have a verdict. Empty if no duration was measured.
    """
    pictures = timing_errors(measured)
    if pictures.empty:
        return ()
    worst = [
        f"{kind}s off by at most {write_signed(float(max(own, key=abs)))} frames"
        for kind, own in pictures.groupby("kind")["frames_off"]
    ]
    caption = (
        "By how many frames each image and each mask was shown longer (up) or shorter (down) than "
        f"planned. Larger marks stand for {_SIZES[1][0]} or more pictures, the largest for "
        f"{_SIZES[2][0]} or more. Lines: half a frame, which is tolerated unless the study has "
        "another limit, and one frame."
    )
    if beyond := int((pictures["frames_off"].abs() > _FARTHEST).sum()):
        noun = "picture was" if beyond == 1 else "pictures were"
        caption += f" {beyond:,} {noun} off by more than {_FARTHEST:g} frames, drawn at the edge."
    drawing = Drawing(
        name="time-exposures",
        title="Exposures",
        caption=caption,
        alt=f"Exposures: {', '.join(worst)}.",
        panels=(Panel(draw=partial(_draw_exposures, pictures=pictures)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="nominal duration in ms",
        y_label="measured minus nominal, in frames",
        margins=Margins(
            left_in=0.5, right_in=0.8, bottom_in=_AXIS_IN, top_in=_HEADER_IN_OF_EXPOSURES
        ),
    )
    return (drawing,)


def _draw_exposures(axes: Axes, pictures: pd.DataFrame) -> None:
    off = pictures["frames_off"].clip(-_FARTHEST, _FARTHEST)
    low, high = min(-_LEAST, off.min() - 0.2), max(_LEAST, off.max() + 0.2)
    log_exposures(axes, pictures["nominal_ms"].min(), pictures["nominal_ms"].max())
    axes.set_ylim(low, high)
    axes.set_yticks([tick for tick in range(-3, 4) if low <= tick <= high])
    axes.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
    for at, dashes, label in ((0.5, (0, (1, 2)), "½ frame"), (1, (0, (4, 3)), "1 frame")):
        for side in (-at, at):
            axes.axhline(side, color=FAINT, linewidth=1, linestyle=dashes, zorder=1)
        place = axes.get_yaxis_transform()
        axes.text(1.01, at, label, transform=place, va="center", color=SOFT)
    for entry in _KEY_OF_EXPOSURES:
        own = pictures["kind"].eq(entry.label)
        columns = np.round(np.log10(pictures.loc[own, "nominal_ms"].to_numpy()) * _COLUMNS)
        heights = np.round(off[own].to_numpy() / _CELL)
        # Join column and height in one number, since sorting pairs takes ten times as long.
        cells, counts = np.unique(columns * _STRIDE + heights, return_counts=True)
        columns = np.round(cells / _STRIDE)
        x_ms, y = 10 ** (columns / _COLUMNS), (cells - columns * _STRIDE) * _CELL
        most = [*(fewest for fewest, _ in _SIZES[1:]), np.inf]
        for (fewest, size), too_many in zip(_SIZES, most, strict=True):
            these = (counts >= fewest) & (counts < too_many)
            if these.any():
                entry.draw(axes, x_ms[these], y[these], size=size)
    draw_key(axes, _KEY_OF_EXPOSURES, 72 * _HEADER_IN_OF_EXPOSURES - 10)
