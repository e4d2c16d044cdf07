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
from hype.analysis.spoiled import check_treatment, count_verdicts, spoiled_by, without_spoiled
from hype.analysis.spoiled_notes import spoiled_notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from hype.analysis.spoiled import Treatment

ALPHA = 0.05
CONFIDENCE = 0.95


def score(
    frame: pd.DataFrame, *, draws: int = 10_000, seed: int = 0, spoiled: Treatment = "keep"
) -> tuple[Score, ...]:
    """Score a table of judgements.

    Parameters
    ----------
    frame
        One row per answered trial, as described by `hype.analysis.judgements.COLUMNS`. Practice
        and qualification are left out.
    draws, seed
        Of the bootstrap. The same seed gives the same figures, whatever the order of the rows
        and whichever other conditions there are.
    spoiled
        Whether trials of the time protocol whose verdict is late or dropped are scored ("keep")
        or not ("leave-out"). A note says how many there were, either way.

    Returns
    -------
    tuple of Score
        One for each protocol present, time before infinity.

    Raises
    ------
    InputError
        What `check_judgements` refuses; nobody has finished; fewer than two draws; a negative
        seed; leaving out leaves nothing.

    Notes
    -----
    An infinity score is the percentage of all of a condition's judgements that are wrong. Where
    evaluators judged equally many images that is also the mean of their own percentages; where
    they did not, the pooled rate counts every judgement alike, in the bootstrap too, while
    ANOVA and pairwise tests count every evaluator alike, and a note says so.

    A time score is the mean over evaluators of the mean over their blocks of the block's modal
    requested exposure, in ms.
    """
    check_treatment(spoiled)
    judgements = check_judgements(frame)
    done = finished(judgements)
    tasks = judgements["task"]
    return tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            draws=draws,
            seed=seed,
            leave_out=spoiled == "leave-out",
            notes=unfinished_note(judgements[tasks.eq(task)]),
        )
        for task in SCORED_TASKS
        if (done & tasks.eq(task)).any()
    )


def _score_protocol(
    judgements: pd.DataFrame,
    protocol: str,
    *,
    draws: int,
    seed: int,
    leave_out: bool,
    notes: Sequence[str],
) -> Score:
    scored = without_spoiled(judgements) if leave_out else judgements
    trials = count_verdicts(judgements, left_out=leave_out)
    conditions = _condition_scores(judgements, scored, protocol, draws=draws, seed=seed)
    tests = compare_conditions(
        {row.condition: [e.score for e in row.evaluator_scores] for row in conditions},
        alpha=ALPHA,
    )
    return Score(
        protocol=protocol,
        simulated=bool(judgements["simulated"].any()),
        conditions=conditions,
        anova=tests.anova,
        pairwise=tests.pairwise,
        pairwise_method=tests.method,
        alpha=tests.alpha,
        confidence=CONFIDENCE,
        draws=draws,
        seed=seed,
        notes=(
            *notes,
            *spoiled_notes(judgements, scored, trials),
            *cautions(conditions),
            *filter(None, [tests.problem]),
        ),
        spoiled_trials=trials,
    )


def _condition_scores(
    shown: pd.DataFrame, scored: pd.DataFrame, protocol: str, *, draws: int, seed: int
) -> tuple[ConditionScore, ...]:
    """Score every condition, the best first."""
    # Of all trials: how far the staircases came does not depend on what the screen did.
    extremes_ms = _extremes_ms(shown) if protocol == "time" else None
    spoiled = spoiled_by(shown, "condition")
    rows = (
        _condition_score(
            name, evaluators, extremes_ms, spoiled=spoiled[name], draws=draws, seed=seed
        )
        for name, evaluators in _evaluator_scores(shown, scored, protocol).items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.score, row.condition)))


def _evaluator_scores(
    shown: pd.DataFrame, scored: pd.DataFrame, protocol: str
) -> Mapping[str, Sequence[EvaluatorScore]]:
    """Score every evaluator; condition to its evaluators, both sorted."""
    modes = block_modes(scored) if protocol == "time" else {}
    given = shown.groupby(["condition", "evaluator"]).size()
    by_condition: dict[str, list[EvaluatorScore]] = {}
    for (condition, evaluator), counts in error_counts(scored).items():
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
            left_out=int(given[condition, evaluator]) - counts.judgements,
        )
        by_condition.setdefault(condition, []).append(row)
    return by_condition


def _condition_score(
    name: str,
    evaluators: Sequence[EvaluatorScore],
    extremes_ms: tuple[float, float] | None,
    *,
    spoiled: int,
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
        spoiled=spoiled,
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
