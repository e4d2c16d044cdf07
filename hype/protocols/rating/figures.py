"""The figures of ratings: agreement, answers, correlations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from hype.judges.report import judge_drawing
from hype.protocols.prompted.strengths import MOST_DRAWN, SCALES, StrengthScale
from hype.protocols.rating.layout import axis_table, main_axis
from hype.report import wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    GRID,
    INK,
    PAPER,
    STRONGEST,
    VERMILLION,
    Axes,
    Drawing,
    Margins,
    Panel,
    fit_names,
    letters_pt,
    linear,
)
from hype.report.figures.rows import PANEL_WIDTH_IN, DotPanel, DotPanels, Rows
from hype.report.scores import Scores
from hype.report.tabular import Row
from hype.report.wording import letters_in
from hype.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class _ConditionFigure:
    """The settings of a figure of conditions: name, texts, dots and reference line."""

    name: str
    title: str
    x_label: str
    caption: str
    dot: Callable[[Row], Estimate | None]  # returns the value of a condition's dot
    mark: tuple[float, str] | None = None


def _strengths(scale: StrengthScale) -> _ConditionFigure:
    of_what = "the ratings of the two that are not ties"
    return _ConditionFigure(
        name="rating-strengths",
        title="Strengths of conditions",
        x_label=f"{scale.name} (Bradley–Terry)",
        caption=f"strength. {scale.steps_in_words('is called better', of_what)}",
        dot=scale.estimate,
        mark=None if scale.mean is None else (scale.mean, "mean of all"),
    )


def _mean(row: Row, unit: float = 1) -> Estimate | None:
    mean: Estimate | None = row["value"]
    return mean.scale(unit) if mean else None


_DIFFERENCES: Final = _ConditionFigure(
    name="rating-means",
    title="How much better than other conditions",
    x_label="mean rating",
    caption="mean rating, which is above 0 if the condition's images were rated better than the "
    "others in their pairs.",
    dot=_mean,
    mark=(0, "equal"),
)

_MEANS: Final = _ConditionFigure(
    name="rating-means",
    title="Mean ratings",
    x_label="mean rating",
    caption="mean rating.",
    dot=_mean,
)

_SHARES: Final = _ConditionFigure(
    name="rating-yes",
    title="Share of yes",
    x_label="yes, in %",
    caption="share of yes.",
    dot=partial(_mean, unit=100),
)


def strength_drawings(scores: Scores) -> Iterator[Drawing]:
    """Draw the scores of conditions on each axis, with one figure per kind of answer.

    For pairs, the figure shows strengths, or means if no axis has strengths.
    """
    levels, numbers, words = (
        [axis for axis in scores.rows("axes") if axis["kind"] == kind]
        for kind in ("levels", "numbers", "yes-no")
    )
    strong = [axis for axis in levels if any(row["strength"] for row in axis["conditions"])]
    shown = _strengths(SCALES[scores.facts["strengths"]])
    of_levels = (shown, strong) if strong else (_DIFFERENCES, levels)
    for what, axes in (of_levels, (_MEANS, numbers), (_SHARES, words)):
        if any(axis["conditions"] for axis in axes):
            yield _drawing(scores, what, axes)


def _drawing(scores: Scores, what: _ConditionFigure, axes: list[Row]) -> Drawing:
    order = [row["condition"] for row in axis_table(scores).records]
    names = tuple(order)[:MOST_DRAWN]
    dots = [{row["condition"]: what.dot(row) for row in axis["conditions"]} for axis in axes]
    alike = len({axis["ends"] for axis in axes}) == 1
    panels = DotPanels(
        names=names,
        panels=tuple(
            DotPanel(
                title=axis["axis"],
                dots=tuple(map(own.get, names)),
                limits=None if alike else axis["ends"],
            )
            for axis, own in zip(axes, dots, strict=True)
        ),
        mark=what.mark,
    )
    main, first = main_axis(scores)["axis"], axes[0]["axis"]
    where = f"on “{first}”" if len(axes) == 1 else "on each axis"
    ordered = f" Conditions are sorted by the axis “{main}”." if axes[1:] else ""
    more = (
        f" Only the first {MOST_DRAWN} of {len(order):,} are drawn; the table contains all."
        if len(order) > MOST_DRAWN
        else ""
    )
    known = sorted((dot.value, name) for name, dot in dots[0].items() if dot)
    ends = [f"{name}, {wording.number(value, 2)}" for value, name in (known[0], known[-1])]
    return Drawing(
        name=what.name,
        title=what.title,
        caption=f"Each condition (dot) {where} with its {scores.facts['confidence']:.0%} interval "
        f"(line). The dot is its {what.caption}{ordered}{more}",
        alt=f"{what.title}: on “{first}” from {ends[0]}, to {ends[1]}.",
        panels=panels.make_panels(),
        width_in=PANEL_WIDTH_IN,
        height_in=panels.height_in,
        x_label=what.x_label,
        margins=panels.margins,
        by_condition=False,
    )


_GAP: Final = 1.5
"""Gap between relevant answers and "not relevant", in percent of the width."""
_NARROWEST: Final = 4.5
"""Minimum width of a bar, in percent, for a label of one letter."""
_LETTER: Final = 1.6
"""Additional width for each further letter of a label, in percent."""
_PALEST: Final = 0.12


def answer_drawing(scores: Scores) -> Drawing:
    values, words, every = [], [], scores.rows("axes")
    for axis in every:
        share, counted = wording.share(axis["not_relevant_share"]), f"{axis['ratings']:,} answers"
        others = f"{counted}, {share} not relevant" if axis["not_relevant"] else counted
        values.append((others, share))
        given = axis["answers"]
        shares = [f"{one['answer']} {wording.share(one['relevant_share'])}" for one in given]
        words.append(f"{axis['axis']}: {', '.join(shares)}, not relevant {share}")
    rows = Rows(names=tuple(axis["axis"] for axis in every), values=tuple(values))
    return rows.drawing(
        name="rating-answers",
        title="How people answered",
        caption=_caption_of_answers(scores),
        alt=f"Answers. {'; '.join(words)}.",
        draw=partial(_draw_answers, every=every, rows=rows),
        x_label="answers, in %",
    )


def _draw_answers(axes: Axes, every: Sequence[Row], rows: Rows) -> None:
    rows.prepare(axes)
    axes.set_xlim(-0.5, 100 + _GAP + 0.5)
    linear(axes.xaxis)
    style: dict[str, Any] = {"edgecolor": PAPER, "linewidth": 0.8, "zorder": 2}
    style["height"] = 2 * rows.half
    hollow = {**style, "edgecolor": FAINT, "facecolor": PAPER, "linestyle": (0, (3, 2))}
    for place, axis in enumerate(every):
        left, y = 0.0, rows.centre(place)
        for answer, (colour, strength) in zip(axis["answers"], _shades(axis), strict=True):
            width = 100 * answer["ratings"] / axis["ratings"]
            axes.barh(y, width, left=left, color=PAPER, **style)
            axes.barh(y, width, left=left, color=colour, alpha=strength, **style)
            _label(axes, left + width / 2, y, answer["answer"], width)
            left += width
        if axis["not_relevant"]:
            width = 100 * axis["not_relevant_share"]
            axes.barh(y, width, left=left + _GAP, **hollow)
            _label(axes, left + _GAP + width / 2, y, "not relevant", width)


def _label(axes: Axes, x: float, y: float, text: str, width: float) -> None:
    if width >= _NARROWEST + _LETTER * (len(text) - 1):
        axes.text(x, y, text, ha="center", va="center", color=INK, zorder=4)


def _shades(axis: Row) -> Iterator[tuple[str, float]]:
    """Return a colour and its opacity for each answer, in the order of the scale."""
    number = len(axis["answers"])
    if axis["kind"] == "yes-no":
        yield from ((BLUE, STRONGEST), (VERMILLION, STRONGEST))
    elif axis["kind"] == "levels":  # the middle is grey, and the ends are the least transparent
        middle = number // 2
        for place in range(number):
            shade = STRONGEST * abs(place - middle) / middle
            side = BLUE if place < middle else VERMILLION
            yield (GRID, 0.99) if place == middle else (side, shade)
    else:
        step = (STRONGEST - _PALEST) / max(number - 1, 1)
        yield from ((BLUE, _PALEST + step * place) for place in range(number))


def _caption_of_answers(scores: Scores) -> str:
    sentences, every = ["All answers on each axis."], scores.rows("axes")
    if scores.facts["what"] == "pairs":
        levels = scores.facts["scale"]["levels"]
        sentences.append(
            f"Answers go from 1 (blue: the first image is much better) to {levels} (vermillion: "
            "the second image is much better). Each image of a pair can be on the left."
        )
    elif any(axis["kind"] == "numbers" for axis in every):
        sentences.append("Higher numbers are darker.")
    if any(axis["not_relevant"] for axis in every):
        sentences.append("Hollow: answers “not relevant”, which count as missing, not as 0.")
    return " ".join(sentences)


_CELL_IN: Final = 0.5
_LONGEST: Final = 16
_LETTER_EM: Final = 0.58


def correlation_drawing(scores: Scores) -> Drawing | None:
    """Draw the correlations between all axes as a matrix; None if there is only one axis."""
    correlations = scores.rows("correlations")
    if not correlations:
        return None
    names = [axis["axis"] for axis in scores.rows("axes")]
    side_in = len(names) * _CELL_IN
    shown = fit_names(names, _LONGEST)
    letter_in = _LETTER_EM * letters_pt(side_in + 1.2) / 72
    names_in = max(map(letters_in, shown)) * letter_in + 0.15
    # room for the last rotated name
    beyond_in = letters_in(shown[-1]) * letter_in * 0.75 - 0.7 * _CELL_IN
    right_in = max(0.1, beyond_in)
    alt = "All correlations are unknown."
    if known := [row["r"].value for row in correlations if row["r"]]:
        low, high = (wording.number(end, 2) for end in (min(known), max(known)))
        alt = f"Correlations between {len(names)} axes, from {low} to {high}."
    return Drawing(
        name="rating-correlations",
        title="Correlations between axes",
        caption=(
            "Pearson's correlations between the answers of one person about one item on two axes, "
            "without answers “not relevant”. Blue: above 0; vermillion: below."
        ),
        alt=alt,
        panels=(Panel(draw=partial(_draw_correlations, names=names, correlations=correlations)),),
        width_in=side_in + names_in + right_in,
        height_in=side_in + names_in * 0.75 + 0.1,
        margins=Margins(left_in=names_in, right_in=right_in, bottom_in=0.1, top_in=names_in * 0.75),
    )


def _draw_correlations(axes: Axes, names: list[str], correlations: Sequence[Row]) -> None:
    number = len(names)
    axes.set_xlim(-0.5, number - 0.5)
    axes.set_ylim(number - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for place, shown in enumerate(fit_names(names, _LONGEST)):
        axes.text(-0.6, place, shown, ha="right", va="center")
        turned: dict[str, Any] = {"rotation": 45, "ha": "left", "va": "bottom"}
        axes.text(place - 0.2, -0.6, shown, **turned, rotation_mode="anchor")
    for row in (row for row in correlations if row["r"]):
        one, other, r = names.index(row["axis"]), names.index(row["other_axis"]), row["r"].value
        for i, j in ((one, other), (other, one)):
            shade: dict[str, Any] = {"alpha": STRONGEST * abs(r), "edgecolor": PAPER}
            shade["color"] = BLUE if r >= 0 else VERMILLION
            axes.bar(j, 1, bottom=i - 0.5, width=1, linewidth=1, **shade)
            axes.text(j, i, wording.number(r, 2), ha="center", va="center", color=INK)


def rating_drawings(scores: Scores) -> tuple[Drawing, ...]:
    """Prepare the figures of ratings; a figure without data is left out."""
    drawings = (
        *strength_drawings(scores),
        correlation_drawing(scores),
        answer_drawing(scores),
        judge_drawing(scores.judges, "rating-judge-agreement"),
    )
    return tuple(drawing for drawing in drawings if drawing is not None)
