"""Comparisons, read and scored: from a study or a table to everything that is known from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import pandas as pd
from scipy.special import expit

from hype.answers.choices import Choices
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Reader
from hype.errors import InputError
from hype.judges.choices import judge_comparisons, name_pairs
from hype.judges.results import JudgeOptions
from hype.leaderboard import Board
from hype.planning.planned import PairVerdict, PlannedScore, elo_of
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.evaluators import (
    FOLDER,
    demographic,
    sides,
    validation,
)
from hype.protocols.comparison.export import COMPARED, questions_of
from hype.protocols.comparison.images import comparison_agreement
from hype.protocols.comparison.results import (
    AnalysisPlan,
    PairResult,
    PairwiseScore,
    Sequential,
)
from hype.protocols.comparison.rows import REASONS, ROW, SCORED_TASK
from hype.protocols.comparison.sequential import StoppingRule, by_arena, sequential
from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
from hype.protocols.comparison.table import TABLE, check_comparisons
from hype.protocols.comparison.tables import comparison_table, every_table, facts, say
from hype.protocols.facets import Scoring
from hype.protocols.prompted.results import RankedPair, score_object
from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    alike_by_prompts,
    given_judges,
    images_spoken_of,
    measure_strengths,
    number_of,
    overrule,
    people_by_condition,
    planned_strengths,
    rank_conditions,
    require_some,
    scope_of,
    with_open_ranks,
)
from hype.report.methods import notes_of
from hype.report.tabular import Row
from hype.session.participation import Statements, statements_of
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, cells_of_choices
from hype.statistics.paired_counts import (
    Counts,
    EvaluatorCounts,
    answers_of,
    count,
)
from hype.statistics.resampling import condition_rng
from hype.statistics.strength_table import (
    ConditionStrength,
    Difference,
    StrengthTable,
    fit_of,
    strength_table,
)
from hype.tables.answers import over_their_own
from hype.tables.reasons import SCORED, WITHDRAWN, LeftOut, left_out, reasons_of

Comparisons = LoadedAnswers[ComparisonStudy]


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions(AnalysisOptions):
    """The choices of comparisons."""

    criterion: str = ""  # the question that was asked; where empty, what the table says
    plan: AnalysisPlan | None = None
    # The share of validation comparisons that an evaluator must get right, fixed before; None for
    # no rule
    min_correct: float | None = None
    rule: StoppingRule | None = None  # of an arena, where the study is one
    # Question to evaluator to answer; empty if it was withheld
    demographics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # For each question, the share of each answer in the population of interest
    reference: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def compare_with_plan(
    pair: RankedPair, own: Difference | None, plan: AnalysisPlan, tested: int
) -> PairResult:
    """Say of a pair whether it is as precise as planned, and what its verdict needs to be read.

    ``own``: the difference of its strengths. ``tested``: how many pairs are tested together.
    """
    # The smallest win rate that so precise a pair shows with the power of the plan
    smallest = own.smallest_win_rate(plan.alpha / tested, plan.power) if own else 1.0
    caution = ""
    if own and pair.separable:
        rate = float(expit(own.difference.value))
        caution = say("caution", plan=plan, rate=rate, smallest=smallest)
    powered = None if plan.win_rate is None else smallest <= plan.win_rate
    return PairResult(**vars(pair), powered=powered, said=caution)


def score_comparisons(votes: pd.DataFrame, options: PairwiseOptions | None = None) -> PairwiseScore:
    """Score a table of comparisons of one criterion.

    ``votes``: as `check_comparisons` returns them. Only answered rows of the task comparison are
    scored, and of these only what neither the columns excluded and status nor a rule of the options
    leaves out. The same votes, options and seed give the same result. The order of the rows matters
    to runs of one side, and to which of an evaluator's answers to the same comparison counts for
    agreement.

    Raises InputError: no comparison is left to score.
    """
    chosen = options or PairwiseOptions()
    return _score(scored_votes(votes, chosen), chosen)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredVotes:
    """A table of comparisons, and which of its rows are scored.

    ``rows``: those that are scored, over the conditions, evaluators and prompts they have.
    ``validation``: everybody's comparisons with an obvious answer, but those of people who
    withdrew.
    """

    votes: pd.DataFrame
    rows: pd.DataFrame
    excluded: tuple[LeftOut, ...]
    validation: Row | None


def scored_votes(votes: pd.DataFrame, options: PairwiseOptions) -> ScoredVotes:
    """Leave out the rows that are not scored.

    Raises InputError: no comparison is left to score.
    """
    withdrawn = reasons_of(votes, REASONS).isin(WITHDRAWN).to_numpy()
    checked = validation(
        votes[~withdrawn], min_correct=options.min_correct, confidence=options.confidence
    )
    failed = {"failed": votes["evaluator"].isin(checked["failed"])} if checked else {}
    reasons = reasons_of(votes, REASONS, **failed)
    others = left_out(votes, reasons, REASONS)
    kept = reasons.eq(SCORED).to_numpy()
    require_some(kept, "comparisons", others)
    rows = over_their_own(votes[kept], ("left", "right"), "evaluator", "prompt")
    return ScoredVotes(votes=votes, rows=rows, excluded=others, validation=checked)


def strengths_of(scored: pd.DataFrame, chosen: PairwiseOptions) -> StrengthTable:
    """Estimate strengths, and how far apart they are, without the other results."""
    answers, random = answers_of(scored, chosen.images)
    certainty = chosen.certainty(random)
    return strength_table(count(scored), answers, ties=chosen.ties, certainty=certainty)


def _score(kept: ScoredVotes, chosen: PairwiseOptions) -> PairwiseScore:
    votes, scored = kept.votes, kept.rows
    counts = count(scored)
    answers, random = answers_of(scored, chosen.images)
    table = strength_table(counts, answers, ties=chosen.ties, certainty=chosen.certainty(random))
    arena = sequential(scored, chosen.rule) if chosen.rule else None
    ranking, pairs = _rows(counts, answers, table, chosen, arena)
    spoken_of = images_spoken_of(random, chosen.images)
    criterion = str(votes["criterion"].cat.categories[0]) if "criterion" in votes else ""
    return PairwiseScore(
        criterion=chosen.criterion or criterion,
        simulated=bool(votes["simulated"].any()),
        votes=len(votes),
        comparisons=len(scored),
        evaluators=number_of(scored, "evaluator"),
        prompts=number_of(scored, "prompt"),
        ties=chosen.ties,
        conditions=ranking,
        pairs=pairs,
        fit=fit_of(table, ties=chosen.ties),
        strengths=chosen.strengths,
        images=spoken_of,
        random=random,
        sides=sides(scored, alpha=chosen.alpha, confidence=chosen.confidence),
        agreement=comparison_agreement(scored, images=chosen.images, confidence=chosen.confidence),
        validation=kept.validation,
        exclusions=kept.excluded,
        demographics=tuple(_demographics(scored, chosen)),
        sequential=arena,
        plan=chosen.plan,
        alpha=chosen.alpha,
        confidence=chosen.confidence,
        margin=chosen.margin,
        notes=notes_of(
            FOLDER,
            **scope_of(
                *(votes, scored, random, spoken_of),
                task=SCORED_TASK,
                columns=("left", "right"),
            ),
        ),
    )


def _rows(
    counts: Counts,
    answers: EvaluatorCounts,
    table: StrengthTable,
    options: PairwiseOptions,
    arena: Sequential | None,
) -> tuple[tuple[ConditionStrength, ...], tuple[PairResult, ...]]:
    ranking, ranked_pairs = rank_conditions(counts, answers, table, options)
    own = {(difference.a, difference.b): difference for difference in table.differences}
    plan = options.plan or AnalysisPlan()
    pairs = tuple(
        compare_with_plan(pair, own.get((pair.a, pair.b)), plan, len(own)) for pair in ranked_pairs
    )
    if arena is not None:
        pairs = tuple(by_arena(pair, arena) for pair in pairs)
    return tuple(with_open_ranks(ranking, pairs)), pairs


def _demographics(scored: pd.DataFrame, options: PairwiseOptions) -> list[Row]:
    """Compare scored evaluators; one without a known answer has withheld it."""
    people = [str(name) for name in scored["evaluator"].unique()] if "evaluator" in scored else None
    return [
        demographic(
            question,
            given if people is None else {name: given.get(name, "") for name in people},
            reference=options.reference.get(question),
            rng=condition_rng(options.seed, question, "demographics"),
            alpha=options.alpha,
        )
        for question, given in options.demographics.items()
    ]


def options_for(comparisons: Comparisons, choices: Choices) -> PairwiseOptions:
    """Translate study and choices for the analysis; those of a table are scored as any."""
    options, study = PairwiseOptions(), comparisons.study
    if study is not None:
        alone = comparisons.parts == 1
        about = statements_of(study, simulated=choices.simulated) if alone else {}
        options = options_of_study(study, about, comparisons.registration)
    return overrule(options, choices)


def options_of_study(
    study: ComparisonStudy, about: Statements, registered: str | None
) -> PairwiseOptions:
    settings, planned = study.settings, study.settings.analysis
    rule = settings.validation
    asked = {
        name: about.get(name, {})
        for name, question in settings.demographics.items()
        if question.kind == "choice"
    }
    return PairwiseOptions(
        ties=planned.ties,
        alpha=planned.alpha,
        margin=planned.margin,
        strengths=planned.strengths,
        criterion=settings.comparison.asked,
        plan=AnalysisPlan(
            win_rate=planned.win_rate,
            alpha=planned.alpha,
            power=planned.power,
            registration=registered,
        ),
        min_correct=None if rule.kind == "off" else rule.min_correct,
        rule=stopping_rule(settings),
        demographics=asked,
        reference={
            n: question.reference
            for n, question in settings.demographics.items()
            if question.reference
        },
    )


def stopping_rule(settings: ComparisonFile) -> StoppingRule | None:
    arena = settings.comparison.arena
    if arena is None:
        return None
    return StoppingRule(
        goal=arena.goal,
        evaluators=settings.evaluators_planned,
        images=arena.images,
        alpha=arena.alpha,
        fixed=settings.looks,
    )


def score_comparisons_loaded(comparisons: Comparisons, choices: Choices) -> PairwiseScore:
    """Score comparisons as their study says, or as the command line overrules it.

    The given judges are compared with them.
    """
    options = options_for(comparisons, choices)
    kept = scored_votes(comparisons.frame, options)
    score = comparisons.add_notes(_score(kept, options))
    if not choices.judges:
        return score
    rated = name_pairs(kept.rows)
    judges, margin = given_judges(comparisons, choices, questions_of, rated=rated)
    chosen = JudgeOptions(confidence=options.confidence, margin=margin)
    return replace(score, judges=judge_comparisons(kept.rows, judges, chosen))


def comparison_measures(comparisons: Comparisons, choices: Choices) -> Iterator[GroupMeasure]:
    """Yield the win rates, which are scored by group."""
    options = options_for(comparisons, choices)

    def cells(rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]) -> CellEstimates:
        counted = rows["answer"].ne("none").to_numpy()
        if options.ties == "none":
            counted &= rows["answer"].ne("tie").to_numpy()
        answers, _ = answers_of(rows[counted], options.images)
        return cells_of_choices((answers.conditions, names), answers, group[counted])

    yield GroupMeasure(
        protocol="comparison",
        title="win rate",
        unit="%",
        rows=scored_votes(comparisons.frame, options).rows,
        cells=cells,
    )


def as_object(scored: PairwiseScore) -> object:
    return score_object(scored, facts(scored), every_table(scored))


READER: Final = Reader(outgoing=lambda: COMPARED, table=TABLE)


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
    read=READER.answers,
    score=score_comparisons_loaded,
    laid_out=lambda answers, scored, *, whole: comparison_table(
        scored, background=answers.said, whole=whole
    ),
    as_object=as_object,
    alike=alike_but_arenas,
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
