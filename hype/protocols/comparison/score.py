"""From comparisons to scores, to what a terminal and a leaderboard show; and what power asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pandas as pd
from rich.console import RenderableType

from hype.answers.choices import Choices
from hype.answers.sources import LoadedAnswers
from hype.errors import InputError
from hype.leaderboard import Board
from hype.planning.planned import PairVerdict, PlannedScore, elo_of
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.export import COMPARED
from hype.protocols.comparison.images import comparison_agreement
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.rows import ROW
from hype.protocols.comparison.scoring import (
    PairwiseOptions,
    comparison_measures,
    comparisons_for,
    options_for,
    options_of_study,
    score_comparisons_loaded,
    scored_votes,
    strengths_of,
)
from hype.protocols.comparison.sequential import sequential
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.table import check_comparisons
from hype.protocols.comparison.tables import every_table, facts
from hype.protocols.comparison.wording import comparison_table
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import score_object
from hype.protocols.prompted.scoring import (
    alike_by_prompts,
    measure_strengths,
    people_by_condition,
    planned_strengths,
)
from hype.statistics.agreement import Alpha
from hype.statistics.strength_table import Difference


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


def planned_comparisons(study: ComparisonStudy, _of: str | None = None) -> PlannedScore:
    options = options_of_study(study, {}, None)
    planned = planned_strengths(
        ComparisonCourse(study),
        partial(differences_of_votes, options=options),
        title="Arena" if study.settings.comparison.arena else "Comparisons",
        outgoing=COMPARED,
        columns=ROW.read,
        check=check_comparisons,
    )
    planned = replace(planned, planned=elo_of(study.settings.analysis.win_rate))
    if options.rule is None:
        return planned
    return replace(planned, pairs=partial(arena_pairs, planned.pairs, options))


def differences_of_votes(frame: pd.DataFrame, options: PairwiseOptions) -> Sequence[Difference]:
    return strengths_of(scored_votes(frame, options).rows, options).differences


def arena_pairs(
    by_strengths: Callable[[pd.DataFrame], Iterable[PairVerdict]],
    options: PairwiseOptions,
    frame: pd.DataFrame,
) -> Iterator[PairVerdict]:
    """Yield how far conditions are apart, and the verdict of an arena's rule if it looked."""
    rule: Any = options.rule
    rows = scored_votes(frame, options).rows
    arena = sequential(rows, replace(rule, evaluators=frame["evaluator"].nunique()))
    claims = arena.claims if arena else ()
    for pair in by_strengths(frame):
        claimed = (pair.a, pair.b) in claims or (pair.b, pair.a) in claims
        yield pair._replace(separable=claimed)


PLANNED: Final = planned_comparisons
