"""Comparisons: how they are read, scored, and laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hype.protocols.prompted.scoring import DRAWS, Answered, Reader, treatment_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from sqlalchemy import Connection

    from hype.cli.scoring import Choices
    from hype.cli.sources import Opened
    from hype.protocols.comparison.options import PairwiseOptions
    from hype.protocols.comparison.results import PairwiseScore
    from hype.protocols.studies import ComparisonStudy
    from hype.session.outgoing import Outgoing

Answers = Mapping[str, Mapping[str, str]]
"""What evaluators said of themselves: question to evaluator to answer, empty where withheld."""


def comparisons_for(source: Opened, choices: Choices) -> Answered:
    """Read the comparisons that were chosen."""
    from hype.protocols.comparison.rows import VOTE_COLUMNS
    from hype.protocols.comparison.table import check_comparisons, load_comparisons

    reader = Reader(
        outgoing=outgoing,
        columns={declared.name for declared in VOTE_COLUMNS},
        check=check_comparisons,
        read=load_comparisons,
    )
    return reader.answers(source, choices)


def outgoing() -> Outgoing[Any]:
    from hype.protocols.comparison.exclusion import COMPARED

    return COMPARED


def options_for(comparisons: Answered, choices: Choices) -> PairwiseOptions:
    """Translate study and choices for the analysis; those of a table are scored as any."""
    from hype.protocols.comparison.options import PairwiseOptions

    study = comparison_study(comparisons)
    options = PairwiseOptions()
    if study is not None:
        about = demographics_of(study, simulated=choices.simulated)
        options = options_of_study(study, about, comparisons.registration)
    return replace(
        options,
        ties=options.ties if choices.ties is None else treatment_of(choices.ties),
        draws=choices.draws or DRAWS,
        seed=choices.seed,
    )


def comparison_study(comparisons: Answered) -> ComparisonStudy | None:
    """Give the study that comparisons are of; None where they are a table's."""
    from hype.protocols.studies import ComparisonStudy

    return comparisons.study if isinstance(comparisons.study, ComparisonStudy) else None


def demographics_of(study: ComparisonStudy, *, simulated: bool) -> Answers:
    """Read what the evaluators of a study said of themselves."""
    from hype.session.records import reading

    with reading(study) as engine, engine.connect() as connection:
        return demographic_answers(connection, simulated=simulated)


def demographic_answers(connection: Connection, *, simulated: bool) -> Answers:
    """Read what evaluators said of themselves."""
    from sqlalchemy import select

    from hype.store.schema import demographics, evaluators

    found = demographics.c
    query = (
        select(found.question, evaluators.c.evaluator, found.answer)
        .join(evaluators, found.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .order_by(found.id)
    )
    answers: dict[str, dict[str, str]] = {}
    for question, evaluator, answer in connection.execute(query):
        answers.setdefault(question, {})[evaluator] = answer
    return answers


def options_of_study(
    study: ComparisonStudy, about: Answers, registered: str | None
) -> PairwiseOptions:
    """Translate the study for the analysis."""
    from hype.protocols.comparison.options import PairwiseOptions
    from hype.protocols.comparison.power import Plan

    settings, planned = study.settings, study.settings.analysis
    arena, rule = settings.comparison.arena, settings.validation
    asked = {name: about.get(name, {}) for name in settings.demographics}
    return PairwiseOptions(
        ties=planned.ties,
        alpha=planned.alpha,
        criterion=settings.comparison.asked,
        plan=Plan(
            win_rate=planned.win_rate,
            alpha=planned.alpha,
            power=planned.power,
            registration=registered,
        ),
        min_correct=None if rule.kind == "off" else rule.min_correct,
        goal=arena.goal if arena else None,
        goal_unit=arena.unit if arena else "vote",
        goal_alpha=arena.alpha if arena else planned.alpha,
        demographics=asked,
        reference={n: one.reference for n, one in settings.demographics.items() if one.reference},
    )


def score_comparisons_loaded(comparisons: Answered, choices: Choices) -> PairwiseScore:
    """Score comparisons as their study says, or as the command line overrules it."""
    from hype.protocols.comparison.scoring import score_comparisons

    score = score_comparisons(comparisons.frame, options_for(comparisons, choices))
    return comparisons.beside(score)


def comparisons_laid_out(comparisons: Answered, score: PairwiseScore) -> RenderableType:
    from hype.protocols.comparison.terminal import comparison_table

    return comparison_table(score, background=comparisons.said)
