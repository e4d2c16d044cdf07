"""From a table of comparisons to everything that is known from it; each step is in a sibling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.protocols.comparison.agreement import comparison_agreement
from hype.protocols.comparison.camps import camps
from hype.protocols.comparison.cautions import notes
from hype.protocols.comparison.demographics import demographic
from hype.protocols.comparison.exclusions import left_out, reasons_of, rows_of
from hype.protocols.comparison.options import PairwiseOptions
from hype.protocols.comparison.ranking import paired
from hype.protocols.comparison.results import PairwiseScore
from hype.protocols.comparison.sequential import sequential
from hype.protocols.comparison.sides import sides
from hype.protocols.comparison.validation import validation
from hype.statistics.elo import elo_stream, matches
from hype.statistics.paired_counts import count, count_by_evaluator
from hype.statistics.resampling import condition_rng
from hype.statistics.strength_table import fit_of, ranked, resampling_of, strengths_found
from hype.statistics.win_rates import pair_rates, win_rates
from hype.tables.reasons import DECLINED, SCORED

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.comparison.agreement import ComparisonAgreement
    from hype.protocols.comparison.camps import Camps
    from hype.protocols.comparison.demographics import Demographic
    from hype.protocols.comparison.results import PairResult
    from hype.protocols.comparison.sequential import Sequential
    from hype.protocols.comparison.validation import Validation
    from hype.statistics.elo import EloRatings
    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.strength_table import ConditionStrength, Fit, StrengthTable


def score_comparisons(votes: pd.DataFrame, options: PairwiseOptions | None = None) -> PairwiseScore:
    """Score a table of comparisons of one criterion.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them. Only answered rows of the task comparison are scored,
        and of these only what neither the columns excluded and status nor a rule of the options
        leaves out.
    options
        The choices of the study and the analyst.

    Returns
    -------
    PairwiseScore
        The same votes, options and seed give the same result. The order of the rows matters to
        Elo's numbers, to runs of one side, and to which of an evaluator's answers to the same
        comparison counts for agreement.

    Raises
    ------
    InputError
        No comparison is left to score.
    """
    chosen = options or PairwiseOptions()
    checked = _validation(votes, chosen)
    reasons = _reasons(votes, chosen, checked)
    scored = _scored(votes, reasons)
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
        validation=checked,
        exclusions=left_out(votes, reasons),
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
    declined = reasons_of(votes).eq(DECLINED).to_numpy()
    kept = votes[~declined] if declined.any() else votes
    return validation(kept, min_correct=options.min_correct, confidence=options.confidence)


def _reasons(
    votes: pd.DataFrame, options: PairwiseOptions, checked: Validation | None
) -> pd.Series:
    failed = checked.failed if checked else ()
    reasons = reasons_of(votes, failed=failed)
    if not options.exclude_one_sided:
        return reasons
    found = sides(votes[reasons.eq(SCORED).to_numpy()], alpha=options.alpha)
    return reasons_of(votes, failed=failed, one_sided=found.always_one)


def _scored(votes: pd.DataFrame, reasons: pd.Series) -> pd.DataFrame:
    """Keep what is scored; categories that it has no row of are dropped."""
    kept = reasons.eq(SCORED).to_numpy()
    if not kept.any():
        found = ", ".join(f"{one.comparisons:,} {one.reason}" for one in left_out(votes, reasons))
        raise InputError("comparisons", f"none is left to score: {found}", "one or more")
    return rows_of(votes, kept)


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
