"""Automated judges beside people, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from hype.judges.benchmark import Benchmark
from hype.judges.results import (
    AxisAgreement,
    ChoiceAgreement,
    ComparingAgreement,
    ComparisonJudgesScore,
    CountedEstimate,
    DetectorAgreement,
    JudgeAgreement,
    JudgementJudgesScore,
    JudgesScore,
    RankingJudgesScore,
    RatingJudgesScore,
    TruthAgreement,
)
from hype.report import tabular, wording
from hype.report.tabular import Column, Interval, Table, Value
from hype.report.terminal import titled
from hype.statistics.estimate import ends_of, in_percent, value_of

SECOND: Final = "(a second person)"
"""Whose row stands beside those of judges: how far two people agree."""
SECOND_NOTE: Final = f"{SECOND}: how far two people agree who rated the same item."
DECIMALS: Final = 2
"""Of scores in a benchmark, where the spread over groups does not ask for more."""
_MOST_DECIMALS: Final = 6
_NOTES: Final = 3
_MOST_IN_LINE: Final = 8


def summary(score: JudgesScore[Any]) -> Table:
    """Lay out one row for each judge: how far it agrees with people, beside a second person."""
    if isinstance(score, RatingJudgesScore):
        return _summary_of_ratings(score)
    of_models = score.against == "rankings"
    detecting, comparing = (score.against == each for each in ("judgements", "comparisons"))
    ci = f"{score.confidence:.0%} CI"
    accuracy = "Same as\na person" if detecting else "Accu-\nracy"
    return Table(
        name="preference-models" if of_models else "judges",
        title=f"{'Preference models' if of_models else 'Judges'} beside people",
        columns=(
            tabular.name("Model" if of_models else "Judge", "judge"),
            *(_ERROR_COLUMNS if detecting else ()),
            tabular.percent(accuracy, "accuracy"),
            tabular.percents(ci, "accuracy"),
            tabular.percent("Second\nperson", "person"),
            tabular.number("Diffe-\nrence", "difference"),
            tabular.interval(ci, "difference"),
            *_verdict_column(score),
            tabular.share("Judged", "judged_share"),
            *([tabular.share("First", "first_share")] if comparing else []),
        ),
        rows=tuple(_sum_up(judge, with_verdict=score.margin is not None) for judge in score.judges),
        note=" ".join(_summary_notes(score)),
    )


_ERROR_COLUMNS: Final = (
    tabular.percent("Error", "error"),
    tabular.percent("People", "people_error"),
)


def _sum_up(judge: ChoiceAgreement, *, with_verdict: bool) -> tuple[Value, ...]:
    errors: tuple[Value, ...] = ()
    first: tuple[Value, ...] = ()
    if isinstance(judge, DetectorAgreement):
        errors = (_percent(judge.errors.judge)[0], _percent(judge.errors.people)[0])
    if isinstance(judge, ComparingAgreement):
        first = (judge.first_image.judge.value if judge.first_image else None,)
    return (
        judge.judge,
        *errors,
        *_percent(judge.accuracy),
        _percent(judge.person)[0],
        *_percent(judge.difference),
        *((judge.verdict,) if with_verdict else ()),
        judge.coverage,
        *first,
    )


def _summary_notes(score: JudgesScore[Any]) -> Iterator[str]:
    if score.against == "judgements":
        yield "Same as a person: how often it gives a person's answer."
    else:
        yield "Accuracy: how often it prefers what a person chose."
    yield (
        "Second person: how often another person does. Difference: judge minus second person, in "
        "percentage points."
    )
    if score.margin is not None:
        yield verdict_note(100 * score.margin, "points")
    if score.against == "comparisons":
        yield "First: how often it prefers what is shown first, of pairs in both orders."


def verdict_note(margin: float, unit: str) -> str:
    return (
        f"Verdict, within a margin of {margin:g} {unit}: as good as a second person, worse, or not "
        "known."
    )


def _verdict_column(score: JudgesScore[Any]) -> tuple[Column, ...]:
    return () if score.margin is None else (tabular.words("Verdict", "verdict"),)


def _summary_of_ratings(score: RatingJudgesScore) -> Table:
    main, ci = main_axis(score), f"{score.confidence:.0%} CI"
    return Table(
        name="judges",
        title="Judges beside people",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.number(f"r,\n{tabular.in_lines(main)}" if main else "Mean\nr", "r", 2),
            tabular.interval(ci, "r", 2),
            *(_difference_columns(ci) if main else ()),
            *(_verdict_column(score) if main else ()),
            tabular.number("κ" if main else "Mean\nκ", "kappa", 2),
            tabular.share("Ans-\nwered", "answered_share"),
            *([tabular.share("First", "first_share")] if score.pairs else []),
        ),
        rows=tuple(_sum_up_ratings(judge, score, main) for judge in score.judges),
        note=" ".join(_rating_notes(score, main)),
    )


def _difference_columns(ci: str) -> tuple[Column, ...]:
    return (
        tabular.number("Diffe-\nrence", "difference", 2),
        tabular.interval(ci, "difference", 2),
    )


def _rating_notes(score: RatingJudgesScore, main: str) -> Iterator[str]:
    yield f"r: Pearson's, κ: Cohen's, {f'on {main}' if main else 'the mean over axes'}."
    if main:
        yield "Difference: r minus a second person's."
    if main and score.margin is not None:
        yield verdict_note(score.margin, "of r")
    if score.pairs:
        yield "First: how often it prefers the first image."


def main_axis(score: RatingJudgesScore) -> str:
    """Give the axis that stands for all: the overall one, or the only one; else none, empty."""
    if score.overall is not None:
        return score.overall
    return score.axes[0] if len(score.axes) == 1 else ""


def _sum_up_ratings(
    judge: JudgeAgreement, score: RatingJudgesScore, main: str
) -> tuple[Value, ...]:
    row = judge.axis(main) if main else None
    kappas = [k for each in judge.axes if (k := _figure(each.kappa)[0]) is not None]
    mean_kappa = sum(kappas) / len(kappas) if kappas else None
    return (
        judge.judge,
        *(_figure(row.r) if row else (judge.mean_r, None)),
        *(_figure(row.difference) if row else ()),
        *((row.verdict,) if row and score.margin is not None else ()),
        _figure(row.kappa)[0] if row else mean_kappa,
        judge.coverage,
        *([judge.first_image.judge.value if judge.first_image else None] if score.pairs else []),
    )


def _figure(counted: CountedEstimate | None) -> tuple[float | None, Interval]:
    estimate = counted.estimate if counted else None
    return value_of(estimate), ends_of(estimate)


def _percent(counted: CountedEstimate | None) -> tuple[float | None, Interval]:
    share = in_percent(counted.estimate) if counted else None
    return value_of(share), ends_of(share)


def remarks(score: JudgesScore[Any]) -> tuple[str, ...]:
    """Say of judges what no column has: one answer to everything, and why answers are missing."""
    found = []
    for judge in score.judges:
        if constant := _constant(judge):
            found.append(f"{judge.judge} gives one answer to everything ({constant}).")
        if missing := getattr(judge, "missing", {}):
            reasons = ", ".join(f"{number:,} {why}" for why, number in missing.items())
            found.append(f"{judge.judge} has answers missing: {reasons}.")
    more = len(found) - MOST_REMARKS
    rest = [f"{more:,} more such remarks (see --json)."] if more > 0 else []
    return (*found[:MOST_REMARKS], *rest)


MOST_REMARKS: Final = 12


def _constant(judge: JudgeAgreement | ChoiceAgreement) -> str:
    """Give the one answer to everything, on each axis; empty where there are several."""
    if isinstance(judge, DetectorAgreement):
        return judge.constant
    if isinstance(judge, ComparingAgreement):
        # Of who always takes what is shown first, both orders come to a tie.
        decided = judge.pairs_decided or (judge.first_image and judge.first_image.judge.n)
        return "" if decided or not judge.pairs_judged else "tie"
    if isinstance(judge, ChoiceAgreement):
        return ""
    answers = {row.constant for row in judge.axes if row.answered}
    return ", ".join(sorted(answers)) if answers and "" not in answers else ""


MOST_ROWS: Final = (10, 5)
"""How many rows of a long table a terminal shows, from the top and from its end."""


_LEFT_OUT: Final = ("kappa", "person_percent")


def lay_out_in_terminal(score: JudgesScore[Any]) -> Iterator[RenderableType]:
    table = summary(score)
    if score.margin is not None:  # the verdict needs the room
        kept = [at for at, column in enumerate(table.columns) if column.key not in _LEFT_OUT]
        table = replace(
            table,
            columns=tuple(table.columns[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
        )
    yield from titled(table, MOST_ROWS)
    yield from map(Text, remarks(score))
    yield from (Text(note, style="dim") for note in score.notes[:1])  # the rest is of methods


def by_axis(score: RatingJudgesScore, what: str) -> Table:
    """Lay out "kappa", "weighted" or "r": a row for each judge, a column for each axis."""
    name, title = _WHATS[what]
    second = tuple(_figure(getattr(person, what))[0] for person in score.people)
    people = () if all(value is None for value in second) else ((SECOND, *second),)
    rows = tuple(
        (judge.judge, *(_figure(getattr(judge.axis(axis), what))[0] for axis in score.axes))
        for judge in score.judges
    )
    return Table(
        name=f"judges-{name}",
        title=title,
        columns=(
            tabular.name("Judge", "judge"),
            *tabular.columns_of_names(name, score.axes, partial(tabular.number, decimals=2)),
        ),
        rows=(*people, *rows),
        note=SECOND_NOTE if people else "",
    )


_WHATS: Final = {
    "kappa": ("kappa", "Cohen's κ with people"),
    "weighted": ("weighted-kappa", "Cohen's κ with people, with quadratic weights"),
    "r": ("r", "Pearson's r with people"),
}


def every_axis(score: RatingJudgesScore) -> Table:
    """Lay out all that is known of each judge on each axis."""
    ci = f"{score.confidence:.0%} CI"
    figures = {"r": "r", "kappa": "κ", "weighted": "κ,\nweighted"}
    return Table(
        name="judges-axes",
        title="Judges, axis by axis",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.whole("Answered", "answered"),
            tabular.whole("of", "items"),
            tabular.whole("Not\nrelevant", "not_relevant"),
            *(
                column
                for key, heading in figures.items()
                for column in (
                    tabular.number(heading, key, 2),
                    tabular.interval(ci, key, 2),
                )
            ),
            *_difference_columns(ci),
            *_verdict_column(score),
            *(
                (
                    tabular.percent("Same\nimage", "same_image"),
                    tabular.percents(ci, "same_image"),
                )
                if score.pairs
                else ()
            ),
        ),
        rows=tuple(_on_axis(judge, row, score) for judge in score.judges for row in judge.axes),
        note="κ: levels as names, and with quadratic weights. Difference: r minus a second "
        "person's, on ratings of items that two people or more rated."
        + (" Same image: of answers in which both prefer one." if score.pairs else ""),
    )


def _on_axis(
    judge: JudgeAgreement, row: AxisAgreement, score: RatingJudgesScore
) -> tuple[Value, ...]:
    return (
        judge.judge,
        row.axis,
        row.answered,
        row.items,
        row.not_relevant,
        *_figure(row.r),
        *_figure(row.kappa),
        *_figure(row.weighted),
        *_figure(row.difference),
        *((row.verdict,) if score.margin is not None else ()),
        *(_percent(row.same_image) if score.pairs else ()),
    )


def between_axes(score: RatingJudgesScore) -> Table:
    """Lay out the correlation of each two axes, of each judge and of people."""
    return Table(
        name="judges-correlations",
        title="Correlations between axes, of judges and of people",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "a"),
            tabular.name("and", "b"),
            tabular.number("Judge's\nr", "r_judge", 2),
            tabular.number("People's\nr", "r_people", 2),
        ),
        rows=tuple(
            (judge.judge, a, b, matrix.judge[i][j], matrix.people[i][j])
            for judge in score.judges
            if (matrix := judge.between_axes)
            for i, a in enumerate(matrix.axes)
            for j, b in enumerate(matrix.axes)
            if i < j
        ),
        note="Over the items and axes that both answered.",
    )


def first_images(score: JudgesScore[Any]) -> Table:
    """Lay out how often judges and people prefer the image that is shown first."""
    ci = f"{score.confidence:.0%} CI"
    found = [(judge.judge, judge.first_image) for judge in score.judges if judge.first_image]
    beside = any(first.people for _, first in found)
    orders = any(first.both is not None for _, first in found)
    return Table(
        name="judges-position",
        title="How often judges prefer the first image",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.whole("Prefers\none image", "decided"),
            tabular.percent("The\nfirst", "first"),
            tabular.percents(ci, "first"),
            *(
                (
                    tabular.percent("People,\nthe first", "people_first"),
                    tabular.percents(ci, "people_first"),
                )
                if beside
                else ()
            ),
            *(
                (tabular.whole("Orders\nagree", "same"), tabular.whole("of", "both"))
                if orders
                else ()
            ),
        ),
        rows=tuple(
            (
                name,
                first.judge.n,
                *_percent(first.judge),
                *(_percent(first.people) if beside else ()),
                *((first.same, first.both) if orders else ()),
            )
            for name, first in found
        ),
        note="Of pairs that were shown in both orders, 50% are expected of a judge that looks at "
        "the images alone."
        if orders
        else "",
    )


def against_truth(score: RatingJudgesScore) -> Table:
    """Lay out judges and people against what is right of single images, each on each axis."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="judges-truth",
        title="Judges and people against what is right",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.percent("Right", "right"),
            tabular.percents(ci, "right"),
            tabular.percent("People,\nright", "people_right"),
            tabular.percents(ci, "people_right"),
            tabular.number("r with\nthe truth", "r_truth", 2),
            tabular.interval(ci, "r_truth", 2),
            tabular.number("People,\nr", "people_r_truth", 2),
            tabular.interval(ci, "people_r_truth", 2),
        ),
        rows=tuple(
            (
                judge.judge,
                row.axis,
                *_percent(_right(row.truth)),
                *_percent(_right(row.people_truth)),
                *_figure(row.truth.r),
                *_figure(row.people_truth.r if row.people_truth else None),
            )
            for judge in score.judges
            for row in judge.axes
            if row.truth
        ),
        note="People: all of their answers whose right answer is known.",
    )


def _right(truth: TruthAgreement | None) -> CountedEstimate | None:
    return truth.right if truth else None


def pairs(score: RankingJudgesScore | ComparisonJudgesScore) -> Table:
    """Lay out how often each judge is right between each two conditions."""
    ranked = score.against == "rankings"
    return Table(
        name="preference-pairs" if ranked else "judge-pairs",
        title=f"{'Preference models' if ranked else 'Judges'}, pair by pair",
        columns=(
            tabular.name("Model" if ranked else "Judge", "judge"),
            tabular.words("Condition", "a"),
            tabular.words("and", "b"),
            tabular.percent("Accuracy", "accuracy"),
            tabular.percents(f"{score.confidence:.0%} CI", "accuracy"),
            tabular.whole("Choices", "comparisons"),
        ),
        rows=tuple(
            (judge.judge, pair.a, pair.b, *_percent(pair.accuracy), pair.accuracy.n)
            for judge in score.judges
            for pair in judge.pairs
        ),
        note="Accuracy in people's choices between images of two conditions.",
    )


def errors(score: JudgementJudgesScore) -> Table:
    """Lay out errors on fakes and reals, and on the fakes of each condition, beside people's."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="judge-errors",
        title="Errors of judges beside people's",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Images", "of"),
            tabular.whole("Number", "images"),
            tabular.percent("Error", "error"),
            tabular.percents(ci, "error"),
            tabular.percent("People", "people_error"),
            tabular.percents(ci, "people_error"),
        ),
        rows=tuple(
            (judge.judge, of, each.judge.n, *_percent(each.judge), *_percent(each.people))
            for judge in score.judges
            for of, each in (
                ("all", judge.errors),
                ("fakes", judge.fakes),
                ("reals", judge.reals),
                *((f"fakes of {row.condition}", row.errors) for row in judge.conditions),
            )
            if each
        ),
        note="On images that both judged.",
    )


def benchmark(result: Benchmark, *, name: str = "benchmark") -> Table:
    """Lay out a benchmark: mean and standard deviation of each condition in each style.

    ``result``: by the scores of one model.
    """
    decimals = _decimals(result)
    return Table(
        name=name,
        title=f"Benchmark by the scores of {result.judge}" if result.judge else "Benchmark",
        columns=(
            tabular.name("Condition", "condition"),
            *_styles(result.styles, decimals),
        ),
        rows=tuple(_benchmarked(result, result.styles)),
        note=" ".join(
            [
                "Mean score over prompts ± standard deviation of the means of "
                f"{result.groups} groups of prompts; the highest mean first.",
                *_notes(result),
            ]
        ),
    )


def name_means(result: Benchmark) -> str:
    """Name the means of a benchmark over its styles, the highest first."""
    decimals, named = _decimals(result), []
    for name in result.conditions:
        means = [row.mean for row in result.rows if row.condition == name and row.mean is not None]
        mean = sum(means) / len(means) if means else None
        named.append(f"{name} {wording.number(mean, decimals)}")
    more = len(named) - _MOST_IN_LINE
    rest = [f"{more:,} more"] if more > 0 else []
    by = f" by the scores of {result.judge}" if result.judge else ""
    over = "prompts" if len(result.styles) == 1 else "styles"
    return f"Benchmark{by}, means over {over}: {', '.join([*named[:_MOST_IN_LINE], *rest])}."


def _notes(result: Benchmark) -> list[str]:
    more = len(result.notes) - _NOTES
    rest = [f"{more:,} more such notes (see --json)."] if more > 0 else []
    return [*result.notes[:_NOTES], *rest]


def _styles(styles: Sequence[str], decimals: int) -> Iterator[Column]:
    keys = number_repeats(
        [tabular.slug(style).replace("-", "_") or "score" for style in styles], "_"
    )
    for style, key in zip(styles, keys, strict=True):
        yield tabular.spread(style or "Mean ± SD", key, decimals)


def _benchmarked(result: Benchmark, styles: Sequence[str]) -> Iterator[tuple[Value, ...]]:
    rows = {(row.condition, row.style): (row.mean, row.sd) for row in result.rows}
    for condition in result.conditions:
        yield (condition, *(rows.get((condition, style)) for style in styles))


def _decimals(result: Benchmark) -> int:
    """Give as many decimals as the smallest spread has two digits in."""
    spreads = [row.sd for row in result.rows if row.sd]
    decimals = DECIMALS
    while spreads and decimals < _MOST_DECIMALS and min(spreads) < 10.0 ** (1 - decimals):
        decimals += 1
    return decimals


def best_first(score: RankingJudgesScore) -> list[Benchmark]:
    """Put the benchmarks in the order of their models: the highest accuracy first."""
    place = {judge.judge: at for at, judge in enumerate(score.judges)}
    return sorted(score.benchmarks, key=lambda each: place.get(each.judge, len(place)))


def benchmarks(score: RankingJudgesScore) -> tuple[Table, ...]:
    results = best_first(score)
    names = number_repeats(
        [tabular.slug("benchmark", result.judge).strip("-") for result in results], "-"
    )
    return tuple(benchmark(result, name=name) for result, name in zip(results, names, strict=True))


def number_repeats(names: Sequence[str], before: str) -> tuple[str, ...]:
    """Number the names that were there already."""
    numbered: list[str] = []
    for name in names:
        again, number = name, 1
        while again in numbered:
            number += 1
            again = f"{name}{before}{number}"
        numbered.append(again)
    return tuple(numbered)


def second_sentence(score: RatingJudgesScore, axis: str) -> str:
    """Say how far two people agree; empty where no item has two ratings."""
    person = next((each for each in score.people if each.axis == axis), None)
    if person is None or person.r is None or person.r.value is None:
        return ""
    kappa = person.kappa.value if person.kappa else None
    and_kappa = "" if kappa is None else f" and κ = {wording.number(kappa, 2)}"
    r = wording.with_interval(person.r)
    return f"Two people who rated the same item agree on {axis} with r = {r}{and_kappa}."
