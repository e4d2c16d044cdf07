"""Which ratings are scored, and why the others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.protocols.comparison.exclusion import excluded, reasons_of
from hype.protocols.rating.results import RatingsLeftOut
from hype.tables.answers import share_conditions
from hype.tables.distinct import only_used
from hype.tables.reasons import SCORED

if TYPE_CHECKING:
    import pandas as pd


def scored_ratings(ratings: pd.DataFrame) -> tuple[pd.DataFrame, tuple[RatingsLeftOut, ...]]:
    """Keep the ratings that are scored, and count the others by their reasons.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them.

    Returns
    -------
    tuple
        The rows that neither the columns excluded and status nor their being practice leaves
        out, over the conditions, evaluators and labels they have; and the others. Of several
        reasons what the table itself says comes first, then the evaluator's status, then practice.

    Raises
    ------
    InputError
        Nothing is left.
    """
    reasons = reasons_of(ratings)
    others = tuple(
        RatingsLeftOut(
            reason=one.reason,
            meaning=one.meaning,
            evaluators=one.evaluators,
            ratings=one.comparisons,
        )
        for one in excluded(ratings, reasons)
    )
    kept = reasons.eq(SCORED).to_numpy()
    if not kept.any():
        found = ", ".join(f"{one.ratings:,} {one.meaning}" for one in others)
        raise InputError("ratings", f"none is left to score: {found}", "one or more")
    return _over_their_own(ratings[kept] if others else ratings), others


def _over_their_own(ratings: pd.DataFrame) -> pd.DataFrame:
    """Drop the categories that no row has."""
    rows = ratings.copy(deep=False)
    share_conditions(rows, [name for name in ("first", "second") if name in rows])
    for name in ("item", "axis", "evaluator", "prompt"):
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows
