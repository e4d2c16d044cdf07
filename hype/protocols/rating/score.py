"""Ratings, read and scored: from a study or a table to everything that is known from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from hype.judges.ratings import judge_ratings
from hype.judges.results import JudgeOptions
from hype.leaderboard import Board, entry_of
from hype.planning.planned import ELO, PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import RankedPair, score_object
from hype.protocols.prompted.scoring import (
    alike_by_prompts,
    given_judges,
    images_spoken_of,
    measure_strengths,
    number_of,
    overrule,
    people_by_condition,
    planned_strengths,
    require_some,
    scope_of,
)
from hype.protocols.rating.axes import (
    ConditionValues,
    RatingOptions,
    axis_correlations,
    axis_strengths,
    axis_table,
    condition_means,
    condition_values,
    correlate_with_leaderboard,
    mean_pairs,
    read_leaderboard,
    strengths_of,
)
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.export import RATED, questions_of
from hype.protocols.rating.results import (
    AxisCorrelations,
    AxisScore,
    MeanPair,
    RatingScore,
    shown_alpha,
)
from hype.protocols.rating.rows import REASONS, ROW, SCORED_TASK
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.table import TABLE, check_ratings
from hype.protocols.rating.tables import every_table, facts, rating_table
from hype.report.methods import notes_of
from hype.report.tabular import Row, Rows
from hype.statistics.agreement import Alpha, AlphaUnit, unit_alpha
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.cells import CellEstimates, cell_means
from hype.statistics.correlation import correlation
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate
from hype.statistics.strength_table import ConditionStrength, Difference, Fit
from hype.study.scales import (
    NO,
    OVERALL,
    YES,
    AnswerKind,
    Scale,
    axes_in_order,
    is_pairs,
    scale_in,
)
from hype.tables.answers import over_their_own
from hype.tables.cells import codes_of
from hype.tables.reasons import SCORED, LeftOut, left_out, reasons_of
from hype.tables.table_files import FrameTable

Ratings = LoadedAnswers[RatingStudy]


MOSTLY: Final = 0.5
"""The share of answers that are not relevant above which it is said."""
TELLING: Final = 10
"""Answers of one evaluator that, all alike, are no accident."""


def constant_evaluators(scored: pd.DataFrame) -> tuple[str, ...]:
    """Name the evaluators who gave `TELLING` answers or more, all the same.

    That is the same level, or, where it is known on which side the first image stood, the same
    level as they saw it: always the left one, for instance.
    """
    if "evaluator" not in scored:
        return ()
    people = codes_of(scored["evaluator"])
    answer = codes_of(scored["answer"])
    same = _always_one(people, answer)
    if "first_side" in scored and "value" in scored:
        same |= _always_one(people, _as_seen(scored))
    names = scored["evaluator"].cat.categories
    return tuple(str(names[place]) for place in np.flatnonzero(same).tolist())


def _always_one(people: IntArray, answer: IntArray) -> BoolArray:
    total = np.bincount(people)
    size = int(answer.max(initial=-1)) + 1
    different = np.bincount(np.unique(people * size + answer) // size, minlength=len(total))
    same: BoolArray = (different == 1) & (total >= TELLING)
    return same


def _as_seen(scored: pd.DataFrame) -> IntArray:
    """Number the answers by how much better the image on the left was called."""
    value = scored["value"].to_numpy()
    seen = np.where(scored["first_side"].eq("right").to_numpy(), -value, value)
    seen = np.where(scored["first_side"].eq("").to_numpy(), np.inf, seen)  # matches no other
    codes, _ = pd.factorize(seen, use_na_sentinel=False)
    return codes.astype(np.int64)


def against_truth(
    ratings: pd.DataFrame, kind: AnswerKind, images: Images, *, confidence: float
) -> Row | None:
    """Compare the relevant answers of one axis with the truth; None if it is not known.

    `ratings`: those whose right answer is known. `right`: of yes and no the share that is right, as
    a proportion, by `evaluators` if its interval takes these for the independent units. `r`: of
    numbers, Pearson's correlation with the truth.
    """
    if "truth_value" not in ratings:
        return None
    answered = ratings[(ratings["truth_value"].notna() & ratings["value"].notna()).to_numpy()]
    if not len(answered):
        return None
    answer, right = answered["value"].to_numpy(), answered["truth_value"].to_numpy()
    drawn = condition_values(answered, images)
    if kind == "numbers":
        people = drawn.people if drawn.random.unit == "evaluators" else None
        r = correlation(answer, right, people, drawn.items, confidence=confidence)
        found = None if r.r is None else Estimate(value=r.r, low=r.low, high=r.high)
        return {"ratings": len(answered), "right": None, "r": found, "evaluators": r.clusters}
    correct = (answer == right).astype(np.float64)
    same = np.zeros(len(answered), dtype=np.int64)
    values = drawn._replace(names=("",), condition=same, value=correct)
    (share,) = condition_means(values, scale=None, confidence=confidence)
    row: Row = {"ratings": len(answered), "right": share.mean, "r": None}
    return row | {"evaluators": share.evaluators}


def scored_ratings(ratings: pd.DataFrame) -> tuple[pd.DataFrame, tuple[LeftOut, ...]]:
    """Keep the ratings that are scored, and count the others by their reasons.

    ``ratings``: as `check_ratings` returns them. The rows that are kept are over the conditions,
    evaluators and labels they have.

    Raises InputError: nothing is left.
    """
    reasons = reasons_of(ratings, REASONS)
    exclusions = left_out(ratings, reasons, REASONS)
    kept = reasons.eq(SCORED).to_numpy()
    require_some(kept, "ratings", exclusions)
    names = ("item", "axis", "evaluator", "prompt")
    return over_their_own(ratings[kept], ("first", "second"), *names), exclusions


def score_ratings(ratings: pd.DataFrame, options: RatingOptions | None = None) -> RatingScore:
    """Score a table of ratings.

    ``ratings``: as `check_ratings` returns them. Only rows of the task rating are scored, and of
    these only what neither the column excluded nor the evaluator's status leaves out. The same
    ratings, options and seed give the same result. The order of the rows matters to nothing but the
    order of axes that the options do not name, and to rounding.

    Raises InputError: no rating is left to score.
    """
    chosen = options or RatingOptions()
    scored, exclusions = scored_ratings(ratings)
    names = axes_in_order(scored, chosen.axes)
    axes = tuple(_axis(rows, name, chosen) for name, rows in _by_axis(scored, names))
    overall = chosen.overall if chosen.overall in names else None
    correlations, unmatched = _correlations(scored, names, overall, chosen)
    board = chosen.leaderboard
    random = condition_values(scored[scored["value"].notna().to_numpy()], chosen.images).random
    spoken_of = images_spoken_of(random, chosen.images)
    return RatingScore(
        what="pairs" if is_pairs(scored) else "images",
        simulated=bool(ratings["simulated"].any()),
        rows=len(ratings),
        ratings=len(scored),
        evaluators=number_of(scored, "evaluator"),
        prompts=number_of(scored, "prompt"),
        items=int(scored["item"].nunique()),
        conditions=tuple(map(str, scored["first"].cat.categories)),
        scale=chosen.scale,
        ties=chosen.ties,
        strengths=chosen.strengths,
        level=chosen.level,
        axes=axes,
        overall=overall,
        correlations=correlations,
        leaderboard=None
        if board is None
        else correlate_with_leaderboard(axes, board, overall, confidence=chosen.confidence),
        exclusions=exclusions,
        images=spoken_of,
        random=random,
        alpha=chosen.alpha,
        confidence=chosen.confidence,
        seed=chosen.seed,
        margin=chosen.margin,
        notes=notes_of(
            Path(__file__).parent,
            **scope_of(
                *(ratings, scored, random, spoken_of),
                task=SCORED_TASK,
                columns=("first", "second"),
            ),
            constant=constant_evaluators(scored),
            telling=TELLING,
            unmatched=unmatched,
            mostly_not_relevant=[axis for axis in axes if axis.not_relevant_share > MOSTLY],
            not_rated=[name for name in chosen.axes if name not in names],
        ),
    )


def _by_axis(scored: pd.DataFrame, names: tuple[str, ...]) -> Iterator[tuple[str, pd.DataFrame]]:
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


def _axis(rows: pd.DataFrame, name: str, options: RatingOptions) -> AxisScore:
    relevant = rows[rows["value"].notna().to_numpy()]
    kind, confidence = _kind(relevant), options.confidence
    values, words = condition_values(relevant, options.images), kind == "yes-no"
    strengths: tuple[ConditionStrength, ...] = ()
    pairs: tuple[RankedPair, ...] | tuple[MeanPair, ...] = ()
    fit: Fit | None = None
    means = condition_means(values, scale=options.scale.ends(kind), confidence=confidence)
    if kind != "levels":
        pairs = mean_pairs(values, means, options, shares=words)
    elif len(relevant):
        strengths, pairs, fit = axis_strengths(relevant, options)
    return AxisScore(
        axis=name,
        kind=kind,
        ratings=len(rows),
        not_relevant=len(rows) - len(relevant),
        not_relevant_share=1 - len(relevant) / len(rows),
        evaluators=number_of(relevant, "evaluator"),
        items=int(relevant["item"].nunique()),
        answers=_answers(relevant, kind, options),
        means=means,
        strengths=strengths,
        fit=fit,
        pairs=pairs,
        alphas=tuple(_alphas(relevant, values, options)),
        truth=against_truth(relevant, kind, options.images, confidence=confidence),
    )


def differences_on(
    ratings: pd.DataFrame, axis: str, options: RatingOptions
) -> Sequence[Difference | MeanPair]:
    """Return how far apart strengths or means are on an axis, without the other results."""
    scored, _ = scored_ratings(ratings)
    relevant = scored[(scored["axis"].eq(axis) & scored["value"].notna()).to_numpy()]
    if is_pairs(relevant):
        return strengths_of(relevant, options).differences
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
    if kind != "numbers":  # the value of the first answer is the highest
        counts = counts[::-1]
    return tuple(
        {
            "answer": answer,
            "ratings": int(count),
            "relevant_share": float(count / max(len(relevant), 1)),
        }
        for answer, count in zip(answers, counts, strict=True)
    )


def _alphas(
    relevant: pd.DataFrame, values: ConditionValues, options: RatingOptions
) -> Iterator[Alpha]:
    """Compute α over conditions, and over items where two people rated the same."""
    items = codes_of(relevant["item"])
    # The prompts of ratings, or their items without several prompts; None if these are fixed
    about = None
    if values.random.item is not None:
        about = codes_of(relevant["prompt"]) if values.random.item == "prompts" else items
    person = codes_of(relevant["evaluator"]) if "evaluator" in relevant else None
    value = relevant["value"].to_numpy()
    twice = about if about is None else np.tile(about, len(values.value) // max(len(items), 1))
    over: list[tuple[AlphaUnit, IntArray, FloatArray, IntArray | None, IntArray | None]] = [
        ("conditions", values.condition, values.value, values.evaluator, twice),
        ("items", items, value, person, about),
    ]
    for what, unit, of_unit, who, of in over:
        alpha = unit_alpha(
            unit, of_unit, who, of, what=what, level=options.level, confidence=options.confidence
        )
        if alpha is not None:
            yield alpha


def main_alpha(ratings: pd.DataFrame, options: RatingOptions) -> Alpha | None:
    """Compute the α of the axis that stands for all, without the other results."""
    scored, _ = scored_ratings(ratings)
    names = axes_in_order(scored, options.axes)
    name = options.overall if options.overall in names else names[0]
    relevant = scored[(scored["axis"].eq(name) & scored["value"].notna()).to_numpy()]
    return shown_alpha(_alphas(relevant, condition_values(relevant, options.images), options))


def _correlations(
    scored: pd.DataFrame, names: tuple[str, ...], overall: str | None, options: RatingOptions
) -> tuple[AxisCorrelations | None, int]:
    if len(names) < 2:
        return None, 0
    table = axis_table(scored, names)
    correlations = axis_correlations(
        table, names, overall, images=options.images, confidence=options.confidence
    )
    return correlations, table.dropped


def ratings_for(source: Opened, choices: ReadingChoices) -> Ratings:
    scale = scale_of(None if isinstance(source, FrameTable) else source, choices)
    table = replace(TABLE, own_checks=partial(TABLE.own_checks, scale=scale))
    return Reader(outgoing=lambda: RATED, table=table).answers(source, choices)


def scale_of(study: Any, choices: ReadingChoices) -> Scale:
    """Return the possible answers: from the study, or from the command for a table."""
    if study is None:
        return scale_in(choices.scale) if choices.scale else Scale()
    if choices.scale:
        raise InputError("--scale", f"is for tables, and {study.path} says what could be answered")
    return scale_of_study(study)


def scale_of_study(study: Any) -> Scale:
    lowest, highest = study.settings.ends
    return Scale(levels=study.settings.rating.levels, lowest=lowest, highest=highest)


def options_of_study(study: RatingStudy) -> RatingOptions:
    return RatingOptions(
        axes=study.settings.axis_names,
        scale=scale_of_study(study),
        margin=study.settings.analysis.margin,
        strengths=study.settings.analysis.strengths,
    )


def options_of(ratings: Ratings, choices: Choices) -> RatingOptions:
    """Give the choices of the study and of the command; the leaderboard is read."""
    study = ratings.study
    options = options_of_study(study) if study else RatingOptions()
    scale = scale_of(study, choices)
    return replace(
        overrule(options, choices),
        scale=scale,
        level="interval" if scale.is_continuous else options.level,
        leaderboard=read_leaderboard(choices.leaderboard) if choices.leaderboard else None,
    )


def score_ratings_loaded(ratings: Ratings, choices: Choices) -> RatingScore:
    """Score ratings, and hold the judges against them that were given."""
    options = options_of(ratings, choices)
    score = ratings.add_notes(score_ratings(ratings.frame, options))
    if not choices.judges:
        return score
    scored, _ = scored_ratings(ratings.frame)
    items = scored["item"].cat.categories
    judges, margin = given_judges(ratings, choices, questions_of, rated=items)
    chosen = JudgeOptions(axes=options.axes, scale=options.scale, margin=margin)
    return replace(score, judges=judge_ratings(scored, judges, chosen))


def rating_measures(ratings: Ratings, choices: Choices) -> Iterator[GroupMeasure]:
    """Yield the mean answer on each axis, which is scored by group; of a pair to the first."""
    options = options_of(ratings, replace(choices, leaderboard=None))
    scored, _ = scored_ratings(ratings.frame)
    relevant = scored[scored["value"].notna().to_numpy()]

    def cells(rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]) -> CellEstimates:
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
            scale=options.scale.ends(_kind(rows)),
        )

    for name in axes_in_order(relevant, options.axes):
        rows = relevant[relevant["axis"].eq(name).to_numpy()]
        unit = "%" if _kind(rows) == "yes-no" else "points"
        yield GroupMeasure(protocol="rating", title=name, unit=unit, rows=rows, cells=cells)


def as_object(scored: RatingScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


def measured(
    answers: LoadedAnswers[Any], scored: RatingScore, _choices: Choices
) -> Iterator[Board]:
    ratings, _ = scored_ratings(answers.frame)
    relevant = ratings[ratings["value"].notna()]
    for axis in scored.axes:
        on_axis = relevant[relevant["axis"].eq(axis.axis)]
        people = people_by_condition(on_axis, "first", "second")
        number = {row.condition: row.ratings for row in axis.means}
        title = f"Ratings: {axis.axis}"
        if axis.strengths:
            yield measure_strengths(
                *(axis.strengths, axis.pairs, number, people),
                title=title,
                about="Bradley and Terry, from which image was better",
                simulated=scored.simulated,
            )
            continue
        yield Board(
            title=title,
            unit="",
            decimals=2,
            about="The mean answer on single images; of yes and no the share of yes.",
            simulated=scored.simulated,
            entries=tuple(
                entry_of(
                    row.condition,
                    row.mean,
                    evaluators=people.get(row.condition),
                    answers=row.ratings,
                    ranks=(None, None),
                )
                for row in axis.means
            ),
            pairs=axis.pairs,
        )


SCORING: Final = Scoring(
    read=ratings_for,
    score=score_ratings_loaded,
    laid_out=lambda answers, scored, *, whole: rating_table(
        scored, background=answers.said, whole=whole
    ),
    as_object=as_object,
    alike=alike_by_prompts,
    group_measures=rating_measures,
    measured=measured,
)


def planned_ratings(study: RatingStudy, of: str | None) -> PlannedScore:
    """Plan one axis: the one that is named, or the overall one, or the first.

    Raises InputError: there is no such axis, or what the study draws from is wrong.
    """
    names, options = study.settings.axis_names, options_of_study(study)
    axis = of or (OVERALL if OVERALL in names else names[0])
    if axis not in names:
        raise InputError("--method", f"{axis!r} is no axis of {study.path}", ", ".join(names))
    return planned_strengths(
        RatingCourse(study),
        partial(differences_on, axis=axis, options=options),
        title=f"Ratings, {axis}",
        outgoing=RATED,
        columns=ROW.read,
        check=partial(check_ratings, scale=options.scale),
        unit=ELO if study.settings.rating.of == "pairs" else "points of the scale",
    )


PLANNED: Final = planned_ratings
