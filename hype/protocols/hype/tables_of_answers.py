"""What was not scored and why, and how long people took to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import tabular
from hype.report.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.protocols.hype.exclusions import Exclusion
    from hype.protocols.hype.response_times import ConditionTimes, ResponseTimes
    from hype.protocols.hype.results import Score
    from hype.report.tabular import Value

_NEVER_SCORED: Final = ("practice", "qualification", "catch")

NOTHING_EXCLUDED: Final = "Nothing was excluded: all judgements of the scored blocks were scored."


def by_reason(found: Sequence[Exclusion]) -> Table:
    """Sum the exclusions up, one row for each reason."""
    totals: dict[str, tuple[int, int]] = {}
    for one in found:
        evaluators, judgements = totals.get(_reason(one), (0, 0))
        totals[_reason(one)] = (evaluators + one.evaluators, judgements + one.judgements)
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


def by_condition(found: Sequence[Exclusion]) -> Table:
    """Lay the exclusions out, one row for each reason and condition."""
    return Table(
        name="exclusions-by-condition",
        title="Exclusions by condition",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Judgements", "judgements"),
        ),
        rows=tuple((one.condition, _reason(one), one.evaluators, one.judgements) for one in found),
    )


def _reason(one: Exclusion) -> str:
    return f"{one.reason}, never scored" if one.reason in _NEVER_SCORED else one.reason


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
