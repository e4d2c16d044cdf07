"""What is shown because it was asked for: thresholds, metrics, the mixed model, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import wording
from hype.report.words_table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis import ConditionThresholds, Facet, MixedModel, Score


def thresholds(score: Score) -> Iterator[Table]:
    """Lay out fitted thresholds, if they were fitted."""
    fitted = [(row.condition, row.thresholds) for row in score.conditions if row.thresholds]
    if not fitted:
        return
    yield Table(
        title=f"Exposure at which {fitted[0][1].pooled.at:.0%} are judged correctly (ms)",
        columns=(
            *("Condition", "Pooled", f"{score.confidence:.0%} CI", "Lapses", "η", "Fit: p"),
            *("Evaluators'\nmedian", "without"),
        ),
        rows=tuple(_threshold_row(name, found) for name, found in fitted),
        note="One function fitted to all answers of a condition; beside it the median of the "
        "evaluators' own, and how many have none."
        + "".join(
            f" {name}: {found.pooled.reason}." for name, found in fitted if found.pooled.reason
        ),
    )


def _threshold_row(name: str, found: ConditionThresholds) -> tuple[str, ...]:
    pooled = found.pooled
    return (
        name,
        wording.beyond(pooled.beyond) or wording.number(pooled.threshold_ms),
        wording.open_interval(pooled.ci_low, pooled.ci_high),
        wording.share(pooled.lapse),
        wording.number(pooled.overdispersion, 2),
        wording.number(pooled.binomial_p, 3),
        wording.beyond(found.median_beyond) or wording.number(found.median_ms),
        f"{found.without} of {len(found.evaluators)}",
    )


def metrics(score: Score) -> Iterator[Table]:
    """Lay out correlations with automated metrics, if any were given."""
    if not score.metrics:
        return
    problems = (f"{m.metric}: {m.problem}" for m in score.metrics if m.problem)
    yield Table(
        title="Automated metrics",
        columns=("Metric", "Conditions", "Spearman's ρ", "p", "Kendall's τ", "p"),
        rows=tuple(
            (
                found.metric,
                str(found.n),
                wording.number(found.spearman_rho, 3),
                wording.number(found.spearman_p, 3),
                wording.number(found.kendall_tau, 3),
                wording.number(found.kendall_p, 3),
            )
            for found in score.metrics
        ),
        note=" ".join([f"p by {score.metrics[0].method or 'permutation'}.", *problems]),
    )


def mixed_model(score: Score) -> Iterator[Table]:
    """Lay out the typical errors of the mixed-effects model, if it was fitted."""
    if score.mixed_model and score.mixed_model.conditions:
        yield _mixed_model(score, score.mixed_model)


def _mixed_model(score: Score, model: MixedModel) -> Table:
    place = {row.condition: rank for rank, row in enumerate(score.conditions)}
    spreads = [
        f"{name} vary with a standard deviation of {wording.number(spread.sd, 2)} "
        f"({wording.interval(spread.ci_low, spread.ci_high, 2)})"
        for name, spread in (("evaluators", model.evaluator_sd), ("images", model.image_sd))
        if spread
    ]
    return Table(
        title="Mixed-effects logistic model",
        columns=("Condition", "Typical\nerror (%)", "95% CI", "Expected\n(%)", "Counted\n(%)"),
        rows=tuple(
            (
                row.condition,
                wording.number(row.typical_error),
                wording.interval(row.ci_low, row.ci_high),
                wording.number(row.marginal_error),
                wording.number(row.observed_error),
            )
            for row in sorted(model.conditions, key=lambda row: place[row.condition])
        ),
        note="Typical: of a middling evaluator on a middling image; expected: over all of them. In "
        f"log-odds {' and '.join(spreads)}.",
    )


def facets(score: Score) -> Iterator[Table]:
    """Lay out the scores within each class, if that was asked for."""
    if score.facets is None:
        return
    for facet in score.facets.facets:
        title = f"{score.facets.column}: {facet.value}"
        for within in facet.scores:
            yield _facet(title, within, facet)
        if facet.timed:
            yield _timed_facet(title, facet)


def _facet(title: str, within: Score, facet: Facet) -> Table:
    sentences = (wording.anova_sentence(within), wording.pairs_sentence(within))
    return Table(
        title=title,
        columns=(
            *("Condition", f"{wording.protocol_name(within)} ({within.unit})", "Fakes", "Reals"),
            *(f"{within.confidence:.0%} CI", "Group"),
        ),
        rows=tuple(
            (
                row.condition,
                wording.number(row.score),
                wording.number(row.fakes_error),
                wording.number(row.reals_error),
                wording.interval(row.ci_low, row.ci_high),
                within.letters(row.condition) or wording.NOT_KNOWN,
            )
            for row in within.conditions
        ),
        note=" ".join(filter(None, [*sentences, *facet.notes])),
    )


def _timed_facet(title: str, facet: Facet) -> Table:
    return Table(
        title=title,
        columns=("Condition", "Error (%)", "Fakes", "Reals", "Evaluators", "Judgements"),
        rows=tuple(
            (
                row.condition,
                wording.number(row.error),
                wording.number(row.fakes_error),
                wording.number(row.reals_error),
                str(row.evaluators),
                str(row.judgements),
            )
            for row in facet.timed
        ),
        note=" ".join(facet.notes),
    )
