"""Scores of judgements: the numbers of the paper's tables, and further results.

Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative Models",
NeurIPS, sections 2 to 5; each step has its own module in this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype import tables as declared
from hype.protocols.hype.block_scores import (
    count_blocks,
    count_unsettled,
    mean_reversals,
    settles_at_by_condition,
    sum_up_posteriors,
    verdicts_off_bounds,
)
from hype.protocols.hype.condition_scores import (
    ALPHA,
    CONFIDENCE,
    COUNTS,
    FEWEST_FOR_PRECISION,
    MOST_TIMES,
    SIZES,
    JudgementRows,
    Options,
    compare_careless,
    compare_selected,
    percent,
    precision,
    resample_both,
    select_rows,
    sum_up_times,
)
from hype.protocols.hype.images import (
    agreement_by_condition,
    count_seldom,
    fakes_at_either_end,
    label_codes,
)
from hype.protocols.hype.inference import Inference, detect_signals, roc_areas
from hype.protocols.hype.metrics import FEWEST, correlate
from hype.protocols.hype.notes import notes_on
from hype.protocols.hype.separability import letters_of, papers_tests, trend
from hype.protocols.hype.table import (
    TABLE,
    are_counted,
    are_finished,
    are_left_out,
    are_spoiled,
    are_unanswered,
    are_unfinished,
    sum_up_verdicts,
)
from hype.protocols.hype.thresholds import fit_thresholds, settle_points
from hype.protocols.hype.trial import SCORED_TASKS
from hype.protocols.hype.wording import SCORE_UNITS, settles_at
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, slug
from hype.statistics.estimate import Estimate
from hype.statistics.pairs import Pair
from hype.statistics.proportions import estimate_shares
from hype.statistics.resampling import Bootstrap, bootstrap, condition_rng, side_by_side
from hype.study.scales import band_confidence
from hype.tables.cells import classes

COURSES: Final = ("time-staircases", "time-quest-plus")
"""The tables on how exposures were chosen; a study has one of the two."""
NO_ORDER: Final = dict.fromkeys(("few_reversals", "mode_in_passing"))
NO_SETTLE_POINT: Final = dict.fromkeys(("median", "at", "beyond", "without", "falling", "few"))


def score(frame: pd.DataFrame, **choices: Any) -> tuple[Scores, ...]:
    """Score a table of judgements, one row per answered trial (`hype.protocols.hype.rows.ROW`).

    ``choices`` are fields of `Options`. Returns one score for each protocol in the table, time
    before infinity. Practice and qualification are left out.

    InputError: `check_judgements`, `Options`, `trend` or `classes` refuse their input; nobody has
    finished; or no judgement is left to score.

    An infinity score is the percentage of wrong judgements of a condition. If all evaluators judged
    the same number of images, the score is also the mean of their percentages. With
    unequal numbers, the score, its interval and the comparisons give judgements equal weights, but
    the paper's ANOVA and pairwise tests give evaluators equal weights; a note says so.

    A time score is the modal requested exposure of a block in ms, averaged over blocks and then
    over evaluators; if `exposure_rule` is quest+, the posterior mean of the block's threshold is
    averaged instead.
    """
    checked = TABLE.check_table(frame)
    return tuple(map(checked.add_notes, score_checked(checked.frame, Options(**choices))))


def score_checked(judgements: pd.DataFrame, options: Options) -> tuple[Scores, ...]:
    """Score a table that comes from `check_judgements`."""
    done, kept = are_finished(judgements), are_counted(judgements)
    unfinished = are_unfinished(judgements)
    tasks = judgements["task"]
    selected = compare_selected(judgements)
    scored = [task for task in SCORED_TASKS if (kept & tasks.eq(task)).any()]
    if not scored:
        problem = (
            "no judgement can be scored: practice, qualification and catch trials are not scored"
        )
        raise InputError("judgements", problem, "judgements of the task 'time' or 'infinity'")
    scores = tuple(
        _score_protocol(
            judgements[done & tasks.eq(task)],
            task,
            options,
            selected,
            unfinished=judgements.loc[tasks.eq(task) & unfinished, "evaluator"].nunique(),
            unanswered=int((tasks.eq(task) & ~unfinished & are_unanswered(judgements)).sum()),
            not_fitted=options.thresholds_at is not None and "time" not in scored,
        )
        for task in scored
    )
    return correlate_methods(scores, options)


def correlate_methods(scores: tuple[Scores, ...], options: Options) -> tuple[Scores, ...]:
    """Add to HYPE_infinity its correlation with HYPE_time, if enough conditions have both scores.

    Zhou et al. (2019, section 4.4): rho is 1 for their four models of CelebA-64.
    """
    by_protocol = {
        score.protocol: {row["condition"]: row["score"] for row in score.rows("conditions")}
        for score in scores
    }
    if len(scores) < 2 or len(set.intersection(*map(set, by_protocol.values()))) < FEWEST:
        return scores
    rng = condition_rng(options.seed, "", "time")
    hype_time = pd.DataFrame({"HYPE_time": by_protocol["time"]})
    (pair,) = correlate(by_protocol["infinity"], hype_time, rng=rng)
    table = declared.correlations([pair], name="infinity-against-time", title="Against HYPE_time")
    return tuple(
        replace(score, tables=(*score.tables, table)) if score.protocol == "infinity" else score
        for score in scores
    )


def select_scored(judgements: pd.DataFrame, protocol: str, options: Options) -> pd.DataFrame:
    rows = judgements[are_counted(judgements) & judgements["task"].eq(protocol)]
    return select_rows(rows, protocol, options).scored


def compare_pairs(judgements: pd.DataFrame, protocol: str, options: Options) -> tuple[Pair, ...]:
    """Compare the conditions of one protocol in pairs, as `score` does."""
    everyone = judgements[are_counted(judgements) & judgements["task"].eq(protocol)]
    rows = select_rows(everyone, protocol, options)
    inferred = rows.infer(options.images)
    return _compare_pairs(rows, inferred, inferred.conditions, options)


def _compare_pairs(
    rows: JudgementRows, inferred: Inference, names: Sequence[str], options: Options
) -> tuple[Pair, ...]:
    margin = options.margins.get(rows.protocol)
    pairs = inferred.pairs(rows.tested(inferred, names), alpha=ALPHA, margin=margin)
    stairs = count_blocks(rows.blocks, rows.bounds_ms) if rows.timed else {}
    return verdicts_off_bounds(
        pairs, stairs, {name: inferred.interval(name, confidence=CONFIDENCE) for name in stairs}
    )


def _score_protocol(
    everyone: pd.DataFrame, protocol: str, options: Options, selected: Rows, **facts: object
) -> Scores:
    """Score the judgements of all who finished a protocol.

    ``selected``: from `compare_selected`. ``facts``: further values for the notes.
    """
    every = select_rows(everyone, protocol, options)
    kept = every.only(~are_left_out(everyone))
    inferred, people = kept.infer(options.images), kept.people()
    names = list(people)
    tests = papers_tests(people, alpha=ALPHA)
    further = (
        _measure_staircases(kept, names, options)
        if kept.timed
        else _measure_answers(kept, names, inferred, options)
    )
    course = tuple(row for table in further if table.name in COURSES for row in table.records)
    settled = settles_at(course) is not None and not kept.quest_plus
    margin, pairs = options.margins.get(protocol), _compare_pairs(kept, inferred, names, options)
    conditions = _condition_rows(kept, names, inferred, course, pairs, options)
    correlated = _correlate_metrics(kept, options)
    images = inferred.images or "unknown"
    evaluators = rows_in(kept.evaluators.set_index("condition").loc[names].reset_index())
    fakes = _sort_rows(rows_in(fakes_at_either_end(kept.scored)), names)
    score = Scores(
        protocol=protocol,
        simulated=bool(kept.shown["simulated"].any()),
        tables=(
            declared.conditions(protocol, conditions, settled=settled),
            declared.selection(protocol, selected),
            *further,
            declared.fakes_at_either_end(protocol, fakes),
            *correlated,
            declared.papers_scores(protocol, conditions, tests),
            declared.papers_pairs(protocol, tests.pairwise, pairs, images),
            *declared.tests(protocol, tests),
            declared.pairs(protocol, pairs, images, margin, same_mix=inferred.same_mix),
            declared.evaluators(protocol, evaluators),
            declared.precision(protocol, _precision_rows(kept, names, options)),
            declared.response_times(protocol, sum_up_times(kept.shown, names)),
            *_measure_confidence(kept.scored, protocol, names),
        ),
        facts={
            "unit": SCORE_UNITS[protocol],
            "images": images,  # "sample" or "fixed"
            "alpha": ALPHA,
            "confidence": CONFIDENCE,  # coverage of the intervals, as a proportion
            # Largest difference between equivalent conditions, in the unit of the score
            "margin": margin,
            "pairs_by": inferred.method,
            "tukey_by": tests.method,
            "draws": options.draws,  # draws of the bootstrap, which also uses the seed
            "seed": options.seed,
            "trend": trend(names, options.order, inferred.contrast, confidence=CONFIDENCE)
            if options.order
            else None,
            "spoiled_trials": sum_up_verdicts(kept.shown, left_out=options.spoiled == "leave-out"),
            "careless": compare_careless(every),
        },
        notes=(),
    )
    by_class = options.metrics is not None and options.metrics.index.nlevels > 1
    facts |= {"no_classes": by_class and not correlated, "problem": tests.problem}
    return replace(score, notes=notes_on(score, kept, inferred, selected=selected, **facts))


def rows_in(frame: pd.DataFrame) -> Rows:
    """Return the rows of a frame, with None for missing values."""
    records: list[Any] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return tuple(records)


def _sort_rows(rows: Rows, names: Sequence[str]) -> Rows:
    """Sort rows in the order of the conditions; rows of one condition keep their order."""
    return tuple(sorted(rows, key=lambda row: names.index(row["condition"])))


def _condition_rows(
    rows: JudgementRows,
    names: Sequence[str],
    inferred: Inference,
    course: Rows,
    pairs: Sequence[Pair],
    options: Options,
) -> Rows:
    """Make the rows of the paper's tables, the best condition first."""
    scores, evaluators = rows.scores(), dict(list(rows.evaluators.groupby("condition")))
    stairs = {row["condition"]: row for row in course}
    letters = letters_of(names, pairs) or {}
    above_chance = inferred.hyper_realistic(alpha=ALPHA)
    shown = rows.shown
    spoiled = are_spoiled(shown).groupby(shown["condition"], observed=True).sum().to_dict()
    seldom = count_seldom(rows.scored)

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
                "interval": inferred.interval(name, confidence=CONFIDENCE),
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
    """Return the median threshold, or say whether it is below or above the shown exposures."""
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
) -> tuple[Table, ...]:
    """Make the tables of untimed answers: the two-way bootstrap, d′ and c, and agreement."""
    signals = detect_signals(inferred.answers)
    images = inferred.images or options.images
    alphas = agreement_by_condition(rows.scored, images=images)
    answers = tuple({"condition": name, **signals[name]} for name in names if name in signals)
    agreed = tuple({"condition": name, **vars(alphas[name])} for name in names if name in alphas)
    both: Rows = ()
    if options.two_way:
        own = dict(list(rows.scored.groupby(rows.scored["condition"].astype(str))))
        drawn = side_by_side(
            lambda name: resample_both(
                own[name], draws=options.draws, rng=condition_rng(options.seed, name, "two-way")
            ),
            names,
        )
        each = zip(names, drawn, strict=True)
        both = tuple({"condition": name, **found} for name, found in each if found)
    return (
        declared.two_way(rows.protocol, both),
        declared.answers(rows.protocol, answers),
        declared.agreement(rows.protocol, agreed),
    )


def _measure_staircases(
    rows: JudgementRows, names: Sequence[str], options: Options
) -> tuple[Table, ...]:
    """Make the tables of staircases or QUEST+, and those of thresholds if requested."""
    bounds_ms, counts = rows.bounds_ms, count_blocks(rows.blocks, rows.bounds_ms)
    courses: Rows = ()
    posteriors: Rows = ()
    if rows.quest_plus:  # QUEST+ is not a staircase, so its trials have no reversals
        known = sum_up_posteriors(rows.blocks)
        posteriors = tuple({"condition": name, **counts[name], **known[name]} for name in names)
    else:
        reversals = mean_reversals(rows.shown)
        unsettled = count_unsettled(rows.shown, rows.blocks, bounds_ms)
        points = settle_points(rows.scored, bounds_ms, settles_at_by_condition(rows.shown))
        courses = tuple(
            {
                "condition": name,
                **counts[name],
                **reversals[name],
                **unsettled.get(name, NO_ORDER),
                **points.get(name, NO_SETTLE_POINT),
            }
            for name in names
        )
    tables = (
        declared.staircases(rows.protocol, courses),
        declared.quest_plus(rows.protocol, posteriors),
    )
    if options.thresholds_at is None:
        return tables
    medians, people = fit_thresholds(
        rows.scored,
        seed=options.seed,
        at=options.thresholds_at,
        confidence=CONFIDENCE,
        bounds_ms=bounds_ms,
        progress=options.progress,
    )
    thresholds = tuple({"condition": name, **medians[name]} for name in names)
    return (
        *tables,
        declared.thresholds(rows.protocol, thresholds),
        declared.evaluators_thresholds(rows.protocol, _sort_rows(people, names)),
    )


def _measure_confidence(
    scored: pd.DataFrame, protocol: str, names: Sequence[str]
) -> tuple[Table, ...]:
    """Make the tables of confidence; none if the study did not ask for it."""
    if "confidence" not in scored:
        return ()
    rows = scored[scored["confidence"].notna()]
    used = rows[["condition", "evaluator"]].astype(str)
    (group, labels), (person, _) = (label_codes(used[name]) for name in used)
    step = rows["confidence"].to_numpy(np.int64)
    is_fake, says_fake = (rows[name].eq("fake").to_numpy() for name in ("truth", "answer"))
    is_right = is_fake == says_fake
    surely_fake = step.max(initial=0) + np.where(says_fake, step, -step)
    areas = zip(
        labels,
        roc_areas(group, person, surely_fake, is_fake),
        roc_areas(group, person, step, is_right),
        strict=True,
    )
    means = rows["confidence"].groupby([group, is_right]).mean().to_dict()
    compared = [
        {
            "condition": name,
            "type1": type1,
            "type2": type2,
            "right": means.get((place, True)),
            "wrong": means.get((place, False)),
        }
        for place, (name, type1, type2) in enumerate(areas)
    ]
    banded = np.stack([group, band_confidence(step)])
    cells, cell = np.unique(banded, axis=1, return_inverse=True)
    right = is_right.astype(float)
    calibrated = [
        {
            "condition": labels[place],
            "confidence": at,
            "right": share.estimate(CONFIDENCE) if share else Estimate(value=alone / number),
            "judgements": number,
        }
        for (place, at), share, alone, number in zip(
            cells.T.tolist(),
            estimate_shares(cell, right, person, None, groups=len(cells.T)),
            np.bincount(cell, right).tolist(),
            np.bincount(cell).tolist(),
            strict=True,
        )
    ]
    return (
        declared.confidence(protocol, _sort_rows(tuple(compared), names)),
        declared.calibration(protocol, _sort_rows(tuple(calibrated), names)),
    )


def _correlate_metrics(rows: JudgementRows, options: Options) -> tuple[Table, ...]:
    """Correlate metrics with the conditions' scores, or with their scores in each class."""
    metrics = options.metrics
    if metrics is None:
        return ()
    points: dict[Any, float] = dict(rows.scores())
    if metrics.index.nlevels > 1:
        if rows.timed or options.by is None:
            return ()
        scored = rows.scored
        code, names = classes(scored, options.by)
        wrong = scored["truth"].ne("fake") != scored["answer"].ne("fake")
        cells = wrong.groupby([scored["condition"].astype(str), code]).agg(["sum", "size"])
        points = {
            (condition, names[at]): 100 * number / shown
            for (condition, at), number, shown in cells.itertuples()
            if at >= 0
        }
    rng = condition_rng(options.seed, "", "metrics")
    found = correlate(points, metrics, rng=rng, draws=options.draws) if points else ()
    name = slug(rows.protocol, "metrics")
    return (declared.correlations(found, name=name, title="Automated metrics"),) if found else ()
