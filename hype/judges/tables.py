"""Automated judges compared with people, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from hype.errors import few
from hype.judges.benchmark import Benchmark
from hype.judges.results import (
    ChoiceAgreement,
    ComparingAgreement,
    DetectorAgreement,
    JudgeAgreement,
    JudgesScore,
    RankingJudgesScore,
    RatingJudgesScore,
)
from hype.report import tabular, wording
from hype.report.tabular import Column, Table, tabulate
from hype.report.terminal import lay_titled
from hype.statistics.estimate import Estimate, scale_to_percent

SECOND: Final = "(a second person)"
"""The name of the row about a second person, which is above the judges' rows."""
MOST_REMARKS: Final = 12
MOST_ROWS: Final = (10, 5)
"""A terminal shows only this many first and last rows of a long table."""
_JUDGE: Final = tabular.name("Judge", "judge")
_FIRST: Final = tabular.share("First", "first_share", "first_image.judge.value")


class JudgeRow(NamedTuple):
    """A judge, and the axis, pair or errors that a row shows."""

    judge: Any
    part: Any


_JUDGE_OF_ROW: Final = replace(_JUDGE, of="judge.judge")
_AXIS_OF_ROW: Final = (_JUDGE_OF_ROW, tabular.name("Axis", "axis", "part.axis"))


def _figure(heading: str, key: str, of: str, score: JudgesScore[Any]) -> tuple[Column, ...]:
    """Declare the columns of an estimate and its interval; ``of``: the estimate's path in a row."""
    ci, of = f"{score.confidence:.0%} CI", f"{of}.estimate"
    return tabular.number(heading, key, 2, of=of), tabular.interval(ci, key, 2, of=of)


def _rate(heading: str, key: str, of: str, score: JudgesScore[Any]) -> tuple[Column, ...]:
    """Declare the columns of an estimate and its interval in percent; ``of``: as in `_figure`."""
    ci, of = f"{score.confidence:.0%} CI", f"{of}.estimate"
    return tabular.percent(heading, key, of=of), tabular.percents(ci, key, of=of)


def _verdict(score: JudgesScore[Any], of: str = "") -> tuple[Column, ...]:
    return () if score.margin is None else (tabular.words("Verdict", "verdict", of),)


def summary(score: JudgesScore[Any]) -> Table:
    """Tabulate how well each judge and a second person agree with people."""
    if isinstance(score, RatingJudgesScore):
        return _summary_of_ratings(score)
    of_models = score.against == "rankings"
    detecting, comparing = (score.against == each for each in ("judgements", "comparisons"))
    notes = [
        "Same as a person: how often the judge and the person answer the same."
        if detecting
        else "Accuracy: how often the judge prefers the image that a person chose.",
        "Second person: the same, but for another person instead of the judge. Difference: "
        "judge minus second person, in percentage points.",
    ]
    if score.margin is not None:
        notes.append(_verdict_note(100 * score.margin, "points"))
    if comparing:
        notes.append("First: how often the judge prefers the first image in pairs shown both ways.")
    accuracy = "Same as\na person" if detecting else "Accu-\nracy"
    errors = (
        tabular.percent("Error", "error", of=lambda judge: judge.errors[0]["judge"].value),
        tabular.percent("People", "people_error", of=lambda judge: judge.errors[0]["people"].value),
    )
    return tabulate(
        score.judges,
        name="judges",
        title=f"{'Preference models' if of_models else 'Judges'} compared with people",
        columns=(
            tabular.name("Model", "judge") if of_models else _JUDGE,
            *(errors if detecting else ()),
            *_rate(accuracy, "accuracy", "accuracy", score),
            tabular.percent("Second\nperson", "person", of="person.value"),
            tabular.number(
                "Diffe-\nrence", "difference", of=_point_difference, measure="percentage points"
            ),
            tabular.interval(f"{score.confidence:.0%} CI", "difference", of=_point_difference),
            *_verdict(score),
            tabular.share("Judged", "judged_share", "coverage"),
            *([_FIRST] if comparing else []),
            *tabular.further(
                tabular.percents("Interval", "person", of="person.estimate"),
                tabular.whole("Choices", "comparisons"),
                tabular.whole("of", "of_comparisons"),
                tabular.whole("Images", "images"),
                tabular.whole("of", "of_images"),
                *(_PAIRS_JUDGED if comparing else ()),
                *(() if of_models else _REMARKED),
            ),
        ),
        note=" ".join(notes),
    )


_PAIRS_JUDGED: Final = (
    tabular.whole("Pairs judged", "pairs_judged"),
    tabular.whole("of", "of_pairs"),
    tabular.whole("decided", "pairs_decided"),
)


def _point_difference(judge: ChoiceAgreement) -> Estimate | None:
    return scale_to_percent(judge.difference.estimate) if judge.difference else None


def _verdict_note(margin: float, unit: str) -> str:
    return (
        f"Verdict, with a margin of {margin:g} {unit}: as good as a second person, worse, or not "
        "known."
    )


def _summary_of_ratings(score: RatingJudgesScore) -> Table:
    def mean_kappa(row: JudgeRow) -> float | None:
        kappas = [k.value for axis in row.judge.axes if (k := axis.kappa) and k.value is not None]
        return sum(kappas) / len(kappas) if kappas else None

    main = main_axis(score)
    notes = [f"Pearson's r and Cohen's κ: {f'on “{main}”' if main else 'means over axes'}."]
    if main:
        notes.append("Difference: r minus a second person's r.")
    if main and score.margin is not None:
        notes.append(_verdict_note(score.margin, "of r"))
    if score.pairs:
        notes.append("First: how often judges prefer the image shown first.")
    if main:
        figures = (
            *_figure(f"r,\n{tabular.break_name(main)}", "r", "part.r", score),
            *_figure("Diffe-\nrence", "difference", "part.difference", score),
            *_verdict(score, "part.verdict"),
            tabular.number("κ", "kappa", 2, of="part.kappa.value"),
        )
    else:
        figures = (
            tabular.number("Mean\nr", "r", 2, of="judge.mean_r"),
            tabular.interval(f"{score.confidence:.0%} CI", "r", 2, of=lambda _: None),
            tabular.number("Mean\nκ", "kappa", 2, of=mean_kappa),
        )
    return tabulate(
        [JudgeRow(judge, judge.axis(main) if main else None) for judge in score.judges],
        name="judges",
        title="Judges compared with people",
        columns=(
            _JUDGE_OF_ROW,
            *figures,
            tabular.share("Ans-\nwered", "answered_share", "judge.coverage"),
            *([replace(_FIRST, of=f"judge.{_FIRST.of}")] if score.pairs else []),
            *tabular.further(
                tabular.whole("Answered", "answered", of="judge.answered"),
                tabular.whole("of", "asked", of="judge.asked"),
                tabular.words("Always", "constant", of=lambda row: _constant(row.judge)),
                tabular.words("Missing", "missing", of=lambda row: _missing(row.judge)),
            ),
        ),
        note=" ".join(notes),
    )


def second_person(score: RatingJudgesScore) -> Table:
    """Tabulate how well two people agree on an item that both rated."""
    return tabulate(
        score.people,
        name="judges-second-person",
        title="How well two people agree",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.whole("Items", "items"),
            *_figure("r", "r", "r", score),
            *_figure("κ", "kappa", "kappa", score),
            *_figure("κ,\nweighted", "weighted", "weighted", score),
        ),
    )


def main_axis(score: RatingJudgesScore) -> str:
    """Return the overall axis, or the only axis; empty if there is neither."""
    if score.overall is not None:
        return score.overall
    return score.axes[0] if len(score.axes) == 1 else ""


def remarks(score: JudgesScore[Any]) -> tuple[str, ...]:
    """Return sentences about judges that give only one answer, and about missing answers."""
    found = []
    for judge in score.judges:
        if constant := _constant(judge):
            found.append(f"{judge.judge} gives the same answer to everything ({constant}).")
        if missing := _missing(judge):
            found.append(f"{judge.judge} has missing answers: {missing}.")
    return _first_of(found, MOST_REMARKS, "more such remarks (see --json).")


def _first_of(sentences: Sequence[str], most: int, rest: str) -> tuple[str, ...]:
    more = len(sentences) - most
    return (*sentences[:most], *([f"{more:,} {rest}"] if more > 0 else []))


def _missing(judge: JudgeAgreement | ChoiceAgreement) -> str:
    """Return the reasons for missing answers in a judge's file, with counts."""
    reasons = getattr(judge, "missing", {})
    return ", ".join(f"{number:,} {why}" for why, number in reasons.items())


def _constant(judge: JudgeAgreement | ChoiceAgreement) -> str:
    """Return the judge's answer on each axis if it always gives the same answer; else empty."""
    if isinstance(judge, DetectorAgreement):
        return judge.constant
    if isinstance(judge, ComparingAgreement):
        # A judge that always prefers the first image has only ties if pairs have both orders.
        decided = judge.pairs_decided or (judge.first_image and judge.first_image["judge"].n)
        return "" if decided or not judge.pairs_judged else "tie"
    if isinstance(judge, ChoiceAgreement):
        return ""
    answers = {row.constant for row in judge.axes if row.answered}
    return ", ".join(sorted(answers)) if answers and "" not in answers else ""


_REMARKED: Final = (
    tabular.words("Always", "constant", of=_constant),
    tabular.words("Missing", "missing", of=_missing),
)
"""Columns that say the same as the sentences of `remarks`."""


def lay_out_in_terminal(score: JudgesScore[Any]) -> Iterator[RenderableType]:
    table = summary(score)
    if score.margin is not None:  # make room for the verdict
        left_out = ("kappa", "person")
        table = table.keep([at for at, c in enumerate(table.columns) if c.key not in left_out])
    yield from lay_titled(table, MOST_ROWS)
    yield from map(Text, remarks(score))
    # the other notes explain methods
    yield from (Text(note, style="dim") for note in score.notes[:1])


def axis_matrix(score: RatingJudgesScore, what: str) -> Table:
    """Tabulate "kappa", "weighted" or "r": a row for each judge, a column for each axis."""
    name, title = {
        "kappa": ("kappa", "Cohen's κ with people"),
        "weighted": ("weighted-kappa", "Cohen's κ with people, with quadratic weights"),
        "r": ("r", "Pearson's r with people"),
    }[what]
    second, *rows = (
        (who, *(tabular.take_value(each, f"{what}.value") for each in axes))
        for who, axes in (
            (SECOND, score.people),
            *((judge.judge, map(judge.axis, score.axes)) for judge in score.judges),
        )
    )
    known = any(value is not None for value in second[1:])
    return Table(
        name=f"judges-{name}",
        title=title,
        columns=(
            _JUDGE,
            *tabular.columns_of_names(name, score.axes, partial(tabular.number, decimals=2)),
        ),
        rows=((second, *rows) if known else tuple(rows)),
        note=f"{SECOND}: how well two people agree on an item that both rated." if known else "",
    )


def _axis_rows(score: RatingJudgesScore) -> list[JudgeRow]:
    return [JudgeRow(judge, axis) for judge in score.judges for axis in judge.axes]


def every_axis(score: RatingJudgesScore) -> Table:
    same = _rate("Same\nimage", "same_image", "part.same_image", score)
    return tabulate(
        _axis_rows(score),
        name="judges-axes",
        title="Judges, axis by axis",
        columns=(
            *_AXIS_OF_ROW,
            tabular.whole("Answered", "answered", "part.answered"),
            tabular.whole("of", "items", "part.items"),
            tabular.whole("Not\nrelevant", "not_relevant", "part.not_relevant"),
            *_figure("r", "r", "part.r", score),
            *_figure("κ", "kappa", "part.kappa", score),
            *_figure("κ,\nweighted", "weighted", "part.weighted", score),
            *_figure("Diffe-\nrence", "difference", "part.difference", score),
            *_verdict(score, "part.verdict"),
            *(same if score.pairs else ()),
        ),
        note="κ: unweighted, and with quadratic weights. Difference: r minus a second person's "
        "r, on items that at least two people rated."
        + (
            " Same image: how often judge and person prefer the same image, if both prefer one."
            if score.pairs
            else ""
        ),
    )


def correlations(score: RatingJudgesScore) -> Table:
    """Tabulate the correlation of each pair of axes, for each judge and for people."""
    return Table(
        name="judges-correlations",
        title="Correlations between axes, of judges and of people",
        columns=(
            _JUDGE,
            tabular.name("Axis", "a"),
            tabular.name("and", "b"),
            tabular.number("Judge's\nr", "r_judge", 2),
            tabular.number("People's\nr", "r_people", 2),
        ),
        rows=tuple(
            (judge.judge, a, b, matrix["judge"][i][j], matrix["people"][i][j])
            for judge in score.judges
            if (matrix := judge.between_axes)
            for i, a in enumerate(matrix["axes"])
            for j, b in enumerate(matrix["axes"])
            if i < j
        ),
        note="Computed from the items and axes that both the judge and people answered.",
    )


def first_images(score: JudgesScore[Any]) -> Table:
    """Tabulate how often judges and people prefer the image shown first."""
    judges = [judge for judge in score.judges if judge.first_image]
    has_people = any(judge.first_image["people"] for judge in judges)
    orders = any(judge.first_image["both"] is not None for judge in judges)
    people = _rate("People,\nthe first", "people_first", "first_image.people", score)
    agree = (
        tabular.whole("Orders\nagree", "same", "first_image.same"),
        tabular.whole("of", "both", "first_image.both"),
    )
    return tabulate(
        judges,
        name="judges-position",
        title="How often judges prefer the image shown first",
        columns=(
            _JUDGE,
            tabular.whole("Prefers\none image", "decided", "first_image.judge.n"),
            *_rate("The\nfirst", "first", "first_image.judge", score),
            *(people if has_people else ()),
            *(agree if orders else ()),
        ),
        note="A judge without a bias prefers the first image in 50% of pairs shown in both orders."
        if orders
        else "",
    )


def truth_comparison(score: RatingJudgesScore) -> Table:
    """Compare judges and people with the correct answers about single images, by axis."""
    return tabulate(
        [row for row in _axis_rows(score) if row.part.truth],
        name="judges-truth",
        title="Judges and people compared with the right answers",
        columns=(
            *_AXIS_OF_ROW,
            *_rate("Right", "right", "part.truth.right", score),
            *_rate("People,\nright", "people_right", "part.truth.people_right", score),
            *_figure("r with\nthe truth", "r_truth", "part.truth.r", score),
            *_figure("People,\nr", "people_r_truth", "part.truth.people_r", score),
        ),
        note="People: all answers of people to questions with a known correct answer.",
    )


def pairs(score: RankingJudgesScore | JudgesScore[ComparingAgreement]) -> Table:
    """Tabulate how often each judge is right, for each pair of conditions."""
    ranked = score.against == "rankings"
    return tabulate(
        [JudgeRow(judge, pair) for judge in score.judges for pair in judge.pairs],
        name="judges-pairs",
        title=f"{'Preference models' if ranked else 'Judges'}, pair by pair",
        columns=(
            replace(_JUDGE_OF_ROW, heading="Model" if ranked else "Judge"),
            tabular.words("Condition", "a", "part.a"),
            tabular.words("and", "b", "part.b"),
            *_rate("Accuracy", "accuracy", "part.accuracy", score),
            tabular.whole("Choices", "comparisons", "part.accuracy.n"),
        ),
        note="Accuracy: how often a judge prefers the image that a person chose.",
    )


def errors(score: JudgesScore[DetectorAgreement]) -> Table:
    """Tabulate errors of judges and people on fakes, on reals and on each condition's fakes."""
    return tabulate(
        [JudgeRow(judge, row) for judge in score.judges for row in judge.errors],
        name="judges-errors",
        title="Errors of judges and of people",
        columns=(
            _JUDGE_OF_ROW,
            tabular.words("Images", "of", "part.of"),
            tabular.whole("Number", "images", "part.judge.n"),
            *_rate("Error", "error", "part.judge", score),
            *_rate("People", "people_error", "part.people", score),
        ),
        note="Errors are counted on images that both the judge and people judged.",
    )


def benchmark(result: Benchmark, *, name: str = "benchmark") -> Table:
    """Tabulate a benchmark: mean and standard deviation of each condition in each style."""
    slugs = [tabular.slug(style).replace("-", "_") or "score" for style in result.styles]
    cells = {(row["condition"], row["style"]): (row["mean"], row["sd"]) for row in result.rows}
    note = (
        f"Mean score over prompts ± standard deviation of the means of {result.groups} groups of "
        "prompts. The highest mean is first."
    )
    return Table(
        name=name,
        title=f"Benchmark by the scores of {result.judge}" if result.judge else "Benchmark",
        columns=(
            tabular.name("Condition", "condition"),
            *(
                tabular.spread(style or "Mean ± SD", key, _decimals(result))
                for style, key in zip(result.styles, number_repeats(slugs, "_"), strict=True)
            ),
        ),
        rows=tuple(
            (condition, *(cells.get((condition, style)) for style in result.styles))
            for condition in result.conditions
        ),
        note=" ".join([note, *_first_of(result.notes, 3, "more such notes (see --json).")]),
    )


def name_means(result: Benchmark) -> str:
    """List the conditions of a benchmark with their means over styles, the highest mean first."""
    decimals, named = _decimals(result), []
    for name in result.conditions:
        means = [row["mean"] for row in result.rows if row["condition"] == name]
        mean = sum(means) / len(means) if means else None
        named.append(f"{name} {wording.number(mean, decimals)}")
    by = f" by the scores of {result.judge}" if result.judge else ""
    over = "prompts" if len(result.styles) == 1 else "styles"
    return f"Benchmark{by}, means over {over}: {few(named, 8)}."


def _decimals(result: Benchmark) -> int:
    """Return the number of decimals (2 to 6) that show two digits of the smallest deviation."""
    spreads = [row["sd"] for row in result.rows if row["sd"]]
    decimals = 2
    while spreads and decimals < 6 and min(spreads) < 10.0 ** (1 - decimals):
        decimals += 1
    return decimals


def best_first(score: RankingJudgesScore) -> list[Benchmark]:
    """Sort the benchmarks by the accuracy of their models, the highest first."""
    place = {judge.judge: at for at, judge in enumerate(score.judges)}
    return sorted(score.benchmarks, key=lambda each: place.get(each.judge, len(place)))


def benchmarks(score: RankingJudgesScore) -> tuple[Table, ...]:
    results = best_first(score)
    names = number_repeats(
        [tabular.slug("benchmark", result.judge).strip("-") for result in results], "-"
    )
    return tuple(benchmark(result, name=name) for result, name in zip(results, names, strict=True))


def number_repeats(names: Sequence[str], before: str) -> tuple[str, ...]:
    numbered: list[str] = []
    for name in names:
        again, number = name, 1
        while again in numbered:
            number += 1
            again = f"{name}{before}{number}"
        numbered.append(again)
    return tuple(numbered)


def second_sentence(score: RatingJudgesScore, axis: str) -> str:
    """Say in a sentence how well two people agree; empty if no item has two ratings."""
    person = next((each for each in score.people if each["axis"] == axis), None)
    if person is None or person["r"] is None or person["r"].value is None:
        return ""
    kappa = person["kappa"].value if person["kappa"] else None
    and_kappa = "" if kappa is None else f" and κ = {wording.number(kappa, 2)}"
    r = wording.write_estimate(person["r"])
    return f"Two people who rated the same item agree on “{axis}” with r = {r}{and_kappa}."
