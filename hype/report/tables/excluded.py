"""What was not scored, and why: summed up over conditions, and condition by condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.tables import tabular
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.analysis.exclusions import Exclusion

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
