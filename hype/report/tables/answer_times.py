"""How long people took to answer, beneath the figure that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.tables import tabular
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.analysis import ResponseTimes, Score
    from hype.analysis.response_times import ConditionTimes
    from hype.report.tables.tabular import Value

NOTE: Final = (
    "Quartiles over judgements. By evaluator: the median of their medians, with its 95% interval. "
    "Times below 200 ms and above 60 s are counted, and not left out."
)


def answer_times(score: Score, found: ResponseTimes | None) -> Table:
    """Lay out the response times of the conditions, in the order of the scores."""
    times = {one.condition: one for one in found.of(score.protocol)} if found else {}
    return Table(
        name=tabular.slug(score.protocol, "response-times"),
        title="Response times",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.number("Median", "median_ms", 0, unit="ms"),
            tabular.interval("Quartiles", "quartile_*_ms", 0, unit="ms"),
            tabular.number("By\nevaluator", "evaluators_median_ms", 0, unit="ms"),
            tabular.interval("95% CI", "evaluators_median_ci_*_ms", 0, unit="ms"),
            tabular.whole("Below\n200\N{NO-BREAK SPACE}ms", "below_200_ms"),
            tabular.whole("Above\n60\N{NO-BREAK SPACE}s", "above_60_s"),
            tabular.whole("Missing", "missing"),
        ),
        rows=tuple(
            _row(times[row.condition]) for row in score.conditions if row.condition in times
        ),
        note=NOTE,
    )


def _row(one: ConditionTimes) -> tuple[Value, ...]:
    people = one.evaluators
    return (
        one.condition,
        one.times.median_ms,
        (one.times.p25_ms, one.times.p75_ms),
        people.median_ms,
        (people.ci_low_ms, people.ci_high_ms),
        one.too_fast,
        one.too_slow,
        one.missing,
    )
