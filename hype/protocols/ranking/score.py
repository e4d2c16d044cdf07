"""From rankings to scores, and to what a terminal and a leaderboard show of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.leaderboard.boards import Measured, entry_of
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import alike_by_prompts, people_by_condition
from hype.protocols.ranking.agreement import rank_alpha, shared_ranks
from hype.protocols.ranking.results import RankingScore
from hype.protocols.ranking.scoring import (
    options_for,
    ranking_measures,
    rankings_for,
    score_rankings_loaded,
    scored_rankings,
)
from hype.protocols.ranking.wording import ranking_table
from hype.statistics.agreement import Alpha


def laid_out(answers: LoadedAnswers[Any], scored: RankingScore) -> RenderableType:
    return ranking_table(scored, background=answers.said)


def agreement(answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
    options = options_for(answers, choices)
    shared = shared_ranks(scored_rankings(answers.frame, options).rows, options.images)
    return rank_alpha(shared, confidence=options.confidence) if shared else None


def measured(
    answers: LoadedAnswers[Any], scored: RankingScore, choices: Choices
) -> Iterator[Measured]:
    rows = scored_rankings(answers.frame, options_for(answers, choices)).rows
    people = people_by_condition(rows, "condition")
    yield Measured(
        title="Rankings",
        unit="Elo",
        decimals=0,
        about="Strengths by Plackett and Luce, on Elo's scale: 400 points are odds of 10 to 1.",
        simulated=scored.simulated,
        entries=tuple(
            entry_of(
                row.condition,
                row.elo,
                evaluators=people.get(row.condition),
                answers=row.images,
                ranks=(row.rank_low, row.rank_high),
            )
            for row in scored.conditions
        ),
        pairs=scored.pairs,
    )


SCORING: Final = Scoring(
    read=rankings_for,
    score=score_rankings_loaded,
    laid_out=laid_out,
    alike=alike_by_prompts,
    agreement=agreement,
    group_measures=ranking_measures,
    measured=measured,
)
