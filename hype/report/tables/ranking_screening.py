"""Annotators beside checkers, as a table."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from hype.report.tables import tabular
from hype.report.tables.comparison_tables import in_percent
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.analysis.rankings.scores import RankingScore
    from hype.analysis.rankings.screening import Recall, ScreenedEvaluator, Screening
    from hype.report.tables.tabular import Interval, Value


def screening(score: RankingScore) -> Table:
    """Lay out recall@2 in the test and in the work, the lowest first, and how much was checked."""
    found = score.screening
    ci = f"{score.confidence:.0%} CI"
    return Table(
        name="ranking-screening",
        title="Screening: recall@2 against checkers",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.percent("Test", "test_percent", 0),
            tabular.interval(ci, "test_*_percent", 0),
            tabular.whole("of\ngroups", "test_groups"),
            tabular.percent("Work", "check_percent", 0),
            tabular.interval(ci, "check_*_percent", 0),
            tabular.whole("checked", "checked"),
            tabular.whole("of", "rankings"),
            tabular.words("Enough", "enough"),
            tabular.words("Scored", "scored"),
        ),
        rows=tuple(_screened(one) for one in lowest_first(found)) if found else (),
        note=_note(found) if found else "",
    )


def lowest_first(found: Screening) -> list[ScreenedEvaluator]:
    """Put those first who are below the bound, then by recall@2; those without one last."""
    return sorted(found.evaluators, key=lambda one: (not one.failed, _of(one), one.evaluator))


def chance_of(found: Screening) -> float | None:
    """Give recall@2 by chance, over all groups that were checked; None without any."""
    recalls = [r for one in found.evaluators for r in (one.test, one.check) if r is not None]
    groups = sum(map(attrgetter("groups"), recalls))
    return sum(r.chance * r.groups for r in recalls) / groups if groups else None


def _of(one: ScreenedEvaluator) -> float:
    judged = one.test or one.check
    return judged.recall if judged else 2.0


def _screened(one: ScreenedEvaluator) -> tuple[Value, ...]:
    return (
        one.evaluator,
        *_recalled(one.test),
        one.test.groups if one.test else None,
        *_recalled(one.check),
        one.checked,
        one.rankings,
        None if one.enough is None else "yes" if one.enough else "no",
        "no" if one.failed else "yes",
    )


def _recalled(recall: Recall | None) -> tuple[float | None, Interval]:
    if recall is None:
        return None, (None, None)
    return 100 * recall.recall, (in_percent(recall.ci_low), in_percent(recall.ci_high))


def _note(found: Screening) -> str:
    chance = chance_of(found)
    by = "" if chance is None else f" By chance it would be {chance:.0%}."
    return (
        "Recall@2: how often the first choice is among a checker's first two, in the test and in "
        f"the work that was checked.{by} Enough: {found.check_share:.0%} of the work or more."
    )
