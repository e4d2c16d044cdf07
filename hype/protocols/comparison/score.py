"""Scores of comparisons from a study or a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import expit

from hype.answers.choices import Choices
from hype.answers.groups import GroupMeasure
from hype.answers.sources import LoadedAnswers, Reader
from hype.errors import InputError
from hype.judges import tables as judge_tables
from hype.judges.choices import judge_comparisons, name_pairs
from hype.judges.results import JudgeOptions
from hype.leaderboard import Board
from hype.planning.planned import PairVerdict, PlannedScore, elo_of
from hype.protocols.comparison.course import ComparisonCourse
from hype.protocols.comparison.criteria import (
    correct_over_criteria,
    join_criteria,
    split_by_criterion,
)
from hype.protocols.comparison.evaluators import (
    FOLDER,
    confidence_table,
    demographic,
    demographic_tables,
    side_tables,
    sides,
    validation,
    validation_table,
)
from hype.protocols.comparison.export import COMPARED, questions_of
from hype.protocols.comparison.images import (
    agreement_table,
    comparison_agreement,
    image_table,
    image_wins,
)
from hype.protocols.comparison.layout import lay_out, say
from hype.protocols.comparison.power import AnalysisPlan
from hype.protocols.comparison.rows import REASONS, ROW, SCORED_TASK
from hype.protocols.comparison.sequential import (
    StoppingRule,
    apply_arena_rule,
    looks_table,
    sequential,
)
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.comparison.table import TABLE, check_comparisons
from hype.protocols.facets import Scoring
from hype.protocols.prompted.scoring import (
    AnalysisOptions,
    collect_facts,
    common_settings_of_prompted,
    fit_facts,
    images_spoken_of,
    measure_strengths,
    number_of,
    open_ranks,
    overrule,
    people_by_condition,
    plan_strengths,
    rank_conditions,
    read_given_judges,
    require_some,
    scope_of,
)
from hype.protocols.prompted.strengths import SCALES
from hype.protocols.prompted.tables import (
    count_columns,
    exclusion_table,
    further_pair_columns,
    pair_columns,
    rate_columns,
    strength_columns,
    tests_note,
)
from hype.protocols.prompted.trial import Choice
from hype.report import tabular
from hype.report.methods import notes_of
from hype.report.scores import Scores
from hype.report.tabular import Row, Rows, Table, tabulate
from hype.session.participation import Statements, statements_of
from hype.statistics.alpha import Alpha
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, cells_of_choices
from hype.statistics.estimate import Estimate
from hype.statistics.paired_counts import FEWEST_VOTES, answers_of, count
from hype.statistics.proportions import estimate_shares
from hype.statistics.resampling import condition_rng
from hype.statistics.strength_table import Difference, StrengthTable, strength_table
from hype.tables.answers import drop_unused_categories
from hype.tables.reasons import SCORED, WITHDRAWN, LeftOut, count_by_reason, reasons_of

Comparisons = LoadedAnswers[ComparisonStudy]


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions(AnalysisOptions):
    """The analyst's options for comparisons."""

    questions: Mapping[str, str] = field(default_factory=dict)  # by criterion, in order
    over_criteria: bool = False  # whether Holm's rule covers the pairs of all criteria
    plan: AnalysisPlan | None = None
    # The share of validation comparisons that evaluators must get right; None if there is no rule
    min_correct: float | None = None
    rule: StoppingRule | None = None  # the arena's rule, if the study is an arena
    # Answers by question and evaluator; an answer is empty if it was withheld
    demographics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # For each question, the share of each answer in the population of interest
    reference: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def compare_with_plan(pair: Row, own: Difference | None, plan: AnalysisPlan, tested: int) -> Row:
    """Compare the precision of a pair with the plan, and add a caution to the verdict.

    ``own``: the pair's difference of strengths. ``tested``: how many pairs are tested together.
    ``powered``: whether the pair is precise enough for the planned win rate and power; None without
    a planned win rate. ``said``: for a separable pair, a caution if no win rate is planned, the
    pair is less precise than planned, or its win rate is below the planned one; else empty.
    """
    # The smallest win rate that a pair with this precision detects with the planned power
    smallest = own.smallest_win_rate(plan.alpha / tested, plan.power) if own else 1.0
    caution = ""
    if own and pair["separable"]:
        rate = float(expit(own.difference.value))
        caution = say("caution", plan=plan, rate=rate, smallest=smallest)
    powered = None if plan.win_rate is None else smallest <= plan.win_rate
    return pair | {"powered": powered, "said": caution}


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredVotes:
    """A table of comparisons, divided into scored and other rows.

    ``rows``: the scored rows, without categories that only other rows have. ``judged``: the
    scored rows, and rows with "both are bad". ``validation``: the rows of `validation`, without
    people who withdrew.
    """

    votes: pd.DataFrame
    rows: pd.DataFrame
    judged: pd.DataFrame
    excluded: tuple[LeftOut, ...]
    validation: Rows


def choose_votes(votes: pd.DataFrame, options: PairwiseOptions) -> ScoredVotes:
    """Keep only scored rows. Raises InputError: no comparison is left to score."""
    withdrawn = reasons_of(votes, REASONS).isin(WITHDRAWN).to_numpy()
    checked = validation(
        votes[~withdrawn], min_correct=options.min_correct, confidence=options.confidence
    )
    failed = {}
    if names := [row["evaluator"] for row in checked if row["passed"] is False]:
        failed = {"failed": votes["evaluator"].isin(names)}
    reasons = reasons_of(votes, REASONS, **failed)
    others = count_by_reason(votes, reasons, REASONS)
    kept = reasons.eq(SCORED).to_numpy()
    require_some(kept, "comparisons", others)
    rows, judged = (
        drop_unused_categories(votes[some], ("left", "right"), "evaluator", "prompt", "criterion")
        for some in (kept, kept | reasons.eq(Choice.BOTH_BAD.value).to_numpy())
    )
    return ScoredVotes(votes=votes, rows=rows, judged=judged, excluded=others, validation=checked)


def strengths_of(scored: pd.DataFrame, chosen: PairwiseOptions) -> StrengthTable:
    answers, random = answers_of(scored, chosen.images)
    certainty = chosen.certainty(random)
    return strength_table(count(scored), answers, ties=chosen.ties, certainty=certainty)


def score_comparisons(kept: ScoredVotes, chosen: PairwiseOptions) -> Scores:
    rows_by_criterion = split_by_criterion(kept.rows, chosen.questions)
    fitted = {name: strengths_of(rows, chosen) for name, rows in rows_by_criterion.items()}
    if len(fitted) == 1:
        return _score_criterion(kept, next(iter(fitted)), chosen, fitted)
    if chosen.over_criteria:
        fitted = correct_over_criteria(fitted, chosen.alpha)
    parts, judged = {}, split_by_criterion(kept.judged)
    for name, rows in rows_by_criterion.items():
        votes = kept.votes[kept.votes["criterion"].eq(name).to_numpy()]
        own = replace(kept, votes=votes, rows=rows, judged=judged[name])
        together = fitted if chosen.over_criteria else {name: fitted[name]}
        parts[name] = _score_criterion(own, name, chosen, together)
    facts = {
        "evaluators": number_of(kept.rows, "evaluator"),
        "prompts": number_of(kept.rows, "prompt"),
        "votes": len(kept.votes),
        "comparisons": len(kept.rows),
        "over_criteria": chosen.over_criteria,
    }
    return join_criteria(parts, facts, SCALES[chosen.strengths])


def _score_criterion(
    kept: ScoredVotes, name: str, chosen: PairwiseOptions, together: Mapping[str, StrengthTable]
) -> Scores:
    """Score one criterion; ``together``: the strengths on all criteria that are tested together."""
    votes, scored, confidence = kept.votes, kept.rows, chosen.confidence
    counts = count(scored)
    answers, random = answers_of(scored, chosen.images)
    strengths = together[name]
    ranking, ranked_pairs = rank_conditions(counts, answers, strengths, chosen)
    own = {(difference.a, difference.b): difference for difference in strengths.differences}
    plan, tested = chosen.plan or AnalysisPlan(), sum(len(t.differences) for t in together.values())
    pairs = tuple(
        compare_with_plan(pair, own.get((pair["a"], pair["b"])), plan, tested)
        for pair in ranked_pairs
    )
    arena, looks, claims = sequential(scored, chosen.rule) if chosen.rule else (None, (), ())
    if arena is not None:
        pairs = tuple(apply_arena_rule(pair, claims) for pair in pairs)
    fit, spoken_of = fit_facts(strengths), images_spoken_of(random, chosen.images)
    agreement = comparison_agreement(scored, images=chosen.images, confidence=confidence)
    return Scores(
        protocol="comparison",
        simulated=bool(votes["simulated"].any()),
        facts={
            **collect_facts(scored, chosen, random, spoken_of),
            "criterion": chosen.questions.get(name, name),
            "votes": len(votes),
            "comparisons": len(scored),
            "fit": fit,
            "plan": chosen.plan,
            "min_correct": chosen.min_correct if kept.validation else None,
            "sequential": arena,
        },
        tables=(
            conditions_table(open_ranks(ranking, pairs), chosen, fit),
            pairs_table(
                pairs,
                chosen,
                rule=fit["rule"] if arena is None else None,
                tested=arena is None,
                over="the pairs of all criteria" if len(together) > 1 else "all pairs",
            ),
            agreement_table(agreement, confidence),
            exclusion_table(kept.excluded, "comparisons"),
            validation_table(kept.validation, confidence),
            *side_tables(sides(scored, alpha=chosen.alpha, confidence=confidence), confidence),
            *demographic_tables(tuple(_demographics(scored, chosen))),
            looks_table(looks),
            *([both_bad_table(kept.judged, chosen)] if len(kept.judged) > len(scored) else ()),
            image_table(image_wins(scored, confidence=confidence)),
            *(
                [confidence_table(scored, ranking, confidence)]
                if {"confidence", "evaluator"} <= set(scored)
                else ()
            ),
        ),
        notes=notes_of(
            FOLDER,
            **scope_of(
                *(votes, scored, random, spoken_of), task=SCORED_TASK, columns=("left", "right")
            ),
        ),
    )


def conditions_table(rows: Rows, options: PairwiseOptions, fit: Row) -> Table:
    ci, scale = f"{options.confidence:.0%} CI", SCALES[options.strengths]
    tie = fit["tie_parameter"]
    return tabulate(
        rows,
        name="comparison-conditions",
        title="Ranking",
        columns=(
            tabular.whole("Rank", "rank"),
            tabular.name("Condition", "condition"),
            tabular.percent("Win\nrate", "win_rate"),
            tabular.percents(ci, "win_rate"),
            *scale.columns(ci),
            tabular.whole("Compa-\nrisons", "comparisons"),
            *count_columns(),
            *strength_columns(),
            *tabular.further(tabular.words("No strength, because", "reason")),
        ),
        note=say("conditions_table", scale=scale, tie=tie if options.strengths == "share" else 0),
    )


def pairs_table(
    rows: Rows, options: PairwiseOptions, *, rule: str | None, tested: bool, over: str
) -> Table:
    """Lay out pairs.

    ``tested``: whether to show a column for p; false in an arena. ``over``: names the pairs that
    were tested together.
    """
    return tabulate(
        rows,
        name="comparison-pairs",
        title="Pairs of conditions",
        columns=(
            *pair_columns(options, tested=tested),
            tabular.words("Verdict", "verdict"),
            *further_pair_columns(),
            *tabular.further(
                *rate_columns(options.confidence),
                tabular.yes_or_no("Powered", "powered"),
                tabular.words("To be said", "said"),
            ),
        ),
        note=tests_note(options, rule, over),
    )


def both_bad_table(judged: pd.DataFrame, options: PairwiseOptions) -> Table:
    return tabulate(
        both_bad_rows(judged, options),
        name="comparison-both-bad",
        title="Both are bad",
        columns=(
            tabular.name("Condition", "condition"),
            tabular.name("Compared with", "other"),
            tabular.whole("Answers", "answers"),
            tabular.whole("Both\nbad", "both_bad"),
            tabular.percent("Share", "share"),
            tabular.percents(f"{options.confidence:.0%} CI", "share"),
        ),
        note=say("both_bad_table"),
    )


def both_bad_rows(judged: pd.DataFrame, options: PairwiseOptions) -> Iterator[Row]:
    """Count "both are bad" for each condition and pair.

    ``judged``: the scored comparisons, and those with "both are bad". As for win rates, a share has
    an interval only if there are at least `FEWEST_VOTES` answers.
    """
    is_bad = judged["answer"].eq(Choice.BOTH_BAD.value)
    as_ties = is_bad.map({True: Choice.TIE.value, False: Choice.LEFT.value}).astype("category")
    answers, _ = answers_of(judged.assign(answer=as_ties), options.images)
    rows_of = {
        name: (answers.chosen == at) | (answers.other == at)
        for at, name in enumerate(answers.conditions)
    }
    groups = {(name, "all others"): rows for name, rows in rows_of.items()}
    groups |= {(a, b): rows_of[a] & rows_of[b] for a, b in combinations(rows_of, 2)}
    for (name, other), rows in groups.items():
        own = answers.where(rows)
        if number := len(own.tied):
            alone, bad = np.zeros(number, dtype=np.int64), own.tied.astype(float)
            (share,) = estimate_shares(alone, bad, own.evaluator, own.items, groups=1)
            estimate = Estimate(value=bad.mean())
            if share and number >= FEWEST_VOTES:
                estimate = share.estimate(options.confidence)
            counts = {"answers": number, "both_bad": int(bad.sum()), "share": estimate}
            yield {"condition": name, "other": other, **counts}


def _demographics(scored: pd.DataFrame, options: PairwiseOptions) -> list[Row]:
    """Compare scored evaluators with a population; a missing answer counts as withheld."""
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
    options, study = PairwiseOptions(), comparisons.study
    if study is not None:
        alone = comparisons.parts == 1
        about = statements_of(study, simulated=choices.simulated) if alone else {}
        options = options_of_study(study, about, comparisons.registration)
    over_criteria = options.over_criteria or choices.over_criteria
    return replace(overrule(options, choices), over_criteria=over_criteria)


def options_of_study(
    study: ComparisonStudy, about: Statements, registered: str | None
) -> PairwiseOptions:
    settings, planned = study.settings, study.settings.analysis
    rule, arena = settings.validation, settings.comparison.arena
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
        questions=settings.comparison.questions,
        over_criteria=planned.over_criteria,
        plan=AnalysisPlan(
            win_rate=planned.win_rate,
            alpha=planned.alpha,
            power=planned.power,
            registration=registered,
        ),
        min_correct=None if rule.kind == "off" else rule.min_correct,
        rule=StoppingRule(
            goal=arena.goal,
            evaluators=settings.evaluators_planned,
            images=arena.images,
            alpha=arena.alpha,
            fixed=settings.looks,
        )
        if arena
        else None,
        demographics=asked,
        reference={
            n: question.reference
            for n, question in settings.demographics.items()
            if question.reference
        },
    )


def score_comparisons_loaded(comparisons: Comparisons, choices: Choices) -> Scores:
    """Score comparisons by the rules of their study, or by those on the command line.

    If judges are given, they are compared with people.
    """
    options = options_for(comparisons, choices)
    kept = choose_votes(comparisons.frame, options)
    score = comparisons.add_notes(score_comparisons(kept, options).add_reasons(comparisons.frame))
    if not choices.judges:
        return score
    require_one_criterion(kept.rows, "--judges")
    rated = name_pairs(kept.rows)
    judges, margin = read_given_judges(comparisons, choices, questions_of, rated=rated)
    chosen = JudgeOptions(confidence=options.confidence, margin=margin)
    found = judge_comparisons(kept.rows, judges, chosen)
    of_judges = (judge_tables.summary, judge_tables.pairs, judge_tables.first_images)
    tables = (*score.tables, *(table_of(found) for table_of in of_judges))
    return replace(score, judges=found, tables=tables)


def comparison_measures(comparisons: Comparisons, choices: Choices) -> Iterator[GroupMeasure]:
    options = options_for(comparisons, choices)

    def cells(rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]) -> CellEstimates:
        counted = rows["answer"].ne("none").to_numpy()
        if options.ties == "none":
            counted &= rows["answer"].ne("tie").to_numpy()
        answers, _ = answers_of(rows[counted], options.images)
        return cells_of_choices((answers.conditions, names), answers, group[counted])

    kept = split_by_criterion(choose_votes(comparisons.frame, options).rows, options.questions)
    for criterion, rows in kept.items():
        title = f"win rate, {criterion}" if len(kept) > 1 else "win rate"
        yield GroupMeasure(protocol="comparison", title=title, unit="%", rows=rows, cells=cells)


READER: Final = Reader(outgoing=lambda: COMPARED, table=TABLE)


def require_one_criterion(rows: pd.DataFrame, option: str) -> None:
    """Raise InputError if scored rows are on several criteria; the message lists the criteria."""
    if len(known := [*split_by_criterion(rows)]) > 1:
        problem = f"is only for answers on one criterion, but these are on {', '.join(known)}"
        raise InputError(option, problem, "a table with the rows of one criterion")


def measure(answers: LoadedAnswers[Any], scored: Scores, choices: Choices) -> Iterator[Board]:
    kept = choose_votes(answers.frame, options_for(answers, choices)).rows
    parts = tuple(scored.parts.values()) or (scored,)
    for part, rows in zip(parts, split_by_criterion(kept, scored.parts).values(), strict=True):
        people = people_by_condition(rows, "left", "right")
        conditions, criterion = part.rows("conditions"), part.facts["criterion"]
        answers_on = {row["condition"]: row["comparisons"] for row in conditions}
        yield measure_strengths(
            *(conditions, part.rows("pairs"), answers_on, people),
            title=f"Comparisons: {criterion}" if criterion else "Comparisons",
            about="Bradley and Terry",
            simulated=part.simulated,
        )


def settings_unless_arena(study: ComparisonStudy) -> dict[str, object]:
    if study.settings.comparison.arena is not None:
        problem = "is an arena, which collects votes until its own rule stops it"
        raise InputError(study.path, problem, "score it separately")
    return common_settings_of_prompted(study)


def compute_agreement(comparisons: Comparisons, choices: Choices) -> Alpha | None:
    """Compute α of the votes on the first criterion."""
    options = options_for(comparisons, choices)
    rows = split_by_criterion(choose_votes(comparisons.frame, options).rows, options.questions)
    found = comparison_agreement(next(iter(rows.values())), images=options.images)
    return found["basis"] if found else None


SCORING: Final = Scoring(
    read=READER.answers,
    score=score_comparisons_loaded,
    laid_out=lambda answers, scored, *, whole: lay_out(scored, answers.said, whole=whole),
    common_settings=settings_unless_arena,
    group_measures=comparison_measures,
    measured=measure,
    compute_agreement=compute_agreement,
)


def plan_comparisons(study: ComparisonStudy, of: str | None = None) -> PlannedScore:
    """Return what `hype power` needs to plan for one criterion, by default the first.

    Raises InputError: there is no such criterion, or the images are wrong.
    """
    options = options_of_study(study, {}, None)
    names = [*options.questions]
    if of and of not in names:
        problem = f"{of!r} is not a criterion of {study.path}"
        raise InputError("--method", problem, ", ".join(names))
    title = "Arena" if study.settings.comparison.arena else "Comparisons"
    planned = plan_strengths(
        ComparisonCourse(study),
        partial(differences_of_votes, criterion=of or names[0], options=options),
        title=f"{title}, {of or names[0]}" if len(names) > 1 else title,
        outgoing=COMPARED,
        columns=ROW.read,
        check=check_comparisons,
        setting="" if options.rule else "comparison.votes",
    )
    planned = replace(planned, planned=elo_of(study.settings.analysis.win_rate))
    if options.rule is None:
        return planned
    return replace(planned, pairs=partial(arena_pairs, planned.pairs, options))


def differences_of_votes(frame: pd.DataFrame, criterion: str, options: PairwiseOptions) -> Rows:
    rows = split_by_criterion(choose_votes(frame, options).rows)[criterion]
    return tuple(map(vars, strengths_of(rows, options).differences))


def arena_pairs(
    by_strengths: Callable[[pd.DataFrame], Iterable[PairVerdict]],
    options: PairwiseOptions,
    frame: pd.DataFrame,
) -> Iterator[PairVerdict]:
    """Yield the differences of conditions, with the arena's verdicts at the last look."""
    rule: Any = options.rule
    rows = choose_votes(frame, options).rows
    *_, claims = sequential(rows, replace(rule, evaluators=frame["evaluator"].nunique()))
    for pair in by_strengths(frame):
        claimed = (pair.a, pair.b) in claims or (pair.b, pair.a) in claims
        yield pair._replace(separable=claimed)


PLANNED: Final = plan_comparisons
