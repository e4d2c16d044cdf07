"""From judgements to the figures of the paper's tables, and to further results.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 5; each step is in a sibling module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.block_scores import (
    count_blocks,
    count_unsettled,
    mean_reversals,
    settles_at_by_condition,
    sum_up_posteriors,
)
from hype.protocols.hype.condition_scores import (
    ALPHA,
    CONFIDENCE,
    FEWEST_FOR_PRECISION,
    MOST_TIMES,
    SIZES,
    JudgementRows,
    Options,
    precision,
    select_rows,
)
from hype.protocols.hype.error_rates import COUNTS, percent, resample_both
from hype.protocols.hype.images import (
    agreement_by_condition,
    count_seldom,
    fakes_at_either_end,
)
from hype.protocols.hype.inference import Inference, detect_signals
from hype.protocols.hype.metrics import FEWEST, correlate
from hype.protocols.hype.notes import notes_on
from hype.protocols.hype.results import End, Row, Rows, Score, rows_in, sits_at
from hype.protocols.hype.separability import letters_of, papers_tests, trend
from hype.protocols.hype.table import (
    TABLE,
    are_counted,
    are_finished,
    are_left_out,
    are_unfinished,
    count_spoiled,
    count_verdicts,
)
from hype.protocols.hype.thresholds import fit_thresholds, settle_points
from hype.protocols.hype.trial import SCORED_TASKS
from hype.session.steps import Ending
from hype.statistics.agreement import Alpha
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate, ends_of
from hype.statistics.pairs import Pair
from hype.statistics.resampling import Bootstrap, bootstrap, condition_rng, side_by_side
from hype.tables.cells import classes
from hype.tables.reasons import COMPLETE

NO_ORDER: Final = dict.fromkeys(("few_reversals", "mode_in_passing"))
NO_SETTLE_POINT: Final = dict.fromkeys(("median", "at", "beyond", "without", "falling"))


def score(frame: pd.DataFrame, **choices: Any) -> tuple[Score, ...]:
    """Score a table of judgements, one row per answered trial (`hype.protocols.hype.rows.ROW`).

    ``choices`` are fields of `Options`. Gives one score for each protocol present, time before
    infinity. Practice and qualification are left out.

    InputError for what `check_judgements`, `Options`, `trend` and `classes` refuse; where nobody
    has finished; and where leaving out leaves nothing.

    An infinity score is the percentage of all of a condition's judgements that are wrong. Where
    evaluators judged equally many images that is also the mean of their own percentages; where
    they did not, the pooled rate counts every judgement alike, in intervals and comparisons too,
    while the paper's ANOVA and pairwise tests count every evaluator alike, and a note says so.

    A time score is the mean over evaluators of the mean over their blocks of the block's modal
    requested exposure, in ms; or, where `exposure_rule` is quest+, of the posterior mean of the
    block's threshold.
    """
    checked = TABLE.checked(frame)
    return tuple(map(checked.add_notes, score_checked(checked.frame, Options(**choices))))


def score_checked(judgements: pd.DataFrame, options: Options) -> tuple[Score, ...]:
    """Score a table that `check_judgements` has returned, and that need not be checked again."""
    done, kept = are_finished(judgements), are_counted(judgements)
    unfinished = are_unfinished(judgements)
    tasks = judgements["task"]
    selected = compare_selected(judgements)
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
    return correlate_methods(scores, options)


def correlate_methods(scores: tuple[Score, ...], options: Options) -> tuple[Score, ...]:
    """Add to HYPE_infinity its correlation with HYPE_time, if enough conditions have both scores.

    Zhou et al. (2019, section 4.4): rho is 1 for their four models of CelebA-64.
    """
    by_protocol = {
        score.protocol: {row["condition"]: row["score"] for row in score.conditions}
        for score in scores
    }
    if len(scores) < 2 or len(set.intersection(*map(set, by_protocol.values()))) < FEWEST:
        return scores
    rng = condition_rng(options.seed, "", "time")
    hype_time = pd.DataFrame({"hype_time": by_protocol["time"]})
    (pair,) = correlate(by_protocol["infinity"], hype_time, rng=rng)
    return tuple(
        replace(score, against_time=pair) if score.protocol == "infinity" else score
        for score in scores
    )


def select_scored(judgements: pd.DataFrame, protocol: str, options: Options) -> pd.DataFrame:
    """Give the judgements of a protocol that count."""
    rows = judgements[are_counted(judgements) & judgements["task"].eq(protocol)]
    return select_rows(rows, protocol, options).scored


def compare_pairs(judgements: pd.DataFrame, protocol: str, options: Options) -> tuple[Pair, ...]:
    """Return the pairs of a protocol as `score` does, without the other results."""
    everyone = judgements[are_counted(judgements) & judgements["task"].eq(protocol)]
    rows = select_rows(everyone, protocol, options)
    inferred = rows.infer(options.images)
    people = rows.tested(inferred, inferred.conditions)
    return inferred.pairs(people, alpha=ALPHA, margin=options.margins.get(protocol))


def alpha_of_all(judgements: pd.DataFrame, images: Images) -> Alpha | None:
    """Compute α over the images of all conditions: of untimed judgements, else of flashed ones."""
    scored = judgements[are_finished(judgements) & ~are_left_out(judgements)]
    for task in SCORED_TASKS[::-1]:
        rows = scored[scored["task"].eq(task)]
        if len(rows):
            return agreement_by_condition(rows.assign(condition="all"), images=images).get("all")
    return None


def _score_protocol(
    everyone: pd.DataFrame,
    protocol: str,
    options: Options,
    *,
    unfinished: int,
    not_fitted: bool,
    selected: Rows,
) -> Score:
    every = select_rows(everyone, protocol, options)
    kept = every.only(~are_left_out(everyone))
    inferred = kept.infer(options.images)
    scores = kept.scores()
    names = sorted(scores, key=lambda name: (-scores[name], name))
    people = {
        str(name): dict(zip(own["evaluator"], own["score"], strict=True))
        for name, own in kept.evaluators.groupby("condition")
    }
    tests = papers_tests({name: people[name] for name in names}, alpha=ALPHA)
    intervals = {name: inferred.interval(name, confidence=CONFIDENCE) for name in names}
    if kept.timed:
        tables = _measure_staircases(kept, names, options)
    else:
        tables = _measure_answers(kept, names, inferred, options)
    stairs = {
        row["condition"]: row
        for kind in ("staircases", "quest_plus")
        for row in tables.get(kind, ())
    }
    margin = options.margins.get(protocol)
    tested = inferred.pairs(kept.tested(inferred, names), alpha=ALPHA, margin=margin)
    pairs = verdicts_off_bounds(tested, stairs, intervals)
    letters = letters_of(names, pairs) if pairs else None
    conditions = _condition_rows(
        kept, names, scores, intervals, inferred, stairs, letters or {}, options
    )
    points = _metric_points(kept.scored, protocol, scores, options)
    score = Score(
        protocol=protocol,
        simulated=bool(kept.shown["simulated"].any()),
        conditions=conditions,
        evaluators=rows_in(kept.evaluators.set_index("condition").loc[names].reset_index()),
        blocks=rows_in(kept.blocks) if kept.timed else (),
        fakes=_in_order(rows_in(fakes_at_either_end(kept.scored)), names),
        precision=_precision_rows(kept, names, options),
        pairwise=pairs,
        pairwise_method=inferred.method,
        letters=letters,
        images=inferred.images,
        margin=margin,
        tests=tests,
        confidence=CONFIDENCE,
        draws=options.draws,
        seed=options.seed,
        notes=(),
        spoiled_trials=count_verdicts(kept.shown, left_out=options.spoiled == "leave-out"),
        selections=selected,
        careless=compare_careless(every),
        trend=trend(
            {name: list(own.values()) for name, own in people.items()},
            options.order,
            inferred.contrast,
            confidence=CONFIDENCE,
        )
        if options.order
        else None,
        metrics=()
        if options.metrics is None or not points
        else correlate(
            points,
            options.metrics,
            rng=condition_rng(options.seed, "", "metrics"),
            draws=options.draws,
        ),
        **tables,
    )
    by_class = options.metrics is not None and options.metrics.index.nlevels > 1
    notes = notes_on(
        score,
        kept,
        inferred,
        unfinished=unfinished,
        not_fitted=not_fitted,
        no_classes=by_class and not points,
    )
    return replace(score, notes=notes)


def _in_order(rows: Rows, names: Sequence[str]) -> Rows:
    """Bring rows into the order of the conditions; those of one condition keep theirs."""
    return tuple(sorted(rows, key=lambda row: names.index(row["condition"])))


def _condition_rows(
    rows: JudgementRows,
    names: Sequence[str],
    scores: Mapping[str, float],
    intervals: Mapping[str, Estimate | None],
    inferred: Inference,
    stairs: Mapping[str, Row],
    letters: Mapping[str, str],
    options: Options,
) -> Rows:
    """Make the rows of the paper's tables, the best condition first."""
    evaluators = dict(list(rows.evaluators.groupby("condition")))
    above_chance = inferred.hyper_realistic(alpha=ALPHA)
    spoiled, seldom = count_spoiled(rows.shown, "condition"), count_seldom(rows.scored)

    def resample(name: str) -> Bootstrap | None:
        if len(evaluators[name]) == 1:
            return None
        rng = condition_rng(options.seed, name)
        return bootstrap(*rows.summands(name), draws=options.draws, rng=rng, confidence=CONFIDENCE)

    found = []
    for rank, (name, drawn) in enumerate(
        zip(names, side_by_side(resample, names), strict=True), start=1
    ):
        own: dict[Any, Any] = evaluators[name][COUNTS].sum().to_dict()
        error = inferred.error(name)
        found.append(
            {
                "rank": rank,
                "condition": name,
                "score": scores[name],
                "interval": intervals[name],
                "df": error.freedom if error else None,
                "threshold": _threshold(stairs[name]) if name in stairs else None,
                "fakes_error": percent(own["fakes_wrong"], own["fakes"]),
                "reals_error": percent(own["reals_wrong"], own["reals"]),
                "group": letters.get(name),
                "evaluators": len(evaluators[name]),
                "judgements": own["judgements"],
                "std": drawn.std if drawn else None,
                "bootstrap": (drawn.ci_low, drawn.ci_high) if drawn else None,
                "bca": (drawn.bca_low, drawn.bca_high) if drawn else None,
                "hyper_realistic": name in above_chance,
                "spoiled": spoiled[name],
                "fakes_shown": seldom[name][0] if name in seldom else None,
                "fakes_shown_seldom": seldom[name][1] if name in seldom else None,
            }
        )
    return tuple(found)


def _threshold(stairs: Row) -> float | str | None:
    """Give the median of people's thresholds, or on which side of all exposures it lies."""
    side, median = stairs.get("beyond"), stairs.get("median")
    if side is None:
        return median.value if median else None
    return f"{side} {stairs['floor_ms' if side == 'below' else 'ceiling_ms']:.0f}"


def _precision_rows(rows: JudgementRows, names: Sequence[str], options: Options) -> Rows:
    def resample(name: str) -> Rows:
        totals, weights = rows.summands(name)
        if len(totals) < FEWEST_FOR_PRECISION:
            return ()
        return precision(
            totals,
            weights,
            draws=options.draws,
            rng=condition_rng(options.seed, name, "precision"),
            sizes=[size for size in SIZES if size <= MOST_TIMES * len(totals)],
        )

    each = zip(names, side_by_side(resample, names), strict=True)
    return tuple({"condition": name, **row} for name, own in each for row in own)


def _measure_answers(
    rows: JudgementRows, names: Sequence[str], inferred: Inference, options: Options
) -> dict[str, Any]:
    """Arrange what untimed answers tell besides error rates."""
    signals = detect_signals(inferred.answers)
    images = inferred.images or options.images
    alphas = agreement_by_condition(rows.scored, images=images)
    tables: dict[str, Any] = {
        "answers": tuple({"condition": name, **signals[name]} for name in names if name in signals),
        "agreement": tuple(
            {"condition": name, **vars(alphas[name])} for name in names if name in alphas
        ),
    }
    if options.two_way:
        own = dict(list(rows.scored.groupby(rows.scored["condition"].astype(str))))
        drawn = side_by_side(
            lambda name: resample_both(
                own[name], draws=options.draws, rng=condition_rng(options.seed, name, "two-way")
            ),
            names,
        )
        each = zip(names, drawn, strict=True)
        tables["two_way"] = tuple({"condition": name, **found} for name, found in each if found)
    return tables


def _measure_staircases(
    rows: JudgementRows, names: Sequence[str], options: Options
) -> dict[str, Any]:
    """Lay out the course of the blocks, and the thresholds of evaluators if they are asked for."""
    bounds_ms, counts = rows.bounds_ms, count_blocks(rows.blocks, rows.bounds_ms)
    tables: dict[str, Any] = {}
    if rows.quest_plus:  # whose trials are no staircase, which turns or settles
        posteriors = sum_up_posteriors(rows.blocks)
        tables["quest_plus"] = tuple(
            {"condition": name, **counts[name], **posteriors[name]} for name in names
        )
    else:
        reversals = mean_reversals(rows.shown)
        unsettled = count_unsettled(rows.shown, rows.blocks, bounds_ms)
        points = settle_points(rows.scored, bounds_ms, settles_at_by_condition(rows.shown))
        tables["staircases"] = tuple(
            {
                "condition": name,
                **counts[name],
                **reversals[name],
                **unsettled.get(name, NO_ORDER),
                **points.get(name, NO_SETTLE_POINT),
            }
            for name in names
        )
    if options.thresholds_at is not None:
        medians, people = fit_thresholds(
            rows.scored,
            seed=options.seed,
            at=options.thresholds_at,
            confidence=CONFIDENCE,
            bounds_ms=bounds_ms,
            progress=options.progress,
        )
        tables["thresholds"] = tuple({"condition": name, **medians[name]} for name in names)
        tables["evaluators_thresholds"] = _in_order(people, names)
    return tables


def verdicts_off_bounds(
    pairs: Sequence[Pair],
    stairs: Mapping[str, Row],
    intervals: Mapping[str, Estimate | None],
) -> tuple[Pair, ...]:
    """Call a pair not known where a condition sits at an end of the exposures.

    Its thresholds lie there or beyond, and its interval is too narrow. Only a condition that is
    clearly off that end, with its whole interval, can be told from it.
    """

    def is_off(end: End, name: str) -> bool:
        row, (low_ms, high_ms) = stairs[name], ends_of(intervals[name])
        if sits_at(end, row):
            return False
        if end == "floor":
            return low_ms is not None and low_ms > row["floor_ms"]
        return high_ms is not None and high_ms < row["ceiling_ms"]

    def is_known(pair: Pair) -> bool:
        ends: tuple[End, ...] = ("floor", "ceiling")
        return not stairs or all(
            is_off(end, other)
            for name, other in ((pair.a, pair.b), (pair.b, pair.a))
            for end in ends
            if sits_at(end, stairs[name])
        )

    return tuple(
        pair
        if pair.separable is None or is_known(pair)
        else replace(pair, separable=False, verdict="not known")
        for pair in pairs
    )


def _metric_points(
    scored: pd.DataFrame, protocol: str, scores: Mapping[str, float], options: Options
) -> dict[Any, float]:
    """Return the scores to compare with metrics: of conditions, or of conditions within classes."""
    if options.metrics is None:
        return {}
    if options.metrics.index.nlevels == 1:
        return dict(scores)
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


def compare_selected(judgements: pd.DataFrame) -> Rows:
    """Compare evaluators who passed the qualification with all who ended it, by condition.

    Evaluators who failed judged nothing else, so both groups are compared only on the images of the
    qualification: percent judged wrongly by all evaluators and by those who passed. Without a
    column "status" it is not known what became of anybody, and nothing is returned.
    """
    if "status" not in judgements:
        return ()
    test = judgements[judgements["task"].eq("qualification")]
    went_on = judgements.loc[judgements["task"].isin(SCORED_TASKS), "evaluator"].unique()
    away = test["status"].eq(Ending.UNQUALIFIED.value)
    passed = test["status"].eq(COMPLETE) | (test["evaluator"].isin(went_on) & ~away)
    known = test[passed | away]
    rows = []
    for condition, own in known.groupby("condition", observed=True):
        wrong = own["answer"].astype(str).ne(own["truth"].astype(str))
        own_passed = passed[own.index]
        came = own["evaluator"].nunique()
        rows.append(
            {
                "condition": str(condition),
                "came": came,
                "turned_away": came - own.loc[own_passed, "evaluator"].nunique(),
                "error_of_all": 100 * float(wrong.mean()),
                "error_of_passed": percent(int(wrong[own_passed].sum()), int(own_passed.sum())),
            }
        )
    return tuple(rows)


def are_careless(judgements: pd.DataFrame) -> pd.Series:
    left_out = are_left_out(judgements)
    return judgements["careless"].ne("") | left_out if "careless" in judgements else left_out


def compare_careless(rows: JudgementRows) -> Row | None:
    """Return the careless evaluators among those who finished a protocol; None if there are none.

    Each of them with the rules that they broke; and their conditions' scores with and without them,
    None if nobody else is left. ``left_out``: whether every other figure is without them.
    """
    flagged = are_careless(rows.scored)
    if not flagged.any():
        return None
    theirs = rows.scored[flagged]
    others = rows.only(~are_careless(rows.shown))
    scores, without = rows.scores(), others.scores()
    people, left = (each.evaluators["condition"].value_counts() for each in (rows, others))
    if "careless" not in theirs:
        theirs = theirs.assign(careless="")
    who = theirs[["condition", "evaluator", "careless"]].astype(str).drop_duplicates()
    evaluators: list[dict[str, Any]] = [
        {"evaluator": evaluator, "condition": condition, "rules": tuple(rules.split())}
        for condition, evaluator, rules in sorted(who.itertuples(index=False, name=None))
    ]
    return {
        "left_out": bool(are_left_out(theirs).all()),
        "evaluators": tuple(evaluators),
        "conditions": tuple(
            {
                "condition": name,
                "evaluators": int(people[name]),
                "score": scores[name],
                "evaluators_without": int(left.get(name, 0)),
                "score_without": without.get(name),
            }
            for name in sorted(who["condition"].unique())
        ),
    }
