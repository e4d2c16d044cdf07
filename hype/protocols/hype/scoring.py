"""From judgements to the figures of the paper's tables, and to what stands beside them.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 5; each step is in a sibling module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.condition_scores import (
    ALPHA,
    CONFIDENCE,
    Options,
    condition_scores,
    people_and_inference,
    rows_of,
)
from hype.protocols.hype.exclusion import (
    Treatment,
    are_left_out,
    are_unfinished,
    count_verdicts,
    counted,
    finished,
)
from hype.protocols.hype.images import agreement_by_condition
from hype.protocols.hype.inference import Inference
from hype.protocols.hype.metrics import FEWEST, MetricCorrelation, correlate, correlate_scores
from hype.protocols.hype.notes import notes_on
from hype.protocols.hype.results import ConditionScore, EvaluatorScore, Score, Selection
from hype.protocols.hype.selection import careless, selections
from hype.protocols.hype.separability import Trend, letters_of, papers_tests, trend
from hype.protocols.hype.table import TABLE
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.agreement import Alpha
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import Images
from hype.statistics.pairs import Pair
from hype.statistics.resampling import condition_rng
from hype.tables.distinct import classes


def verdicts_off_bounds(
    pairs: Sequence[Pair], conditions: Sequence[ConditionScore]
) -> tuple[Pair, ...]:
    """Call a pair not known where a condition sits at an end of the exposures.

    Its thresholds lie there or beyond, and its interval is too narrow. Only a condition that is
    clearly off that end, with its whole interval, can be told from it.
    """
    rows = {row.condition: row for row in conditions}

    def is_known(pair: Pair) -> bool:
        ends = rows[pair.a], rows[pair.b]
        return all(
            other.is_off(end)
            for row, other in (ends, ends[::-1])
            for end in ("shortest", "longest")
            if row.sits_at(end)
        )

    return tuple(
        pair
        if pair.separable is None or is_known(pair)
        else replace(pair, separable=False, verdict="not known")
        for pair in pairs
    )


def score(
    frame: pd.DataFrame,
    *,
    draws: int = 10_000,
    seed: int = 0,
    spoiled: Treatment = "keep",
    two_way: bool = False,
    images: Images = "sample",
    margins: Mapping[str, float] | None = None,
    thresholds_at: float | None = None,
    order: Sequence[str] = (),
    metrics: pd.DataFrame | None = None,
    by: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Score, ...]:
    """Score a table of judgements.

    Parameters
    ----------
    frame
        One row per answered trial, as described by `hype.protocols.hype.rows.ROW`. Practice
        and qualification are left out.
    draws, seed
        Of every bootstrap. The same seed gives the same figures, whatever the order of the rows
        and whichever other conditions there are.
    spoiled
        Whether trials of the time protocol whose verdict is late or dropped are scored ("keep")
        or not ("leave-out"). A note says how many there were, either way.
    two_way
        Whether to resample evaluators and images together as well, where images have names (Owen &
        Eckles 2012): a second opinion on error rates, slower than all the rest.
    images
        Whether images are a sample of what a model makes ("sample"), or all that is spoken of
        ("fixed").
    margins
        Task ("time" or "infinity") to the difference below which conditions count as equivalent, in
        ms or percentage points.
    thresholds_at
        Accuracy, as a proportion, at which thresholds of fitted psychometric functions are wanted
        (for time); None for no fits. There is one for each evaluator and each condition.
    order
        Conditions in an order along which to test for a trend, such as training checkpoints.
    metrics
        Automated metrics of the conditions, as `read_metrics` returns them.
    by
        The column of the classes that metrics are of, where these are not of conditions alone.
    progress
        What to call with the number of fits of thresholds done and of all.

    Returns
    -------
    tuple of Score
        One for each protocol present, time before infinity.

    Raises
    ------
    InputError
        What `check_judgements`, `Options`, `trend` and `classes` refuse; nobody has finished;
        leaving out leaves nothing.

    Notes
    -----
    An infinity score is the percentage of all of a condition's judgements that are wrong. Where
    evaluators judged equally many images that is also the mean of their own percentages; where
    they did not, the pooled rate counts every judgement alike, in intervals and comparisons too,
    while the paper's ANOVA and pairwise tests count every evaluator alike, and a note says so.

    A time score is the mean over evaluators of the mean over their blocks of the block's modal
    requested exposure, in ms; or, where `exposure_rule` is quest+, of the posterior mean of the
    block's threshold.
    """
    options = Options(
        draws=draws,
        seed=seed,
        spoiled=spoiled,
        two_way=two_way,
        images=images,
        margins=margins or {},
        thresholds_at=thresholds_at,
        order=tuple(order),
        metrics=metrics,
        by=by,
        progress=progress,
    )
    checked = TABLE.checked(frame)
    return tuple(map(checked.add_notes, score_checked(checked.frame, options)))


def score_checked(judgements: pd.DataFrame, options: Options) -> tuple[Score, ...]:
    """Score a table that `check_judgements` has returned, and that need not be checked again."""
    done, kept = finished(judgements), counted(judgements)
    unfinished = are_unfinished(judgements)
    tasks = judgements["task"]
    selected = selections(judgements)
    scored = [task for task in SCORED_TASKS if (kept & tasks.eq(task)).any()]
    if not scored:
        problem = "none is left to score: practice, qualification and catch trials never are"
        raise InputError("judgements", problem, "judgements of the task time or infinity")
    scores = tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            options,
            unfinished=judgements.loc[tasks.eq(task) & unfinished, "evaluator"].nunique(),
            not_fitted=options.thresholds_at is not None and "time" not in scored,
            selected=selected,
        )
        for task in scored
    )
    return against_each_other(scores, options)


def scored_rows(judgements: pd.DataFrame, protocol: str, options: Options) -> pd.DataFrame:
    """Give the judgements of a protocol that count."""
    rows = judgements[counted(judgements) & judgements["task"].eq(protocol)]
    return rows_of(rows, protocol, options).scored


def pairs_alone(judgements: pd.DataFrame, protocol: str, options: Options) -> tuple[Pair, ...]:
    """Give the pairs of a protocol as `score` does, without all that stands beside them."""
    everyone = judgements[counted(judgements) & judgements["task"].eq(protocol)]
    evaluators, inferred = people_and_inference(rows_of(everyone, protocol, options), options)
    people = evaluators_tested(evaluators, inferred)
    return inferred.pairs(people, alpha=ALPHA, margin=options.margins.get(protocol))


def against_each_other(scores: tuple[Score, ...], options: Options) -> tuple[Score, ...]:
    """Add to HYPE_infinity how its scores go with HYPE_time's, where enough conditions have both.

    Zhou et al. (2019, section 4.4): rho is 1 for their four models of CelebA-64.
    """
    by_protocol = {
        score.protocol: {row.condition: row.score for row in score.conditions} for score in scores
    }
    if len(scores) < 2 or len(set.intersection(*map(set, by_protocol.values()))) < FEWEST:
        return scores
    rng = condition_rng(options.seed, "", "time")
    pair = correlate_scores(by_protocol["infinity"], by_protocol["time"], rng=rng)
    return tuple(
        replace(score, against_time=pair) if score.protocol == "infinity" else score
        for score in scores
    )


def alpha_of_all(judgements: pd.DataFrame, images: Images) -> Alpha | None:
    """Compute α over the images of all conditions: of untimed judgements, else of flashed ones."""
    scored = judgements[finished(judgements) & ~are_left_out(judgements)]
    for task in SCORED_TASKS[::-1]:
        rows = scored[scored["task"].eq(task)]
        if len(rows):
            found = agreement_by_condition(rows.assign(condition="all"), images=images)["all"]
            return found.basis
    return None


def _score_protocol(
    everyone: pd.DataFrame,
    protocol: str,
    options: Options,
    *,
    unfinished: int,
    not_fitted: bool,
    selected: tuple[Selection, ...],
) -> Score:
    every = rows_of(everyone, protocol, options)
    kept = every.only(~are_left_out(everyone))
    judgements = kept.shown
    trials = count_verdicts(judgements, left_out=options.spoiled == "leave-out")
    rows, inference = condition_scores(kept, options)
    points = _metric_points(kept.scored, protocol, rows, options)
    by_class = options.metrics is not None and options.metrics.index.nlevels > 1
    flagged = careless(every)
    people = {row.condition: {e.evaluator: e.score for e in row.evaluator_scores} for row in rows}
    tests = papers_tests(people, alpha=ALPHA)
    margin = options.margins.get(protocol)
    tested = inference.pairs(people_tested(rows, inference), alpha=ALPHA, margin=margin)
    pairs = verdicts_off_bounds(tested, rows)
    return Score(
        protocol=protocol,
        simulated=bool(judgements["simulated"].any()),
        conditions=rows,
        pairwise=pairs,
        pairwise_method=inference.method,
        letters=letters_of([row.condition for row in rows], pairs) if pairs else None,
        images=inference.images,
        margin=margin,
        tests=tests,
        confidence=CONFIDENCE,
        draws=options.draws,
        seed=options.seed,
        notes=notes_on(
            kept,
            rows,
            inference,
            trials=trials,
            careless=flagged,
            selections=selected,
            unfinished=unfinished,
            not_fitted=not_fitted,
            problem=tests.problem,
            no_classes=by_class and not points,
        ),
        spoiled_trials=trials,
        selections=selected,
        careless=flagged,
        trend=_trend(rows, inference, options),
        metrics=_metrics(points, options),
    )


def people_tested(rows: Sequence[ConditionScore], inference: Inference) -> dict[str, FloatArray]:
    """Give what is tested of each evaluator: the score, or errors with both kinds counted alike."""
    return evaluators_tested({row.condition: row.evaluator_scores for row in rows}, inference)


def evaluators_tested(
    evaluators: Mapping[str, Sequence[EvaluatorScore]], inference: Inference
) -> dict[str, FloatArray]:
    if inference.same_mix:
        return {name: np.array([e.score for e in own]) for name, own in evaluators.items()}
    errors = {name: [e.counts.mean_error for e in own] for name, own in evaluators.items()}
    return {
        name: np.array([e for e in own if e is not None] or [0.0]) for name, own in errors.items()
    }


def _by_condition(rows: Sequence[ConditionScore]) -> dict[str, list[float]]:
    return {row.condition: [e.score for e in row.evaluator_scores] for row in rows}


def _trend(rows: Sequence[ConditionScore], inference: Inference, options: Options) -> Trend | None:
    if not options.order:
        return None

    return trend(_by_condition(rows), options.order, inference.contrast, confidence=CONFIDENCE)


def _metric_points(
    scored: pd.DataFrame, protocol: str, rows: Sequence[ConditionScore], options: Options
) -> dict[Any, float]:
    """Give the scores that metrics are held against: of conditions, or of these within classes."""
    if options.metrics is None:
        return {}
    if options.metrics.index.nlevels == 1:
        return {row.condition: row.score for row in rows}
    if protocol == "time" or options.by is None:
        return {}
    code, names = classes(scored, options.by)
    wrong = scored["truth"].ne("fake") != scored["answer"].ne("fake")
    cells = wrong.groupby([scored["condition"].astype(str), code]).agg(["sum", "size"])
    return {
        (condition, names[at]): 100 * number / shown
        for (condition, at), number, shown in cells.itertuples()
        if at >= 0
    }


def _metrics(points: Mapping[Any, float], options: Options) -> tuple[MetricCorrelation, ...]:
    if options.metrics is None or not points:
        return ()

    rng = condition_rng(options.seed, "", "metrics")
    return correlate(points, options.metrics, rng=rng, draws=options.draws)
