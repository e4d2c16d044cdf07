"""From ratings to scores, and to what a terminal and a leaderboard show of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.leaderboard import Board, entry_of
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import alike_by_prompts, measure_strengths, people_by_condition
from hype.protocols.rating.results import RatingScore
from hype.protocols.rating.scoring import (
    main_alpha,
    options_of,
    rating_measures,
    ratings_for,
    score_ratings_loaded,
    scored_ratings,
)
from hype.protocols.rating.tables import every_table, facts
from hype.protocols.rating.wording import rating_table
from hype.statistics.agreement import Alpha


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
