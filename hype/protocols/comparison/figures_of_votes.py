"""How an arena went: strengths vote by vote, and what was known of the two at the top."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from hype.protocols.comparison.results import ArenaCourse, LeadingPair, Sequential
from hype.protocols.prompted.strengths import StrengthScale
from hype.report import wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    INK,
    SKY,
    SOFT,
    Axes,
    Drawing,
    Margins,
    Panel,
    fitted,
    level_grid,
    linear,
)
from hype.report.figures.rows import CHANCE, CLEARING, WIDTH_IN
from hype.report.wording import letters_in

_HEIGHT_IN: Final = 3.0
_LETTER_IN: Final = 0.085
_LONGEST: Final = 16
_MOST_NAMED: Final = 10
_APART: Final = 0.075
"""Least distance between the names of two lines, as a share of the height."""
_REACH: Final = 1.7
"""The axis goes this far beyond the strengths of the end; what was farther at first is cut off."""


def course_drawings(
    course: ArenaCourse | None, rule: Sequential | None, scale: StrengthScale
) -> tuple[Drawing, ...]:
    """Draw the course of an arena; nothing where there is none.

    ``course``: as `hype.protocols.comparison.sequential.course` returns it. ``rule``: what the
    stopping rule says at the end. ``scale``: of the strengths.
    """
    if course is None or rule is None or len(course.votes) < 2:
        return ()
    leading = [_pair_drawing(course, course.leading)] if course.leading else []
    return (_strength_drawing(course, rule, scale), *leading)


def _strength_drawing(course: ArenaCourse, rule: Sequential, scale: StrengthScale) -> Drawing:
    named = [fitted(name, _LONGEST) for name in course.conditions[:_MOST_NAMED]]
    return Drawing(
        name="comparison-course",
        title="The course of the arena",
        caption="Strengths of the conditions after so many votes, by evaluators in the order "
        "in which they finished; the strongest at the end is drawn thick. A line begins where all "
        "strengths are finite. " + _goal_in_words(course, rule),
        alt=_strength_alt(course, rule),
        panels=(Panel(draw=partial(_draw_strengths, course=course, rule=rule, scale=scale)),),
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


def _draw_strengths(
    axes: Axes, course: ArenaCourse, rule: Sequential, scale: StrengthScale
) -> None:
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
    """Write names beside the ends of their lines, moved apart where these are close."""
    low, high = axes.get_ylim()
    heights = _apart((ends - low) / (high - low))
    for place, (name, y) in enumerate(zip(names, heights, strict=True)):
        colour = {0: INK, 1: BLUE}.get(place, SOFT)
        weight = "bold" if place == 0 else "normal"
        axes.annotate(
            fitted(name, _LONGEST),
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
