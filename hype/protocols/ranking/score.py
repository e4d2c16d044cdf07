"""From rankings to scores, to what a terminal and a leaderboard show; and what power asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.leaderboard import Board
from hype.planning.planned import PlannedScore
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import (
    alike_by_prompts,
    measure_strengths,
    people_by_condition,
    planned_strengths,
)
from hype.protocols.ranking.agreement import rank_alpha, shared_ranks
from hype.protocols.ranking.course import RankingCourse
from hype.protocols.ranking.export import RANKED
from hype.protocols.ranking.results import RankingScore
from hype.protocols.ranking.rows import ROW
from hype.protocols.ranking.scoring import (
    count_groups,
    differences_alone,
    options_for,
    options_of_study,
    ranking_measures,
    rankings_for,
    score_rankings_loaded,
    scored_rankings,
)
from hype.protocols.ranking.settings import RankingStudy
from hype.protocols.ranking.table import check_rankings
from hype.protocols.ranking.tables import every_table, facts
from hype.protocols.ranking.wording import ranking_table
from hype.statistics.agreement import Alpha


def laid_out(answers: LoadedAnswers[Any], scored: RankingScore, *, whole: bool) -> RenderableType:
    return ranking_table(scored, background=answers.said, whole=whole)


def as_object(scored: RankingScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


def agreement(answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
    options = options_for(answers, choices)
    shared = shared_ranks(scored_rankings(answers.frame, options).rows, options.images)
    return rank_alpha(shared, confidence=options.confidence) if shared else None


def measured(
    answers: LoadedAnswers[Any], scored: RankingScore, choices: Choices
) -> Iterator[Board]:
    rows = scored_rankings(answers.frame, options_for(answers, choices)).rows
    people = people_by_condition(rows, "condition")
    answers_on = {row.condition: row.images for row in scored.conditions}
    yield measure_strengths(
        *(scored.conditions, scored.pairs, answers_on, people),
        title="Rankings",
        about="Plackett and Luce",
        simulated=scored.simulated,
    )


SCORING: Final = Scoring(
    read=rankings_for,
    score=score_rankings_loaded,
    laid_out=laid_out,
    as_object=as_object,
    alike=alike_by_prompts,
    agreement=agreement,
    group_measures=ranking_measures,
    measured=measured,
)


def planned_rankings(study: RankingStudy, _of: str | None) -> PlannedScore:
    planned = planned_strengths(
        RankingCourse(study),
        partial(differences_alone, options=options_of_study(study)),
        title="Rankings",
        outgoing=RANKED,
        columns=ROW.read,
        check=check_rankings,
    )
    return replace(planned, paid=count_groups, numbered="ranking")


PLANNED: Final = planned_rankings
