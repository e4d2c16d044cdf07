"""From judgements to the figures of the paper's tables.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 4; each step is in a sibling module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.analysis.cautions import cautions
from hype.analysis.columns import SCORED_TASKS
from hype.analysis.completeness import finished, unfinished_note
from hype.analysis.error_rates import error_counts, pooled
from hype.analysis.judgements import check_judgements
from hype.analysis.modal_exposure import block_modes, summarise_blocks
from hype.analysis.resampling import Bootstrap, bootstrap, condition_rng
from hype.analysis.scores import ConditionScore, EvaluatorScore, Score
from hype.analysis.separability import compare_conditions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

ALPHA = 0.05
CONFIDENCE = 0.95


def score(frame: pd.DataFrame, *, draws: int = 10_000, seed: int = 0) -> tuple[Score, ...]:
    """Score a table of judgements.

    Parameters
    ----------
    frame
        One row per answered trial, as described by `hype.analysis.judgements.COLUMNS`. Practice
        and qualification are left out.
    draws, seed
        Of the bootstrap. The same seed gives the same figures, whatever the order of the rows
        and whichever other conditions there are.

    Returns
    -------
    tuple of Score
        One for each protocol present, time before infinity.

    Raises
    ------
    InputError
        What `check_judgements` refuses; nobody has finished; fewer than two draws; a negative
        seed.

    Notes
    -----
    An infinity score is the percentage of all of a condition's judgements that are wrong. Where
    evaluators judged equally many images that is also the mean of their own percentages; where
    they did not, the pooled rate counts every judgement alike, in the bootstrap too, while
    ANOVA and pairwise tests count every evaluator alike, and a note says so.

    A time score is the mean over evaluators of the mean over their blocks of the block's modal
    nominal exposure, in ms.
    """
    judgements = check_judgements(frame)
    done = finished(judgements)
    tasks = judgements["task"]
    return tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            draws=draws,
            seed=seed,
            notes=unfinished_note(judgements[tasks.eq(task)]),
        )
        for task in SCORED_TASKS
        if (done & tasks.eq(task)).any()
    )


def _score_protocol(
    judgements: pd.DataFrame, protocol: str, *, draws: int, seed: int, notes: Sequence[str]
) -> Score:
    extremes_ms = _extremes_ms(judgements) if protocol == "time" else None
    scored = _evaluator_scores(judgements, protocol)
    conditions = sorted(
        (
            _condition_score(name, evaluators, extremes_ms, draws=draws, seed=seed)
            for name, evaluators in scored.items()
        ),
        key=lambda row: (-row.score, row.condition),
    )
    tests = compare_conditions(
        {row.condition: [e.score for e in row.evaluator_scores] for row in conditions},
        alpha=ALPHA,
    )
    return Score(
        protocol=protocol,
        simulated=bool(judgements["simulated"].any()),
        conditions=tuple(conditions),
        anova=tests.anova,
        pairwise=tests.pairwise,
        pairwise_method=tests.method,
        alpha=tests.alpha,
        confidence=CONFIDENCE,
        draws=draws,
        seed=seed,
        notes=(*notes, *cautions(conditions), *filter(None, [tests.problem])),
    )


def _evaluator_scores(
    judgements: pd.DataFrame, protocol: str
) -> Mapping[str, Sequence[EvaluatorScore]]:
    """Score every evaluator; condition to its evaluators, both sorted."""
    modes = block_modes(judgements) if protocol == "time" else {}
    scored: dict[str, list[EvaluatorScore]] = {}
    for (condition, evaluator), counts in error_counts(judgements).items():
        blocks = modes.get((condition, evaluator), ())
        own = (
            sum(block.exposure_ms for block in blocks) / len(blocks)
            if blocks
            else 100 * counts.wrong / counts.judgements
        )
        row = EvaluatorScore(evaluator=evaluator, score=own, counts=counts, blocks=blocks)
        scored.setdefault(condition, []).append(row)
    return scored


def _condition_score(
    name: str,
    evaluators: Sequence[EvaluatorScore],
    extremes_ms: tuple[float, float] | None,
    *,
    draws: int,
    seed: int,
) -> ConditionScore:
    timed = extremes_ms is not None
    # A score is a sum over evaluators divided by a sum over evaluators: a mean, or a pooled rate.
    totals = [e.score if timed else 100 * e.counts.wrong for e in evaluators]
    weights = [1 if timed else e.counts.judgements for e in evaluators]
    spread = _spread(name, totals, weights, draws=draws, seed=seed)
    counts = pooled(e.counts for e in evaluators)
    blocks = [block for e in evaluators for block in e.blocks]
    return ConditionScore(
        condition=name,
        evaluators=len(evaluators),
        judgements=counts.judgements,
        score=sum(totals) / sum(weights),
        fakes_error=counts.fakes_error,
        reals_error=counts.reals_error,
        std=spread.std if spread else None,
        ci_low=spread.ci_low if spread else None,
        ci_high=spread.ci_high if spread else None,
        evaluator_scores=tuple(evaluators),
        staircases=summarise_blocks(blocks, extremes_ms) if extremes_ms else None,
    )


def _spread(
    name: str, totals: Sequence[float], weights: Sequence[float], *, draws: int, seed: int
) -> Bootstrap | None:
    if len(totals) == 1:
        return None
    rng = condition_rng(seed, name)
    return bootstrap(totals, weights, draws=draws, rng=rng, confidence=CONFIDENCE)


def _extremes_ms(judgements: pd.DataFrame) -> tuple[float, float]:
    return float(judgements["exposure_ms"].min()), float(judgements["exposure_ms"].max())
