"""The scores of every condition of one protocol, with all that stands beside them.

`precision` is the paper's Figure 4 (Zhou et al. 2019, section 3): the interval of the bootstrap for
10 to 120 evaluators, drawn with replacement from those there are; from ten of them on, and to four
times as many, since a few people tell little of how people vary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.block_scores import (
    BlockLabel,
    BlockMode,
    block_estimates,
    block_modes,
    is_quest_plus,
    posteriors_of,
    reversals_by_condition,
    settles_at_by_condition,
    staircase_bounds,
    summarise_blocks,
    unsettled_by_condition,
)
from hype.protocols.hype.error_rates import (
    TwoWay,
    error_counts,
    pooled,
    two_way_by_condition,
)
from hype.protocols.hype.exclusion import (
    Treatment,
    check_treatment,
    spoiled_by,
    without_spoiled,
)
from hype.protocols.hype.images import agreement_by_condition, convincing_by_condition
from hype.protocols.hype.inference import (
    EVERY,
    Answers,
    Inference,
    inference_of_errors,
    inference_of_exposures,
    signal_detection,
)
from hype.protocols.hype.results import ConditionScore, EvaluatorScore, Precision
from hype.protocols.hype.thresholds import ConditionThresholds, fit_thresholds, settle_points
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.resampling import (
    Bootstrap,
    bootstrap,
    check_draws,
    condition_rng,
    side_by_side,
)

ALPHA: Final = 0.05
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class Options:
    """The choices; `hype.protocols.hype.scoring.score` says what each does.

    InputError for fewer than two draws, a negative seed, an unknown treatment of spoiled trials, an
    accuracy that is not above chance and below 1, and fewer than one process.
    """

    draws: int = 10_000
    seed: int = 0
    spoiled: Treatment = "keep"
    two_way: bool = False
    images: Images = "sample"
    margins: Mapping[str, float] = field(default_factory=dict)
    thresholds_at: float | None = None
    order: tuple[str, ...] = ()
    metrics: pd.DataFrame | None = None
    by: str | None = None
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        check_draws(self.draws)
        condition_rng(self.seed, "")
        check_treatment(self.spoiled)
        if self.thresholds_at is not None and not 0.5 < self.thresholds_at < 1:
            allowed = "an accuracy above 0.5, which is chance, and below 1"
            raise InputError("at", f"{self.thresholds_at:g}", allowed)


SIZES: Final = tuple(range(10, 121, 10))
"""Numbers of evaluators in the paper's Figure 4."""
FEWEST_FOR_PRECISION: Final = 10
MOST_TIMES: Final = 4
"""As many times the evaluators there are a curve of precision goes on."""
_CELLS: Final = 2**17
"""Evaluators times draws held in memory at once; few enough for a processor's cache."""


def precision(
    totals: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
    sizes: Iterable[int] = SIZES,
) -> tuple[Precision, ...]:
    """Resample evaluators, more and more of them, and tell how their score varies.

    A draw of 20 evaluators is a draw of 10 and ten more, so that the curve is smooth. Totals and
    weights, above 0, are one number for each of two evaluators or more; a score is the sum of the
    one over that of the other, as in `hype.statistics.resampling.bootstrap`. Ascending by size;
    InputError for fewer than two draws, or a size below 1.
    """
    check_draws(draws)
    wanted = sorted(set(sizes))
    if not wanted or wanted[0] < 1:
        allowed = "allowed are whole numbers, 1 or more"
        raise InputError("sizes", ", ".join(map(str, wanted)) or "none", allowed)
    people = np.asarray(totals, dtype=float), np.asarray(weights, dtype=float)
    scores = np.hstack(list(_scores(people, wanted, draws, rng)))
    tail = (1 - confidence) / 2
    bounds = np.quantile(scores, (tail, 1 - tail), axis=1)
    return tuple(
        Precision(evaluators=size, std=float(std), ci_low=float(low), ci_high=float(high))
        for size, std, (low, high) in zip(wanted, scores.std(axis=1, ddof=1), bounds.T, strict=True)
    )


def _scores(
    people: tuple[FloatArray, FloatArray],
    sizes: Sequence[int],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Score growing groups of evaluators; shape (sizes, draws), some draws at a time."""
    step = max(1, _CELLS // sizes[-1])
    joining = list(pairwise((0, *sizes)))
    for start in range(0, draws, step):
        drawn = rng.integers(len(people[0]), size=(sizes[-1], min(step, draws - start)))
        total, weight = (_grown(each, drawn, joining) for each in people)
        yield np.broadcast_to(total / weight, (len(sizes), drawn.shape[1]))


def _grown(values: FloatArray, drawn: IntArray, joining: Sequence[tuple[int, int]]) -> FloatArray:
    """Sum the values of growing groups; shape (sizes, draws), or (sizes, 1) where all are equal."""
    if np.all(values == values[0]):  # as weights often are
        heads = np.array([[high] for _, high in joining], dtype=float)
        return heads * float(values[0])
    sums = np.array([values[drawn[low:high]].sum(axis=0) for low, high in joining], dtype=float)
    return np.cumsum(sums, axis=0)


@dataclass(frozen=True, kw_only=True)
class JudgementRows:
    """The judgements of one protocol."""

    protocol: str  # "time" or "infinity"
    # All trials. How far a staircase came does not depend on what the screen did.
    shown: pd.DataFrame
    scored: pd.DataFrame  # those that count

    @property
    def timed(self) -> bool:
        return self.protocol == "time"

    def only(self, which: pd.Series) -> JudgementRows:
        kept = which[self.scored.index]
        return replace(self, shown=self.shown[which], scored=self.scored[kept])


def condition_scores(
    rows: JudgementRows, options: Options
) -> tuple[tuple[ConditionScore, ...], Inference]:
    """Score every condition, the best first, with what holds of other people and other images."""
    spoiled = spoiled_by(rows.shown, "condition")
    evaluators = _evaluator_scores(rows)
    plain = side_by_side(
        lambda name: _table_row(name, evaluators[name], options, spoiled=spoiled[name]), evaluators
    )
    inference = _inference(rows, evaluators, options)
    options = replace(options, images=inference.images or options.images)
    own = _of_staircases if rows.timed else partial(_of_answers, inference.answers)
    whole = own(_of_images(plain, rows, options), rows, options)
    ordered = sorted(whole, key=lambda row: (-row.score, row.condition))
    above_chance = inference.hyper_realistic(alpha=ALPHA)
    return tuple(_with_interval(row, inference, above_chance) for row in ordered), inference


def inference(rows: JudgementRows, options: Options) -> Inference:
    """Say what holds of other people and other images, without all that takes long."""
    return people_and_inference(rows, options)[1]


def people_and_inference(
    rows: JudgementRows, options: Options
) -> tuple[Mapping[str, Sequence[EvaluatorScore]], Inference]:
    """Give the evaluators of each condition too."""
    evaluators = _evaluator_scores(rows)
    return evaluators, _inference(rows, evaluators, options)


def _inference(
    rows: JudgementRows, evaluators: Mapping[str, Sequence[EvaluatorScore]], options: Options
) -> Inference:
    if not rows.timed:
        return inference_of_errors(rows.scored, evaluators, options.images)
    bounds_ms = staircase_bounds(rows.shown)
    inferred = inference_of_exposures(rows.scored, evaluators, options.images, bounds_ms=bounds_ms)
    # Modes are exposures that were shown; QUEST+'s estimates may lie beyond.
    return replace(inferred, possible_ms=EVERY) if is_quest_plus(rows.shown) else inferred


def _with_interval(
    row: ConditionScore, inference: Inference, above_chance: frozenset[str]
) -> ConditionScore:
    error = inference.error(row.condition)
    return replace(
        row,
        interval=inference.interval(row.condition, confidence=CONFIDENCE),
        df=error.freedom if error else None,
        hyper_realistic=row.condition in above_chance,
    )


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


def _block_scores(rows: JudgementRows) -> Mapping[tuple[str, str], tuple[BlockMode, ...]]:
    if is_quest_plus(rows.shown):
        return block_estimates(rows.scored, staircase_bounds(rows.shown))
    return block_modes(rows.scored)


def _evaluator_scores(rows: JudgementRows) -> Mapping[str, Sequence[EvaluatorScore]]:
    modes = _block_scores(rows) if rows.timed else {}
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
        if len(evaluators) < FEWEST_FOR_PRECISION
        else precision(
            totals,
            weights,
            draws=options.draws,
            rng=condition_rng(options.seed, name, "precision"),
            confidence=CONFIDENCE,
            sizes=[size for size in SIZES if size <= MOST_TIMES * len(evaluators)],
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
    agreement = agreement_by_condition(rows.scored, images=options.images)
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
    answers: Answers, table: Sequence[ConditionScore], rows: JudgementRows, options: Options
) -> Sequence[ConditionScore]:
    both, signals = _errors_over_both(rows, options), signal_detection(answers)
    return [
        replace(
            row,
            signal_detection=signals[row.condition],
            two_way=both.get(row.condition),
        )
        for row in table
    ]


def _errors_over_both(rows: JudgementRows, options: Options) -> Mapping[str, TwoWay | None]:
    if not options.two_way:
        return {}
    return two_way_by_condition(rows.scored, draws=options.draws, seed=options.seed)


def _of_staircases(
    table: Sequence[ConditionScore], rows: JudgementRows, options: Options
) -> Sequence[ConditionScore]:
    bounds_ms = staircase_bounds(rows.shown)
    if is_quest_plus(rows.shown):
        return _of_quest_plus(table, rows, options, bounds_ms)
    reversals = reversals_by_condition(rows.shown)
    unsettled = unsettled_by_condition(rows.shown, _modes_ms(table), bounds_ms)
    points = settle_points(rows.scored, bounds_ms, settles_at_by_condition(rows.shown))
    thresholds = _thresholds(rows, options, bounds_ms)
    errors = _errors_over_both(rows, options)
    return [
        replace(
            row,
            staircases=summarise_blocks(
                [block for e in row.evaluator_scores for block in e.blocks], bounds_ms
            ),
            reversals=reversals.get(row.condition),
            unsettled=unsettled.get(row.condition),
            settle_point=points.get(row.condition),
            thresholds=thresholds.get(row.condition),
            two_way_errors=errors.get(row.condition),
        )
        for row in table
    ]


def _of_quest_plus(
    table: Sequence[ConditionScore],
    rows: JudgementRows,
    options: Options,
    bounds_ms: tuple[float, float],
) -> Sequence[ConditionScore]:
    """Add what its trials can tell: they are no staircase, which turns or settles."""
    thresholds = _thresholds(rows, options, bounds_ms)
    errors = _errors_over_both(rows, options)
    blocks = {r.condition: [b for e in r.evaluator_scores for b in e.blocks] for r in table}
    return [
        replace(
            row,
            staircases=summarise_blocks(blocks[row.condition], bounds_ms),
            posteriors=posteriors_of(blocks[row.condition]),
            thresholds=thresholds.get(row.condition),
            two_way_errors=errors.get(row.condition),
        )
        for row in table
    ]


def _modes_ms(table: Sequence[ConditionScore]) -> Mapping[BlockLabel, float]:
    return {
        (row.condition, own.evaluator, block.block): block.exposure_ms
        for row in table
        for own in row.evaluator_scores
        for block in own.blocks
    }


def _thresholds(
    rows: JudgementRows, options: Options, bounds_ms: tuple[float, float]
) -> Mapping[str, ConditionThresholds]:
    if options.thresholds_at is None:
        return {}

    return fit_thresholds(
        rows.scored,
        seed=options.seed,
        at=options.thresholds_at,
        confidence=CONFIDENCE,
        bounds_ms=bounds_ms,
        progress=options.progress,
    )


def rows_of(everyone: pd.DataFrame, protocol: str, options: Options) -> JudgementRows:
    """Take the judgements of one protocol; of those that the screen spoiled as is chosen."""
    scored = without_spoiled(everyone) if options.spoiled == "leave-out" else everyone
    return JudgementRows(protocol=protocol, shown=everyone, scored=scored)
