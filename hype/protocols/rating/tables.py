"""The tables of ratings, and how a terminal shows their score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import RenderableType, group
from rich.text import Text

from hype.judges import tables as judge_tables
from hype.judges.results import RatingJudgesScore
from hype.judges.tables import second_sentence
from hype.protocols.prompted.strengths import SCALES, StrengthScale
from hype.protocols.prompted.tables import (
    by_reason,
    counted_columns,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
    tests_note,
)
from hype.protocols.prompted.wording import intervals, shared
from hype.protocols.prompted.wording import ranks as open_ranks
from hype.protocols.rating.results import AxisCorrelations, AxisScore, RatingScore
from hype.report import tabular
from hype.report.methods import notes_of, said
from hype.report.tabular import Column, Row, Rows, Table, Value, tabulated, that_say_something
from hype.report.terminal import beneath_scores, closing, opening, texts, titled
from hype.statistics.estimate import value_of

say: Final = partial(said, Path(__file__).parent)
"""Writes a block of notes.txt."""


def conditions(score: RatingScore, axes: Sequence[AxisScore] | None = None) -> Table:
    """Lay out the conditions of all axes, or of some."""
    ci, of_pairs = f"{score.confidence:.0%} CI", score.what == "pairs"
    shown = score.axes if axes is None else axes
    return tabulated(
        [row for axis in shown for row in condition_rows(axis)],
        name="rating-conditions",
        title="Conditions, axis by axis",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("Condition", "condition"),
            *(SCALES[score.strengths].columns(ci) if of_pairs else ()),
            *_mean_columns(score, ci, of_pairs=of_pairs),
            tabular.whole("Ratings", "ratings"),
            *tabular.further(tabular.whole("Evaluators", "evaluators")),
            *(_strength_details(ci) if of_pairs else ()),
        ),
        note=say("conditions_table", score=score, scale=SCALES[score.strengths]),
    )


def _mean_columns(score: RatingScore, ci: str, *, of_pairs: bool) -> Iterator[Column]:
    kinds = {axis.kind for axis in score.axes}
    if kinds - {"yes-no"}:
        yield tabular.number("Mean", "mean", 2)
        interval = tabular.interval(ci, "mean", 2)
        yield from tabular.further(interval) if of_pairs else (interval,)
    if "yes-no" in kinds:
        yield tabular.share("Yes", "yes_share", of="yes")
        yield tabular.percents(f"{ci}, %", "yes", 0)


def _strength_details(ci: str) -> tuple[Column, ...]:
    return (
        *tabular.further(
            tabular.whole("Rank", "rank"),
            tabular.percent("Win rate", "win_rate"),
            tabular.percents(ci, "win_rate"),
            tabular.whole("Comparisons", "comparisons"),
        ),
        *counted_columns(),
        *strength_columns(),
        *tabular.further(tabular.words("No strength, because", "reason")),
    )


def condition_rows(axis: AxisScore) -> Iterator[dict[str, Any]]:
    """Give the conditions of an axis: by strength where these are known, else by mean."""
    for name in condition_names(axis):
        mean, words = axis.mean(name), axis.kind == "yes-no"
        yield {
            **(vars(strong) if (strong := axis.strength(name)) else {}),
            "axis": axis.axis,
            "condition": name,
            "mean": mean.mean if mean and not words else None,
            "yes": mean.mean if mean and words else None,
            "ratings": mean.ratings if mean else None,
            "evaluators": mean.evaluators if mean else None,
        }


def condition_names(axis: AxisScore) -> tuple[str, ...]:
    """Name the conditions of an axis: by strength where these are known, else by mean."""
    strong = [row.condition for row in axis.strengths]
    return tuple(dict.fromkeys([*strong, *(row.condition for row in axis.means)]))


def pairs(score: RatingScore) -> Table:
    ci = f"{score.confidence:.0%} CI"
    columns: tuple[Column, ...] = (
        tabular.name("Condition", "a"),
        tabular.name("over", "b"),
        tabular.number("Difference\nof means", "difference", 2),
        tabular.interval(ci, "difference", 2),
        tabular.probability("p", "p"),
        tabular.probability("Holm", "p_holm"),
    )
    if score.what == "pairs":
        columns = (
            *pair_columns(score),
            *rate_columns(score.confidence),
            *further_pair_columns(),
        )
    columns = (*columns, tabular.words("Verdict", "verdict"))
    return Table(
        name="rating-pairs",
        title="Pairs of conditions, axis by axis",
        columns=(tabular.name("Axis", "axis"), *columns),
        rows=tuple(
            (axis.axis, *(column.value(pair) for column in columns))
            for axis in score.axes
            for pair in axis.pairs
        ),
        note=_tests_note(score),
    )


def _tests_note(score: RatingScore) -> str:
    if score.what == "pairs":
        rules = [axis.fit.rule for axis in score.axes if axis.fit and axis.fit.rule]
        return tests_note(score, rules[0] if rules else None)
    return say("pairs_table", score=score)


def by_axis(score: RatingScore, axes: Sequence[AxisScore] | None = None) -> Table:
    pairs = score.what == "pairs"
    shown = score.axes if axes is None else axes
    first = main_axis(score)
    names = dict.fromkeys((*condition_names(first), *score.conditions))
    scale = SCALES[score.strengths]
    heading = scale.name[:1].upper() + scale.name[1:]
    column = partial(tabular.number, decimals=scale.decimals if pairs else 2)
    return Table(
        name=f"rating-{'strengths' if pairs else 'means'}-by-axis",
        title=f"{heading} on each axis" if pairs else "Mean on each axis",
        columns=(
            tabular.name("Condition", "condition"),
            *tabular.columns_of_names(
                "score" if pairs else "mean", [axis.axis for axis in shown], column
            ),
        ),
        rows=tuple((name, *(_value(axis, name, scale) for axis in shown)) for name in names),
        note="" if pairs else "Of yes and no: the share of yes.",
    )


def _value(axis: AxisScore, condition: str, scale: StrengthScale) -> float | None:
    if axis.kind == "levels":
        strong = axis.strength(condition)
        return value_of(scale.estimate(strong) if strong else None)
    mean = axis.mean(condition)
    return mean.mean.value if mean else None


def main_axis(score: RatingScore) -> AxisScore:
    """Give the axis that stands for all: the overall one, else the first."""
    return score.axis(score.overall) if score.overall is not None else score.axes[0]


def axes(score: RatingScore) -> Table:
    ci = f"{score.confidence:.0%} CI"
    with_overall = score.correlations.with_overall if score.correlations else ()
    r = {row["axis"]: row["r"] for row in with_overall}
    return tabulated(
        score.axes,
        name="rating-axes",
        title="Axes",
        columns=(
            tabular.name("Axis", "axis"),
            *tabular.further(tabular.whole("Ratings", "ratings")),
            tabular.share("Not\nrelevant", "not_relevant_share"),
            tabular.number("α", "alpha", 2, of="alpha.alpha"),
            tabular.interval(ci, "alpha", 2, of="alpha.alpha"),
            tabular.words(
                "over",
                "alpha_over",
                of=lambda a: f"{a.alpha.units:,} {a.alpha.unit}" if a.alpha else None,
            ),
            tabular.whole("Eval", "alpha_evaluators", of="alpha.evaluators"),
            tabular.whole("Ans-\nwers", "alpha_values", of="alpha.n"),
            *(
                [tabular.number("r, with\noverall", "r_overall", 2, of=lambda a: r.get(a.axis))]
                if r
                else []
            ),
            *tabular.further(
                tabular.words("Answered with", "kind", of=lambda axis: str(axis.kind)),
                tabular.whole("Ratings that are not relevant", "not_relevant"),
                tabular.whole("Evaluators", "evaluators"),
                tabular.whole("Items", "items"),
                tabular.whole("Iterations", "iterations", of="fit.iterations"),
                tabular.number("Log-likelihood", "log_likelihood", 3, of="fit.log_likelihood"),
                tabular.number("Davidson's ν", "tie_parameter", 3, of="fit.tie_parameter"),
                tabular.words("Rule of p", "rule", of="fit.rule"),
                tabular.words(
                    "Without strength, because",
                    "problems",
                    of=lambda axis: " ".join(axis.fit.problems) if axis.fit else "",
                ),
            ),
        ),
        note=" ".join(
            (
                *([f"Krippendorff's α {over}."] if (over := alpha_note(score)) else []),
                *(["r: of what one said of one item."] if r else []),
            )
        ),
    )


def alpha_note(score: RatingScore) -> str:
    """State what the shown α is over; empty if none is shown."""
    units = {axis.alpha.unit for axis in score.axes if axis.alpha}
    return say("alphas", score=score, units=units)


def alphas(score: RatingScore) -> Table:
    return Table(
        name="rating-agreement",
        title="Krippendorff's α",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Over", "unit"),
            tabular.number("α", "alpha", 3),
            tabular.interval(f"{score.confidence:.0%} CI", "alpha", 3),
            tabular.whole("Units", "units"),
            tabular.whole("Values", "values"),
            tabular.whole("Evaluators", "evaluators"),
        ),
        rows=tuple(
            (axis.axis, a.unit, a.alpha.value, a.alpha.ends, a.units, a.n, a.evaluators)
            for axis in score.axes
            for a in axis.alphas
        ),
    )


def answers(score: RatingScore) -> Table:
    return tabulated(
        [{"axis": axis.axis, **row} for axis in score.axes for row in _answers_of(axis)],
        name="rating-answers",
        title="How often each answer was given",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Answer", "answer"),
            tabular.whole("Ratings", "ratings"),
            tabular.share("Share of the\nrelevant", "relevant_share"),
        ),
    )


def _answers_of(axis: AxisScore) -> Rows:
    number = axis.not_relevant
    others: Row = {"answer": "not relevant", "ratings": number, "relevant_share": None}
    return (*axis.answers, *([others] if number else []))


def correlations(score: RatingScore) -> Table:
    correlated = score.correlations
    return Table(
        name="rating-correlations",
        title="Correlations between axes",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.name("and", "other_axis"),
            tabular.number("r", "r", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "r", 2),
            tabular.whole("Ratings of\nboth", "ratings"),
        ),
        rows=tuple(_correlated(correlated)) if correlated else (),
    )


def _correlated(correlated: AxisCorrelations) -> Iterator[tuple[Value, ...]]:
    matrix = correlated.matrix
    for i, j in zip(*np.triu_indices(len(correlated.axes), 1), strict=True):
        r, low, high = (_known(each[i, j]) for each in (matrix.r, matrix.low, matrix.high))
        yield (correlated.axes[i], correlated.axes[j], r, (low, high), int(matrix.n[i, j]))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def with_overall(score: RatingScore) -> Table:
    return tabulated(
        score.correlations.with_overall if score.correlations else (),
        name="rating-with-overall",
        title=f"How axes go with {score.overall}",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.number("r", "r", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "r", 2),
            tabular.whole("Ratings of both", "ratings"),
        ),
    )


def truth(score: RatingScore) -> Table:
    ci = f"{score.confidence:.0%} CI"
    return tabulated(
        [{"axis": axis.axis, **axis.truth} for axis in score.axes if axis.truth],
        name="rating-truth",
        title="People against what is right",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.share("Right", "right_share", of="right"),
            tabular.percents(f"{ci}, %", "right", 0),
            tabular.number("r with\nthe truth", "r", 2),
            tabular.interval(ci, "r", 2),
            tabular.whole("Ratings", "ratings"),
            *tabular.further(tabular.whole("Evaluators", "evaluators")),
        ),
    )


def leaderboard(score: RatingScore) -> Table:
    rows = score.leaderboard["axes"] if score.leaderboard else ()
    ci = f"{score.confidence:.0%} CI"
    lacks = any(row["problem"] for row in rows)
    return tabulated(
        rows,
        name="rating-leaderboard",
        title="Beside the leaderboard",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.whole("Condi-\ntions", "conditions"),
            tabular.number("Pear-\nson", "pearson", 2),
            tabular.interval(ci, "pearson", 2),
            tabular.number("Spear-\nman", "spearman", 2),
            tabular.interval(ci, "spearman", 2),
            *([tabular.words("Not known, since", "problem")] if lacks else []),
        ),
    )


def left_out(score: RatingScore) -> Table:
    return by_reason(score.exclusions, "ratings")


MOST_ROWS: Final = 20
"""Conditions on axes that a terminal shows all with intervals; of more, those of one axis."""
WIDTH: Final = 79
"""Of a terminal, in letters, and of a column of numbers in it."""
COLUMN: Final = 10
FEWEST_COLUMNS: Final = 3
"""Axes that stand side by side even if names are long."""


def of_conditions(score: RatingScore) -> tuple[Table, ...]:
    """Lay out conditions on all axes; where judges are asked for, on the main one alone."""
    if score.judges is not None:
        return (conditions(score, [main_axis(score)]),)
    rows = sum(len(condition_names(axis)) for axis in score.axes)
    if rows <= MOST_ROWS:
        return (conditions(score),)
    first = main_axis(score)
    size = axes_abreast(score)
    parts = range(0, len(score.axes), size)
    return (
        conditions(score, [first]),
        *(by_axis(score, score.axes[at : at + size]) for at in parts),
    )


def axes_abreast(score: RatingScore) -> int:
    """Return how many axes stand side by side, so that names fit a line and none is alone."""
    longest = max(len(name) for name in score.conditions)
    most = max(FEWEST_COLUMNS, (WIDTH - longest) // COLUMN)
    tables = -(-len(score.axes) // most)
    return -(-len(score.axes) // tables)


def rating_judges(score: RatingScore) -> RatingJudgesScore | None:
    return score.judges if isinstance(score.judges, RatingJudgesScore) else None


def every_table(score: RatingScore) -> tuple[Table, ...]:
    return (
        conditions(score),
        pairs(score),
        by_axis(score),
        axes(score),
        alphas(score),
        answers(score),
        correlations(score),
        with_overall(score),
        truth(score),
        leaderboard(score),
        left_out(score),
        *_of_judges(rating_judges(score)),
    )


def facts(score: RatingScore) -> dict[str, object]:
    """List what JSON holds besides tables, for ratings only."""
    names = ("what", "rows", "ratings", "items", "scale", "level", "overall", "seed")
    return {name: getattr(score, name) for name in names}


def _of_judges(score: RatingJudgesScore | None) -> Iterator[Table]:
    if score is None:
        return
    yield judge_tables.summary(score)
    yield judge_tables.second_person(score)
    for what in ("kappa", "weighted", "r"):
        yield judge_tables.axis_matrix(score, what)
    yield judge_tables.every_axis(score)
    yield judge_tables.correlations(score)
    yield judge_tables.first_images(score)
    yield judge_tables.truth_comparison(score)


TITLES: Final = {
    "pairs": "Ratings of pairs: how much better one of two images is, axis by axis",
    "images": "Ratings of single images, axis by axis",
}

lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes a block of notes.txt whose sentences stand one by one."""


def say_ranks(score: RatingScore) -> str:
    """State the open ranks on the main axis, and what is known of pairs of conditions."""
    axis = main_axis(score)
    of_axis = open_ranks(axis.strengths, axis.pairs)
    return say("ranks", score=score, axis=axis, open=of_axis)


ASKED_FOR: Final = ("rating-leaderboard",)
"""Tables that a terminal always shows next to the conditions."""


@group()
def rating_table(
    score: RatingScore, *, background: Sequence[str] = (), whole: bool = True
) -> Iterator[RenderableType]:
    """Lay out a score for a terminal at least 80 columns wide.

    ``score``: as `hype.protocols.rating.score.score_ratings` returns it, with judges or without.
    ``background``: sentences on where it comes from, such as what was registered. ``whole``: with
    every table and note.
    """
    title = TITLES[score.what]
    asked = lines("asked", score=score, axes=[axis.axis for axis in score.axes])
    yield from opening(title, asked, simulated=score.simulated)
    shown = of_conditions(score)
    for place, table in enumerate(shown):
        yield from (beneath_scores if place else titled)(table)
    if len(shown) > 1 or (score.judges and len(score.axes) > 1):
        yield Text("All axes with intervals: hype report, or --json.", style="dim")
    yield from (Text(problem, style="yellow") for problem in lines("problems", score=score))
    yield from texts(say_ranks(score))
    for table in that_say_something((axes(score), truth(score), leaderboard(score))):
        if whole or table.name in ASKED_FOR:
            yield from titled(table)
        if table.name == "rating-leaderboard":
            yield from map(Text, lines("leaderboard", board=score.leaderboard))
    if judges := rating_judges(score):
        yield from judge_tables.lay_out_in_terminal(judges)
        yield from texts(second_sentence(judges, judge_tables.main_axis(judges)))
    yield Text()
    if whole:
        yield from texts(shared("not_scored", exclusions=score.exclusions))
    more = ("agreement on each axis",)
    yield from closing(background, intervals(score), score.notes, whole=whole, more=more)
