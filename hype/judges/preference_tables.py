"""Judges of choices beside people, as tables: models of rankings, judges of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.judges.tables import FOUND
from hype.report import tabular, wording
from hype.report.tabular import Table
from hype.statistics.estimate import ends_of, in_percent, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hype.judges.benchmark import Benchmark
    from hype.judges.results import (
        ComparingAgreement,
        ComparisonJudgesScore,
        CountedEstimate,
        DetectorAgreement,
        JudgementJudgesScore,
        PairAccuracy,
        PreferenceAgreement,
        RankingJudgesScore,
    )
    from hype.report.tabular import Column, Interval, Value
    from hype.statistics.estimate import Estimate

DECIMALS: Final = 2
"""Of scores in a benchmark, where the spread over groups does not ask for more."""
_MOST_DECIMALS: Final = 6
_NOTES: Final = 3
_MOST_IN_LINE: Final = 8


def summary(score: RankingJudgesScore) -> Table:
    """Lay out one row for each model: how often it is right, and what is found of it."""
    return Table(
        name="preference-models",
        title="Preference models beside people",
        columns=(
            tabular.name("Model", "judge"),
            tabular.percent("Accu-\nracy", "accuracy_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "accuracy_*_percent"),
            tabular.percent("A\nperson", "person_percent"),
            tabular.percent("Mean\nrank", "mean_rank_percent"),
            tabular.percent("First\nchoice", "first_choice_percent"),
            tabular.share("Images\nscored", "images_scored_share"),
            tabular.words("Found", "found"),
        ),
        rows=tuple(map(_summed, score.judges)),
        note="A person: how often another would be right in the same choices. Mean rank: how often "
        "it agrees with it, of pairs. First choice: how often its best image is the person's.",
    )


def comparing(score: ComparisonJudgesScore) -> Table:
    """Lay out one row for each judge of comparisons."""
    return Table(
        name="judges",
        title="Judges beside people",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Found", "found"),
            tabular.percent("Accu-\nracy", "accuracy_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "accuracy_*_percent"),
            tabular.percent("A\nperson", "person_percent"),
            tabular.percent("Most\npeople", "most_people_percent"),
            tabular.share("Pairs\njudged", "pairs_judged_share"),
            tabular.share("Shown\nfirst", "shown_first_share"),
        ),
        rows=tuple(map(_compared, score.judges)),
        note="Accuracy: of people's choices. A person: how often another would be right in the "
        "same ones. Most people: how often it prefers what they do. Shown first: how often it "
        "prefers that, of pairs in both orders.",
    )


def _compared(judge: ComparingAgreement) -> tuple[Value, ...]:
    return (
        judge.judge,
        FOUND[judge.verdict],
        *_cells(judge.accuracy),
        *(_cells(share)[0] for share in (judge.single, judge.average)),
        judge.coverage,
        judge.position.share if judge.position else None,
    )


def detecting(score: JudgementJudgesScore) -> Table:
    """Lay out one row for each judge of real or fake."""
    return Table(
        name="judges",
        title="Judges beside people",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Found", "found"),
            tabular.percent("Error", "error_percent"),
            tabular.percent("People", "people_error_percent"),
            tabular.number("d′", "d_prime", 2),
            tabular.number("People", "people_d_prime", 2),
            tabular.percent("Same as\na person", "accuracy_percent"),
            tabular.percent("A\nperson", "person_percent"),
        ),
        rows=tuple(map(_detected, score.judges)),
        note="On images that both judged. Same as a person: how often it gives a person's answer; "
        "a person: how often another does.",
    )


def _detected(judge: DetectorAgreement) -> tuple[Value, ...]:
    return (
        judge.judge,
        FOUND[judge.verdict],
        *(_cells(share)[0] for share in (judge.error, judge.people_error)),
        value_of(judge.d_prime),
        value_of(judge.people_d_prime),
        *(_cells(share)[0] for share in (judge.accuracy, judge.single)),
    )


def detecting_in_full(score: JudgementJudgesScore) -> Table:
    """Lay out errors of either kind, criterion, and agreement within models."""
    ci = f"{score.confidence:.0%} CI"
    errors = {
        "error": "Error",
        "fakes_error": "Fakes",
        "people_fakes_error": "People,\nfakes",
        "reals_error": "Reals",
        "people_reals_error": "People,\nreals",
    }
    return Table(
        name="judge-errors",
        title="Errors of judges on fakes and reals",
        columns=(
            tabular.name("Judge", "judge"),
            *(
                column
                for name, title in errors.items()
                for column in (
                    tabular.percent(title, f"{name}_percent"),
                    tabular.interval(ci, f"{name}_*_percent"),
                )
            ),
            tabular.number("Crite-\nrion", "criterion", 2),
            tabular.number("People's", "people_criterion", 2),
            tabular.number("r within\nmodels", "r_within", 2),
            tabular.number("A\nperson", "person_r_within", 2),
            tabular.whole("Images", "images"),
            tabular.whole("of", "of_images"),
        ),
        rows=tuple(
            (
                judge.judge,
                *(cell for name in errors for cell in _cells(getattr(judge, name))),
                value_of(judge.criterion),
                value_of(judge.people_criterion),
                judge.within.value if judge.within else None,
                judge.within_person.value if judge.within_person else None,
                judge.images,
                judge.of_images,
            )
            for judge in score.judges
        ),
        note="Criterion: above 0 says real more often. r within models: with people's answers "
        "about images of one model, or about real ones; a person: of two people.",
    )


def on_conditions(score: JudgementJudgesScore) -> Table:
    """Lay out each judge on the fakes of each condition."""
    return Table(
        name="judge-conditions",
        title="Judges, condition by condition",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Condition", "condition"),
            tabular.whole("Fakes", "images"),
            tabular.percent("Called\nreal", "error_percent"),
            tabular.percent("By\npeople", "people_error_percent"),
            tabular.number("d′", "d_prime", 2),
            tabular.number("People's", "people_d_prime", 2),
            tabular.number("r over\nimages", "r", 2),
        ),
        rows=tuple(
            (
                judge.judge,
                row.condition,
                row.images,
                100 * row.error,
                100 * row.people_error,
                row.d_prime,
                row.people_d_prime,
                row.r,
            )
            for judge in score.judges
            for row in judge.conditions
        ),
        note="r over images: of fake or real with the share of people who called it fake.",
    )


def strengths(score: ComparisonJudgesScore, people: Mapping[str, Estimate | None]) -> Table:
    """Lay out strengths by each judge's answers beside people's, on Elo's scale."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="judge-strengths",
        title="Strengths by judges, beside people's",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Condition", "condition"),
            tabular.number("Elo", "elo", 0),
            tabular.interval(ci, "elo_*", 0),
            tabular.number("People's\nElo", "people_elo", 0),
            tabular.interval(ci, "people_elo_*", 0),
        ),
        rows=tuple(
            (
                judge.judge,
                condition,
                *(part(of.get(condition)) for of in (judge.elo, people) for part in _PARTS),
            )
            for judge in score.judges
            for condition in people
        ),
        note="By the same model. Of a judge, who has no noise of people, differences come out "
        "larger; a condition that won or lost every time has none.",
    )


_PARTS: Final = (value_of, ends_of)


def _summed(judge: PreferenceAgreement) -> tuple[Value, ...]:
    return (
        judge.judge,
        *_cells(judge.accuracy),
        *(_cells(share)[0] for share in (judge.single, judge.average, judge.first_choice)),
        judge.coverage,
        FOUND[judge.verdict],
    )


def every_figure(score: RankingJudgesScore) -> Table:
    """Lay out all figures of each model, with intervals and numbers."""
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="preference-figures",
        title="Every figure of preference models",
        columns=(
            tabular.name("Model", "judge"),
            tabular.whole("Images", "images"),
            tabular.whole("of", "of_images"),
            tabular.whole("Choices", "comparisons"),
            tabular.whole("of", "of_comparisons"),
            tabular.percent("Accuracy", "accuracy_percent"),
            tabular.interval(ci, "accuracy_*_percent"),
            tabular.probability("p of\n50%", "p"),
            tabular.percent("A person", "person_percent"),
            tabular.interval(ci, "person_*_percent"),
            tabular.percent("Mean rank", "mean_rank_percent"),
            tabular.interval(ci, "mean_rank_*_percent"),
            tabular.percent("First choice", "first_choice_percent"),
            tabular.interval(ci, "first_choice_*_percent"),
            tabular.number("Log loss", "log_loss", 3),
        ),
        rows=tuple(map(_every, score.judges)),
        note="Log loss: of people's choices, with scores taken for log-odds; a coin's is 0.693.",
    )


def _every(judge: PreferenceAgreement) -> tuple[Value, ...]:
    shares = (judge.single, judge.average, judge.first_choice)
    return (
        judge.judge,
        judge.images,
        judge.of_images,
        judge.comparisons,
        judge.of_comparisons,
        *_cells(judge.accuracy),
        judge.p,
        *(cell for share in shares for cell in _cells(share)),
        judge.log_loss,
    )


def pairs(score: RankingJudgesScore | ComparisonJudgesScore) -> Table:
    """Lay out how often each model, or judge, is right between each two conditions."""
    ranked = score.against == "rankings"
    return Table(
        name="preference-pairs" if ranked else "judge-pairs",
        title=f"{'Preference models' if ranked else 'Judges'}, pair by pair",
        columns=(
            tabular.name("Model" if ranked else "Judge", "judge"),
            tabular.words("Condition", "a"),
            tabular.words("and", "b"),
            tabular.percent("Accuracy", "accuracy_percent"),
            tabular.whole("Choices", "comparisons"),
            tabular.whole("Groups\nright", "groups_right"),
            tabular.whole("Groups\nwrong", "groups_wrong"),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
        ),
        rows=tuple((judge.judge, *_pair(pair)) for judge in score.judges for pair in judge.pairs),
        note=f"Groups: of images{'' if ranked else ' (prompts, if many)'}, in which it agrees "
        "with most people, and does not. p: exact, of both being equally likely. Holm: over the "
        f"pairs of a {'model' if ranked else 'judge'}.",
    )


def _pair(pair: PairAccuracy) -> tuple[Value, ...]:
    return (
        pair.a,
        pair.b,
        None if pair.accuracy is None else 100 * pair.accuracy,
        pair.comparisons,
        pair.groups_right,
        pair.groups_wrong,
        pair.p,
        pair.p_holm,
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


def in_one_line(result: Benchmark) -> str:
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
    rest = [f"{more:,} more such notes: --json has them."] if more > 0 else []
    return [*result.notes[:_NOTES], *rest]


def _styles(styles: Sequence[str], decimals: int) -> Iterator[Column]:
    keys = unlike([tabular.slug(style).replace("-", "_") or "score" for style in styles], "_")
    for style, key in zip(styles, keys, strict=True):
        yield tabular.spread(style or "Mean ± SD", f"{key}_*", decimals)


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
    names = unlike([tabular.slug("benchmark", result.judge).strip("-") for result in results], "-")
    return tuple(benchmark(result, name=name) for result, name in zip(results, names, strict=True))


def unlike(names: Sequence[str], before: str) -> tuple[str, ...]:
    """Number the names that were there already."""
    numbered: list[str] = []
    for name in names:
        again, number = name, 1
        while again in numbered:
            number += 1
            again = f"{name}{before}{number}"
        numbered.append(again)
    return tuple(numbered)


def _cells(counted: CountedEstimate | None) -> tuple[float | None, Interval]:
    share = in_percent(counted.estimate) if counted else None
    return value_of(share), ends_of(share)
