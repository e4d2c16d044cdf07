"""From ratings to scores, to what a terminal and a leaderboard show; and what power asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.errors import InputError
from hype.leaderboard import Board, entry_of
from hype.planning.planned import ELO, PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import (
    alike_by_prompts,
    measure_strengths,
    people_by_condition,
    planned_strengths,
)
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.export import RATED
from hype.protocols.rating.results import RatingScore
from hype.protocols.rating.rows import ROW
from hype.protocols.rating.scoring import (
    differences_on,
    main_alpha,
    options_of,
    options_of_study,
    rating_measures,
    ratings_for,
    score_ratings_loaded,
    scored_ratings,
)
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.table import check_ratings
from hype.protocols.rating.tables import every_table, facts
from hype.protocols.rating.wording import rating_table
from hype.statistics.agreement import Alpha
from hype.study.scales import OVERALL


def laid_out(answers: LoadedAnswers[Any], scored: RatingScore, *, whole: bool) -> RenderableType:
    return rating_table(scored, background=answers.said, whole=whole)


def as_object(scored: RatingScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


def agreement(answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
    return main_alpha(answers.frame, options_of(answers, choices))


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
    laid_out=laid_out,
    as_object=as_object,
    alike=alike_by_prompts,
    agreement=agreement,
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
