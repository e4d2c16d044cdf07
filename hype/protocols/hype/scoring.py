"""From judgements to the figures of the paper's tables, and to what stands beside them.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 5; each step is in a sibling module.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hype.protocols.hype.cautions import cautions, spoiled_notes, unnamed_images_note
from hype.protocols.hype.condition_scores import JudgementRows, condition_scores
from hype.protocols.hype.exclusion import (
    are_left_out,
    count_verdicts,
    counted,
    finished,
    unfinished_note,
    without_spoiled,
)
from hype.protocols.hype.options import ALPHA, CONFIDENCE, Options
from hype.protocols.hype.results import Score, unit_of
from hype.protocols.hype.selection import careless, careless_note, selection_notes, selections
from hype.protocols.hype.separability import compare_conditions
from hype.protocols.hype.table import checked_judgements
from hype.protocols.hype.trial import SCORED_TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from hype.protocols.hype.exclusion import Treatment
    from hype.protocols.hype.facets import Facets
    from hype.protocols.hype.metrics import MetricCorrelation
    from hype.protocols.hype.mixed_model import MixedModel
    from hype.protocols.hype.results import ConditionScore
    from hype.protocols.hype.selection import Selection
    from hype.protocols.hype.separability import Trend


def score(
    frame: pd.DataFrame,
    *,
    draws: int = 10_000,
    seed: int = 0,
    spoiled: Treatment = "keep",
    two_way: bool = True,
    thresholds_at: float | None = None,
    mixed: bool = False,
    order: Sequence[str] = (),
    metrics: pd.DataFrame | None = None,
    by: str | None = None,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Score, ...]:
    """Score a table of judgements.

    Parameters
    ----------
    frame
        One row per answered trial, as described by `hype.analysis.COLUMNS`. Practice
        and qualification are left out.
    draws, seed
        Of every bootstrap. The same seed gives the same figures, whatever the order of the rows
        and whichever other conditions there are.
    spoiled
        Whether trials of the time protocol whose verdict is late or dropped are scored ("keep")
        or not ("leave-out"). A note says how many there were, either way.
    two_way
        Whether to resample evaluators and images together as well, where images have names: the
        slowest of the default figures.
    thresholds_at
        Accuracy, as a proportion, at which thresholds of fitted psychometric functions are wanted
        (for time); None for no fits. A fit takes about half a second, and there is one for each
        evaluator and each condition.
    mixed
        Whether to fit a mixed-effects logistic model (for infinity).
    order
        Conditions in an order along which to test for a trend, such as training checkpoints.
    metrics
        Automated metrics of the conditions, as `read_metrics` returns them.
    by
        A column, within each of whose values to score again.
    processes, progress
        How many processes fit thresholds; what to call with the number of fits done and of all.

    Returns
    -------
    tuple of Score
        One for each protocol present, time before infinity.

    Raises
    ------
    InputError
        What `check_judgements`, `Options`, `trend` and `score_by` refuse; nobody has finished;
        leaving out leaves nothing.

    Notes
    -----
    An infinity score is the percentage of all of a condition's judgements that are wrong. Where
    evaluators judged equally many images that is also the mean of their own percentages; where
    they did not, the pooled rate counts every judgement alike, in the bootstrap too, while
    ANOVA and pairwise tests count every evaluator alike, and a note says so.

    A time score is the mean over evaluators of the mean over their blocks of the block's modal
    requested exposure, in ms.
    """
    options = Options(
        draws=draws,
        seed=seed,
        spoiled=spoiled,
        two_way=two_way,
        thresholds_at=thresholds_at,
        mixed=mixed,
        order=tuple(order),
        metrics=metrics,
        by=by,
        processes=processes,
        progress=progress,
    )
    checked = checked_judgements(frame)
    return tuple(map(checked.beside, score_checked(checked.frame, options)))


def score_checked(judgements: pd.DataFrame, options: Options) -> tuple[Score, ...]:
    """Score a table that `check_judgements` has returned, and that need not be checked again."""
    done, kept = finished(judgements), counted(judgements)
    tasks = judgements["task"]
    selected = selections(judgements)
    return tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            options,
            notes=(*unfinished_note(judgements[tasks.eq(task)]), *selection_notes(selected)),
            selected=selected,
        )
        for task in SCORED_TASKS
        if (kept & tasks.eq(task)).any()
    )


def _score_protocol(
    everyone: pd.DataFrame,
    protocol: str,
    options: Options,
    *,
    notes: Sequence[str],
    selected: tuple[Selection, ...],
) -> Score:
    leave_out = options.spoiled == "leave-out"
    trials_of_all = without_spoiled(everyone) if leave_out else everyone
    every = JudgementRows(protocol=protocol, shown=everyone, scored=trials_of_all)
    kept = every.only(~are_left_out(everyone))
    judgements, scored = kept.shown, kept.scored
    trials = count_verdicts(judgements, left_out=leave_out)
    rows = condition_scores(kept, options)
    flagged = careless(every)
    tests = compare_conditions(_by_condition(rows), alpha=ALPHA)
    return Score(
        protocol=protocol,
        simulated=bool(judgements["simulated"].any()),
        conditions=rows,
        tests=tests,
        confidence=CONFIDENCE,
        draws=options.draws,
        seed=options.seed,
        notes=(
            *notes,
            *careless_note(flagged, unit_of(protocol)),
            *spoiled_notes(judgements, scored, trials),
            *unnamed_images_note(scored),
            *cautions(rows),
            *filter(None, [tests.problem]),
        ),
        spoiled_trials=trials,
        selections=selected,
        careless=flagged,
        trend=_trend(rows, options),
        metrics=_metrics(rows, options),
        mixed_model=_mixed_model(scored, protocol, options),
        facets=_facets(scored, options),
    )


def _by_condition(rows: Sequence[ConditionScore]) -> dict[str, list[float]]:
    return {row.condition: [e.score for e in row.evaluator_scores] for row in rows}


def _trend(rows: Sequence[ConditionScore], options: Options) -> Trend | None:
    if not options.order:
        return None
    from hype.protocols.hype.separability import trend

    return trend(_by_condition(rows), options.order, confidence=CONFIDENCE)


def _metrics(rows: Sequence[ConditionScore], options: Options) -> tuple[MetricCorrelation, ...]:
    if options.metrics is None:
        return ()
    from hype.protocols.hype.metrics import correlate
    from hype.statistics.resampling import condition_rng

    scores = {row.condition: row.score for row in rows}
    rng = condition_rng(options.seed, "", "metrics")
    return correlate(scores, options.metrics, rng=rng, draws=options.draws)


def _mixed_model(scored: pd.DataFrame, protocol: str, options: Options) -> MixedModel | None:
    if not options.mixed or protocol == "time":
        return None
    from hype.protocols.hype.mixed_model import mixed_model

    return mixed_model(scored)


def _facets(scored: pd.DataFrame, options: Options) -> Facets | None:
    """Score again within each value of a column; of the extras only what is quick."""
    if options.by is None:
        return None
    from hype.protocols.hype.facets import score_by

    within = replace(options, by=None, order=(), metrics=None, mixed=False, thresholds_at=None)
    return score_by(scored, options.by, lambda rows: score_checked(rows, within))
