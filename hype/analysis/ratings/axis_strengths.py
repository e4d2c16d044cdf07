"""Strengths of the conditions on one axis: who was better, as Bradley and Terry count it.

An answer on the first image's side is a win of its condition, however much better it was called;
the level in the middle is a tie. The estimation and its intervals are those of comparisons
(`hype.analysis.pairwise`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from hype.analysis.pairwise.counts import count, count_by_evaluator
from hype.analysis.pairwise.ranking import ranked
from hype.analysis.pairwise.scored_rows import rows_of
from hype.analysis.pairwise.strengths_found import fit_of, resampling_of, strengths_found
from hype.analysis.pairwise.vote_columns import ANSWERS
from hype.analysis.pairwise.win_rates import win_rates
from hype.analysis.resampling import condition_rng

if TYPE_CHECKING:
    from hype.analysis.pairwise.scores import ConditionStrength, Fit, Resampling
    from hype.analysis.ratings.options import RatingOptions


class AxisStrengths(NamedTuple):
    """The strengths of an axis, how they were found and resampled."""

    strengths: tuple[ConditionStrength, ...]
    fit: Fit
    bootstrap: Resampling | None


def votes_of(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings of pairs into comparisons: left is the first image, and won if it is better.

    Parameters
    ----------
    ratings
        Of one axis, as `check_ratings` returns them; those that are not relevant give no row.

    Returns
    -------
    DataFrame
        Left, right, answer and, where known, evaluator, as `check_comparisons` gives them.
    """
    given = ratings[ratings["value"].notna().to_numpy()]
    value = given["value"].to_numpy()
    codes = np.where(value > 0, 0, np.where(value < 0, 1, 2))
    votes = pd.DataFrame({"left": given["first"], "right": given["second"]})
    votes["answer"] = pd.Categorical.from_codes(codes, categories=pd.Index(ANSWERS))
    if "evaluator" in given:
        votes["evaluator"] = given["evaluator"]
    return rows_of(votes, np.ones(len(votes), dtype=bool))


def axis_strengths(ratings: pd.DataFrame, axis: str, options: RatingOptions) -> AxisStrengths:
    """Estimate the strengths of the conditions on one axis.

    Parameters
    ----------
    ratings
        Those of the axis, one or more of them relevant.
    axis
        Its name; the bootstrap's randomness follows from it and the seed.
    options
        The choices of the study and the analyst.
    """
    votes = votes_of(ratings)
    counts = count(votes)
    table = strengths_found(
        counts,
        count_by_evaluator(votes),
        ties=options.ties,
        draws=options.draws,
        rng=condition_rng(options.seed, axis, "strengths"),
        confidence=options.confidence,
    )
    rates = win_rates(counts, ties=options.ties, confidence=options.confidence)
    fit = fit_of(table, ties=options.ties)
    return AxisStrengths(ranked(rates, table), fit, resampling_of(table, seed=options.seed))
