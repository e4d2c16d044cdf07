"""The figures of a report: scores, errors and precision of the conditions; and which there are."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.judges.report import judge_drawing
from hype.protocols.hype.answers import Bounds, ProtocolAnswers
from hype.protocols.hype.figures_of_staircases import (
    evaluator_drawings,
    psychometric_drawing,
    staircase_drawing,
)
from hype.protocols.hype.figures_of_times import response_time_drawing
from hype.protocols.hype.results import Row, Score
from hype.protocols.hype.wording import protocol_name
from hype.report import wording
from hype.report.figures.drawing import (
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
    level_grid,
    linear,
    measured,
)
from hype.report.figures.rows import CHANCE, CLEARING, WIDTH_IN, Rows, mark, spread, widest
from hype.statistics.estimate import ends_of

_NEAR: Final = 0.6
"""How far beyond the scores something may lie to be marked, as a share of their range."""


def interval_drawing(score: Score, bounds_ms: Bounds | None) -> Drawing:
    """Draw each condition's score and interval over the scores of its evaluators."""
    of_scores = [wording.number(row["score"]) for row in score.conditions]
    ends = [ends_of(row["interval"]) for row in score.conditions]
    rows = Rows(
        names=score.names,
        values=tuple(
            (own if low is None else f"{own}  ({wording.interval(low, high)})", own)
            for own, (low, high) in zip(of_scores, ends, strict=True)
        ),
    )
    line = ""
    if any(row["interval"] for row in score.conditions):
        line = f" with its {score.confidence:.0%} interval (line)"
    caption = [
        f"Each condition's score (dark dot){line}. Light dots: the scores of its evaluators; "
        "equal ones are moved apart."
    ]
    if score.protocol == "infinity":
        above = "above it, fakes look more real than the reals do"
        caption.append(f"Dashed: guessing gives {CHANCE}%; {above}.")
    if bounds_ms:
        floor, ceiling = (f"{bound:g} ms" for bound in bounds_ms)
        caption.append(f"No exposure can be below {floor} (floor) or above {ceiling} (ceiling).")
    best, worst = score.conditions[0], score.conditions[-1]
    if best is worst:
        alt = f"Score of {best['condition']}: {_score_in_words(best, score.unit)}."
    else:
        from_worst, to_best = (
            f"{row['condition']}, {_score_in_words(row, score.unit)}" for row in (worst, best)
        )
        alt = f"Scores of {len(score.conditions)} conditions, from {from_worst}, to {to_best}."
    return rows.drawing(
        name=f"{score.protocol}-intervals",
        title=f"Scores of {protocol_name(score)}",
        caption=" ".join(caption),
        alt=alt,
        draw=partial(_draw_intervals, score=score, rows=rows, bounds_ms=bounds_ms),
        x_label=f"score in {score.unit}",
    )


def _score_in_words(row: Row, unit: str) -> str:
    low, high = ends_of(row["interval"])
    if low is None or high is None:
        return measured(row["score"], unit)
    return f"{measured(row['score'], unit)} ({wording.number(low)} to {wording.number(high)})"


def _draw_intervals(axes: Axes, score: Score, rows: Rows, bounds_ms: Bounds | None) -> None:
    rows.prepare(axes)
    own: dict[str, list[float]] = {}
    for row in score.evaluators:
        own.setdefault(row["condition"], []).append(row["score"])
    ends = [end for row in score.conditions for end in ends_of(row["interval"]) if end is not None]
    values = [*(row["score"] for row in score.conditions), *chain(*own.values()), *ends]
    marks = list(zip(bounds_ms or (), ("floor", "ceiling"), strict=False))
    if score.protocol == "infinity":
        marks = [(CHANCE, "chance")]
    # A mark that is far away would squeeze what is drawn into a part of the width.
    near = (max(values) - min(values)) * _NEAR
    marks = [(at, label) for at, label in marks if min(values) - near <= at <= max(values) + near]
    widest(axes, [*values, *(at for at, _ in marks)])
    linear(axes.xaxis)
    for at, label in marks:
        mark(axes, at, label)
    small, large, line = (4.5, 4.5, 1.2) if rows.close else (7, 7, 1.8)
    style: dict[str, Any] = {"color": INK, "mec": PAPER, "mew": 1, "zorder": 5, "clip_on": False}
    for place, row in enumerate(score.conditions):
        y, scores = rows.centre(place), np.array(own[row["condition"]])
        heights = y + spread(scores, rows.half)
        axes.plot(scores, heights, "o", color=SKY, ms=small, alpha=0.5, mew=0, clip_on=False)
        low, high = ends_of(row["interval"])
        if low is not None and high is not None:
            axes.hlines(y, low, high, color=INK, linewidth=line, zorder=4)
        axes.plot([row["score"]], [y], "o", markersize=large, **style)


_HEADER_IN_OF_ERRORS: Final = 0.52
_FULL: Final = 100

_KEY_OF_ERRORS: Final = (
    LegendEntry(label="fakes", marker="o", colour=VERMILLION),
    LegendEntry(label="reals", marker="s", colour=BLUE, hollow=True),
)


def error_drawing(score: Score) -> Drawing:
    """Draw the errors on fakes and on reals as two points with a line between them."""
    kinds = ("fakes", "reals")
    values, alt = [], []
    for row in score.conditions:
        known = {kind: row[f"{kind}_error"] for kind in kinds}
        words = [f"{kind} {wording.number(e)}%" for kind, e in known.items() if e is not None]
        values.append((" · ".join(words), ""))
    for kind in kinds:
        seen = sorted(
            (row[f"{kind}_error"], row["condition"])
            for row in score.conditions
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
        caption="Fakes that were taken for real (circle) and reals that were taken for fake "
        "(square), of all that were judged; the line between them is the difference. Guessing "
        f"gives {CHANCE}% on both, and saying real too often more errors on fakes than on reals.",
        alt=" ".join(alt),
        draw=partial(_draw_errors, score=score, rows=rows),
        x_label="judged wrongly, in %",
    )


def _draw_errors(axes: Axes, score: Score, rows: Rows) -> None:
    rows.prepare(axes)
    each = [(row["fakes_error"], row["reals_error"]) for row in score.conditions]
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


def precision_drawing(score: Score) -> Drawing | None:
    """Draw the width of each condition's interval against the number of evaluators.

    None where every condition has a single evaluator.
    """
    rows = [row | {"width": row["high"] - row["low"]} for row in score.precision]
    if not rows:
        return None
    widths = pd.DataFrame(rows).pivot_table("width", "evaluators", "condition")
    median, several = widths.median(axis=1), len(widths.columns) > 1
    first, last = (
        f"{measured(median.iloc[at], score.unit)} with {widths.index[at]}" for at in (0, -1)
    )
    own = [
        (row["evaluators"], row["bootstrap"][1] - row["bootstrap"][0])
        for row in score.conditions
        if row["condition"] in widths.columns
    ]
    return Drawing(
        name=f"{score.protocol}-precision",
        title="Evaluators and precision",
        caption=f"Width of the paper's {score.confidence:.0%} interval, over evaluators alone, "
        "that so many would give, drawn with replacement from those there are"
        + (": each condition (thin) and the median of all (thick). " if several else ". ")
        + "Dots: this interval of the study, at its own number of evaluators.",
        alt=f"The paper's interval narrows from {first} evaluators to {last}"
        + (", median over conditions." if several else "."),
        panels=(Panel(draw=partial(_draw_precision, widths=widths, own=own)),),
        width_in=WIDTH_IN,
        height_in=2.7,
        x_label="evaluators per condition",
        y_label=f"width of the interval in {score.unit}",
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
        # In the right half there is no room to the right of the line.
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


def drawings(
    score: Score, answers: ProtocolAnswers, *, settles_at: float | None = None, since: str = ""
) -> tuple[Drawing, ...]:
    """Prepare the figures of one protocol; those that lack their data are left out.

    ``settles_at`` is the accuracy at which the study's staircase settles, 0 to 1, if known;
    ``since`` what response times count from.
    """
    timed = score.protocol == "time"
    title = "Exposures" if score.quest_plus else "Staircases"
    prepared = (
        interval_drawing(score, answers.bounds_ms),
        error_drawing(score),
        staircase_drawing(answers.courses, answers.bounds_ms, title=title),
        psychometric_drawing(score, answers.curves, settles_at=settles_at) if timed else None,
        *evaluator_drawings(score, answers.curves),
        precision_drawing(score),
        response_time_drawing(score.protocol, answers.times, since),
        judge_drawing(score.judges, f"{score.protocol}-judge-agreement") if score.judges else None,
    )
    return tuple(drawing for drawing in prepared if drawing is not None)
