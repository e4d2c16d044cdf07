"""Everything on strengths: which conditions have one, how large it is, and how certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.statistics.connectivity import connectivity
from hype.statistics.sandwich import sandwich_of_comparisons, sandwich_of_evaluators
from hype.statistics.strength_draws import draw_comparisons, draw_evaluators
from hype.statistics.strength_intervals import condition_estimates, differences
from hype.statistics.strengths import fit, has_finite_maximum

if TYPE_CHECKING:
    import numpy as np

    from hype.protocols.comparison.results import Ties
    from hype.statistics.connectivity import Connectivity
    from hype.statistics.paired_counts import Counts, EvaluatorCounts
    from hype.statistics.sandwich import Sandwich
    from hype.statistics.strength_draws import Draws
    from hype.statistics.strength_intervals import ConditionEstimate, Difference
    from hype.statistics.strengths import Fitted

NO_FINITE_TIES = (
    "wins and ties lie so that no finite strengths and no finite ν of Davidson's model fit best; "
    "counted as half a win to either, ties leave strengths"
)


@dataclass(frozen=True, kw_only=True)
class StrengthTable:
    """The strengths of a study.

    Parameters
    ----------
    connectivity
        Which conditions have a strength, and why the others have none.
    fitted
        The fit; None where no condition has a strength.
    conditions
        Those that have one, the strongest first.
    differences
        Of every two of them.
    draws
        The bootstrap; None without a fit.
    sandwich
        None without a fit, or with a single evaluator.
    problems
        All that is wrong, each in a sentence.
    """

    connectivity: Connectivity
    fitted: Fitted | None = None
    conditions: tuple[ConditionEstimate, ...] = ()
    differences: tuple[Difference, ...] = ()
    draws: Draws | None = None
    sandwich: Sandwich | None = None
    problems: tuple[str, ...] = ()


def strength_table(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    draws: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> StrengthTable:
    """Estimate strengths with their intervals.

    Parameters
    ----------
    counts
        All comparisons that are scored.
    by_evaluator
        The same by evaluator. With two evaluators and more these are what is drawn, and what the
        sandwich takes to be independent; with None, or fewer, comparisons are.
    ties
        What becomes of ties.
    draws
        Of the bootstrap.
    rng
        Source of randomness.
    confidence
        Coverage that intervals aim at, as a proportion.

    Raises
    ------
    InputError
        For fewer than two draws.
    StrengthsNotFound
        Strengths lie too far apart for floating-point numbers.
    """
    if ties == "none":
        counts, by_evaluator = counts.without_ties(), by_evaluator and by_evaluator.without_ties()
    found = connectivity(counts)
    counts, by_evaluator = (
        counts.only(found.fitted),
        by_evaluator and by_evaluator.only(found.fitted),
    )
    if not found.fitted:
        return StrengthTable(connectivity=found, problems=found.problems)
    if ties == "davidson" and counts.ties.any() and not has_finite_maximum(counts):
        return StrengthTable(connectivity=found, problems=(*found.problems, NO_FINITE_TIES))
    fitted = fit(counts, ties)
    if by_evaluator is None or by_evaluator.evaluators < 2:
        drawn = draw_comparisons(counts, fitted, draws=draws, rng=rng)
        sandwich: Sandwich | None = sandwich_of_comparisons(counts, fitted)
    else:
        drawn = draw_evaluators(by_evaluator, fitted, draws=draws, rng=rng)
        sandwich = sandwich_of_evaluators(by_evaluator, fitted)
    return StrengthTable(
        connectivity=found,
        fitted=fitted,
        conditions=condition_estimates(fitted, drawn, sandwich, confidence=confidence),
        differences=tuple(differences(fitted, drawn, sandwich, confidence=confidence)),
        draws=drawn,
        sandwich=sandwich,
        problems=found.problems,
    )
