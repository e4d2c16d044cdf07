"""The figures of comparisons: strengths, also vote by vote; response times; who evaluators are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.judges.report import judge_drawing
from hype.protocols.comparison.results import ArenaCourse, LeadingPair, PairwiseScore, Sequential
from hype.protocols.comparison.sequential import course
from hype.protocols.prompted.strengths import SCALES, StrengthScale
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
    fitted,
    letters_pt,
    level_grid,
    linear,
    log_seconds,
    upright_grid,
)
from hype.report.figures.rows import CHANCE, CLEARING, WIDTH_IN, Rows, drawn_values, mark_mean
from hype.report.tabular import Row
from hype.report.wording import letters_in
from hype.statistics.estimate import Estimate, ends_of, value_of
from hype.statistics.strength_table import ConditionStrength

MOST_DRAWN: Final = 40
"""Conditions; a figure of more is longer than anybody reads, and the table has them all."""


def ranking_drawing(score: PairwiseScore) -> Drawing | None:
    """Draw strengths with their intervals; None if no condition has one."""
    scale = SCALES[score.strengths]
    strong = [row for row in score.conditions if row.strength is not None]
    shown = strong[:MOST_DRAWN]
    if not shown:
        return None
    rows = Rows(
        names=tuple(row.condition for row in shown),
        values=tuple(scale.in_short(row) for row in shown),
    )
    return rows.drawing(
        name="comparison-ranking",
        title="Ranking",
        caption=" ".join(_caption_of_strengths(score, strong)),
        alt=scale.ends_in_words(strong),
        draw=partial(_draw_strengths, shown=shown, rows=rows, scale=scale),
        x_label=f"{scale.name} (Bradley–Terry)",
    )


def _draw_strengths(
    axes: Axes, shown: Sequence[ConditionStrength], rows: Rows, scale: StrengthScale
) -> None:
    estimates = [scale.estimate(row) for row in shown]
    rows.prepare(axes)
    mark_mean(axes, scale.mean, drawn_values(estimates))
    for place, estimate in enumerate(estimates):
        y = rows.centre(place)
        _line(axes, y, estimate, color=INK, linewidth=2 if rows.close else 2.6, zorder=4)
    style: dict[str, Any] = {"color": INK, "markeredgecolor": PAPER, "markeredgewidth": 1}
    heights = [rows.centre(place) for place in range(len(shown))]
    strengths = [value_of(estimate) or 0.0 for estimate in estimates]
    size = 4.5 if rows.close else 7
    axes.plot(strengths, heights, "o", markersize=size, **style, zorder=5, clip_on=False)


def _line(axes: Axes, y: float, estimate: Estimate | None, **style: Any) -> None:
    """Draw an interval; an end that is open goes to the edge of the axes."""
    low, high = ends_of(estimate)
    if (low, high) != (None, None):
        left, right = axes.get_xlim()
        axes.hlines(y, left if low is None else low, right if high is None else high, **style)


def _caption_of_strengths(
    score: PairwiseScore, strong: Sequence[ConditionStrength]
) -> Iterable[str]:
    confidence = f"{score.confidence:.0%}"
    yield f"Each condition's strength (dot) with its {confidence} interval (line)."
    of_what = "the comparisons of the two without ties"
    yield SCALES[score.strengths].steps_in_words("is chosen", of_what)
    if len(strong) > MOST_DRAWN:
        yield f"The {MOST_DRAWN} strongest of {len(strong):,}; the table has all."
    without = [row.condition for row in score.conditions if row.strength is None]
    if without:
        number = f"{len(without):,} condition" + "s" * (len(without) > 1)
        yield f"Not drawn: {number} without a strength."


_HEADER_IN_OF_TIMES: Final = 0.62
_ENDS: Final = (0.002, 0.998)
_NARROWEST_MS: Final = (300.0, 3000.0)
_BINS: Final = 48

_KEY_OF_TIMES: Final = (
    LegendEntry(label="answers", marker="s", colour=BLUE),
    LegendEntry(label="hasty ones", marker="s", colour=VERMILLION),
)


def answer_time_drawing(rows: pd.DataFrame, *, of_study: bool) -> Drawing | None:
    """Draw the distribution of the times of scored answers; nothing if there are none.

    ``of_study``: whether they are known to count from when both images could be seen.
    """
    timed = rows[rows["rt_ms"].ge(1)] if "rt_ms" in rows else rows[:0]  # no logarithm of 0
    if timed.empty:
        return None
    times_ms = timed["rt_ms"].to_numpy(dtype=float)
    hasty = timed["hasty"].to_numpy() if "hasty" in timed else np.zeros(len(timed), bool)
    return Drawing(
        name="comparison-response-times",
        title="Answer times",
        caption=_caption_of_times(times_ms, hasty, of_study=of_study),
        alt=_alt_of_times(times_ms, hasty),
        panels=(Panel(draw=partial(_draw_times, times_ms=times_ms, hasty=hasty)),),
        width_in=WIDTH_IN,
        height_in=2.6,
        x_label="answer time",
        y_label="answers",
        margins=Margins(left_in=0.56, right_in=0.2, bottom_in=0.48, top_in=_HEADER_IN_OF_TIMES),
    )


def _draw_times(axes: Axes, times_ms: np.ndarray, hasty: np.ndarray) -> None:
    low_ms, high_ms = np.quantile(times_ms, _ENDS)
    log_seconds(axes, min(low_ms, _NARROWEST_MS[0]), max(high_ms, _NARROWEST_MS[1]))
    edges_ms = np.geomspace(*axes.get_xlim(), _BINS + 1)
    shown_ms = times_ms.clip(edges_ms[0], edges_ms[-1])
    quick, every = (np.histogram(some, edges_ms)[0] for some in (shown_ms[hasty], shown_ms))
    bars: dict[str, Any] = {"align": "edge", "linewidth": 0, "zorder": 2}
    widths = np.diff(edges_ms) * 0.92
    axes.bar(edges_ms[:-1], every - quick, widths, quick, color=BLUE, **bars)
    axes.bar(edges_ms[:-1], quick, widths, color=VERMILLION, **bars)
    axes.set_ylim(0, every.max() * 1.08)
    linear(axes.yaxis, 4)
    level_grid(axes)
    _mark_median(axes, float(np.median(times_ms)))
    draw_key(axes, _KEY_OF_TIMES[: 1 + bool(hasty.any())], 72 * _HEADER_IN_OF_TIMES - 10)


def _mark_median(axes: Axes, median_ms: float) -> None:
    axes.axvline(median_ms, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=3)
    place: dict[str, Any] = {
        "xycoords": axes.get_xaxis_transform(),
        "textcoords": "offset points",
        "va": "top",
    }
    label = f"median {wording.number(median_ms, 0)} ms"
    axes.annotate(label, (median_ms, 1), xytext=(5, 0), **place, color=SOFT, bbox=CLEARING)


def _caption_of_times(times_ms: np.ndarray, hasty: np.ndarray, *, of_study: bool) -> str:
    since = "From the moment both images could be seen to the answer"
    low, high = np.quantile(times_ms, (0.25, 0.75))
    sentences = [
        f"{since if of_study else 'As the table has them'}, on a logarithmic axis; the "
        f"middle half lies between {wording.number(low, 0)} and {wording.number(high, 0)} ms. The "
        "bars at either end take in the few times that lie beyond the axis."
    ]
    if hasty.any():
        sentences.append(
            f"Hasty, faster than the study's minimum: {hasty.sum():,} of the {len(times_ms):,} "
            "answers that are scored and drawn here."
        )
    return " ".join(sentences)


def _alt_of_times(times_ms: np.ndarray, hasty: np.ndarray) -> str:
    median = wording.number(float(np.median(times_ms)), 0)
    return (
        f"Times of {len(times_ms):,} answers around a median of {median} ms; {hasty.sum():,} were "
        "hasty."
    )


_HEADER_IN_OF_PEOPLE: Final = 0.42
_AXIS_IN: Final = 0.48
_ROW_IN: Final = 0.34
_BAR: Final = 0.34
_LONGEST: Final = 22
_LETTER_EM: Final = 0.58
_MOST_ROWS: Final = 60

_KEY_OF_PEOPLE: Final = (
    LegendEntry(label="evaluators", marker="s", colour=BLUE),
    LegendEntry(label="reference", marker="s", colour=FAINT),
)


_Row = Row | str
"""An answer with its shares; or the question above its answers."""


def demographic_drawing(asked: Sequence[Row]) -> Drawing | None:
    """Draw the share of each answer next to that of the reference.

    Gives None if nobody answered anything.
    """
    every: list[_Row] = []
    for question in asked:
        if question["answered"]:
            every += [question["question"], *question["answers"]]
    rows = every[:_MOST_ROWS]
    if not rows:
        return None
    groups = [row for row in rows if not isinstance(row, str)]
    referred = any(group["reference_share"] is not None for group in groups)
    longest = max(letters_in(fitted(group["answer"], _LONGEST)) for group in groups)
    left_in = longest * _LETTER_EM * letters_pt(WIDTH_IN) / 72 + 0.16
    return Drawing(
        name="comparison-demographics",
        title="Who the evaluators are",
        caption="Shares of the evaluators who answered"
        + (
            " (upper bar), and those of the population that the study names as its reference "
            "(lower bar)."
            if referred
            else "."
        ),
        alt=_alt_of_people(rows),
        panels=(
            Panel(draw=partial(_draw_people, rows=rows, left_in=left_in - 0.04, referred=referred)),
        ),
        width_in=WIDTH_IN,
        height_in=len(rows) * _ROW_IN + _HEADER_IN_OF_PEOPLE + _AXIS_IN,
        x_label="share in %",
        margins=Margins(
            left_in=left_in,
            right_in=0.95,
            bottom_in=_AXIS_IN,
            top_in=_HEADER_IN_OF_PEOPLE,
        ),
    )


def _draw_people(axes: Axes, rows: Sequence[_Row], left_in: float, *, referred: bool) -> None:
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    shares = [
        100 * (share or 0.0)
        for row in rows
        if not isinstance(row, str)
        for share in (row["share"], row["reference_share"])
    ]
    axes.set_xlim(0, max(shares) * 1.04 or 1)
    linear(axes.xaxis)
    upright_grid(axes)
    for place, row in enumerate(rows):
        _draw_row(axes, place, row, left_in)
    draw_key(axes, _KEY_OF_PEOPLE[: 1 + referred], 72 * _HEADER_IN_OF_PEOPLE - 12)


def _draw_row(axes: Axes, y: int, row: _Row, left_in: float) -> None:
    beside: dict[str, Any] = {
        "xycoords": axes.get_yaxis_transform(),
        "textcoords": "offset points",
        "va": "center_baseline",
    }
    if isinstance(row, str):
        bold: dict[str, Any] = {"weight": "bold", "color": INK}
        axes.annotate(row, (0, y + 0.15), xytext=(-72 * left_in, 0), **beside, **bold)
        return
    share, reference = row["share"] or 0.0, row["reference_share"]
    axes.annotate(fitted(row["answer"], _LONGEST), (0, y), xytext=(-5, 0), ha="right", **beside)
    bar: dict[str, Any] = {"height": _BAR, "linewidth": 0, "zorder": 2}
    own = y - _BAR / 2 if reference is not None else y
    axes.barh(own, 100 * share, color=BLUE, **bar)
    text = wording.share(share)
    if reference is not None:
        axes.barh(y + _BAR / 2, 100 * reference, color=FAINT, **bar)
        text += f" · {wording.share(reference)}"
    axes.annotate(text, (1, y), xytext=(5, 0), **beside, color=SOFT)


def _alt_of_people(rows: Sequence[_Row]) -> str:
    shares = [
        f"{row}:"
        if isinstance(row, str)
        else f"{row['answer']} {wording.share(row['share'] or 0.0)}"
        + (
            f" (reference {wording.share(row['reference_share'])})"
            if row["reference_share"] is not None
            else ""
        )
        for row in rows
    ]
    return f"Shares of answers. {', '.join(shares).replace(':,', ':')}."


def comparison_drawings(
    score: PairwiseScore, rows: pd.DataFrame, *, of_study: bool = True
) -> tuple[Drawing, ...]:
    """Prepare the figures of comparisons; those that lack their data are left out.

    ``rows``: those that were scored. ``of_study``: whether they are of a study, and not of a table
    from elsewhere.
    """
    drawings = (
        ranking_drawing(score),
        *course_drawings(course(rows, score), score.sequential, SCALES[score.strengths]),
        answer_time_drawing(rows, of_study=of_study),
        demographic_drawing(score.demographics),
        judge_drawing(score.judges, "comparison-judge-agreement") if score.judges else None,
    )
    return tuple(drawing for drawing in drawings if drawing is not None)


_HEIGHT_IN: Final = 3.0
_LETTER_IN: Final = 0.085
_LONGEST_LABEL: Final = 16
_MOST_NAMED: Final = 10
_APART: Final = 0.075
"""Least distance between the names of two lines, as a share of the height."""
_REACH: Final = 1.7
"""The axis goes this far beyond the strengths of the end; what was farther at first is cut off."""


def course_drawings(
    course: ArenaCourse | None, rule: Sequential | None, scale: StrengthScale
) -> tuple[Drawing, ...]:
    """Draw the course of an arena; nothing if there is none.

    ``course``: as `hype.protocols.comparison.sequential.course` returns it. ``rule``: what the
    stopping rule says at the end. ``scale``: of the strengths.
    """
    if course is None or rule is None or len(course.votes) < 2:
        return ()
    leading = [_pair_drawing(course, course.leading)] if course.leading else []
    return (_strength_drawing(course, rule, scale), *leading)


def _strength_drawing(course: ArenaCourse, rule: Sequential, scale: StrengthScale) -> Drawing:
    named = [fitted(name, _LONGEST_LABEL) for name in course.conditions[:_MOST_NAMED]]
    return Drawing(
        name="comparison-course",
        title="The course of the arena",
        caption="Strengths of the conditions after so many votes, by evaluators in the order "
        "in which they finished; the strongest at the end is drawn thick. A line begins where all "
        "strengths are finite. " + _goal_in_words(course, rule),
        alt=_strength_alt(course, rule),
        panels=(Panel(draw=partial(_draw_votes, course=course, rule=rule, scale=scale)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN,
        x_label="votes",
        y_label=scale.name,
        margins=Margins(
            left_in=0.5,
            right_in=max(map(letters_in, named)) * _LETTER_IN + 0.2,
            bottom_in=0.48,
            top_in=0.4,
        ),
    )


def _goal_in_words(course: ArenaCourse, rule: Sequential) -> str:
    what = "ranking" if rule.goal == "ranking" else "top"
    if course.known_at is None:
        return f"At the end the {what} is not known by the stopping rule."
    return f"Dashed: from {course.known_at:,} votes on the {what} is known by the stopping rule."


def _draw_votes(axes: Axes, course: ArenaCourse, rule: Sequential, scale: StrengthScale) -> None:
    reach = _REACH * max(float(np.nanmax(np.abs(course.strengths[-1]))), 0.3)
    strengths = scale.convert(course.strengths)
    last = strengths[-1]
    axes.set_xlim(0, course.votes[-1])
    if scale.mean is None:
        axes.set_ylim(0, _REACH * float(np.nanmax(last)))
    else:
        axes.set_ylim(*scale.convert(np.array([-reach, reach])))
    linear(axes.xaxis, 6)
    linear(axes.yaxis)
    level_grid(axes)
    for place, values in enumerate(strengths.T):
        style = _style(place)
        axes.plot(course.votes, values, **style)
    _name_ends(axes, course.conditions[:_MOST_NAMED], last[:_MOST_NAMED])
    _mark_known(axes, course, rule)


def _style(place: int) -> dict[str, Any]:
    if place == 0:
        return {"color": INK, "linewidth": 2.4, "zorder": 4}
    if place == 1:
        return {"color": BLUE, "linewidth": 1.6, "zorder": 3}
    return {"color": SOFT, "linewidth": 1, "zorder": 2}


def _name_ends(axes: Axes, names: Sequence[str], ends: np.ndarray) -> None:
    """Write names at the ends of their lines, moved apart where these are close."""
    low, high = axes.get_ylim()
    heights = _apart((ends - low) / (high - low))
    for place, (name, y) in enumerate(zip(names, heights, strict=True)):
        colour = {0: INK, 1: BLUE}.get(place, SOFT)
        weight = "bold" if place == 0 else "normal"
        axes.annotate(
            fitted(name, _LONGEST_LABEL),
            (1, y),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            weight=weight,
        )


def _apart(heights: np.ndarray) -> np.ndarray:
    """Push descending heights apart, downwards, and back up where they would leave the axes."""
    placed = heights.astype(float).copy()
    for place in range(1, len(placed)):
        placed[place] = min(placed[place], placed[place - 1] - _APART)
    below = min(0.0, placed[-1])
    lifted: np.ndarray = placed - below
    for place in range(len(lifted) - 2, -1, -1):
        lifted[place] = max(placed[place], lifted[place + 1] + _APART)
    lifted[-1] = max(placed[-1], 0.0)
    return lifted


def _mark_known(axes: Axes, course: ArenaCourse, rule: Sequential) -> None:
    if course.known_at is None:
        return
    axes.axvline(course.known_at, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    what = "ranking" if rule.goal == "ranking" else "top"
    right = course.known_at < course.votes[-1] * 0.6
    axes.annotate(
        f"{what} known after {course.known_at:,}",
        (course.known_at, 1),
        xycoords=axes.get_xaxis_transform(),
        xytext=(5 if right else -5, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="top",
        color=SOFT,
        bbox=CLEARING,
        zorder=5,
    )


def _strength_alt(course: ArenaCourse, rule: Sequential) -> str:
    addition = f" The {rule.goal} is known after {course.known_at:,}." if course.known_at else ""
    return (
        f"Strengths over {course.votes[-1]:,} votes; {course.conditions[0]} ends first.{addition}"
    )


def _pair_drawing(course: ArenaCourse, pair: LeadingPair) -> Drawing:
    return Drawing(
        name="comparison-leading-pair",
        title="What was known of the two at the top",
        caption=f"How often {pair.a} is chosen over {pair.b} by the strengths at each look of the "
        "stopping rule (dot), with its interval: those of all looks together hold the truth with a "
        f"probability of {1 - pair.level:.0%}. {_crossing(pair)}",
        alt=_pair_alt(pair),
        panels=(Panel(draw=partial(_draw_pair, course=course, pair=pair)),),
        width_in=WIDTH_IN,
        height_in=_HEIGHT_IN - 0.3,
        x_label="votes",
        y_label=f"{fitted(pair.a, 20)} over {fitted(pair.b, 20)}, in %",
        margins=Margins(left_in=0.5, right_in=0.2, bottom_in=0.48, top_in=0.4),
    )


def _crossing(pair: LeadingPair) -> str:
    beyond = np.flatnonzero(pair.low > 0.5)
    if not len(beyond):
        return f"None lies wholly above {CHANCE}%: which of the two is better is not known."
    return f"At {pair.votes[beyond[0]]:,} votes it lies wholly above {CHANCE}%."


def _draw_pair(axes: Axes, course: ArenaCourse, pair: LeadingPair) -> None:
    axes.set_xlim(0, course.votes[-1])
    axes.set_ylim(0, 100)
    linear(axes.xaxis, 6)
    linear(axes.yaxis, 4)
    level_grid(axes)
    axes.axhline(CHANCE, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.vlines(pair.votes, 100 * pair.low, 100 * pair.high, color=SKY, linewidth=6, zorder=2)
    axes.plot(pair.votes, 100 * pair.rate, "o", color=INK, zorder=3, clip_on=False)


def _pair_alt(pair: LeadingPair) -> str:
    low, high = wording.share(float(pair.low[-1])), wording.share(float(pair.high[-1]))
    return (
        f"At the last look {pair.a} is chosen over {pair.b} in "
        f"{wording.share(float(pair.rate[-1]))}, with an interval from {low} to {high}."
    )
