"""What comparisons say of those who made them: who was left out, who looked, who they are."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from hype.report.tables import tabular
from hype.report.tables.comparison_tables import in_percent
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis.pairwise.demographics import Demographic
    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.analysis.pairwise.validation import EvaluatorValidation
    from hype.report.tables.tabular import Value


def left_out(score: PairwiseScore) -> Table:
    """Lay out what was not scored, by the reason."""
    return Table(
        name="comparison-exclusions",
        title="Not scored",
        columns=(
            tabular.name("Reason", "reason"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.whole("Comparisons", "comparisons"),
        ),
        rows=tuple((one.meaning, one.evaluators, one.comparisons) for one in score.exclusions),
    )


def demographics(score: PairwiseScore) -> Table:
    """Lay out who the evaluators are, beside whom they are to stand for."""
    return Table(
        name="comparison-demographics",
        title="Who the evaluators are",
        columns=(
            tabular.name("Question", "question"),
            tabular.words("Answer", "answer"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.share("Share", "share"),
            tabular.share("Refer-\nence", "reference_share"),
            tabular.number("Standard\nerrors off", "residual"),
        ),
        rows=tuple(row for one in score.demographics for row in _groups(one)),
    )


def _groups(one: Demographic) -> Iterator[tuple[Value, ...]]:
    compared = any(group.reference_share is not None for group in one.groups)
    in_order = one.groups if compared else sorted(one.groups, key=attrgetter("answer"))
    for group in in_order:
        reference = group.reference_share
        yield (one.question, group.answer, group.count, group.share, reference, group.residual)
    if one.withheld:
        yield (one.question, "withheld", one.withheld, None, None, None)


def validation(score: PairwiseScore) -> Table:
    """Lay out the comparisons with an obvious answer, one row for each evaluator."""
    rows = score.validation.evaluators if score.validation else ()
    return Table(
        name="comparison-validation",
        title="Comparisons with an obvious answer",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Right", "right"),
            tabular.percent("Share", "right_percent"),
            tabular.interval(f"{score.confidence:.0%} CI", "right_*_percent"),
            tabular.words("Passed", "passed"),
            tabular.whole("Answers", "answers"),
            tabular.whole("Hasty", "hasty"),
        ),
        rows=tuple(map(_validated, rows)),
    )


def _validated(row: EvaluatorValidation) -> tuple[Value, ...]:
    passed = None if row.passed is None else "yes" if row.passed else "no"
    return (
        row.evaluator,
        row.shown,
        row.right,
        in_percent(row.share),
        (in_percent(row.ci_low), in_percent(row.ci_high)),
        passed,
        row.comparisons,
        row.hasty,
    )


def sides(score: PairwiseScore) -> Table:
    """Lay out the evaluators who lean to one side, or stay on it, more than chance does."""
    return Table(
        name="comparison-sides",
        title="Evaluators who lean to one side",
        columns=(
            tabular.name("Evaluator", "evaluator"),
            tabular.whole("Left", "left"),
            tabular.whole("Right", "right"),
            tabular.whole("Longest\nrun", "longest_run"),
            tabular.probability("p", "p"),
            tabular.probability("p of\nthe run", "p_run"),
            tabular.probability("Holm", "p_holm"),
        ),
        rows=tuple(
            (one.evaluator, one.left, one.right, one.longest_run, one.p, one.p_run, one.p_holm)
            for one in score.sides.flagged
        ),
    )


def camps(score: PairwiseScore) -> Table:
    """Lay out how evaluators differ on each pair of conditions."""
    found = score.camps.pairs if score.camps else ()
    return Table(
        name="comparison-camps",
        title="How evaluators differ",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("over", "b"),
            tabular.whole("Evaluators", "evaluators"),
            tabular.percent("Win rate", "win_rate_percent"),
            tabular.whole("Nearly\nalways a", "always_a"),
            tabular.whole("Nearly\nalways b", "always_b"),
            tabular.number("SD of\nlog-odds", "sd_log_odds", 2),
            tabular.interval(f"{score.confidence:.0%} CI", "sd_log_odds_*", 2),
            tabular.probability("Holm", "p_holm"),
            tabular.words("Verdict", "verdict"),
        ),
        rows=tuple(
            (
                pair.a,
                pair.b,
                pair.evaluators,
                in_percent(pair.win_rate),
                pair.always_a,
                pair.always_b,
                _finite(pair.sd_log_odds),
                (_finite(pair.sd_low), _finite(pair.sd_high)),
                pair.p_holm,
                pair.verdict,
            )
            for pair in found
        ),
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value
