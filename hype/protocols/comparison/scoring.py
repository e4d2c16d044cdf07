"""Comparisons, read and scored: from a study or a table to everything that is known from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
from scipy.special import expit

from hype.answers.choices import Choices, ReadingChoices
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Opened, Reader
from hype.judges.choices import judge_comparisons, name_pairs
from hype.judges.files import judges_in, margin_of
from hype.judges.results import JudgeOptions
from hype.protocols.comparison.evaluators import (
    FOLDER,
    always_one,
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
from hype.protocols.comparison.rows import REASONS, SCORED_TASK
from hype.protocols.comparison.sequential import StoppingRule, by_arena, sequential
from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
from hype.protocols.comparison.table import TABLE
from hype.protocols.prompted.results import RankedPair
from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    images_spoken_of,
    number_of,
    ranked_pairs,
    require_some,
    scope_of,
    treatment_of,
    with_open_ranks,
)
from hype.report.methods import notes_of, said
from hype.report.tabular import Row
from hype.session.participation import Statements, statements_of
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, cells_of_choices
from hype.statistics.paired_counts import (
    Counts,
    EvaluatorCounts,
    PairRate,
    Randomness,
    answers_of,
    count,
    pair_rates,
    win_rates,
)
from hype.statistics.resampling import condition_rng
from hype.statistics.strength_table import (
    ConditionStrength,
    Difference,
    StrengthTable,
    fit_of,
    ranked,
    strength_table,
)
from hype.tables.answers import over_their_own
from hype.tables.reasons import SCORED, WITHDRAWN, LeftOut, left_out, reasons_of

Comparisons = LoadedAnswers[ComparisonStudy]


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions(AnalysisOptions):
    """The choices.

    Raises InputError: a value that is not allowed.
    """

    criterion: str = ""  # the question that was asked; where empty, what the table says
    plan: AnalysisPlan | None = None
    # The share of validation comparisons that an evaluator must get right, fixed before; None for
    # no rule
    min_correct: float | None = None
    # Whether the study's rule leaves out evaluators who chose nothing but one side
    exclude_one_sided: bool = False
    rule: StoppingRule | None = None  # of an arena, where the study is one
    # Question to evaluator to answer; empty if it was withheld
    demographics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Question to answer to its share of whom the evaluators are to stand for
    reference: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_from_0_to_1("min_correct")


def is_powered(smallest: Callable[[AnalysisPlan], float], plan: AnalysisPlan | None) -> bool | None:
    """Tell whether a pair shows the win rate that was planned; None if none was.

    ``smallest``: the smallest win rate that so precise a pair shows with the power of a plan.
    """
    if plan is None or plan.win_rate is None:
        return None
    return smallest(plan) <= plan.win_rate


def caution(
    win_rate: float, smallest: Callable[[AnalysisPlan], float], plan: AnalysisPlan | None
) -> str:
    """Return a caution on the verdict that two conditions differ; empty if none is needed.

    ``win_rate``: what their strengths make it, as a proportion. The others are as of `is_powered`.
    """
    known = plan or AnalysisPlan()
    return said(FOLDER, "caution", plan=known, rate=win_rate, smallest=smallest(known))


def paired(
    rates: Sequence[PairRate],
    ranking: Sequence[ConditionStrength],
    table: StrengthTable,
    options: PairwiseOptions,
) -> tuple[PairResult, ...]:
    """Give the rows of the pairs, in the order of the ranking."""
    names = [row.condition for row in ranking]
    own = {(difference.a, difference.b): difference for difference in table.differences}
    return tuple(
        _planned(pair, own.get((pair.a, pair.b)), options, len(own))
        for pair in ranked_pairs(rates, names, table.differences)
    )


def _planned(
    pair: RankedPair, own: Difference | None, options: PairwiseOptions, tested: int
) -> PairResult:
    plan = options.plan

    def smallest(plan: AnalysisPlan) -> float:
        return own.smallest_win_rate(plan.alpha / tested, plan.power) if own else 1.0

    rate = float(expit(own.difference.value)) if own and pair.separable else None
    return PairResult(
        **vars(pair),
        powered=is_powered(smallest, plan),
        said="" if rate is None else caution(rate, smallest, plan),
    )


def notes(
    votes: pd.DataFrame, scored: pd.DataFrame, random: Randomness, options: PairwiseOptions
) -> tuple[str, ...]:
    """Write the notes on a score.

    ``votes``: all rows, as `check_comparisons` returns them. What is wrong with the strengths is
    said by `StrengthTable.problems`.
    """
    images, sides = images_spoken_of(random, options.images), ("left", "right")
    scope = scope_of(votes, scored, random, images, task=SCORED_TASK, columns=sides)
    return notes_of(FOLDER, **scope)


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
    checked = _validation(votes, options)
    reasons = _reasons(votes, options, checked)
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
    return PairwiseScore(
        criterion=chosen.criterion or _criterion(votes),
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
        images=images_spoken_of(random, chosen.images),
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
        notes=notes(votes, scored, random, chosen),
    )


def _validation(votes: pd.DataFrame, options: PairwiseOptions) -> Row | None:
    """Examine validation comparisons, without evaluators who withdrew or are left out."""
    withdrawn = reasons_of(votes, REASONS).isin(WITHDRAWN).to_numpy()
    kept = votes[~withdrawn] if withdrawn.any() else votes
    return validation(kept, min_correct=options.min_correct, confidence=options.confidence)


def _reasons(votes: pd.DataFrame, options: PairwiseOptions, checked: Row | None) -> pd.Series:
    facts = {"failed": votes["evaluator"].isin(checked["failed"])} if checked else {}
    reasons = reasons_of(votes, REASONS, **facts)
    if not options.exclude_one_sided:
        return reasons
    bias = sides(votes[reasons.eq(SCORED).to_numpy()], alpha=options.alpha)
    if named := always_one(bias["flagged"]):
        facts["one_sided"] = votes["evaluator"].isin(named)
    return reasons_of(votes, REASONS, **facts)


def _rows(
    counts: Counts,
    answers: EvaluatorCounts,
    table: StrengthTable,
    options: PairwiseOptions,
    arena: Sequential | None,
) -> tuple[tuple[ConditionStrength, ...], tuple[PairResult, ...]]:
    ties, confidence = options.ties, options.confidence
    ranking = ranked(win_rates(counts, answers, ties=ties, confidence=confidence), table)
    rates = pair_rates(counts, answers, ties=ties, confidence=confidence)
    pairs = paired(rates, ranking, table, options)
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


def _criterion(votes: pd.DataFrame) -> str:
    return str(votes["criterion"].cat.categories[0]) if "criterion" in votes else ""


def comparisons_for(source: Opened, choices: ReadingChoices) -> Comparisons:
    return Reader(outgoing=lambda: COMPARED, table=TABLE).answers(source, choices)


def options_for(comparisons: Comparisons, choices: Choices) -> PairwiseOptions:
    """Translate study and choices for the analysis; those of a table are scored as any."""
    options, study = PairwiseOptions(), comparisons.study
    if study is not None:
        alone = comparisons.parts == 1
        about = statements_of(study, simulated=choices.simulated) if alone else {}
        options = options_of_study(study, about, comparisons.registration)
    return replace(
        options,
        ties=options.ties if choices.ties is None else treatment_of(choices.ties),
        strengths=options.strengths if choices.strengths is None else choices.strengths,
        images=choices.images,
        seed=choices.seed,
    )


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

    study = comparisons.study
    asked = questions_of(study) if study else ()
    judges = judges_in(choices.judges, study, asked, rated=name_pairs(kept.rows))
    planned = study.settings.analysis if study else None
    chosen = JudgeOptions(
        confidence=options.confidence,
        margin=margin_of(choices.margin, planned),
    )
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
