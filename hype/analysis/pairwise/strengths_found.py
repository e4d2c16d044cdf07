"""The strengths of conditions, or why there are none, and how they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.analysis.pairwise.connectivity import connectivity
from hype.analysis.pairwise.scores import Fit, Resampling
from hype.analysis.pairwise.strength_table import StrengthTable, strength_table
from hype.protocol.strengths import StrengthsNotFound

if TYPE_CHECKING:
    from numpy.random import Generator

    from hype.analysis.pairwise.counts import Counts, EvaluatorCounts
    from hype.analysis.pairwise.scores import Ties


def strengths_found(
    counts: Counts,
    by_evaluator: EvaluatorCounts | None,
    *,
    ties: Ties,
    draws: int,
    rng: Generator,
    confidence: float,
) -> StrengthTable:
    """Estimate strengths as `strength_table` does; where that fails, say so among the problems."""
    try:
        return strength_table(
            counts, by_evaluator, ties=ties, draws=draws, rng=rng, confidence=confidence
        )
    except StrengthsNotFound as problem:
        found = connectivity(counts.without_ties() if ties == "none" else counts)
        return StrengthTable(connectivity=found, problems=(*found.problems, str(problem)))


def fit_of(table: StrengthTable, *, ties: Ties) -> Fit:
    """Say how the strengths of a table were found."""
    fitted = table.fitted
    return Fit(
        ties=ties,
        iterations=fitted.steps if fitted else None,
        log_likelihood=fitted.log_likelihood if fitted else None,
        tie_parameter=fitted.nu if fitted else None,
        pieces=table.connectivity.pieces,
        groups=table.connectivity.groups,
        unbeaten=table.connectivity.unbeaten,
        winless=table.connectivity.winless,
        problems=table.problems,
    )


def resampling_of(table: StrengthTable, *, seed: int) -> Resampling | None:
    """Say how the strengths of a table were resampled; None where they were not."""
    if table.draws is None:
        return None
    return Resampling(
        draws=table.draws.draws,
        seed=seed,
        unit=table.draws.unit,
        undefined=table.draws.undefined,
    )
