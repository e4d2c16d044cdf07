"""Strengths of a study of rankings: which conditions have one, how large, and how certain.

Plackett and Luce's from the rankings as they are, and beside them Bradley and Terry's from the
comparisons that rankings expand to. Of the intervals of both, evaluators are the independent units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.analysis.pairwise.connectivity import connectivity
from hype.analysis.pairwise.strength_intervals import condition_estimates, differences
from hype.analysis.pairwise.strength_table import StrengthTable, strength_table
from hype.analysis.rankings.choices import choices
from hype.analysis.rankings.expanded import expanded
from hype.analysis.rankings.plackett_luce import fit_plackett_luce, sandwich_of_units
from hype.analysis.rankings.ranking_draws import draw_rankings
from hype.protocol.strengths import StrengthsNotFound

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hype.analysis.pairwise.connectivity import Connectivity
    from hype.analysis.pairwise.counts import Counts
    from hype.analysis.pairwise.scores import Ties
    from hype.analysis.pairwise.strength_intervals import ConditionEstimate, Difference
    from hype.analysis.rankings.expanded import Expanded
    from hype.analysis.rankings.orders import Orders
    from hype.analysis.rankings.plackett_luce import PlackettLuce
    from hype.analysis.rankings.ranking_units import Units

NOTHING_DRAWN = (
    "a single group was ranked, by one evaluator: nothing is known of how other rankings would go"
)


@dataclass(frozen=True, kw_only=True)
class RankingStrengths:
    """The strengths by Plackett and Luce.

    Parameters
    ----------
    connectivity
        Which conditions have a strength, and why the others have none.
    fitted
        None where no condition has one.
    conditions
        Those that have one, the strongest first.
    differences
        Of every two of them.
    undefined
        Draws of the bootstrap without finite strengths.
    problems
        All that is wrong, each in a sentence.
    """

    connectivity: Connectivity
    fitted: PlackettLuce | None = None
    conditions: tuple[ConditionEstimate, ...] = ()
    differences: tuple[Difference, ...] = ()
    undefined: int = 0
    problems: tuple[str, ...] = ()

    def reason(self, condition: str) -> str:
        """Say why a condition has no strength."""
        problem = self.problems[-1] if self.problems else ""
        return self.connectivity.reasons.get(condition, problem)


def ranking_strengths(
    laid: Orders,
    units: Units,
    counts: Counts,
    weights: npt.NDArray[np.float64] | None,
    *,
    confidence: float,
) -> RankingStrengths:
    """Estimate strengths from rankings.

    Parameters
    ----------
    laid
        The rankings.
    units
        Whose each is, as drawn.
    counts
        Their comparisons.
    weights
        How often each unit was drawn, shape (draws, units); None where there is but one.
    confidence
        Coverage that intervals aim at, as a proportion.
    """
    found = connectivity(counts)
    if not found.fitted:
        return RankingStrengths(connectivity=found, problems=found.problems)
    if weights is None:
        return RankingStrengths(connectivity=found, problems=(*found.problems, NOTHING_DRAWN))
    kept = laid.only(found.fitted)
    chosen = choices(kept, units)
    try:
        fitted = fit_plackett_luce(chosen)
    except StrengthsNotFound as problem:
        return RankingStrengths(connectivity=found, problems=(*found.problems, str(problem)))
    points, _ = expanded(kept).sums(units)
    drawn = draw_rankings(chosen, points, fitted, weights)
    same, sandwich = fitted.as_fitted(), sandwich_of_units(chosen, fitted)
    return RankingStrengths(
        connectivity=found,
        fitted=fitted,
        conditions=condition_estimates(same, drawn, sandwich, confidence=confidence),
        differences=tuple(differences(same, drawn, sandwich, confidence=confidence)),
        undefined=drawn.undefined,
        problems=found.problems,
    )


def strengths_of_pairs(
    pairs: Expanded,
    units: Units,
    *,
    ties: Ties,
    draws: int,
    rng: np.random.Generator,
    confidence: float,
) -> StrengthTable:
    """Estimate Bradley and Terry's strengths from comparisons, by the same units.

    Parameters
    ----------
    pairs
        The comparisons.
    units
        Whose each ranking is, as drawn.
    ties
        What becomes of ties.
    draws, rng
        Of the bootstrap.
    confidence
        Coverage that intervals aim at, as a proportion.
    """
    counts, by_unit = pairs.counts(), pairs.by_unit(units.of_ranking)
    found = connectivity(counts.without_ties() if ties == "none" else counts)
    kept = by_unit.without_ties() if ties == "none" else by_unit
    if found.fitted and kept.only(found.fitted).evaluators < 2:
        # Then the comparisons themselves would be drawn, which are not independent.
        return StrengthTable(connectivity=found, problems=(*found.problems, NOTHING_DRAWN))
    try:
        return strength_table(
            counts, by_unit, ties=ties, draws=draws, rng=rng, confidence=confidence
        )
    except StrengthsNotFound as problem:
        return StrengthTable(connectivity=found, problems=(*found.problems, str(problem)))
