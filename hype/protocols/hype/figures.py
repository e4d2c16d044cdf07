"""The figures of a report: scores, errors and precision of the conditions; and which there are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from hype.judges.report import judge_drawing as draw
from hype.protocols.hype.answers import Bounds, MeasuredExposures, ProtocolAnswers
from hype.protocols.hype.figures_of_staircases import psychometric_drawing, staircase_drawing
from hype.protocols.hype.figures_of_times import exposure_drawing, response_time_drawing
from hype.protocols.hype.results import ConditionScore, Score
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
    rows = Rows(
        names=tuple(row.condition for row in score.conditions),
        values=tuple(_value_of_intervals(row) for row in score.conditions),
    )
    return rows.drawing(
        name=f"{score.protocol}-intervals",
        title=f"Scores of {protocol_name(score)}",
        caption=_caption(score, bounds_ms),
        alt=_alt_of_intervals(score),
        draw=partial(_draw_of_intervals, score=score, rows=rows, bounds_ms=bounds_ms),
        x_label=f"score in {score.unit}",
    )


def _value_of_intervals(row: ConditionScore) -> tuple[str, str]:
    score = wording.number(row.score)
    low, high = ends_of(row.interval)
    interval = wording.interval(low, high)
    return (score if low is None else f"{score}  ({interval})"), score


def _draw_of_intervals(axes: Axes, score: Score, rows: Rows, bounds_ms: Bounds | None) -> None:
    rows.prepare(axes)
    values = [value for row in score.conditions for value in _values(row)]
    marks = [(at, label) for at, label in _marks(score, bounds_ms) if _in_sight(at, values)]
    widest(axes, [*values, *(at for at, _ in marks)])
    linear(axes.xaxis)
    for at, label in marks:
        mark(axes, at, label)
    _draw_evaluators(axes, score, rows)
    _draw_intervals(axes, score, rows)


def _values(row: ConditionScore) -> list[float]:
    ends = (end for end in ends_of(row.interval) if end is not None)
    return [row.score, *(e.score for e in row.evaluator_scores), *ends]


def _marks(score: Score, bounds_ms: Bounds | None) -> list[tuple[float, str]]:
    if score.protocol == "infinity":
        return [(CHANCE, "chance")]
    return list(zip(bounds_ms or (), ("floor", "ceiling"), strict=False))


def _in_sight(at: float, values: Sequence[float]) -> bool:
    """Whether a mark is near enough not to squeeze what is drawn into a part of the width."""
    low, high = min(values), max(values)
    near = (high - low) * _NEAR
    return low - near <= at <= high + near


def _draw_evaluators(axes: Axes, score: Score, rows: Rows) -> None:
    for place, row in enumerate(score.conditions):
        scores = np.array([evaluator.score for evaluator in row.evaluator_scores])
        y = rows.centre(place) + spread(scores, rows.half)
        size = 3 if rows.close else 4.2
        axes.plot(scores, y, "o", color=SKY, markersize=size, alpha=0.5, mew=0, clip_on=False)


def _draw_intervals(axes: Axes, score: Score, rows: Rows) -> None:
    places = range(len(score.conditions))
    known = [(rows.centre(p), row) for p, row in zip(places, score.conditions, strict=True)]
    ends = [(y, *ends_of(row.interval)) for y, row in known]
    own = np.array([end for end in ends if None not in end], dtype=float).reshape(-1, 3)
    axes.hlines(
        *own.T,
        color=INK,
        linewidth=2 if rows.close else 2.6,
        zorder=4,
    )
    size = 4.5 if rows.close else 7
    heights, scores = [y for y, _ in known], [row.score for _, row in known]
    style: dict[str, Any] = {
        "color": INK,
        "markersize": size,
        "markeredgecolor": PAPER,
        "markeredgewidth": 1,
    }
    axes.plot(scores, heights, "o", **style, zorder=5, clip_on=False)


def _caption(score: Score, bounds_ms: Bounds | None) -> str:
    confidence = f"{score.confidence:.0%}"
    sentences = ["Each condition's score (large dot)"]
    if any(row.interval for row in score.conditions):
        sentences[0] += f" with its {confidence} interval (line)"
    sentences[0] += ". Small dots: the scores of its evaluators; equal ones are moved apart."
    if score.protocol == "infinity":
        above = "above it, fakes look more real than the reals do"
        sentences.append(f"Dashed: guessing gives {CHANCE}%; {above}.")
    if bounds_ms:
        floor, ceiling = (f"{bound:g} ms" for bound in bounds_ms)
        sentences.append(f"No exposure can be below {floor} (floor) or above {ceiling} (ceiling).")
    return " ".join(sentences)


def _alt_of_intervals(score: Score) -> str:
    best, worst = score.conditions[0], score.conditions[-1]
    unit = score.unit
    if best is worst:
        return f"Score of {best.condition}: {_score_in_words(best, unit)}."
    from_worst = f"{worst.condition}, {_score_in_words(worst, unit)}"
    to_best = f"{best.condition}, {_score_in_words(best, unit)}"
    return f"Scores of {len(score.conditions)} conditions, from {from_worst}, to {to_best}."


def _score_in_words(row: ConditionScore, unit: str) -> str:
    low, high = ends_of(row.interval)
    if low is None or high is None:
        return measured(row.score, unit)
    ends = f"{wording.number(low)} to {wording.number(high)}"
    return f"{measured(row.score, unit)} ({ends})"


_HEADER_IN_OF_ERRORS: Final = 0.52
_FULL: Final = 100

_KEY_OF_ERRORS: Final = (
    LegendEntry(label="fakes", marker="o", colour=VERMILLION),
    LegendEntry(label="reals", marker="s", colour=BLUE, hollow=True),
)


def error_drawing(score: Score) -> Drawing:
    """Draw the errors on fakes and on reals as two points with a line between them."""
    rows = Rows(
        names=tuple(row.condition for row in score.conditions),
        values=tuple(_value_of_errors(row) for row in score.conditions),
        header_in=_HEADER_IN_OF_ERRORS,
    )
    return rows.drawing(
        name=f"{score.protocol}-errors",
        title="Errors on fakes and on reals",
        caption="Fakes that were taken for real (circle) and reals that were taken for fake "
        "(square), of all that were judged; the line between them is the difference. Guessing "
        f"gives {CHANCE}% on both, and saying real too often more errors on fakes than on reals.",
        alt=_alt_of_errors(score),
        draw=partial(_draw_of_errors, score=score, rows=rows),
        x_label="judged wrongly, in %",
    )


def _value_of_errors(row: ConditionScore) -> tuple[str, str]:
    fakes, reals = (
        _error_in_words(row.fakes_error, "fakes"),
        _error_in_words(row.reals_error, "reals"),
    )
    if row.fakes_error is None or row.reals_error is None:
        return (fakes if row.reals_error is None else reals), ""
    return f"{fakes} · {reals}", ""


def _error_in_words(error: float | None, kind: str) -> str:
    return f"no {kind}" if error is None else f"{kind} {wording.number(error)}%"


def _draw_of_errors(axes: Axes, score: Score, rows: Rows) -> None:
    rows.prepare(axes)
    known = [error for row in score.conditions for error in _errors(row)]
    axes.set_xlim(-1, min(_FULL, max([CHANCE, *known]) * 1.06) + 1)
    linear(axes.xaxis)
    mark(axes, CHANCE, "chance")
    _draw_lines(axes, score, rows)
    size = 5 if rows.close else 6.5
    for kind, entry in zip(("fakes_error", "reals_error"), _KEY_OF_ERRORS, strict=True):
        at = [(getattr(row, kind), rows.centre(p)) for p, row in enumerate(score.conditions)]
        errors, heights = [e for e, _ in at if e is not None], [y for e, y in at if e is not None]
        entry.draw(axes, errors, heights, size=size)
    for place, row in enumerate(score.conditions):
        if len(_errors(row)) < 2:
            missing = "no fakes" if row.fakes_error is None else "no reals"
            axes.text(0, rows.centre(place), missing, va="center", color=SOFT)
    draw_key(axes, _KEY_OF_ERRORS, 72 * _HEADER_IN_OF_ERRORS - 12)


def _errors(row: ConditionScore) -> list[float]:
    return [error for error in (row.fakes_error, row.reals_error) if error is not None]


def _draw_lines(axes: Axes, score: Score, rows: Rows) -> None:
    both = [
        (rows.centre(p), row) for p, row in enumerate(score.conditions) if len(_errors(row)) > 1
    ]
    ends = [_errors(row) for _, row in both]
    heights = [y for y, _ in both]
    axes.hlines(heights, [e[0] for e in ends], [e[1] for e in ends], color=FAINT, lw=2, zorder=3)


def _alt_of_errors(score: Score) -> str:
    parts = []
    for kind in ("fakes", "reals"):
        known = [(getattr(row, f"{kind}_error"), row.condition) for row in score.conditions]
        seen = sorted((error, name) for error, name in known if error is not None)
        if not seen:
            parts.append(f"There are no {kind}.")
            continue
        (low, least), (high, most) = seen[0], seen[-1]
        parts.append(
            f"Errors on {kind}: {wording.number(low)}% ({least})"
            + (f" to {wording.number(high)}% ({most})." if least != most else ".")
        )
    return " ".join(parts)


def precision_drawing(score: Score) -> Drawing | None:
    """Draw the width of each condition's interval against the number of evaluators.

    None where every condition has a single evaluator.
    """
    rows = [row for row in score.conditions if row.precision and row.bootstrap]
    if not rows:
        return None
    several = len(rows) > 1
    return Drawing(
        name=f"{score.protocol}-precision",
        title="Evaluators and precision",
        caption=f"Width of the paper's {score.confidence:.0%} interval, over evaluators alone, "
        "that so many would give, drawn with replacement from those there are"
        + (": each condition (thin) and the median of all (thick). " if several else ". ")
        + "Dots: this interval of the study, at its own number of evaluators.",
        alt=_alt_of_precision(score, rows),
        panels=(Panel(draw=partial(_draw_of_precision, rows=rows)),),
        width_in=WIDTH_IN,
        height_in=2.7,
        x_label="evaluators per condition",
        y_label=f"width of the interval in {score.unit}",
        margins=Margins(left_in=0.5, right_in=0.2, bottom_in=0.48, top_in=0.36),
    )


def _draw_of_precision(axes: Axes, rows: list[ConditionScore]) -> None:
    evaluators, widths = _widths(rows)
    several = len(rows) > 1
    if several:
        thin: dict[str, Any] = {"color": SKY, "linewidth": 1, "alpha": 0.8}
        axes.plot(evaluators, widths.T, **thin, clip_on=False)
    axes.plot(evaluators, np.median(widths, axis=0), color=INK, linewidth=2.2, zorder=3)
    own = [row.evaluators for row in rows]
    here = [_width(row) for row in rows]
    style: dict[str, Any] = {"markersize": 5, "markeredgecolor": PAPER, "markeredgewidth": 0.6}
    axes.plot(own, here, "o", color=BLUE, **style, zorder=4, clip_on=False)
    axes.set_xlim(0, max(*evaluators, *own))
    axes.set_ylim(0, max(widths.max(), *here) * 1.05 or 1)
    linear(axes.xaxis, 6)
    linear(axes.yaxis)
    level_grid(axes)
    if len(set(own)) == 1:
        _mark_own(axes, own[0])


def _mark_own(axes: Axes, evaluators: int) -> None:
    axes.axvline(evaluators, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    place: dict[str, Any] = {
        "xycoords": axes.get_xaxis_transform(),
        "textcoords": "offset points",
        "va": "top",
    }
    label = f"{evaluators} in this study"
    # In the right half there is no room beside the line.
    step, side = (-5, "right") if evaluators > axes.get_xlim()[1] / 2 else (5, "left")
    place |= {"xytext": (step, 0), "ha": side}
    axes.annotate(label, (evaluators, 1), **place, color=SOFT, bbox=CLEARING)


def _widths(rows: list[ConditionScore]) -> tuple[list[int], np.ndarray]:
    evaluators = [point.evaluators for point in rows[0].precision]
    return evaluators, np.array([[point.width for point in row.precision] for row in rows])


def _width(row: ConditionScore) -> float:
    return row.bootstrap.ci_high - row.bootstrap.ci_low if row.bootstrap else 0.0


def _alt_of_precision(score: Score, rows: list[ConditionScore]) -> str:
    evaluators, widths = _widths(rows)
    medians = np.median(widths, axis=0)
    return (
        f"The paper's interval narrows from {measured(medians[0], score.unit)} with "
        f"{evaluators[0]} evaluators to {measured(medians[-1], score.unit)} with {evaluators[-1]}"
        + (", median over conditions." if len(rows) > 1 else ".")
    )


def judge_drawing(score: Score) -> Drawing | None:
    if score.judges is None:
        return None

    return draw(score.judges, f"{score.protocol}-judge-agreement")


def drawings(
    score: Score, answers: ProtocolAnswers, *, settles_at: float | None = None, since: str = ""
) -> tuple[Drawing, ...]:
    """Prepare the figures of one protocol; those that lack their data are left out.

    ``settles_at`` is the accuracy at which the study's staircase settles, 0 to 1, if known;
    ``since`` what response times count from.
    """
    timed = score.protocol == "time"
    title = "Exposures" if any(row.posteriors for row in score.conditions) else "Staircases"
    prepared = (
        interval_drawing(score, answers.bounds_ms),
        error_drawing(score),
        staircase_drawing(answers.courses, answers.bounds_ms, title=title),
        psychometric_drawing(score, answers.curves, settles_at=settles_at) if timed else None,
        precision_drawing(score),
        response_time_drawing(score.protocol, answers.times, since),
        judge_drawing(score),
    )
    return tuple(drawing for drawing in prepared if drawing is not None)


def timing_drawings(measured: MeasuredExposures) -> tuple[Drawing, ...]:
    """Prepare the figures on how long things were on the screen; none if that was not measured."""
    drawing = exposure_drawing(measured)
    return (drawing,) if drawing else ()
