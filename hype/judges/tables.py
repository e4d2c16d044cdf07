"""Automated judges beside people, as tables: what is found of each, in all and axis by axis.

The words for what is found are those of preference models as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.text import Text

from hype.judges.results import JudgeVerdict
from hype.report import tabular
from hype.report.tabular import Table
from hype.report.terminal import titled
from hype.statistics.estimate import ends_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hype.judges.results import (
        AxisAgreement,
        ComparisonJudgesScore,
        CountedEstimate,
        JudgeAgreement,
        JudgementJudgesScore,
        RankingJudgesScore,
        RatingJudgesScore,
        SecondPerson,
    )
    from hype.report.tabular import Column, Interval, Value

    ChoiceJudges = RankingJudgesScore | ComparisonJudgesScore | JudgementJudgesScore

FOUND: Final = {
    JudgeVerdict.UNKNOWN: "too little known",
    JudgeVerdict.ONE_SIDED: "one-sided",
    JudgeVerdict.CONSTANT: "one answer only",
    JudgeVerdict.INVERTED: "inverted",
    JudgeVerdict.RANDOM: "like dice",
    JudgeVerdict.FAILS_AXES: "fails on axes",
    JudgeVerdict.FAILS_PAIRS: "fails on pairs",
    JudgeVerdict.MODELS: "knows models only",
    JudgeVerdict.LEANS: "leans to a side",
    JudgeVerdict.STRUCTURE: "mixes axes up",
    JudgeVerdict.BELOW: "below a person",
    JudgeVerdict.PARTLY: "answers in part",
    JudgeVerdict.AGREES: "nothing wrong",
}
"""What is found of a judge, in the few words of a column."""
SECOND: Final = "(a second person)"
"""Whose row stands beside those of judges: how far two people agree."""
SECOND_NOTE: Final = (
    f"{SECOND}: how far two people agree who rated the same item; a judge need not do better."
)


def summary(score: RatingJudgesScore, *, short: bool = False) -> Table:
    """Lay out one row for each judge: what is found, and how far it agrees with people.

    ``short``: whether the table is to fit into a terminal, where names need the room.
    """
    table = _summary(score)
    shown = [place for place, column in enumerate(table.columns) if column.key != "mean_r"]
    if not short:
        return table
    return replace(
        table,
        columns=tuple(table.columns[place] for place in shown),
        rows=tuple(tuple(row[place] for place in shown) for row in table.rows),
    )


def _summary(score: RatingJudgesScore) -> Table:
    main = main_axis(score)
    own = f"r,\n{tabular.in_lines(main)}" if main else "Mean\nr"
    return Table(
        name="judges",
        title="Judges beside people",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.words("Found", "found"),
            tabular.number(own, "r", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "r_*", 2),
            *([tabular.number("r,\nwithin", "r_within", 2)] if main else []),
            *([tabular.number("Mean\nr", "mean_r", 2)] if many_axes(score) else []),
            tabular.number(f"κ,\n{tabular.in_lines(main)}" if main else "Mean\nκ", "kappa", 2),
            tabular.share("Ans-\nwered", "answered_share"),
            *([tabular.share("First", "first_share")] if score.pairs else []),
        ),
        rows=tuple(_summed(judge, score) for judge in score.judges),
        note=_summary_note(score, main),
    )


def _summary_note(score: RatingJudgesScore, main: str) -> str:
    on = f"on {main}" if main else "the mean over axes"
    first = "; first: where it preferred one"
    within = "; within: of one pair of models" if score.pairs and main else ""
    return f"r: Pearson's, κ: Cohen's, {on}{within}{first if score.pairs else ''}."


def main_axis(score: RatingJudgesScore) -> str:
    """Give the axis that stands for all: the overall one, or the only one; else none, empty."""
    if score.overall is not None:
        return score.overall
    return score.axes[0] if len(score.axes) == 1 else ""


def many_axes(score: RatingJudgesScore) -> bool:
    return len(score.axes) > 1 and score.overall is not None


def _summed(judge: JudgeAgreement, score: RatingJudgesScore) -> tuple[Value, ...]:
    main = main_axis(score)
    rows = [row for row in judge.axes if row.axis == main]
    own = rows[0].correlation if rows else None
    place = judge.position
    return (
        judge.judge,
        FOUND[judge.verdict],
        own.r if own else None if main else judge.mean_r,
        (own.low, own.high) if own else None,
        *([rows[0].within.value if rows and rows[0].within else None] if main else []),
        *([judge.mean_r] if many_axes(score) else []),
        _mean_kappa(judge, rows or judge.axes),
        judge.coverage,
        *([place.share if place else None] if score.pairs else []),
    )


def _mean_kappa(judge: JudgeAgreement, rows: Sequence[AxisAgreement]) -> float | None:
    kappas = [kappa for row in rows if (kappa := _agreed(judge, row, "kappa")) is not None]
    return sum(kappas) / len(kappas) if kappas else None


def by_axis(score: RatingJudgesScore, what: str) -> Table:
    """Lay out "kappa", "weighted" or "r": a row for each judge, a column for each axis."""
    name, title = _WHATS[what]
    second = tuple(_second(person, what) for person in score.people)
    rows = tuple((judge.judge, *_on_axes(judge, score, what)) for judge in score.judges)
    people = () if all(value is None for value in second) else ((SECOND, *second),)
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


def _on_axes(judge: JudgeAgreement, score: RatingJudgesScore, what: str) -> Iterator[Value]:
    own = {row.axis: row for row in judge.axes}
    for axis in score.axes:
        yield _agreed(judge, own[axis], what) if axis in own else None


def _agreed(judge: JudgeAgreement, row: AxisAgreement, what: str) -> float | None:
    """Give a figure; a judge that scores images has the κ of which image is better."""
    if what == "r":
        return row.correlation.r
    plain = row.direction_kappa if judge.shape == "scores" else row.kappa
    kappa = plain if what == "kappa" else row.weighted
    return kappa.value if kappa else None


def _second(person: SecondPerson, what: str) -> float | None:
    kappa: CountedEstimate | None = getattr(person, what)
    return kappa.value if kappa else None


def every_axis(score: RatingJudgesScore) -> Table:
    """Lay out all that is known of each judge on each axis."""
    ci = f"{score.confidence:.0%} CI"
    pairs = score.pairs
    return Table(
        name="judges-axes",
        title="Judges, axis by axis",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.whole("Answered", "answered"),
            tabular.whole("of", "items"),
            tabular.whole("Not\nrelevant", "not_relevant"),
            tabular.number("r", "r", 2),
            tabular.interval(ci, "r_*", 2),
            tabular.probability("Holm", "r_p_holm"),
            tabular.number("κ", "kappa", 2),
            tabular.interval(ci, "kappa_*", 2),
            tabular.number("κ,\nweighted", "weighted_kappa", 2),
            tabular.interval(ci, "weighted_kappa_*", 2),
            *(_direction_columns(ci) if pairs else ()),
        ),
        rows=tuple(
            _on_axis(judge, row, pairs=pairs) for judge in score.judges for row in judge.axes
        ),
        note="Holm: p of r = 0, corrected for the number of axes. κ: levels as names, and with "
        "quadratic weights."
        + (" Same: of answers in which both prefer one image." if pairs else ""),
    )


def _direction_columns(ci: str) -> tuple[Column, ...]:
    return (
        tabular.share("Same\nimage", "same_image_share"),
        tabular.interval(ci, "same_image_*_percent", 0),
        tabular.number("κ, which\nimage", "direction_kappa", 2),
        tabular.interval(ci, "direction_kappa_*", 2),
    )


def _on_axis(judge: JudgeAgreement, row: AxisAgreement, *, pairs: bool) -> tuple[Value, ...]:
    correlation = row.correlation
    same, ends = _cells(row.direction)
    percent = tuple(None if end is None else 100 * end for end in ends)
    return (
        judge.judge,
        row.axis,
        row.answered,
        row.items,
        row.not_relevant,
        correlation.r,
        (correlation.low, correlation.high),
        row.p_holm,
        *_cells(row.kappa),
        *_cells(row.weighted),
        *((same, percent, *_cells(row.direction_kappa)) if pairs else ()),
    )


def _cells(counted: CountedEstimate | None) -> tuple[float | None, Interval]:
    estimate = counted.estimate if counted else None
    return value_of(estimate), ends_of(estimate)


def about_and_within(score: RatingJudgesScore) -> Table:
    """Lay out agreement about models, and within pairs of them, beside a second person's."""
    ci, pairs = f"{score.confidence:.0%} CI", "pairs of " if score.pairs else ""
    people = {person.axis: person.within for person in score.people}
    return Table(
        name="judges-models",
        title=f"Agreement about models, and within {pairs}models",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.number("r about\nmodels", "about", 2),
            tabular.interval(ci, "about_*", 2),
            tabular.number("r within", "within", 2),
            tabular.interval(ci, "within_*", 2),
            tabular.number("A second\nperson, within", "within_person", 2),
            tabular.interval(ci, "within_person_*", 2),
            tabular.number("r less a\nsecond person's", "difference", 2),
            tabular.interval(ci, "difference_*", 2),
            tabular.probability("as well,\nHolm", "as_well_p_holm"),
            tabular.probability("less,\nHolm", "less_p_holm"),
        ),
        rows=tuple(
            _of_models(judge, row, people.get(row.axis))
            for judge in score.judges
            for row in judge.axes
            if row.about or row.within or row.beside_person
        ),
        note=f"About models: r of mean answers to {pairs}models. Within: r of what is left, where "
        "only who looks at the images can agree. Less a second person's: on ratings of items that "
        "two people or more rated. As well: p of r, whole or within, being lower by the margin or "
        "more, or of nothing being told apart within; less: p of it being no lower. Holm: over the "
        "axes of a judge.",
    )


def _of_models(
    judge: JudgeAgreement, row: AxisAgreement, person: CountedEstimate | None
) -> tuple[Value, ...]:
    side = row.beside_person
    return (
        judge.judge,
        row.axis,
        *_cells(row.about),
        *_cells(row.within),
        *_cells(person),
        *_cells(side.difference if side else None),
        side.p_holm if side else None,
        side.p_less_holm if side else None,
    )


def structure(score: RatingJudgesScore) -> Table:
    return Table(
        name="judges-structure",
        title="How far judges' correlations between axes are from people's",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.number("Distance", "distance", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "distance_*", 2),
            tabular.number("To be\nexpected", "floor", 2),
            tabular.number("at most", "floor_high", 2),
            tabular.words("Furthest apart", "furthest_apart"),
            tabular.number("Judge's\nr", "furthest_r_judge", 2),
            tabular.number("People's\nr", "furthest_r_people", 2),
            tabular.probability("Holm", "furthest_p_holm"),
        ),
        rows=tuple(_structured(judge) for judge in score.judges if judge.matrix),
        note="Distance: root of the mean squared difference over pairs of axes. To be expected: "
        "what a judge that is like people would have with as many answers, by halves of people. "
        "Holm: p of the two being no further apart than 0.1 and than people are, over the pairs "
        "of axes.",
    )


def _structured(judge: JudgeAgreement) -> tuple[Value, ...]:
    matrix = judge.matrix
    if matrix is None:
        return (judge.judge, *[None] * 8)
    most = matrix.most
    return (
        judge.judge,
        matrix.distance,
        (matrix.low, matrix.high),
        matrix.floor,
        matrix.floor_high,
        f"{most.a} and {most.b}" if most else None,
        most.judge if most else None,
        most.people if most else None,
        most.p_holm if most else None,
    )


def positions(score: RatingJudgesScore) -> Table:
    return Table(
        name="judges-position",
        title="Which image judges prefer",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.whole("Prefers\none", "decided"),
            tabular.share("the\nfirst", "first_share"),
            tabular.share("people,\nthe first", "first_share_people"),
            tabular.whole("Items: judge first,\npeople second", "judge_only"),
            tabular.whole("the other\nway round", "people_only"),
            tabular.probability("p", "p"),
            tabular.probability("Holm", "p_holm"),
        ),
        rows=tuple(_placed(judge) for judge in score.judges if judge.position),
        note="p: exact, of both kinds of items being equally likely. Holm: over all judges.",
    )


def _placed(judge: JudgeAgreement) -> tuple[Value, ...]:
    position = judge.position
    if position is None:
        return (judge.judge, *[None] * 7)
    shares = (position.share, position.people_share)
    tests = (position.judge_only, position.people_only, position.p, position.p_holm)
    return (judge.judge, position.decided, *shares, *tests)


def sentences(score: RatingJudgesScore | ChoiceJudges) -> Table:
    who = "Model" if score.against == "rankings" else "Judge"
    return Table(
        name="judges-said" if who == "Judge" else "preference-said",
        title=f"What is found of each {who.lower()}",
        columns=(
            tabular.name(who, "judge"),
            tabular.words("Found", "found"),
            tabular.words("In words", "said"),
        ),
        rows=tuple(
            (judge.judge, FOUND[judge.verdict], " ".join(judge.said)) for judge in score.judges
        ),
    )


MOST_ROWS: Final = (10, 5)
"""How many rows of a long table a terminal shows, from the top and from its end."""
MOST_NAMED: Final = 6
"""Judges of whom it says all."""


def in_terminal(score: ChoiceJudges, summary: Table) -> Iterator[RenderableType]:
    """Lay out judges for a terminal: the table, and what is found of the first ones."""
    yield from titled(summary, MOST_ROWS)
    if len(score.judges) > MOST_NAMED:
        yield Text(tally(score))
    for judge in score.judges[:MOST_NAMED]:
        yield Text(f"{judge.judge}: {' '.join(judge.said)}")
    more = len(score.judges) - MOST_NAMED
    if more > 0:
        yield Text("What is found of the others: --json, or hype report.", style="dim")
    yield from (Text(note, style="dim") for note in score.notes[:1])  # the rest is of methods


def tally(score: ChoiceJudges) -> str:
    times = Counter(FOUND[judge.verdict] for judge in score.judges)
    verdicts = ", ".join(f"{number:,} {words}" for words, number in times.most_common())
    who = "models" if score.against == "rankings" else "judges"
    return f"Of {len(score.judges):,} {who}: {verdicts}."


def against_truth(score: RatingJudgesScore) -> Table:
    """Lay out judges and people against what is right of single images, each on each axis."""
    return Table(
        name="judges-truth",
        title="Judges and people against what is right",
        columns=(
            tabular.name("Judge", "judge"),
            tabular.name("Axis", "axis"),
            tabular.share("Right", "right_share"),
            tabular.share("People,\nright", "people_right_share"),
            tabular.number("r with\nthe truth", "r_truth", 2),
            tabular.number("People,\nr", "people_r_truth", 2),
            tabular.whole("Answers", "answers"),
        ),
        rows=tuple(_right(judge, row) for judge in score.judges for row in judge.axes if row.truth),
        note="People: all of their answers whose right answer is known.",
    )


def _right(judge: JudgeAgreement, row: AxisAgreement) -> tuple[Value, ...]:
    own, people = row.truth, row.people_truth
    return (
        judge.judge,
        row.axis,
        own.accuracy if own else None,
        people.accuracy if people else None,
        own.r if own else None,
        people.r if people else None,
        own.n if own else None,
    )
