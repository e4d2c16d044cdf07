"""What is shown because it was asked for: thresholds, metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from hype.judges.tables import errors, lay_out_in_terminal, summary
from hype.protocols.hype import tables as score_tables
from hype.protocols.hype.exclusion import Exclusion
from hype.protocols.hype.metrics import MetricCorrelation
from hype.protocols.hype.response_times import ConditionTimes, ResponseTimes
from hype.protocols.hype.results import Score
from hype.protocols.hype.wording import (
    further_sentences,
    interval_sentence,
    pairs_sentence,
    papers_sentence,
    protocol_meaning,
    protocol_name,
)
from hype.report import tabular, wording
from hype.report.tabular import Table, Value, that_say_something
from hype.report.terminal import beneath_scores, closing, grid, opening, titled
from hype.statistics.estimate import ends_of


def thresholds(score: Score) -> Iterator[Table]:
    fitted = [(row.condition, row.thresholds) for row in score.conditions if row.thresholds]
    if not fitted:
        return
    yield Table(
        name=tabular.slug(score.protocol, "thresholds"),
        title=f"Exposure at which {fitted[0][1].at:.0%} are judged correctly (ms)",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Evaluators'\nmedian", "median"),
            tabular.interval(f"{score.confidence:.0%} CI", "median"),
            tabular.whole("Evaluators\nwithout", "evaluators_without"),
        ),
        rows=tuple(
            (
                name,
                wording.beyond(fit.median_beyond) or fit.median_ms,
                ends_of(fit.median),
                fit.without,
            )
            for name, fit in fitted
        ),
        note="Median over evaluators of the threshold of each one's own psychometric function; "
        "beside it, how many have none.",
    )


def evaluators_thresholds(score: Score) -> Iterator[Table]:
    """Lay out the psychometric function of each evaluator, and why some have no threshold."""
    confidence = f"{score.confidence:.0%} CI"
    rows = [
        (row.condition, own.evaluator, own.threshold)
        for row in score.conditions
        if row.thresholds
        for own in row.thresholds.evaluators
    ]
    yield Table(
        name=tabular.slug(score.protocol, "evaluators-thresholds"),
        title="Thresholds of evaluators",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.name("Evaluator", "evaluator"),
            tabular.number("Threshold", "threshold", unit="ms"),
            tabular.interval(confidence, "threshold"),
            tabular.number("Slope", "slope", 2),
            tabular.share("Lapses", "lapse_share"),
            tabular.number("Deviance", "deviance", 1),
            tabular.whole("Trials", "trials"),
            tabular.words("Why none", "reason"),
        ),
        rows=tuple(
            (
                condition,
                evaluator,
                fit.threshold_ms,
                (fit.ci_low, fit.ci_high),
                fit.slope,
                fit.lapse,
                fit.deviance,
                fit.trials,
                fit.reason or "",
            )
            for condition, evaluator, fit in rows
        ),
    )


def metrics(score: Score) -> Iterator[Table]:
    if score.metrics:
        yield correlations(
            score.metrics, name=tabular.slug(score.protocol, "metrics"), title="Automated metrics"
        )
    if score.against_time:
        title = "HYPE_∞ against HYPE_time"
        yield correlations([score.against_time], name="infinity-against-time", title=title)


def correlations(metrics: Sequence[MetricCorrelation], *, name: str, title: str) -> Table:
    points = "Points" if "classes" in metrics[0].method else "Conditions"
    having: dict[str, list[str]] = {}
    for metric in metrics:
        having.setdefault(metric.problem, []).append(metric.metric)
    problems = (f"{', '.join(names)}: {why}" for why, names in having.items() if why)
    return tabular.tabulated(
        metrics,
        name=name,
        title=title,
        columns=(
            tabular.name("Metric", "metric"),
            tabular.whole(points, "conditions", of="n"),
            tabular.number("Spear-\nman's ρ", "spearman_rho", 3),
            tabular.interval("95% CI", "spearman", 2, of=ends_of_rho),
            tabular.number("p", "spearman_p", 3),
            tabular.number("Kendall's\nτ-b", "kendall_tau", 3),
            tabular.number("p", "kendall_p", 3),
            *tabular.further(
                tabular.words("Method", "method"), tabular.words("Why none", "problem")
            ),
        ),
        note=" ".join([f"p by {metrics[0].method or 'permutation'}.", *problems]),
    )


def ends_of_rho(metric: MetricCorrelation) -> tuple[float | None, float | None]:
    return metric.spearman_low, metric.spearman_high


MOST_PAIRS: Final = 21
"""That a terminal names: those of seven conditions."""
NOTHING_EXCLUDED: Final = "Nothing was excluded: all judgements of the scored blocks were scored."


def by_reason(exclusions: Sequence[Exclusion]) -> Table:
    totals: dict[str, tuple[int, int]] = {}
    for exclusion in exclusions:
        evaluators, judgements = totals.get(exclusion.reason, (0, 0))
        totals[exclusion.reason] = (
            evaluators + exclusion.evaluators,
            judgements + exclusion.judgements,
        )
    return Table(
        name="exclusions",
        title="Exclusions",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements"),
        ),
        rows=tuple((reason, *numbers) for reason, numbers in totals.items()),
    )


def by_condition(exclusions: Sequence[Exclusion]) -> Table:
    return Table(
        name="exclusions-by-condition",
        title="Exclusions by condition",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements"),
        ),
        rows=tuple(
            (exclusion.condition, exclusion.reason, exclusion.evaluators, exclusion.judgements)
            for exclusion in exclusions
        ),
    )


NOTE: Final = (
    "Quartiles over judgements. By evaluator: the median of their medians, with its 95% interval. "
    "Times below 200 ms and above 60 s are counted, and not left out."
)


def answer_times(score: Score, response_times: ResponseTimes | None) -> Table:
    times = (
        {row.condition: row for row in response_times.of(score.protocol)} if response_times else {}
    )
    return Table(
        name=tabular.slug(score.protocol, "response-times"),
        title="Response times",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Median", "median", 0, unit="ms"),
            tabular.interval("Quartiles", "quartile", 0, unit="ms"),
            tabular.number("By\nevaluator", "evaluators_median", 0, unit="ms"),
            tabular.interval("95% CI", "evaluators_median", 0, unit="ms"),
            tabular.whole("Below\n200\N{NO-BREAK SPACE}ms", "below_200_ms"),
            tabular.whole("Above\n60\N{NO-BREAK SPACE}s", "above_60_s"),
            tabular.whole("Missing", "missing"),
        ),
        rows=tuple(
            _times_row(times[row.condition]) for row in score.conditions if row.condition in times
        ),
        note=NOTE,
    )


def _times_row(times: ConditionTimes) -> tuple[Value, ...]:
    people = times.evaluators
    return (
        times.condition,
        times.times.median_ms,
        (times.times.p25_ms, times.times.p75_ms),
        people.median_ms,
        (people.ci_low_ms, people.ci_high_ms),
        times.too_fast,
        times.too_slow,
        times.missing,
    )


def of_judges(score: Score) -> tuple[Table, ...]:
    """Lay out judges: how far they agree with people, and what they err in."""
    if score.judges is None:
        return ()

    every = (summary(score.judges), errors(score.judges))
    return tuple(replace(table, name=tabular.slug(score.protocol, table.name)) for table in every)


def terminal_tables(score: Score, *, whole: bool) -> tuple[Table, ...]:
    """List the tables of a terminal: the paper's and those that options ask for, or also others.

    The page and files have images and classes too.
    """
    paper = score_tables.as_in_the_paper(score)
    told = replace(paper, note=" ".join(filter(None, [paper.note, *pairs_in_words(score)])))
    beneath = list_details(score) if whole else (*thresholds(score), *metrics(score))
    return that_say_something((score_tables.over_both(score), *beneath, told))


def pairs_in_words(score: Score) -> Iterator[str]:
    """Name the paper's test of each pair with its p, which takes less room than a table."""
    pairs = [pair for pair in score.tests.pairwise if pair.p is not None]
    named = [f"{one.a} – {one.b} {wording.probability(one.p)}" for one in pairs[:MOST_PAIRS]]
    if named:
        more = len(pairs) - MOST_PAIRS
        rest = [f"{more} more: hype report --tables"] if more > 0 else []
        yield f"{score_tables.papers_test(score)}: {'; '.join(named + rest)}."
        yield papers_sentence(score)


def papers(score: Score) -> Iterator[Table]:
    """Give what the paper prints: of conditions, then of pairs."""
    yield score_tables.as_in_the_paper(score)
    yield score_tables.papers_pairs(score)


def page_tables(score: Score) -> tuple[Table, ...]:
    """List those of the page, which shows the fakes at either end as pictures."""
    return that_say_something((*list_details(score), *papers(score)))


def every_table(score: Score) -> tuple[Table, ...]:
    """List all tables of a score, also those that say nothing."""
    return (
        score_tables.conditions(score),
        score_tables.over_both(score),
        *list_details(score, score_tables.images(score)),
        *papers(score),
        *score_tables.tests(score),
        replace(score_tables.pairs(score), note=pairs_sentence(score)),
        score_tables.evaluators(score),
        *evaluators_thresholds(score),
        score_tables.precision(score),
        *of_judges(score),
    )


def file_tables(score: Score) -> tuple[Table, ...]:
    """List the tables that are written to files; each title names the protocol."""
    protocol = protocol_name(score)
    return tuple(
        replace(table, title=f"{protocol}: {table.title}")
        for table in that_say_something(every_table(score))
    )


DETAILS: Final = {
    "qualification": "what the qualification did",
    "staircases": "the course of the staircases",
    "quest-plus": "what QUEST+ knows",
    "answers": "d′ and criterion",
    "agreement": "Krippendorff's α",
}
"""What `hype score` shows with ``--notes`` alone, by the end of the table's name."""


def list_details(score: Score, *images: Table) -> Iterator[Table]:
    yield score_tables.selection(score)
    if score.protocol == "time":
        yield score_tables.staircases(score)
        yield score_tables.quest_plus(score)
        yield from thresholds(score)
    else:
        yield score_tables.answers(score)
        yield score_tables.agreement(score)
    yield from images
    yield from metrics(score)


def score_table(scores: Sequence[Score], *, whole: bool = True) -> Group:
    """Lay out scores for a terminal at least 80 columns wide; ``whole``: every table and note."""
    return Group(*(part for score in without_repeats(scores) for part in _section(score, whole)))


def without_repeats(scores: Sequence[Score]) -> Iterator[Score]:
    """Leave what holds of both methods, and is said of the first, to that."""
    said: tuple[str, ...] = ()
    for place, score in enumerate(scores):
        notes = tuple(note for note in score.notes if note not in said)
        yield replace(score, notes=notes, selections=()) if place else score
        said += notes


def _section(score: Score, whole: bool) -> Iterator[RenderableType]:
    title = f"{protocol_name(score)}: {protocol_meaning(score)}"
    yield from opening(title, (), simulated=score.simulated)
    yield grid(score_tables.conditions(score))
    yield from map(Text, filter(None, [pairs_sentence(score)]))
    yield from map(Text, further_sentences(score))
    of_all = {tabular.slug(score.protocol, name) for name in ("answers", "agreement", "staircases")}
    for table in terminal_tables(score, whole=whole):
        yield from (beneath_scores if table.name in of_all else titled)(table)
    if score.judges is not None:
        yield from lay_out_in_terminal(score.judges)
    hidden = {table.name for table in that_say_something(list_details(score))}
    more = [
        words for name, words in DETAILS.items() if tabular.slug(score.protocol, name) in hidden
    ]
    yield from closing((), interval_sentence(score), score.notes, whole=whole, more=more)
