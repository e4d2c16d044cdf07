"""Scores of ratings from a study or a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.answers.choices import Choices, ReadingChoices
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Opened, Reader
from hype.errors import InputError
from hype.judges import tables as judge_tables
from hype.judges.ratings import judge_ratings
from hype.judges.results import JudgeOptions, RatingJudgesScore
from hype.leaderboard import Board, entry_of
from hype.planning.planned import ELO, PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import (
    collect_facts,
    common_settings_of_prompted,
    images_spoken_of,
    measure_strengths,
    number_of,
    overrule,
    people_by_condition,
    plan_strengths,
    read_given_judges,
    require_some,
    scope_of,
    verdicts_of,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import POINTS, exclusion_table, matrix_of_axes, tests_note
from hype.protocols.rating.agreement import (
    TELLING,
    alphas_of,
    alphas_table,
    choose_alpha,
    compare_with_truth,
    constant_evaluators,
    truth_table,
)
from hype.protocols.rating.axes import (
    RatingOptions,
    axis_strengths,
    condition_means,
    condition_rows,
    condition_values,
    conditions_table,
    mean_pairs,
    pairs_table,
    strengths_of,
    votes_of,
)
from hype.protocols.rating.correlations import (
    axis_correlations,
    axis_table,
    correlate_with_leaderboard,
    correlation_tables,
    leaderboard_table,
    overall_table,
)
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.export import RATED, questions_of
from hype.protocols.rating.layout import lay_out, say
from hype.protocols.rating.rows import REASONS, ROW, SCORED_TASK
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.table import TABLE, check_ratings
from hype.report import tabular
from hype.report.methods import notes_of
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, cell_means
from hype.study.scales import (
    NO,
    OVERALL,
    YES,
    AnswerKind,
    Scale,
    axes_in_order,
    is_pairs,
    read_scale,
)
from hype.tables.answers import drop_unused_categories, read_named_numbers
from hype.tables.cells import codes_of
from hype.tables.reasons import SCORED, LeftOut, count_by_reason, reasons_of
from hype.tables.table_files import FrameTable

Ratings = LoadedAnswers[RatingStudy]

MOSTLY: Final = 0.5
"""If a larger share of the answers on an axis is "not relevant", the scores get a note."""


def choose_ratings(ratings: pd.DataFrame) -> tuple[pd.DataFrame, tuple[LeftOut, ...]]:
    """Keep the scored ratings, and count the others by reason.

    ``ratings``: from `check_ratings`. Categories that the kept rows do not use are dropped. Raises
    InputError: no rating can be scored.
    """
    reasons = reasons_of(ratings, REASONS)
    exclusions = count_by_reason(ratings, reasons, REASONS)
    kept = reasons.eq(SCORED).to_numpy()
    require_some(kept, "ratings", exclusions)
    names = ("item", "axis", "evaluator", "prompt")
    return drop_unused_categories(ratings[kept], ("first", "second"), *names), exclusions


def score_ratings(ratings: pd.DataFrame, options: RatingOptions | None = None) -> Scores:
    """Score a table of ratings.

    ``ratings``: from `check_ratings`. Only rows with the task ``rating`` are scored, unless the
    column ``excluded`` or the evaluator's status excludes them. The same ratings, options and seed
    give the same result. The order of the rows affects only rounding, and the order of the axes
    that are not in the options. Raises InputError: no rating can be scored.
    """
    chosen = options or RatingOptions()
    scored, exclusions = choose_ratings(ratings)
    names, confidence = axes_in_order(scored, chosen.axes), chosen.confidence
    axes = tuple(_axis(rows, name, chosen.on(name)) for name, rows in _split_by_axis(scored, names))
    overall = chosen.overall if chosen.overall in names else None
    main = next((axis for axis in axes if axis["axis"] == overall), axes[0])
    random = condition_values(scored[scored["value"].notna().to_numpy()], chosen.images).random
    spoken_of = images_spoken_of(random, chosen.images)
    correlated: Rows = ()
    unmatched = 0
    if len(names) > 1:
        table = axis_table(scored, names)
        correlated, unmatched = axis_correlations(table, names, chosen), table.dropped
    closest = overall_table(correlated, overall)
    board: Rows = ()
    if chosen.leaderboard is not None:
        known = chosen.leaderboard
        board = correlate_with_leaderboard(axes, known, overall, confidence=confidence)
    pairs, scale = is_pairs(scored), SCALES[chosen.strengths]
    facts = collect_facts(scored, chosen, random, spoken_of) | {
        "what": "pairs" if pairs else "images",
        "rows": len(ratings),
        "ratings": len(scored),
        "items": int(scored["item"].nunique()),
        "scale": {n: v for n, v in vars(chosen.scale).items() if n != "axes"},
        "overall": overall,
        "seed": chosen.seed,
    }
    rule = next((axis["fit"]["rule"] for axis in axes if axis["fit"] and axis["fit"]["rule"]), None)
    of_pairs = tests_note(chosen, rule, "all pairs") if pairs else say("pairs_table", score=facts)
    ranking = [row["condition"] for row in main["conditions"]]
    conditions = dict.fromkeys((*ranking, *map(str, scored["first"].cat.categories)))
    return Scores(
        protocol="rating",
        simulated=bool(ratings["simulated"].any()),
        facts=facts,
        tables=(
            conditions_table(axes, chosen, say("conditions_table", score=facts, scale=scale)),
            pairs_table(axes, chosen, of_pairs=pairs, note=of_pairs),
            matrix_of_axes(axes, [*conditions], scale, protocol="rating", pairs=pairs),
            axes_table(axes, closest, facts),
            alphas_table(axes, confidence),
            answers_table(axes),
            *correlation_tables(correlated, closest, overall, confidence),
            truth_table(axes, confidence),
            leaderboard_table(board, confidence),
            exclusion_table(exclusions, "ratings"),
        ),
        notes=notes_of(
            Path(__file__).parent,
            **scope_of(
                *(ratings, scored, random, spoken_of), task=SCORED_TASK, columns=("first", "second")
            ),
            constant=constant_evaluators(scored),
            telling=TELLING,
            unmatched=unmatched,
            mostly_not_relevant=[axis for axis in axes if axis["not_relevant_share"] > MOSTLY],
            not_rated=[name for name in chosen.axes if name not in names],
        ),
    )


def _split_by_axis(
    scored: pd.DataFrame, names: tuple[str, ...]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each axis, with only the columns that its analysis needs."""
    columns = (
        *("item", "answer", "value", "first", "second", "evaluator", "truth_value"),
        *("prompt", "first_image", "second_image"),
    )
    lean = scored[[name for name in columns if name in scored]]
    codes = codes_of(scored["axis"])
    for name in names:
        place = scored["axis"].cat.categories.get_loc(name)
        yield name, lean[codes == place]


def _axis(rows: pd.DataFrame, name: str, options: RatingOptions) -> Row:
    """Return the results on one axis.

    ``kind``: the kind of answers; ``level``: the level of measurement; ``ends``: the ends of the
    scale. ``ratings``: the number of scored answers; ``not_relevant``: how many of these are "not
    relevant". ``evaluators``: the number of people with relevant answers; None if unknown.
    ``conditions``: from `condition_rows`; ``pairs``: pairs of these conditions, in the same order;
    ``fit``: the fit of strengths, None for single images. ``alphas``: from `alphas_of`; ``alpha``:
    the α to show. ``truth``: from `compare_with_truth`.
    """
    relevant = rows[rows["value"].notna().to_numpy()]
    kind, confidence = _kind(relevant), options.confidence
    values, words = condition_values(relevant, options.images), kind == "yes-no"
    strengths: Rows = ()
    pairs: Rows = ()
    fit: Row | None = None
    means = condition_means(values, scale=options.scale.ends(kind), confidence=confidence)
    if kind != "levels":
        pairs = mean_pairs(values, means, options, shares=words)
    elif len(relevant):
        strengths, pairs, fit = axis_strengths(relevant, options)
    alphas = tuple(alphas_of(relevant, values, options))
    return {
        "axis": name,
        "kind": kind,
        "level": options.level,
        "ends": options.scale.ends(kind),
        "ratings": len(rows),
        "not_relevant": len(rows) - len(relevant),
        "not_relevant_share": 1 - len(relevant) / len(rows),
        "evaluators": number_of(relevant, "evaluator"),
        "items": int(relevant["item"].nunique()),
        "answers": _answers(relevant, kind, options),
        "conditions": condition_rows(name, kind, means, strengths),
        "pairs": pairs,
        "fit": fit,
        "alphas": alphas,
        "alpha": choose_alpha(alphas),
        "truth": compare_with_truth(relevant, kind, options.images, confidence=confidence),
    }


def axes_table(axes: Rows, closest: Rows, facts: Row) -> Table:
    r = {row["axis"]: row["r"] for row in closest}
    units = {axis["alpha"].unit for axis in axes if axis["alpha"]}
    over = say("alphas", score=facts, units=units)

    def name_units(axis: Row) -> str | None:
        alpha = axis["alpha"]
        return f"{alpha.units:,} {alpha.unit}" if alpha else None

    return tabulate(
        axes,
        name="rating-axes",
        title="Axes",
        columns=(
            tabular.name("Axis", "axis"),
            *tabular.further(tabular.whole("Ratings", "ratings")),
            tabular.share("Not\nrelevant", "not_relevant_share"),
            tabular.number("α", "alpha", 2, of="alpha.alpha"),
            tabular.interval(f"{facts['confidence']:.0%} CI", "alpha", 2, of="alpha.alpha"),
            tabular.words("Units", "alpha_over", of=name_units),
            tabular.whole("Evalu-\nators", "alpha_evaluators", of="alpha.evaluators"),
            tabular.whole("Ans-\nwers", "alpha_values", of="alpha.n"),
            *(
                [tabular.number("r, with\noverall", "r_overall", 2, of=lambda a: r.get(a["axis"]))]
                if r
                else []
            ),
            *tabular.further(
                tabular.words("Answered with", "kind"),
                tabular.words("α of level", "level"),
                tabular.whole("Answers “not relevant”", "not_relevant"),
                tabular.whole("Evaluators", "evaluators"),
                tabular.whole("Items", "items"),
                tabular.whole("Iterations", "iterations", of="fit.iterations"),
                tabular.number("Log-likelihood", "log_likelihood", 3, of="fit.log_likelihood"),
                tabular.number("Davidson's ν", "tie_parameter", 3, of="fit.tie_parameter"),
                tabular.words("Rule of p", "rule", of="fit.rule"),
                tabular.words("Without strength, because", "problems", of="fit.problems"),
            ),
        ),
        note=" ".join(
            (
                *([f"Krippendorff's α {over}."] if over else []),
                *(["r: correlation with the same person's overall ratings."] if r else []),
            )
        ),
    )


def answers_table(axes: Rows) -> Table:
    def answers_on(axis: Row) -> Rows:
        number = axis["not_relevant"]
        others: Row = {"answer": "not relevant", "ratings": number, "relevant_share": None}
        return (*axis["answers"], *([others] if number else []))

    return tabulate(
        [{"axis": axis["axis"], **row} for axis in axes for row in answers_on(axis)],
        name="rating-answers",
        title="How often each answer was given",
        columns=(
            tabular.name("Axis", "axis"),
            tabular.words("Answer", "answer"),
            tabular.whole("Ratings", "ratings"),
            tabular.share("Share of the\nrelevant", "relevant_share"),
        ),
    )


def differences_on(ratings: pd.DataFrame, axis: str, options: RatingOptions) -> Rows:
    scored, _ = choose_ratings(ratings)
    options = options.on(axis)
    relevant = scored[(scored["axis"].eq(axis) & scored["value"].notna()).to_numpy()]
    if is_pairs(relevant):
        return tuple(map(vars, strengths_of(votes_of(relevant), options).differences))
    values, words = condition_values(relevant, options.images), _kind(relevant) == "yes-no"
    ends = options.scale.ends(_kind(relevant))
    means = condition_means(values, scale=ends, confidence=options.confidence)
    return mean_pairs(values, means, options, shares=words)


def _kind(relevant: pd.DataFrame) -> AnswerKind:
    if is_pairs(relevant):
        return "levels"
    return "yes-no" if relevant["answer"].isin([YES, NO]).any() else "numbers"


def _answers(relevant: pd.DataFrame, kind: AnswerKind, options: RatingOptions) -> Rows:
    answers = options.scale.answers(kind)
    places = options.scale.places(relevant["value"].to_numpy(), kind)
    counts = np.bincount(places, minlength=len(answers))
    if kind != "numbers":  # the first answer has the highest value
        counts = counts[::-1]
    return tuple(
        {
            "answer": answer,
            "ratings": int(count),
            "relevant_share": float(count / max(len(relevant), 1)),
        }
        for answer, count in zip(answers, counts, strict=True)
    )


def compute_agreement(ratings: Ratings, choices: Choices) -> Alpha | None:
    """Compute α on the overall axis, or else on the first one."""
    options = options_of(ratings, choices)
    scored, _ = choose_ratings(ratings.frame)
    names = axes_in_order(scored, options.axes)
    name = options.overall if options.overall in names else names[0]
    options = options.on(name)
    relevant = scored[(scored["axis"].eq(name) & scored["value"].notna()).to_numpy()]
    return choose_alpha(alphas_of(relevant, condition_values(relevant, options.images), options))


def ratings_for(source: Opened, choices: ReadingChoices) -> Ratings:
    scale = scale_of(None if isinstance(source, FrameTable) else source, choices)
    table = replace(TABLE, own_checks=partial(TABLE.own_checks, scale=scale))
    return Reader(outgoing=lambda: RATED, table=table).answers(source, choices)


def scale_of(study: Any, choices: ReadingChoices) -> Scale:
    """Return the possible answers: from the study or, for a table, from the command's options."""
    if study is None:
        return read_scale(choices.scale) if choices.scale else Scale()
    if choices.scale:
        raise InputError("--scale", f"is only for tables; {study.path} gives the possible answers")
    return scale_of_study(study)


def scale_of_study(study: Any) -> Scale:
    settings = study.settings
    scales = {name: settings.axis(name) for name in settings.scales}
    axes = {
        name: Scale(lowest=own.lowest, highest=own.highest, decimals=own.kind == "slider")
        for name, own in scales.items()
    }
    every = [*axes.values()] or [Scale()]
    return Scale(
        levels=settings.rating.levels,
        lowest=min(scale.lowest for scale in every),
        highest=max(scale.highest for scale in every),
        decimals=any(scale.decimals for scale in every),
        axes=axes,
    )


def options_of_study(study: RatingStudy) -> RatingOptions:
    return RatingOptions(
        axes=study.settings.axis_names,
        scale=scale_of_study(study),
        margin=study.settings.analysis.margin,
        strengths=study.settings.analysis.strengths,
    )


def options_of(ratings: Ratings, choices: Choices) -> RatingOptions:
    """Join the options of the study and the command, and read the leaderboard."""
    study = ratings.study
    options = options_of_study(study) if study else RatingOptions()
    return replace(
        overrule(options, choices),
        scale=scale_of(study, choices),
        leaderboard=read_named_numbers(choices.leaderboard, "condition", "score")
        if choices.leaderboard
        else None,
    )


def score_ratings_loaded(ratings: Ratings, choices: Choices) -> Scores:
    """Score ratings; if judges are given, compare them with the ratings."""
    options = options_of(ratings, choices)
    score = ratings.add_notes(score_ratings(ratings.frame, options).add_reasons(ratings.frame))
    if not choices.judges:
        return score
    scored, _ = choose_ratings(ratings.frame)
    items = scored["item"].cat.categories
    judges, margin = read_given_judges(ratings, choices, questions_of, rated=items)
    chosen = JudgeOptions(axes=options.axes, scale=options.scale, margin=margin)
    return add_judges(score, judge_ratings(scored, judges, chosen))


def add_judges(scores: Scores, judges: RatingJudgesScore) -> Scores:
    tables = (
        judge_tables.summary(judges),
        judge_tables.second_person(judges),
        *(judge_tables.axis_matrix(judges, what) for what in ("kappa", "weighted", "r")),
        judge_tables.every_axis(judges),
        judge_tables.correlations(judges),
        judge_tables.first_images(judges),
        judge_tables.truth_comparison(judges),
    )
    return replace(scores, judges=judges, tables=(*scores.tables, *tables))


def rating_measures(ratings: Ratings, choices: Choices) -> Iterator[GroupMeasure]:
    """Yield each group's mean answer on each axis; for pairs, how much better a condition is."""
    options = options_of(ratings, replace(choices, leaderboard=None))
    scored, _ = choose_ratings(ratings.frame)
    relevant = scored[scored["value"].notna().to_numpy()]

    def cells(
        scale: Scale, rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]
    ) -> CellEstimates:
        given, words = condition_values(rows, options.images), _kind(rows) == "yes-no"
        twice = len(given.value) // len(group)
        return cell_means(
            (given.names, names),
            given.condition,
            np.tile(group, twice),
            given.value * (100.0 if words else 1.0),
            given.people,
            given.items,
            stratum=np.concatenate([codes_of(rows["second"]), codes_of(rows["first"])])
            if twice > 1
            else None,
            whole=100.0 if words else None,
            scale=scale.ends(_kind(rows)),
        )

    for name in axes_in_order(relevant, options.axes):
        rows = relevant[relevant["axis"].eq(name).to_numpy()]
        unit = "%" if _kind(rows) == "yes-no" else "points"
        on_axis = partial(cells, options.scale.on(name))
        yield GroupMeasure(protocol="rating", title=name, unit=unit, rows=rows, cells=on_axis)


def measure(answers: LoadedAnswers[Any], scored: Scores, _choices: Choices) -> Iterator[Board]:
    ratings, _ = choose_ratings(answers.frame)
    relevant = ratings[ratings["value"].notna()]
    for axis in scored.rows("axes"):
        on_axis = relevant[relevant["axis"].eq(axis["axis"])]
        people = people_by_condition(on_axis, "first", "second")
        conditions = axis["conditions"]
        number = {row["condition"]: row["ratings"] for row in conditions}
        title = f"Ratings: {axis['axis']}"
        if axis["kind"] == "levels" and conditions:
            yield measure_strengths(
                *(conditions, axis["pairs"], number, people),
                title=title,
                about="Bradley and Terry's model of which image was better",
                simulated=scored.simulated,
            )
            continue
        yield Board(
            title=title,
            unit="",
            decimals=2,
            about="The mean answer on single images; for yes and no, the share of yes.",
            simulated=scored.simulated,
            entries=tuple(
                entry_of(
                    row["condition"],
                    row["value"],
                    evaluators=people.get(row["condition"]),
                    answers=row["ratings"],
                    ranks=(None, None),
                )
                for row in conditions
            ),
            pairs=verdicts_of(axis["pairs"]),
        )


SCORING: Final = Scoring(
    read=ratings_for,
    score=score_ratings_loaded,
    laid_out=lambda answers, scored, *, whole: lay_out(scored, answers.said, whole=whole),
    common_settings=common_settings_of_prompted,
    group_measures=rating_measures,
    measured=measure,
    compute_agreement=compute_agreement,
)


def plan_ratings(study: RatingStudy, of: str | None) -> PlannedScore:
    """Plan the score on one axis: the one named ``of``, else the overall one, else the first.

    Raises InputError: there is no such axis, or the images are wrong.
    """
    names, options = study.settings.axis_names, options_of_study(study)
    axis = of or (OVERALL if OVERALL in names else names[0])
    if axis not in names:
        raise InputError("--method", f"{axis!r} is not an axis of {study.path}", ", ".join(names))
    return plan_strengths(
        RatingCourse(study),
        partial(differences_on, axis=axis, options=options),
        title=f"Ratings, {axis}",
        outgoing=RATED,
        columns=ROW.read,
        check=partial(check_ratings, scale=options.scale),
        setting="rating.ratings",
        unit=ELO if study.settings.rating.of == "pairs" else POINTS,
    )


PLANNED: Final = plan_ratings
