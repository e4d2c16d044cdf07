"""The paper's table, and what it was made of: every pair of conditions, every evaluator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import wording
from hype.report.tables import tabular
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.analysis import ConditionScore, EvaluatorScore, Pair, Score
    from hype.report.tables.tabular import Value


def scores(score: Score) -> Table:
    """Lay out the scores as in the paper's tables, the best first."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "scores"),
        title="Scores",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            tabular.number(wording.protocol_name(score), f"score_{unit}", unit=score.unit),
            tabular.percent("Fakes\nerror", "fakes_error_percent"),
            tabular.percent("Reals\nerror", "reals_error_percent"),
            tabular.number("Std.", f"std_{unit}"),
            tabular.interval(f"{score.confidence:.0%} CI", f"ci_*_{unit}"),
            tabular.whole("Evalu-\nators", "evaluators"),
            tabular.whole("Judge-\nments", "judgements"),
        ),
        rows=tuple(_score(rank, row) for rank, row in enumerate(score.conditions, start=1)),
    )


def unit_key(score: Score) -> str:
    """Give the unit of a score as it ends the name of a column."""
    return "ms" if score.protocol == "time" else "percent"


def _score(rank: int, row: ConditionScore) -> tuple[Value, ...]:
    return (
        rank,
        row.condition,
        row.score,
        row.fakes_error,
        row.reals_error,
        row.std,
        (row.ci_low, row.ci_high),
        row.evaluators,
        row.judgements,
    )


def pairs(score: Score) -> Table:
    """Lay out every pair of conditions, as the tests found them."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "pairs"),
        title="Pairs of conditions",
        columns=(
            tabular.name("Condition", "a"),
            tabular.name("against", "b"),
            tabular.number("Difference", f"difference_{unit}", unit=score.unit),
            tabular.interval(f"{1 - score.alpha:.0%} CI", f"difference_ci_*_{unit}"),
            tabular.number("Hedges' g", "hedges_g", 2),
            tabular.probability("p", "p"),
            tabular.words("Separable", "separable"),
        ),
        rows=tuple(map(_pair, score.pairwise)),
        note=wording.pairs_sentence(score),
    )


def _pair(pair: Pair) -> tuple[Value, ...]:
    separable = None if pair.separable is None else "yes" if pair.separable else "no"
    ends = (pair.ci_low, pair.ci_high)
    return (pair.a, pair.b, pair.difference, ends, pair.hedges_g, pair.p, separable)


def evaluators(score: Score) -> Table:
    """Lay out every evaluator's own score, under the code by which the record knows them."""
    unit = unit_key(score)
    return Table(
        name=tabular.slug(score.protocol, "evaluators"),
        title="Evaluators",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.name("Evaluator", "evaluator"),
            tabular.number(wording.protocol_name(score), f"score_{unit}", unit=score.unit),
            tabular.percent("Fakes\nerror", "fakes_error_percent"),
            tabular.percent("Reals\nerror", "reals_error_percent"),
            tabular.whole("Judge-\nments", "judgements"),
            tabular.whole("Left out", "left_out"),
        ),
        rows=tuple(
            _evaluator(row.condition, one)
            for row in score.conditions
            for one in row.evaluator_scores
        ),
    )


def _evaluator(condition: str, one: EvaluatorScore) -> tuple[Value, ...]:
    counts = one.counts
    errors = (counts.fakes_error, counts.reals_error)
    return (condition, one.evaluator, one.score, *errors, counts.judgements, one.left_out)


def images(score: Score) -> Table:
    """Lay out the fakes at either end, one row for each image."""
    return Table(
        name=tabular.slug(score.protocol, "fakes-at-either-end"),
        title="Fakes at either end",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.words("End", "end"),
            tabular.words("Image", "image"),
            tabular.whole("Shown", "shown"),
            tabular.whole("Called fake", "called_fake"),
            tabular.interval(f"{score.confidence:.0%} CI", "called_fake_share_ci_*", 2),
        ),
        rows=tuple(
            (row.condition, end, one.image, one.shown, one.called_fake, (one.ci_low, one.ci_high))
            for row in score.conditions
            if row.convincing
            for end, found in (("most", row.convincing.most), ("least", row.convincing.least))
            for one in found
        ),
    )
