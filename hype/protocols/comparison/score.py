"""From comparisons to scores, and to what a terminal and a leaderboard show of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.errors import InputError
from hype.leaderboard import Board
from hype.protocols.comparison.images import comparison_agreement
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.scoring import (
    comparison_measures,
    comparisons_for,
    options_for,
    score_comparisons_loaded,
    scored_votes,
)
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.tables import every_table, facts
from hype.protocols.comparison.wording import comparison_table
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import alike_by_prompts, measure_strengths, people_by_condition
from hype.statistics.agreement import Alpha


def laid_out(answers: LoadedAnswers[Any], scored: PairwiseScore, *, whole: bool) -> RenderableType:
    return comparison_table(scored, background=answers.said, whole=whole)


def as_object(scored: PairwiseScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


def agreement(answers: LoadedAnswers[Any], choices: Choices) -> Alpha | None:
    rows = scored_votes(answers.frame, options_for(answers, choices)).rows
    found = comparison_agreement(rows, images=choices.images)
    return found.basis if found else None


def measured(
    answers: LoadedAnswers[Any], scored: PairwiseScore, choices: Choices
) -> Iterator[Board]:
    rows = scored_votes(answers.frame, options_for(answers, choices)).rows
    people = people_by_condition(rows, "left", "right")
    answers_on = {row.condition: row.comparisons for row in scored.conditions}
    yield measure_strengths(
        *(scored.conditions, scored.pairs, answers_on, people),
        title=f"Comparisons: {scored.criterion}" if scored.criterion else "Comparisons",
        about="Bradley and Terry",
        simulated=scored.simulated,
    )


def alike_but_arenas(study: ComparisonStudy) -> dict[str, object]:
    if study.settings.comparison.arena is not None:
        problem = "is an arena, whose votes were counted until its own rule stopped it"
        raise InputError(study.path, problem, "score it alone")
    return alike_by_prompts(study)


SCORING: Final = Scoring(
    read=comparisons_for,
    score=score_comparisons_loaded,
    laid_out=laid_out,
    as_object=as_object,
    alike=alike_but_arenas,
    agreement=agreement,
    group_measures=comparison_measures,
    measured=measured,
)
