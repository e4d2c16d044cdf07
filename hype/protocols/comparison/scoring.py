"""From a table of comparisons to everything that is known from it; each step is in a sibling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from hype.errors import InputError
from hype.planning.comparisons_needed import comparisons_needed, smallest_win_rate
from hype.protocols.comparison.agreement import comparison_agreement
from hype.protocols.comparison.camps import camps, evaluator_rates
from hype.protocols.comparison.demographics import demographic
from hype.protocols.comparison.exclusion import SCORED, ExclusionReason, excluded, reasons_of
from hype.protocols.comparison.images import extreme_images
from hype.protocols.comparison.quality import sides, validation
from hype.protocols.comparison.results import (
    AnswerTimes,
    PairResult,
    PairwiseDetails,
    PairwiseScore,
)
from hype.protocols.comparison.rows import SCORED_TASK
from hype.protocols.comparison.sequential import GoalUnit, course, sequential
from hype.protocols.prompted.results import FEW
from hype.statistics.elo import elo_stream, matches
from hype.statistics.paired_counts import count, count_by_evaluator, pair_rates, win_rates
from hype.statistics.resampling import check_draws, condition_rng
from hype.statistics.separation import Goal
from hype.statistics.strength_table import (
    ConditionStrength,
    StrengthTable,
    fit_of,
    ranked,
    resampling_of,
    strengths_found,
)
from hype.statistics.strengths import Ties
from hype.tables.distinct import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from hype.protocols.comparison.agreement import ComparisonAgreement
    from hype.protocols.comparison.camps import Camps
    from hype.protocols.comparison.demographics import Demographic
    from hype.protocols.comparison.exclusion import ExcludedComparisons
    from hype.protocols.comparison.quality import Validation
    from hype.protocols.comparison.sequential import Sequential
    from hype.statistics.elo import EloRatings
    from hype.statistics.paired_counts import Counts, EvaluatorCounts, PairRate
    from hype.statistics.strength_intervals import StrengthDifference
    from hype.statistics.strength_table import Fit


MOST_PAIRS: Final = 6
"""Whose evaluators a report shows."""


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions:
    """The choices.

    Parameters
    ----------
    ties
        What becomes of ties: "davidson", "half" or "none".
    alpha, confidence
        The level of the tests, and the coverage of the intervals, as proportions.
    criterion
        The question that was asked; where empty, what the table says.
    min_correct
        The share of validation comparisons that an evaluator must get right, fixed before; None for
        no rule.
    exclude_one_sided
        Whether the study's rule leaves out evaluators who chose nothing but one side.
    goal
        Of an arena's stopping rule, where the study is one; None where not.
    goal_unit
        What the rule takes to be independent.
    goal_alpha
        Its error rate.
    demographics
        Question to evaluator to answer; empty where it was withheld.
    reference
        Question to answer to its share of whom the evaluators are to stand for.
    elo
        Whether to compute Elo's numbers in the order of the table.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    ties: Ties = "davidson"
    draws: int = 1_000
    seed: int = 0
    alpha: float = 0.05
    confidence: float = 0.95
    criterion: str = ""
    plan: AnalysisPlan | None = None
    min_correct: float | None = None
    exclude_one_sided: bool = False
    goal: Goal | None = None
    goal_unit: GoalUnit = "vote"
    goal_alpha: float = 0.05
    demographics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reference: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    elo: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_draws(self.draws)
        condition_rng(self.seed, "")
        _one_of("ties", self.ties, get_args(Ties))
        _one_of("goal", self.goal or "top", get_args(Goal))
        _one_of("goal unit", self.goal_unit, get_args(GoalUnit))
        for name in ("alpha", "confidence", "goal_alpha"):
            _part(name, getattr(self, name))
        if self.min_correct is not None and not 0 <= self.min_correct <= 1:
            allowed = "allowed is a number from 0 to 1"
            raise InputError("min_correct", f"{self.min_correct:g}", allowed)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(name, repr(value), f"allowed are {', '.join(allowed)}")


def _part(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """What was fixed before comparisons were collected.

    ``win_rate``: the smallest win rate the study is to tell from one half; None where none was
    planned. ``alpha``, ``power``: of the test it was planned for. ``comparisons``: comparisons
    wanted of each pair of conditions; None where none were planned. ``registration``: hash under
    which study, stimuli and analysis were frozen (`hype register`); None without.

    Raises
    ------
    InputError
        A win rate that is not between one half and 1, an alpha or a power that is none, or fewer
        than one comparison.
    """

    win_rate: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    comparisons: int | None = None
    registration: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        smallest_win_rate(1, alpha=self.alpha, power=self.power)
        if self.win_rate is not None and not 0.5 < self.win_rate < 1:
            allowed = "allowed is a number above 0.5 and below 1"
            raise InputError("planned win rate", f"{self.win_rate:g}", allowed)
        if self.comparisons is not None and self.comparisons < 1:
            raise InputError("planned comparisons", str(self.comparisons), "allowed is 1 or more")

    @property
    def needed(self) -> int | None:
        """Comparisons that a pair needs; None where the plan says nothing about it.

        A planned win rate decides: to have planned too few for it does not make them enough.
        """
        if self.win_rate is not None:
            return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)
        return self.comparisons


def is_powered(decided: int, plan: AnalysisPlan | None) -> bool | None:
    """Tell whether a pair has the comparisons that were planned.

    ``decided``: comparisons of the pair in which one of the two was chosen. ``plan``: None where
    nothing is known of one. Gives None where nothing was planned.
    """
    needed = plan.needed if plan else None
    return None if needed is None else decided >= needed


def caution(decided: int, win_rate: float, plan: AnalysisPlan | None) -> str:
    """Say what belongs beside the verdict that two conditions differ; empty where nothing does.

    ``decided``: comparisons of the pair in which one of the two was chosen. ``win_rate``: the
    observed one of either, as a proportion. ``plan``: None where nothing is known of one.
    """
    wins = max(win_rate, 1 - win_rate)
    needed = plan.needed if plan else None
    if plan is None or needed is None:
        return (
            "Significant, but no number of comparisons was fixed beforehand: whether the study "
            f"was powered for this is not known. {_reach(decided, plan or AnalysisPlan())}"
        )
    if decided < needed:
        return (
            f"Significant, but the study was not powered for it: {decided:,} of the {needed:,} "
            f"comparisons that {_aim(plan)}. {_reach(decided, plan)}"
        )
    if plan.win_rate is not None and wins < plan.win_rate:
        return (
            f"Significant, but smaller than the study was planned for: {wins:.1%} observed, "
            f"{plan.win_rate:.1%} planned."
        )
    return ""


def _aim(plan: AnalysisPlan) -> str:
    if plan.win_rate is None:
        return "were planned"
    return f"a win rate of {plan.win_rate:.1%} needs for a power of {plan.power:.0%}"


def _reach(decided: int, plan: AnalysisPlan) -> str:
    least = smallest_win_rate(max(decided, 1), alpha=plan.alpha, power=plan.power)
    return (
        f"With {decided:,} it finds win rates from {least:.1%} on with a power of {plan.power:.0%}."
    )


def paired(
    rates: Iterable[PairRate],
    ranking: Sequence[ConditionStrength],
    table: StrengthTable,
    *,
    plan: AnalysisPlan | None,
    alpha: float,
) -> tuple[PairResult, ...]:
    """Give the rows of the pairs that were compared, in the order of the ranking."""
    place = {row.condition: number for number, row in enumerate(ranking)}
    differences = {(found.a, found.b): found for found in table.differences}
    rows = [_pair(rate, place, differences, plan, alpha) for rate in rates]
    return tuple(sorted(rows, key=lambda row: (place[row.a], place[row.b])))


def _pair(
    rate: PairRate,
    place: dict[str, int],
    known: dict[tuple[str, str], StrengthDifference],
    plan: AnalysisPlan | None,
    alpha: float,
) -> PairResult:
    turned = place[rate.a] > place[rate.b]
    a, b = (rate.b, rate.a) if turned else (rate.a, rate.b)
    won = (rate.wins_b, rate.wins_a) if turned else (rate.wins_a, rate.wins_b)
    difference = known.get((a, b))
    decided = rate.wins_a + rate.wins_b
    p = rate.p_holm if rate.p_clustered_holm is None else rate.p_clustered_holm
    separable = p < alpha if decided else None
    sentence = caution(decided, rate.wins_a / decided, plan) if separable else ""
    return PairResult(
        a=a,
        b=b,
        comparisons=rate.comparisons,
        wins_a=won[0],
        wins_b=won[1],
        ties=rate.ties,
        win_rate=_turned(rate.rate, turned=turned),
        ci_low=_turned(rate.high if turned else rate.low, turned=turned),
        ci_high=_turned(rate.low if turned else rate.high, turned=turned),
        p=rate.p,
        p_holm=rate.p_holm,
        p_clustered=rate.p_clustered,
        p_clustered_holm=rate.p_clustered_holm,
        difference=difference.difference.value if difference else None,
        difference_low=difference.difference.low if difference else None,
        difference_high=difference.difference.high if difference else None,
        separable=separable,
        powered=is_powered(decided, plan),
        said=sentence,
    )


def _turned(share: float | None, *, turned: bool) -> float | None:
    return 1 - share if turned and share is not None else share


def notes(votes: pd.DataFrame, scored: pd.DataFrame, table: StrengthTable) -> tuple[str, ...]:
    """Give the notes on a score.

    ``votes``: all rows, as `check_comparisons` returns them. ``table``: the strengths. What is
    wrong with these is said by `StrengthTable.problems`.
    """
    return (*_on_evaluators(scored), *_on_conditions(votes, scored), *_on_draws(table))


def _on_evaluators(scored: pd.DataFrame) -> Iterator[str]:
    if "evaluator" not in scored:
        yield (
            "The table does not say who answered: comparisons are taken to be independent, which "
            "makes intervals too narrow where somebody answered several, and how far evaluators "
            "agree is not known. A win rate without that is incomplete."
        )
        return
    people = scored["evaluator"].nunique()
    if people == 1:
        yield (
            "All comparisons are of one evaluator: intervals say how this one varies, and nothing "
            "of others."
        )
    elif people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def _on_conditions(votes: pd.DataFrame, scored: pd.DataFrame) -> Iterator[str]:
    shown = votes[votes["task"].eq(SCORED_TASK).to_numpy()]
    names = {str(name) for side in ("left", "right") for name in shown[side].unique()}
    if lost := sorted(names - set(scored["left"].cat.categories)):
        yield f"Nothing is left to score of {', '.join(lost)}."


def _on_draws(table: StrengthTable) -> Iterator[str]:
    if table.draws is not None and table.draws.undefined:
        yield (
            f"In {table.draws.undefined:,} of {table.draws.draws:,} draws of the bootstrap some "
            "condition never lost or never won: intervals are as wide as if these draws lay "
            "outside, and open where they are too many."
        )


def score_comparisons(votes: pd.DataFrame, options: PairwiseOptions | None = None) -> PairwiseScore:
    """Score a table of comparisons of one criterion.

    ``votes``: as `check_comparisons` returns them. Only answered rows of the task comparison are
    scored, and of these only what neither the columns excluded and status nor a rule of the options
    leaves out. The same votes, options and seed give the same result. The order of the rows matters
    to Elo's numbers, to runs of one side, and to which of an evaluator's answers to the same
    comparison counts for agreement.

    Raises
    ------
    InputError
        No comparison is left to score.
    """
    chosen = options or PairwiseOptions()
    return _score(scored_votes(votes, chosen), chosen)


def score_in_detail(
    votes: pd.DataFrame, options: PairwiseOptions | None = None
) -> tuple[PairwiseScore, PairwiseDetails]:
    """Score a table as `score_comparisons` does, and compute what a report shows beside it."""
    chosen = options or PairwiseOptions()
    kept = scored_votes(votes, chosen)
    score = _score(kept, chosen)
    return score, details_of(kept.rows, score)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredVotes:
    """A table of comparisons, and which of its rows are scored.

    ``rows``: those that are scored, over the conditions, evaluators and prompts they have.
    ``validation``: everybody's comparisons with an obvious answer, but those of people who
    withdrew.
    """

    votes: pd.DataFrame
    rows: pd.DataFrame
    excluded: tuple[ExcludedComparisons, ...]
    validation: Validation | None


def scored_votes(votes: pd.DataFrame, options: PairwiseOptions) -> ScoredVotes:
    """Leave out the rows that are not scored.

    Raises
    ------
    InputError
        No comparison is left to score.
    """
    checked = _validation(votes, options)
    reasons = _reasons(votes, options, checked)
    others = excluded(votes, reasons)
    kept = reasons.eq(SCORED).to_numpy()
    if not kept.any():
        counts = ", ".join(f"{some.comparisons:,} {some.reason}" for some in others)
        raise InputError("comparisons", f"none is left to score: {counts}", "one or more")
    return ScoredVotes(votes=votes, rows=rows_of(votes, kept), excluded=others, validation=checked)


def _score(kept: ScoredVotes, chosen: PairwiseOptions) -> PairwiseScore:
    votes, scored = kept.votes, kept.rows
    counts, by_evaluator = count(scored), count_by_evaluator(scored)
    table = strengths_found(
        counts,
        by_evaluator,
        ties=chosen.ties,
        draws=chosen.draws,
        rng=condition_rng(chosen.seed, "", "strengths"),
        confidence=chosen.confidence,
    )
    ranking, pairs = _rows(counts, by_evaluator, table, chosen)
    fitted = fit_of(table, ties=chosen.ties)
    return PairwiseScore(
        criterion=chosen.criterion or _criterion(votes),
        simulated=bool(votes["simulated"].any()),
        votes=len(votes),
        comparisons=len(scored),
        evaluators=_number(scored, "evaluator"),
        prompts=_number(scored, "prompt"),
        ties=chosen.ties,
        conditions=ranking,
        pairs=pairs,
        fit=fitted,
        bootstrap=resampling_of(table, seed=chosen.seed),
        elo_stream=_elo(scored, fitted) if chosen.elo else None,
        sides=sides(scored, alpha=chosen.alpha, confidence=chosen.confidence),
        agreement=_agreement(scored, chosen),
        camps=_camps(scored, chosen),
        validation=kept.validation,
        exclusions=kept.excluded,
        demographics=tuple(_demographics(scored, chosen)),
        sequential=_sequential(counts, by_evaluator, chosen),
        plan=chosen.plan,
        alpha=chosen.alpha,
        confidence=chosen.confidence,
        notes=notes(votes, scored, table),
    )


def _elo(scored: pd.DataFrame, fitted: Fit) -> EloRatings | None:
    """Follow the stream, where all conditions are on one scale: Elo's numbers would invent one."""
    return elo_stream(matches(scored)) if len(fitted.pieces) == 1 else None


def _validation(votes: pd.DataFrame, options: PairwiseOptions) -> Validation | None:
    """Look at everybody's validation comparisons, but those of people who withdrew."""
    declined = reasons_of(votes).eq(ExclusionReason.DECLINED.value).to_numpy()
    kept = votes[~declined] if declined.any() else votes
    return validation(kept, min_correct=options.min_correct, confidence=options.confidence)


def _reasons(
    votes: pd.DataFrame, options: PairwiseOptions, checked: Validation | None
) -> pd.Series:
    failed = checked.failed if checked else ()
    reasons = reasons_of(votes, failed=failed)
    if not options.exclude_one_sided:
        return reasons
    bias = sides(votes[reasons.eq(SCORED).to_numpy()], alpha=options.alpha)
    return reasons_of(votes, failed=failed, one_sided=bias.always_one)


def _rows(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    table: StrengthTable,
    options: PairwiseOptions,
) -> tuple[tuple[ConditionStrength, ...], tuple[PairResult, ...]]:
    ties, confidence = options.ties, options.confidence
    ranking = ranked(win_rates(counts, ties=ties, confidence=confidence), table)
    rates = pair_rates(counts, by_evaluator, ties=ties, confidence=confidence)
    return ranking, paired(rates, ranking, table, plan=options.plan, alpha=options.alpha)


def _agreement(scored: pd.DataFrame, options: PairwiseOptions) -> ComparisonAgreement | None:
    return comparison_agreement(
        scored,
        draws=options.draws,
        rng=condition_rng(options.seed, "", "agreement"),
        confidence=options.confidence,
    )


def _camps(scored: pd.DataFrame, options: PairwiseOptions) -> Camps | None:
    return camps(
        scored,
        rng=condition_rng(options.seed, "", "camps"),
        alpha=options.alpha,
        confidence=options.confidence,
    )


def _demographics(scored: pd.DataFrame, options: PairwiseOptions) -> list[Demographic]:
    """Compare those who are scored; somebody of whom no answer is known has withheld it."""
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


def _sequential(
    counts: Counts, by_evaluator: EvaluatorCounts | None, options: PairwiseOptions
) -> Sequential | None:
    if options.goal is None:
        return None
    return sequential(
        counts,
        by_evaluator,
        goal=options.goal,
        unit=options.goal_unit,
        alpha=options.goal_alpha,
    )


def _criterion(votes: pd.DataFrame) -> str:
    return str(votes["criterion"].cat.categories[0]) if "criterion" in votes else ""


def _number(scored: pd.DataFrame, name: str) -> int | None:
    return int(scored[name].nunique()) if name in scored else None


def details_of(rows: pd.DataFrame, score: PairwiseScore) -> PairwiseDetails:
    """Compute what a report shows beside a score, from the rows that were scored."""
    return PairwiseDetails(
        course=course(rows, score),
        evaluators=evaluator_rates(rows, pairs_of_interest(score)),
        times=answer_times(rows),
        images=extreme_images(rows, confidence=score.confidence),
    )


def pairs_of_interest(score: PairwiseScore) -> tuple[tuple[str, str], ...]:
    """Choose the pairs whose evaluators are shown: of many the first, and where these differ."""
    every = [(pair.a, pair.b) for pair in score.pairs]
    if len(every) <= MOST_PAIRS:
        return tuple(every)
    unlike = {
        frozenset((pair.a, pair.b))
        for pair in (score.camps.pairs if score.camps else ())
        if pair.verdict in ("camps", "differ")
    }
    differing = [pair for pair in every[1:] if frozenset(pair) in unlike]
    return (every[0], *differing[: MOST_PAIRS - 1])


def answer_times(rows: pd.DataFrame) -> AnswerTimes | None:
    """Take the times of scored answers; None where there are no times."""
    if "rt_ms" not in rows or not rows["rt_ms"].ge(1).any():
        return None
    is_timed = rows["rt_ms"].ge(1).to_numpy()  # no logarithm of 0
    times_ms = rows["rt_ms"].to_numpy(dtype=float)[is_timed]
    hasty = rows["hasty"].to_numpy()[is_timed] if "hasty" in rows else np.zeros(len(times_ms), bool)
    return AnswerTimes(times_ms=times_ms, hasty=hasty)
