"""From ratings to scores, and to what a terminal and a leaderboard show of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.leaderboard.boards import Measured, entry_of
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import alike_by_prompts, people_by_condition
from hype.protocols.rating.exclusion import scored_ratings
from hype.protocols.rating.results import RatingScore
from hype.protocols.rating.scoring import (
    main_alpha,
    options_of,
    rating_measures,
    ratings_for,
    score_ratings_loaded,
)
from hype.protocols.rating.wording import rating_table
from hype.statistics.agreement import Alpha
from hype.statistics.strength_table import ConditionStrength


def laid_out(answers: LoadedAnswers[Any], scored: RatingScore) -> RenderableType:
    return rating_table(scored, background=answers.said)


def agreement(answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
    return main_alpha(answers.frame, options_of(answers, choices))


def measured(
    answers: LoadedAnswers[Any], scored: RatingScore, _choices: Choices
) -> Iterator[Measured]:
    ratings, _ = scored_ratings(answers.frame)
    relevant = ratings[ratings["value"].notna()]
    for axis in scored.axes:
        on_axis = relevant[relevant["axis"].eq(axis.axis)]
        people = people_by_condition(on_axis, "first", "second")
        number = {row.condition: row.ratings for row in axis.means}
        rows = axis.strengths or axis.means
        yield Measured(
            title=f"Ratings: {axis.axis}",
            unit="Elo" if axis.strengths else "",
            decimals=0 if axis.strengths else 2,
            about="Strengths by Bradley and Terry of which image was better, on Elo's scale: "
            "400 points are odds of 10 to 1."
            if axis.strengths
            else "The mean answer on single images; of yes and no the share of yes.",
            simulated=scored.simulated,
            entries=tuple(
                entry_of(
                    row.condition,
                    row.elo if isinstance(row, ConditionStrength) else row.mean,
                    evaluators=people.get(row.condition),
                    answers=number.get(row.condition, 0),
                    ranks=(row.rank_low, row.rank_high)
                    if isinstance(row, ConditionStrength)
                    else (None, None),
                )
                for row in rows
            ),
            pairs=axis.pairs,
        )


SCORING: Final = Scoring(
    read=ratings_for,
    score=score_ratings_loaded,
    laid_out=laid_out,
    alike=alike_by_prompts,
    agreement=agreement,
    group_measures=rating_measures,
    measured=measured,
)
