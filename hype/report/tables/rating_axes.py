"""What ratings say of the axes: agreement, correlations, answers, truth, a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.report.tables import tabular
from hype.report.tables.rating_tables import SAME, percent_ends
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.ratings.axis_scores import AlphaUnit, AxisScore
    from hype.analysis.ratings.scores import AxisCorrelations, RatingScore
    from hype.report.tables.tabular import Value


def axes(score: RatingScore) -> Table:
    """Lay out the axes: how often they were rated, were not relevant, and how far people agree."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="rating-axes",
        title="Axes",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.whole("Ratings", "ratings"),
            tabular.share("Not\nrelevant", "not_relevant_share"),
            tabular.number("α, con-\nditions", "alpha_conditions", 2),
            tabular.interval(ci, "alpha_conditions_*", 2),
            tabular.number("α,\nitems", "alpha_items", 2),
            tabular.interval(ci, "alpha_items_*", 2),
        ),
        rows=tuple(
            (
                axis.axis,
                axis.ratings,
                axis.not_relevant_share,
                *_alpha(axis, "conditions"),
                *_alpha(axis, "items"),
            )
            for axis in score.axes
        ),
        note="Krippendorff's α, over conditions: how far all ratings of a condition agree, "
        "whichever image they are of; over items: how far several ratings of the same "
        f"{'pair' if score.what == 'pairs' else 'image'} do.",
    )


def _alpha(axis: AxisScore, unit: AlphaUnit) -> tuple[Value, Value]:
    found = axis.alpha(unit)
    return (found.alpha, (found.low, found.high)) if found else (None, None)


def alphas(score: RatingScore) -> Table:
    """Lay out what each α rests on."""
    return Table(
        name="rating-alpha",
        title="Krippendorff's α",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Over", "unit"),
            tabular.number("α", "alpha", 3),
            tabular.interval(f"{score.confidence:.0%} CI", "alpha_*", 3),
            tabular.whole("Units", "units"),
            tabular.whole("Values", "values"),
            tabular.whole("Evaluators", "evaluators"),
        ),
        rows=tuple(
            (one.axis, a.unit, a.alpha, (a.low, a.high), a.units, a.n, a.evaluators)
            for one in score.axes
            for a in one.alphas
        ),
    )


def answers(score: RatingScore) -> Table:
    """Lay out how often each answer was given."""
    return Table(
        name="rating-answers",
        title="How often each answer was given",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Answer", "answer"),
            tabular.whole("Ratings", "ratings"),
            tabular.share("Share of the\nrelevant", "relevant_share"),
        ),
        rows=tuple(row for axis in score.axes for row in _answers_of(axis)),
    )


def _answers_of(axis: AxisScore) -> Iterator[tuple[Value, ...]]:
    for one in axis.answers:
        yield (axis.axis, one.answer, one.count, one.share)
    if axis.not_relevant:
        yield (axis.axis, "not relevant", axis.not_relevant, None)


def correlations(score: RatingScore) -> Table:
    """Lay out every two axes."""
    found = score.correlations
    return Table(
        name="rating-correlations",
        title="Correlations between axes",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("and", "other_axis"),
            tabular.number("r", "r", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "r_*", 2),
            tabular.whole("Ratings of\nboth", "ratings"),
        ),
        rows=tuple(_correlated(found)) if found else (),
    )


def _correlated(found: AxisCorrelations) -> Iterator[tuple[Value, ...]]:
    matrix = found.matrix
    for i, j in zip(*np.triu_indices(len(found.axes), 1), strict=True):
        r, low, high = (_known(each[i, j]) for each in (matrix.r, matrix.low, matrix.high))
        yield (found.axes[i], found.axes[j], r, (low, high), int(matrix.n[i, j]))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def square(score: RatingScore) -> Table:
    """Lay out the correlations as a triangle; a column has the number of its row."""
    found = score.correlations
    names = found.axes if found else ()
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return Table(
        name="rating-square",
        title="Correlations between axes, of what one person said of one item",
        columns=(
            tabular.name("", "axis"),
            *(tabular.number(number, f"r_{number}", 2) for number in numbers[:-1]),
        ),
        rows=tuple(
            (f"{number} {name}", *_beneath(found, place))
            for place, (number, name) in enumerate(zip(numbers, names, strict=True))
            if found
        ),
    )


def _beneath(found: AxisCorrelations, row: int) -> Iterator[Value]:
    for column in range(len(found.axes) - 1):
        yield _known(found.matrix.r[row, column]) if column < row else SAME


def with_overall(score: RatingScore) -> Table:
    """Lay out how each axis goes with the overall one."""
    rows = score.correlations.with_overall if score.correlations else ()
    return Table(
        name="rating-with-overall",
        title=f"How axes go with {score.overall}",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.number("r", "r", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "r_*", 2),
            tabular.whole("Ratings of both", "ratings"),
        ),
        rows=tuple((one.axis, one.r, (one.low, one.high), one.n) for one in rows),
    )


def truth(score: RatingScore) -> Table:
    """Lay out how people's answers on single images go with what is right."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="rating-truth",
        title="People against what is right",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.share("Right", "right_share"),
            tabular.interval(f"{ci}, %", "right_*_percent", 0),
            tabular.number("r with\nthe truth", "r", 2),
            tabular.interval(ci, "r_*", 2),
            tabular.whole("Ratings", "ratings"),
        ),
        rows=tuple(row for axis in score.axes for row in _right(axis)),
    )


def _right(axis: AxisScore) -> Iterator[tuple[Value, ...]]:
    found = axis.truth
    if found is None:
        return
    r = found.correlation
    yield (
        axis.axis,
        found.accuracy,
        percent_ends(found.low, found.high),
        r.r if r else None,
        (r.low, r.high) if r else None,
        found.ratings,
    )


def leaderboard(score: RatingScore) -> Table:
    """Lay out how the conditions of each axis stand beside the leaderboard."""
    found = score.leaderboard
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="rating-leaderboard",
        title="Beside the leaderboard",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.whole("Condi-\ntions", "conditions"),
            tabular.number("Pear-\nson", "pearson", 2),
            tabular.interval(ci, "pearson_*", 2),
            tabular.number("Spear-\nman", "spearman", 2),
            tabular.interval(ci, "spearman_*", 2),
            *([tabular.words("Not known, since", "problem")] if _problems(score) else []),
        ),
        rows=tuple(
            (
                one.axis,
                one.n,
                one.pearson,
                (one.pearson_low, one.pearson_high),
                one.spearman,
                (one.spearman_low, one.spearman_high),
                *([one.problem] if _problems(score) else []),
            )
            for one in (found.axes if found else ())
        ),
    )


def _problems(score: RatingScore) -> bool:
    return bool(score.leaderboard and any(one.problem for one in score.leaderboard.axes))


def left_out(score: RatingScore) -> Table:
    """Lay out what was not scored, by the reason."""
    return Table(
        name="rating-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Ratings", "ratings"),
        ),
        rows=tuple((one.meaning, one.evaluators, one.ratings) for one in score.exclusions),
    )
