"""From judgements to the figures of the paper's tables, and to what stands beside them.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 5; each step is in a sibling module. What a reader must know in order to read
the figures rightly is said in plain sentences (`cautions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.protocols.hype.block_scores import LAST, UNSURE
from hype.protocols.hype.condition_scores import (
    ALPHA,
    CONFIDENCE,
    JudgementRows,
    Options,
    condition_scores,
    people_and_inference,
    rows_of,
)
from hype.protocols.hype.exclusion import (
    SpoiledTrials,
    Treatment,
    are_left_out,
    count_verdicts,
    counted,
    finished,
    unfinished_note,
)
from hype.protocols.hype.images import agreement_by_condition
from hype.protocols.hype.inference import Inference
from hype.protocols.hype.metrics import FEWEST, MetricCorrelation, correlate, correlate_scores
from hype.protocols.hype.results import ConditionScore, EvaluatorScore, Score, Selection, unit_of
from hype.protocols.hype.selection import careless, careless_note, selection_notes, selections
from hype.protocols.hype.separability import Trend, letters_of, papers_tests, trend
from hype.protocols.hype.table import checked_judgements
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.agreement import Alpha
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import Images
from hype.statistics.pairs import Pair
from hype.statistics.resampling import condition_rng
from hype.tables.distinct import classes
from hype.tables.reasons import Weight, weighed

FLOOR_SHARE = 0.5
"""A condition is said to bottom out (or to top out) from this share of its blocks on."""

UNSETTLED_SHARE = 0.1
"""It is said of blocks that had not settled from this share on: of the paper's rule a few have not,
whoever judges (see `hype.protocols.hype.block_scores`)."""

_NAMED = 5
"""How many evaluators a sentence names before it only counts."""


def cautions(conditions: Sequence[ConditionScore]) -> tuple[str, ...]:
    at_bounds = (*_beyond_reach(conditions), *_not_settled(conditions), *_unsure(conditions))
    return (
        *weighed(Weight.DATA, _falling(conditions)),
        *weighed(Weight.SCOPE, (*_lone(conditions), *_one_sided(conditions))),
        *weighed(Weight.REACH, at_bounds),
        *_crossed(conditions),
        *_unequal(conditions),
        *_tied(conditions),
    )


def unnamed_images_note(judgements: pd.DataFrame) -> tuple[str, ...]:
    if "image" in judgements and judgements["image"].ne("").any():
        return ()
    return (
        "The judgements name no images: there is nothing on single images, on agreement among "
        "evaluators, or on how scores would vary with other images.",
    )


def few_images_note(inference: Inference) -> Iterator[str]:
    if few := inference.answers.few_images:
        yield (
            f"There are only {few} images of a kind: intervals and verdicts are about these images "
            "alone, as with --images fixed, and no condition is called hyper-realistic."
        )


def _crossed(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    served = Counter(e.evaluator for row in conditions for e in row.evaluator_scores)
    crossed = [evaluator for evaluator, times in sorted(served.items()) if times > 1]
    if crossed and min(served.values()) < len(conditions):
        who = "all evaluators" if len(crossed) == len(served) else _names(crossed)
        yield (
            f"More than one condition was served by {who}, who are compared with themselves. The "
            "paper's analysis of variance, which knows no such people, is left out."
        )


def _names(evaluators: Sequence[str]) -> str:
    more = len(evaluators) - _NAMED
    return ", ".join(evaluators[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _lone(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        if row.evaluators == 1:
            yield (
                f"{row.condition} has one evaluator: no standard deviation and no interval, since "
                "one person cannot show how people vary."
            )


def _one_sided(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        for kind, error in (("fake", row.fakes_error), ("real", row.reals_error)):
            if error is None:
                yield f"{row.condition} has no judgement of a {kind} image."


_UNLIKE: Final = 1.5
"""Times as many judgements of one evaluator as of another of which is told."""


def _unequal(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    unlike = []
    for row in conditions:
        scored = [e.counts.judgements for e in row.evaluator_scores]
        given = [e.counts.judgements + e.left_out for e in row.evaluator_scores]
        # Where only the screen made the difference, the note on spoiled trials tells of it.
        if all(max(number) >= _UNLIKE * min(number) for number in (scored, given)):
            unlike.append((row, f"between {min(given):,} and {max(given):,}"))
    for row, between in unlike[:1]:
        more = f"; likewise in {len(unlike) - 1:,} more" if unlike[1:] else ""
        yield (
            f"Evaluators of {row.condition} gave {between} judgements each{more}. {_weighing(row)}"
        )


def _weighing(row: ConditionScore) -> str:
    if row.staircases:
        return "All evaluators count alike, however many blocks they finished."
    return (
        "Its score and its comparisons count every judgement alike, the paper's analysis of "
        "variance every evaluator."
    )


def _tied(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    staircases = [row.staircases for row in conditions if row.staircases]
    tied = sum(s.tied_modes for s in staircases)
    if tied:
        blocks = sum(s.blocks for s in staircases)
        yield (
            f"In {tied} of {blocks} blocks the most frequent exposure was not unique; the mean of "
            "the tied exposures was taken."
        )


def _unsure(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        posteriors = row.posteriors
        if posteriors and posteriors.unsure >= UNSETTLED_SHARE * posteriors.blocks:
            yield (
                f"{row.condition}: in {posteriors.unsure} of {posteriors.blocks} blocks QUEST+ "
                f"knew the threshold to no better than {UNSURE:g} doublings (posterior standard "
                "deviation); such scores lean towards the middle of the range. More trials would "
                "tell."
            )


def _beyond_reach(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for end, word, further, other, side in (
        ("shortest", "bottomed out", "shorter", "longer", "above"),
        ("longest", "topped out", "longer", "shorter", "below"),
    ):
        rows = [row for row in conditions if _share_at(row, end) >= FLOOR_SHARE]
        for row in rows[:1]:
            modal = "most frequent exposure was"
            what = f"estimated threshold was no {other} than" if row.posteriors else modal
            shares = [f"{each.condition} ({_share_at(each, end):.0%})" for each in rows[1:]]
            more = f"; so did {', '.join(shares)}" if shares else ""
            narrow = "its interval is too narrow, and " if any(r.interval for r in rows) else ""
            share, at_ms = _share_at(row, end), getattr(row.staircases, f"{end}_ms")
            yield (
                f"{row.condition} {word}: in {share:.0%} of its blocks the {what} the {end}, "
                f"{at_ms:g} ms{more}. A threshold there may be {further} still; {narrow}it differs "
                f"for sure only from conditions clearly {side} it."
            )


def _falling(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    for row in conditions:
        found = row.settle_point or row.thresholds
        if found and found.falling:
            yield (
                f"{row.condition}: accuracy falls as exposure grows for {found.falling} of "
                f"{row.evaluators} evaluators, who have no threshold. Are answers or exposures "
                "swapped?"
            )


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
            is_off(other, end)
            for row, other in (ends, ends[::-1])
            for end in ("shortest", "longest")
            if _share_at(row, end) >= FLOOR_SHARE
        )

    return tuple(
        pair
        if pair.separable is None or is_known(pair)
        else replace(pair, separable=False, verdict="not known")
        for pair in pairs
    )


def _share_at(row: ConditionScore, end: str) -> float:
    return getattr(row.staircases, f"{end}_share", None) or 0.0


def is_off(row: ConditionScore, end: str) -> bool:
    """Whether a condition is clearly off an end of the exposures."""
    if row.staircases is None or row.interval is None or _share_at(row, end) >= FLOOR_SHARE:
        return False
    low_ms, high_ms = row.interval.low, row.interval.high
    if end == "shortest":
        return low_ms is not None and low_ms > row.staircases.shortest_ms
    return high_ms is not None and high_ms < row.staircases.longest_ms


def _not_settled(conditions: Sequence[ConditionScore]) -> Iterator[str]:
    rows = [(row.condition, row.unsettled) for row in conditions if row.unsettled]
    rows = [(name, blocks) for name, blocks in rows if blocks.share >= UNSETTLED_SHARE]
    if not rows:
        return
    each = ", ".join(
        f"{name} {own.few_reversals + own.mode_in_passing} of {own.blocks}" for name, own in rows
    )
    few, passing = (
        sum(getattr(own, why) for _, own in rows) for why in ("few_reversals", "mode_in_passing")
    )
    why = (
        f"{few} had fewer than {LAST} reversals" if few else "",
        f"{passing} never came back to that exposure on the way from the first one"
        if passing
        else "",
    )
    yield (
        "Blocks that ended before their staircase had settled, so that their most frequent "
        "exposure says more of where blocks begin than of the evaluator: "
        f"{each}; {', and '.join(filter(None, why))}."
    )


_BLOCK = ["condition", "evaluator", "block"]
"""How many blocks a sentence names before it only counts."""


def spoiled_notes(
    shown: pd.DataFrame, scored: pd.DataFrame, trials: SpoiledTrials | None
) -> tuple[str, ...]:
    """Say how many trials were spoiled, what became of them, and what that did to the rest.

    ``shown`` are all judgements of one protocol. Where nothing was measured no number is said.
    """
    return (
        *_how_many(shown, trials),
        *_shown_again(scored),
        *_missing(shown, scored),
    )


def _how_many(shown: pd.DataFrame, trials: SpoiledTrials | None) -> Iterator[str]:
    if trials is None:
        return
    measured = f"{trials.measured:,} measured exposures"
    others = len(shown) - trials.measured
    not_measured = f" {others:,} more were not measured." if others else ""
    if not trials.spoiled:
        yield f"All {measured} were as requested.{not_measured}"
        return
    was, it_is = ("was", "it is") if trials.spoiled == 1 else ("were", "they are")
    kinds = {"late": trials.late, "dropped": trials.dropped, "seen before": trials.seen}
    yield (
        f"{trials.spoiled:,} of {measured} {was} not as requested "
        f"({', '.join(f'{number:,} {kind}' for kind, number in kinds.items() if number)}); "
        f"{it_is} {'left out' if trials.left_out else 'scored'}.{not_measured}"
    )


def _shown_again(scored: pd.DataFrame) -> Iterator[str]:
    """Tell repetitions that stand in for their original from those that come on top of it."""
    if not {"repeats", "trial"} <= set(scored):
        return
    again = scored.loc[scored["repeats"].notna(), [*_BLOCK, "repeats"]]
    originals = scored[[*_BLOCK, "trial"]].rename(columns={"trial": "repeats"})
    twice = len(again.merge(originals))
    if twice:
        trials = "1 trial was" if twice == 1 else f"{twice:,} trials were"
        yield (
            f"{trials} shown again because the screen had spoiled the first showing, and both "
            "showings are scored: such an image counts twice."
        )
    instead = len(again) - twice
    if instead:
        yield f"Scored in place of spoiled trials: {instead:,} repeated at the end of their block."


def _missing(shown: pd.DataFrame, scored: pd.DataFrame) -> Iterator[str]:
    conditions = set(shown["condition"].unique()) - set(scored["condition"].unique())
    for condition in sorted(conditions):
        yield f"{condition} is missing: all its exposures are left out."
    blocks = sorted(
        f"block {block} of {evaluator} ({condition})"
        for condition, evaluator, block in _blocks(shown) - _blocks(scored)
        if condition not in conditions
    )
    if blocks:
        more = f" and {len(blocks) - _NAMED} more" if len(blocks) > _NAMED else ""
        yield (
            "All exposures of these blocks are left out, and the blocks are missing: "
            f"{', '.join(blocks[:_NAMED])}{more}."
        )


def _blocks(judgements: pd.DataFrame) -> set[tuple[str, str, str]]:
    return set(judgements[_BLOCK].drop_duplicates().itertuples(index=False, name=None))


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
        One row per answered trial, as described by `hype.protocols.hype.rows.COLUMNS`. Practice
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
    checked = checked_judgements(frame)
    return tuple(map(checked.add_notes, score_checked(checked.frame, options)))


def score_checked(judgements: pd.DataFrame, options: Options) -> tuple[Score, ...]:
    """Score a table that `check_judgements` has returned, and that need not be checked again."""
    done, kept = finished(judgements), counted(judgements)
    tasks = judgements["task"]
    selected = selections(judgements)
    scored = [task for task in SCORED_TASKS if (kept & tasks.eq(task)).any()]
    scores = tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            options,
            notes=(
                *weighed(Weight.LEFT_OUT, unfinished_note(judgements[tasks.eq(task)])),
                *weighed(Weight.SCOPE, selection_notes(selected)),
                *_not_fitted(scored, options),
            ),
            selected=selected,
        )
        for task in scored
    )
    return against_each_other(scores, options)


def _not_fitted(scored: Sequence[str], options: Options) -> Iterator[str]:
    """Say what was asked for and is of another protocol than all that is scored."""
    if options.thresholds_at is not None and "time" not in scored:
        yield "No thresholds were fitted: they are of HYPE_time, of which there are no judgements."


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
    notes: Sequence[str],
    selected: tuple[Selection, ...],
) -> Score:
    every = rows_of(everyone, protocol, options)
    kept = every.only(~are_left_out(everyone))
    judgements = kept.shown
    trials = count_verdicts(judgements, left_out=options.spoiled == "leave-out")
    rows, inference = condition_scores(kept, options)
    points = _metric_points(kept.scored, protocol, rows, options)
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
        notes=(
            *notes,
            *weighed(Weight.DATA, careless_note(flagged, unit_of(protocol))),
            *weighed(Weight.LEFT_OUT, spoiled_notes(judgements, kept.scored, trials)),
            *_notes(kept, rows, inference),
            *filter(None, [tests.problem]),
            *_without_classes(points, options),
        ),
        spoiled_trials=trials,
        selections=selected,
        careless=flagged,
        trend=_trend(rows, inference, options),
        metrics=_metrics(points, options),
    )


def _notes(
    kept: JudgementRows, rows: Sequence[ConditionScore], inference: Inference
) -> Iterator[str]:
    yield from weighed(Weight.SCOPE, few_images_note(inference))
    yield from weighed(Weight.SCOPE, unnamed_images_note(kept.scored))
    yield from cautions(rows)
    yield from unlike_mixes(inference)


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


def unlike_mixes(inference: Inference) -> Iterator[str]:
    if not inference.same_mix:
        yield (
            "Fakes and reals are not equally many, so who guesses errs in less or more than 50 % "
            "of the judgements. Conditions are compared, and chance is taken, by the mean of the "
            "errors on fakes and on reals."
        )


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


def _without_classes(points: Mapping[Any, float], options: Options) -> Iterator[str]:
    """Say that metrics by class have no scores to be held against, as of HYPE_time."""
    if options.metrics is not None and options.metrics.index.nlevels > 1 and not points:
        yield "The metrics are of conditions within classes, of which there are no scores here."
