"""The tables of ratings: conditions on each axis."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from hype.protocols.rating.axis_columns import axis_columns
from hype.report import tabular
from hype.report.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.rating.results import AxisScore, ConditionMean, RatingScore
    from hype.report.tabular import Column, Value

SAME: Final = " "
"""Stands in a terminal where the cell would repeat the one above it."""


def conditions(score: RatingScore) -> Table:
    """Lay out all numbers of each condition on each axis."""
    ci = f"{score.confidence:.0%} CI"
    strength: tuple[Column, ...] = (
        tabular.number("Log\nstrength", "strength", 2),
        tabular.interval(ci, "strength_*", 2),
        tabular.number("Elo", "elo", 0),
        tabular.interval(ci, "elo_*", 0),
    )
    return Table(
        name="rating-conditions",
        title="Conditions, axis by axis",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("Condition", "condition"),
            *(strength if score.what == "pairs" else ()),
            *_mean_columns(score, ci),
            tabular.whole("Ratings", "ratings"),
            *([tabular.words("No strength, because", "reason")] if _reasons(score) else []),
        ),
        rows=tuple(row for axis in score.axes for row in _conditions_of(axis, score)),
        note=means_note(score),
    )


def _mean_columns(score: RatingScore, ci: str) -> Iterator[Column]:
    kinds = {axis.kind for axis in score.axes}
    if kinds - {"yes-no"}:
        yield tabular.number("Mean", "mean", 2)
        yield tabular.interval(ci, "mean_*", 2)
    if "yes-no" in kinds:
        yield tabular.share("Yes", "yes_share")
        yield tabular.interval(f"{ci}, %", "yes_*_percent", 0)


def _means(axis: AxisScore, mean: ConditionMean | None, score: RatingScore) -> Iterator[Value]:
    kinds = {one.kind for one in score.axes}
    words = axis.kind == "yes-no"
    if kinds - {"yes-no"}:
        yield mean.mean if mean and not words else None
        yield (mean.low, mean.high) if mean and not words else None
    if "yes-no" in kinds:
        yield mean.mean if mean and words else None
        yield percent_ends(mean.low, mean.high) if mean and words else None


def percent_ends(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    return (None if low is None else 100 * low, None if high is None else 100 * high)


def _reasons(score: RatingScore) -> bool:
    return any(row.reason for axis in score.axes for row in axis.strengths)


def _conditions_of(axis: AxisScore, score: RatingScore) -> Iterator[tuple[Value, ...]]:
    for name in condition_names(axis):
        strong, mean = axis.strength(name), axis.mean(name)
        strength: tuple[Value, ...] = (None,) * 4
        if strong:
            ends = (strong.strength_low, strong.strength_high)
            strength = (strong.strength, ends, strong.elo, (strong.elo_low, strong.elo_high))
        reason = (strong.reason if strong else None,) if _reasons(score) else ()
        yield (
            axis.axis,
            name,
            *(strength if score.what == "pairs" else ()),
            *_means(axis, mean, score),
            mean.ratings if mean else None,
            *reason,
        )


def condition_names(axis: AxisScore) -> tuple[str, ...]:
    """Name the conditions of an axis: by strength where these are known, else by mean."""
    strong = [row.condition for row in axis.strengths]
    return tuple(dict.fromkeys([*strong, *(row.condition for row in axis.means)]))


def means_note(score: RatingScore) -> str:
    """Say what the figures of conditions are."""
    if score.what == "images":
        return "Mean: of the numbers that images of a condition got; yes: the share of yes."
    most = (score.scale.levels - 1) // 2
    return (
        "Strength: Bradley–Terry, of which image was better at all; its mean is 0, Elo's 1000. "
        f"Mean: how much better than the others, from −{most} to {most}; it depends on which others"
        " a condition met."
    )


def in_short(score: RatingScore, axes: Sequence[AxisScore]) -> Table:
    """Lay out the conditions of some axes as a terminal has room for them."""
    pairs, ci = score.what == "pairs", f"{score.confidence:.0%} CI"
    return Table(
        name="rating-conditions-in-short",
        title="Conditions, axis by axis",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("Condition", "condition"),
            *([tabular.number("Log\nstrength", "strength", 2)] if pairs else []),
            *([tabular.interval(ci, "strength_*", 2)] if pairs else []),
            *([tabular.number("Elo", "elo", 0)] if pairs else []),
            *list(_mean_columns(score, ci))[: 1 if pairs else None],
            tabular.whole("Ratings", "ratings"),
        ),
        rows=tuple(row for axis in axes for row in _short_rows(axis, score)),
        note=means_note(score),
    )


def _short_rows(axis: AxisScore, score: RatingScore) -> Iterator[tuple[Value, ...]]:
    pairs = score.what == "pairs"
    for place, name in enumerate(condition_names(axis)):
        strong, mean = axis.strength(name), axis.mean(name)
        ends = (strong.strength_low, strong.strength_high) if strong else None
        strength = (strong.strength, ends, strong.elo) if strong else (None,) * 3
        yield (
            SAME if place else axis.axis,
            name,
            *(strength if pairs else ()),
            *list(_means(axis, mean, score))[: 1 if pairs else None],
            mean.ratings if mean else None,
        )


def by_axis(score: RatingScore, axes: Sequence[AxisScore] | None = None) -> Table:
    """Lay out a square: a row for each condition, on each axis Elo's number, or the mean."""
    pairs = score.what == "pairs"
    shown = score.axes if axes is None else axes
    first = main_axis(score)
    names = dict.fromkeys((*condition_names(first), *score.conditions))
    column = partial(tabular.number, decimals=0 if pairs else 2)
    return Table(
        name="rating-elo" if pairs else "rating-means",
        title="Elo on each axis" if pairs else "Mean on each axis",
        columns=(
            tabular.name("Condition", "condition"),
            *axis_columns("elo" if pairs else "mean", [axis.axis for axis in shown], column),
        ),
        rows=tuple((name, *(_value(axis, name) for axis in shown)) for name in names),
        note="" if pairs else "Of yes and no: the share of yes.",
    )


def _value(axis: AxisScore, condition: str) -> float | None:
    if axis.kind == "levels":
        strong = axis.strength(condition)
        return strong.elo if strong else None
    mean = axis.mean(condition)
    return mean.mean if mean else None


def main_axis(score: RatingScore) -> AxisScore:
    """Give the axis that stands for all: the overall one, else the first."""
    return score.axis(score.overall) if score.overall is not None else score.axes[0]
