"""The figures of comparisons: final strengths, strengths over the votes, and response times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.judges.report import judge_drawing
from hype.protocols.comparison.sequential import ArenaCourse, course
from hype.protocols.prompted.strengths import BRADLEY_TERRY, SCALES, StrengthScale, strength_drawing
from hype.report import wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    INK,
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
    log_seconds,
)
from hype.report.figures.rows import CLEARING, WIDTH_IN
from hype.report.scores import Scores
from hype.report.wording import letters_in


def ranking_drawing(scores: Scores) -> Drawing | None:
    scale = SCALES[scores.facts["strengths"]]
    of_what = "the comparisons of the two that are not ties"
    ci = f"{scores.facts['confidence']:.0%}"
    caption = (
        f"Each condition's strength (dot) with its {ci} interval (line).",
        scale.steps_in_words("is chosen", of_what),
    )
    return strength_drawing(
        scores.rows("conditions"), scale, "comparison-ranking", BRADLEY_TERRY, caption
    )


_HEADER_IN_OF_TIMES: Final = 0.62
_ENDS: Final = (0.002, 0.998)
_NARROWEST_MS: Final = (300.0, 3000.0)
_BINS: Final = 48

_KEY_OF_TIMES: Final = (
    LegendEntry(label="answers", marker="s", colour=BLUE),
    LegendEntry(label="hasty ones", marker="s", colour=VERMILLION),
)


def answer_time_drawing(rows: pd.DataFrame, *, of_study: bool) -> Drawing | None:
    """Draw the distribution of the response times of scored answers; None without times.

    ``of_study``: whether times start, as in a study, when both images are visible.
    """
    timed = rows[rows["rt_ms"].ge(1)] if "rt_ms" in rows else rows[:0]  # 0 has no logarithm
    if timed.empty:
        return None
    times_ms = timed["rt_ms"].to_numpy(dtype=float)
    hasty = timed["hasty"].to_numpy() if "hasty" in timed else np.zeros(len(timed), bool)
    low, median, high = (wording.number(at, 0) for at in np.quantile(times_ms, (0.25, 0.5, 0.75)))
    since = "Times from the moment both images are visible until the answer"
    caption = (
        f"{since if of_study else 'Times of the column rt_ms'}, on a logarithmic axis; half are "
        f"between {low} and {high} ms. The bars at the ends include the few times outside the axis."
    )
    if hasty.any():
        caption += (
            f" Hasty (below the study's minimum time): {hasty.sum():,} of the {len(times_ms):,} "
            "answers that are scored and drawn here."
        )
    return Drawing(
        name="comparison-response-times",
        title="Response times",
        caption=caption,
        alt=f"Times of {len(times_ms):,} answers around a median of {median} ms; "
        f"{hasty.sum():,} were hasty.",
        panels=(Panel(draw=partial(_draw_times, times_ms=times_ms, hasty=hasty)),),
        width_in=WIDTH_IN,
        height_in=2.6,
        x_label="response time",
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
    median_ms = float(np.median(times_ms))
    _mark(axes, median_ms, f"median {wording.number(median_ms, 0)} ms")
    draw_key(axes, _KEY_OF_TIMES[: 1 + bool(hasty.any())], 72 * _HEADER_IN_OF_TIMES - 10)


def _mark(axes: Axes, x: float, label: str, *, right: bool = True) -> None:
    """Draw a vertical dashed line, with its label at the top on one side."""
    axes.axvline(x, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0.8)
    axes.annotate(
        label,
        (x, 1),
        xycoords=axes.get_xaxis_transform(),
        xytext=(5 if right else -5, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="top",
        color=SOFT,
        bbox=CLEARING,
        zorder=5,
    )


def comparison_drawings(
    scores: Scores, rows: pd.DataFrame, *, of_study: bool = True
) -> tuple[Drawing, ...]:
    """Prepare the figures of comparisons; a figure without data is left out.

    ``rows``: the scored rows. ``of_study``: whether the rows come from a study.
    """
    drawings = (
        ranking_drawing(scores),
        course_drawing(scores, rows),
        answer_time_drawing(rows, of_study=of_study),
        judge_drawing(scores.judges, "comparison-judge-agreement") if scores.judges else None,
    )
    return tuple(
        replace(drawing, name=drawing.name.replace("comparison", scores.protocol, 1))
        for drawing in drawings
        if drawing is not None
    )


_HEIGHT_IN: Final = 3.0
_LETTER_IN: Final = 0.085
_LONGEST_LABEL: Final = 16
_MOST_NAMED: Final = 10
_APART: Final = 0.075
"""Minimum distance between the names of two lines, as a share of the height."""
_REACH: Final = 1.7
"""The axis ends at the largest final strength times this; earlier values outside are cut off."""


def course_drawing(scores: Scores, rows: pd.DataFrame) -> Drawing | None:
    """Draw the strengths over the votes of an arena; None if the study is not an arena.

    ``rows``: the scored rows.
    """
    rule, scale = scores.facts["sequential"], SCALES[scores.facts["strengths"]]
    if rule is None:
        return None
    strong = (row["condition"] for row in scores.rows("conditions") if row["strength"] is not None)
    since = scores.rows("looks")[-1]["evaluators"] if rule["reached"] else None
    votes = course(rows, tuple(strong), scores.facts["ties"], since)
    if votes is None or len(votes.votes) < 2:
        return None
    what = "ranking" if rule["goal"] == "ranking" else "best condition"
    goal, known = f"The stopping rule did not find the {what}.", ""
    if votes.known_at is not None:
        goal = f"Dashed: after {votes.known_at:,} votes, the stopping rule found the {what}."
        known = f" The {what} is known after {votes.known_at:,} votes."
    named = fit_names(votes.conditions[:_MOST_NAMED], _LONGEST_LABEL)
    return Drawing(
        name="comparison-course",
        title="The course of the arena",
        caption="Strengths of the conditions over the votes, with evaluators in the order in "
        "which they finished. The thick line is the strongest condition at the end. "
        f"Lines start when all strengths are finite. {goal}",
        alt=f"Strengths over {votes.votes[-1]:,} votes; {votes.conditions[0]} is the "
        f"strongest at the end.{known}",
        panels=(Panel(draw=partial(_draw_votes, course=votes, goal=what, scale=scale)),),
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


def _draw_votes(axes: Axes, course: ArenaCourse, goal: str, scale: StrengthScale) -> None:
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
    if course.known_at is not None:
        label = f"{goal} known after {course.known_at:,}"
        _mark(axes, course.known_at, label, right=course.known_at < course.votes[-1] * 0.6)


def _style(place: int) -> dict[str, Any]:
    if place == 0:
        return {"color": INK, "linewidth": 2.4, "zorder": 4}
    if place == 1:
        return {"color": BLUE, "linewidth": 1.6, "zorder": 3}
    return {"color": SOFT, "linewidth": 1, "zorder": 2}


def _name_ends(axes: Axes, names: Sequence[str], ends: np.ndarray) -> None:
    """Write names at the ends of their lines, moved apart if they are close."""
    low, high = axes.get_ylim()
    heights = _apart((ends - low) / (high - low))
    for place, (name, y) in enumerate(zip(fit_names(names, _LONGEST_LABEL), heights, strict=True)):
        colour = {0: INK, 1: BLUE}.get(place, SOFT)
        weight = "bold" if place == 0 else "normal"
        axes.annotate(
            name,
            (1, y),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            weight=weight,
        )


def _apart(heights: np.ndarray) -> np.ndarray:
    """Move descending heights apart if they are too close, but not below the axes."""
    placed = heights.astype(float).copy()
    for place in range(1, len(placed)):
        placed[place] = min(placed[place], placed[place - 1] - _APART)
    below = min(0.0, placed[-1])
    lifted: np.ndarray = placed - below
    for place in range(len(lifted) - 2, -1, -1):
        lifted[place] = max(placed[place], lifted[place + 1] + _APART)
    lifted[-1] = max(placed[-1], 0.0)
    return lifted
