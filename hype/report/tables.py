"""What stands beside the paper's table, as titled tables of words for terminal and page alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.report import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis import (
        ConditionScore,
        ConditionThresholds,
        Facet,
        ImageScore,
        MixedModel,
        Score,
    )


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of words.

    Parameters
    ----------
    title
        Above it.
    columns
        Headings, which may be broken in lines; the first is that of a column of names.
    rows
        Cells, as many as there are headings.
    note
        Beneath it; may be empty.
    prose
        Whether cells are words, which may be broken, and not numbers.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    prose: bool = False

    @property
    def says_something(self) -> bool:
        """Whether any cell but the names holds anything."""
        return any(cell != wording.NOT_KNOWN for row in self.rows for cell in row[1:])


def tables(score: Score) -> tuple[Table, ...]:
    """List the tables that there is something to say in."""
    return tuple(table for table in _tables(score) if table.says_something)


def _tables(score: Score) -> Iterator[Table]:
    yield _uncertainty(score)
    if score.protocol == "time":
        yield _staircases(score)
        yield from _thresholds(score)
    else:
        yield _answers(score)
    yield _convincing(score)
    yield from _metrics(score)
    if score.mixed_model and score.mixed_model.conditions:
        yield _mixed_model(score, score.mixed_model)
    yield from _facets(score)


def _uncertainty(score: Score) -> Table:
    confidence = f"{score.confidence:.0%} CI"
    timed = score.protocol == "time"
    beside: tuple[str, ...] = ()
    if any(row.two_way for row in score.conditions):
        beside = _TIMED_BESIDE if timed else _UNTIMED_BESIDE
    return Table(
        title="Uncertainty and groups",
        columns=("Condition", "Group", f"BCa\n{confidence}", *beside),
        rows=tuple(
            (
                row.condition,
                score.letters(row.condition) or wording.NOT_KNOWN,
                _bca(row),
                *(_beside(row, timed=timed) if beside else ()),
            )
            for row in score.conditions
        ),
        note=" ".join(filter(None, [_GROUPS_NOTE, _BESIDE_NOTES[beside]])),
    )


_TIMED_BESIDE = ("Fakes error\n× images (%)", "Reals error\n× images (%)")
_UNTIMED_BESIDE = ("Std.\n× images", "CI\n× images")
_GROUPS_NOTE = "Conditions that share a letter are not separable."
_BESIDE_NOTES = {
    (): "",
    _UNTIMED_BESIDE: "× images: images vary as well as evaluators.",
    _TIMED_BESIDE: "× images: intervals of the errors when images vary as well as evaluators; a "
    "modal exposure cannot be had for other images.",
}


def _bca(row: ConditionScore) -> str:
    return (
        wording.interval(row.bootstrap.bca_low, row.bootstrap.bca_high)
        if row.bootstrap
        else (wording.NOT_KNOWN)
    )


def _beside(row: ConditionScore, *, timed: bool) -> tuple[str, ...]:
    both = row.two_way
    if both is None:
        return (wording.NOT_KNOWN,) * 2
    if not timed:
        return (wording.number(both.std), wording.interval(both.ci_low, both.ci_high))
    return tuple(
        wording.interval(error.ci_low, error.ci_high) if error else wording.NOT_KNOWN
        for error in (both.fakes, both.reals)
    )


def _answers(score: Score) -> Table:
    confidence = f"{score.confidence:.0%} CI"
    return Table(
        title="Answers",
        columns=(*("Condition", "d′", confidence, "c", confidence, "α", confidence),),
        rows=tuple(_answers_row(row) for row in score.conditions),
        note="d′ and criterion c (above 0: says real more often) are means over evaluators; α is "
        "Krippendorff's, among evaluators.",
    )


def _answers_row(row: ConditionScore) -> tuple[str, ...]:
    found, alpha = row.signal_detection, row.agreement
    detection = (
        (
            wording.number(found.d_prime, 2),
            wording.interval(found.d_prime_low, found.d_prime_high, 2),
            wording.number(found.criterion, 2),
            wording.interval(found.criterion_low, found.criterion_high, 2),
        )
        if found
        else (wording.NOT_KNOWN,) * 4
    )
    agreement = (
        (wording.number(alpha.alpha, 2), wording.interval(alpha.ci_low, alpha.ci_high, 2))
        if alpha
        else (wording.NOT_KNOWN,) * 2
    )
    return (row.condition, *detection, *agreement)


def _convincing(score: Score) -> Table:
    return Table(
        title="Fakes at either end",
        columns=("Condition", "Most convincing (called fake)", "Least convincing"),
        rows=tuple(
            (
                row.condition,
                _images(row.convincing.most if row.convincing else ()),
                _images(row.convincing.least if row.convincing else ()),
            )
            for row in score.conditions
        ),
        note="By the bounds of Wilson's interval; hype score --images writes all images.",
        prose=True,
    )


def _images(images: tuple[ImageScore, ...]) -> str:
    named = [f"{one.image} ({one.called_fake} of {one.shown})" for one in images[:_IMAGES_NAMED]]
    return "\n".join(named) or wording.NOT_KNOWN


_IMAGES_NAMED = 2


def _staircases(score: Score) -> Table:
    last = max((row.reversals.last for row in score.conditions if row.reversals), default=0)
    return Table(
        title="Staircases",
        columns=(
            *("Condition", "Last rever-\nsals (ms)", "Blocks", "without\nreversals"),
            *("mode on\nfloor", "on\nceiling", "tied"),
        ),
        rows=tuple(_staircases_row(row) for row in score.conditions),
        note=f"Mean of the last {last} reversals; blocks without two reversals have none."
        if last
        else "",
    )


def _staircases_row(row: ConditionScore) -> tuple[str, ...]:
    stairs, turns = row.staircases, row.reversals
    if stairs is None:
        return (row.condition, *(wording.NOT_KNOWN,) * 6)
    return (
        row.condition,
        wording.number(turns.reversals_ms if turns else None),
        str(stairs.blocks),
        str(turns.blocks_without) if turns else wording.NOT_KNOWN,
        wording.share(stairs.shortest_share),
        wording.share(stairs.longest_share),
        str(stairs.tied_modes),
    )


def _thresholds(score: Score) -> Iterator[Table]:
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


def _metrics(score: Score) -> Iterator[Table]:
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


def _facets(score: Score) -> Iterator[Table]:
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
