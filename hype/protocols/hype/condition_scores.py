"""The scores of every condition of one protocol, with all that stands beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hype.protocols.hype.agreement import agreement_by_condition
from hype.protocols.hype.error_rates import error_counts, pooled, signal_detection
from hype.protocols.hype.exclusion import spoiled_by
from hype.protocols.hype.images import convincing_by_condition
from hype.protocols.hype.modal_exposure import block_modes, staircase_bounds, summarise_blocks
from hype.protocols.hype.options import CONFIDENCE
from hype.protocols.hype.precision import precision
from hype.protocols.hype.results import ConditionScore, EvaluatorScore
from hype.protocols.hype.reversals import reversals_by_condition, unsettled_by_condition
from hype.protocols.hype.two_way import ExposureScore, two_way_by_condition, two_way_exposure
from hype.statistics.resampling import bootstrap, condition_rng, side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from hype.protocols.hype.modal_exposure import BlockLabel
    from hype.protocols.hype.options import Options
    from hype.protocols.hype.thresholds import ConditionThresholds
    from hype.protocols.hype.two_way import TwoWay, TwoWayExposure
    from hype.statistics.resampling import Bootstrap


@dataclass(frozen=True, kw_only=True)
class JudgementRows:
    """The judgements of one protocol.

    Parameters
    ----------
    protocol
        "time" or "infinity".
    shown
        All trials. How far a staircase came does not depend on what the screen did.
    scored
        Those that count.
    """

    protocol: str
    shown: pd.DataFrame
    scored: pd.DataFrame

    @property
    def timed(self) -> bool:
        return self.protocol == "time"

    def only(self, which: pd.Series) -> JudgementRows:
        """Give those of some rows of ``shown``."""
        kept = which[self.scored.index]
        return replace(self, shown=self.shown[which], scored=self.scored[kept])


def condition_scores(rows: JudgementRows, options: Options) -> tuple[ConditionScore, ...]:
    """Score every condition, the best first."""
    spoiled = spoiled_by(rows.shown, "condition")
    evaluators = _evaluator_scores(rows)
    plain = side_by_side(
        lambda name: _table_row(name, evaluators[name], options, spoiled=spoiled[name]), evaluators
    )
    own = _of_staircases if rows.timed else _of_answers
    whole = own(_of_images(plain, rows, options), rows, options)
    return tuple(sorted(whole, key=lambda row: (-row.score, row.condition)))


def plain_scores(rows: JudgementRows) -> dict[str, tuple[int, float]]:
    """Give how many evaluators each condition has, and its score, without all that takes long."""
    return {
        name: (len(theirs), weighed(theirs)) for name, theirs in _evaluator_scores(rows).items()
    }


def weighed(evaluators: Sequence[EvaluatorScore]) -> float:
    totals, weights = _summands(evaluators)
    return sum(totals) / sum(weights)


def _summands(evaluators: Sequence[EvaluatorScore]) -> tuple[list[float], list[float]]:
    """Give what a score is made of: totals and weights by evaluator.

    A score is a sum over evaluators divided by a sum over evaluators: a mean, or a pooled rate.
    """
    timed = bool(evaluators[0].blocks)
    totals = [e.score if timed else 100 * e.counts.wrong for e in evaluators]
    return totals, [1 if timed else e.counts.judgements for e in evaluators]


def _evaluator_scores(rows: JudgementRows) -> Mapping[str, Sequence[EvaluatorScore]]:
    """Score every evaluator; condition to its evaluators, both sorted."""
    modes = block_modes(rows.scored) if rows.timed else {}
    given = {key: counts.judgements for key, counts in error_counts(rows.shown).items()}
    by_condition: dict[str, list[EvaluatorScore]] = {}
    for (condition, evaluator), counts in error_counts(rows.scored).items():
        blocks = modes.get((condition, evaluator), ())
        own = (
            sum(block.exposure_ms for block in blocks) / len(blocks)
            if blocks
            else 100 * counts.wrong / counts.judgements
        )
        row = EvaluatorScore(
            evaluator=evaluator,
            score=own,
            counts=counts,
            blocks=blocks,
            left_out=given[condition, evaluator] - counts.judgements,
        )
        by_condition.setdefault(condition, []).append(row)
    return by_condition


def _table_row(
    name: str, evaluators: Sequence[EvaluatorScore], options: Options, *, spoiled: int
) -> ConditionScore:
    """Score one condition as in the paper's tables, and say how the score would vary."""
    totals, weights = _summands(evaluators)
    alone = len(evaluators) == 1
    counts = pooled(e.counts for e in evaluators)
    return ConditionScore(
        condition=name,
        evaluators=len(evaluators),
        judgements=counts.judgements,
        score=weighed(evaluators),
        fakes_error=counts.fakes_error,
        reals_error=counts.reals_error,
        evaluator_scores=tuple(evaluators),
        bootstrap=None if alone else _bootstrap(name, totals, weights, options),
        precision=()
        if alone
        else precision(
            totals,
            weights,
            draws=options.draws,
            rng=condition_rng(options.seed, name, "precision"),
            confidence=CONFIDENCE,
        ),
        spoiled=spoiled,
    )


def _bootstrap(
    name: str, totals: Sequence[float], weights: Sequence[float], options: Options
) -> Bootstrap:
    rng = condition_rng(options.seed, name)
    return bootstrap(totals, weights, draws=options.draws, rng=rng, confidence=CONFIDENCE)


def _of_images(
    table: Sequence[ConditionScore], rows: JudgementRows, options: Options
) -> Sequence[ConditionScore]:
    """Add what is told by several evaluators judging the same images."""
    draws, seed = options.draws, options.seed
    agreement = agreement_by_condition(rows.scored, draws=draws, seed=seed)
    convincing = convincing_by_condition(rows.scored)
    return [
        replace(
            row,
            agreement=agreement[row.condition],
            convincing=convincing.get(row.condition),
        )
        for row in table
    ]


def _of_answers(
    table: Sequence[ConditionScore], rows: JudgementRows, options: Options
) -> Sequence[ConditionScore]:
    """Add what only the answers of HYPE_infinity tell."""
    both = _errors_over_both(rows, options)
    return [
        replace(
            row,
            signal_detection=signal_detection(e.counts for e in row.evaluator_scores),
            two_way=both.get(row.condition),
        )
        for row in table
    ]


def _errors_over_both(rows: JudgementRows, options: Options) -> Mapping[str, TwoWay | None]:
    """Reweigh evaluators and images of all conditions, unless that is not wanted."""
    if not options.two_way:
        return {}
    return two_way_by_condition(rows.scored, draws=options.draws, seed=options.seed)


def _of_staircases(
    table: Sequence[ConditionScore], rows: JudgementRows, options: Options
) -> Sequence[ConditionScore]:
    """Add what only the staircases of HYPE_time tell."""
    bounds_ms = staircase_bounds(rows.shown)
    reversals = reversals_by_condition(rows.shown)
    unsettled = unsettled_by_condition(rows.shown, _modes_ms(table), bounds_ms)
    thresholds = _thresholds(rows, options, bounds_ms)
    errors = _errors_over_both(rows, options)
    exposures = _exposures_over_both(table, rows, options, bounds_ms)
    return [
        replace(
            row,
            staircases=summarise_blocks(
                [block for e in row.evaluator_scores for block in e.blocks], bounds_ms
            ),
            reversals=reversals.get(row.condition),
            unsettled=unsettled.get(row.condition),
            thresholds=thresholds.get(row.condition),
            two_way=exposures.get(row.condition),
            two_way_errors=errors.get(row.condition),
        )
        for row in table
    ]


def _modes_ms(table: Sequence[ConditionScore]) -> Mapping[BlockLabel, float]:
    """Give the modal exposures of all blocks."""
    return {
        (row.condition, own.evaluator, block.block): block.exposure_ms
        for row in table
        for own in row.evaluator_scores
        for block in own.blocks
    }


def _exposures_over_both(
    table: Sequence[ConditionScore],
    rows: JudgementRows,
    options: Options,
    bounds_ms: tuple[float, float],
) -> Mapping[str, TwoWayExposure | None]:
    """Reweigh evaluators and images of all conditions, unless that is not wanted."""
    if not options.two_way:
        return {}
    judged = dict(iter(rows.scored.groupby("condition", observed=True)))
    spreads = side_by_side(
        lambda row: two_way_exposure(
            judged[row.condition],
            {e.evaluator: _exposure_score(e, bounds_ms) for e in row.evaluator_scores},
            bounds_ms=bounds_ms,
            draws=options.draws,
            rng=condition_rng(options.seed, row.condition, "two-way exposure"),
            confidence=CONFIDENCE,
        ),
        table,
    )
    return {row.condition: both for row, both in zip(table, spreads, strict=True)}


def _exposure_score(evaluator: EvaluatorScore, bounds_ms: tuple[float, float]) -> ExposureScore:
    modes_ms = [block.exposure_ms for block in evaluator.blocks]
    moving_ms = [0 if mode_ms in bounds_ms else mode_ms for mode_ms in modes_ms]
    return ExposureScore(score_ms=evaluator.score, moving_ms=sum(moving_ms) / len(modes_ms))


def _thresholds(
    rows: JudgementRows, options: Options, bounds_ms: tuple[float, float]
) -> Mapping[str, ConditionThresholds]:
    """Fit psychometric functions, where that was asked for."""
    if options.thresholds_at is None:
        return {}
    from hype.protocols.hype.thresholds import fit_thresholds

    return fit_thresholds(
        rows.scored,
        seed=options.seed,
        at=options.thresholds_at,
        confidence=CONFIDENCE,
        bounds_ms=bounds_ms,
        processes=options.processes,
        progress=options.progress,
    )
