"""Leaving out evaluators who have not finished: half a staircase has no threshold."""

from __future__ import annotations

import pandas as pd

from hype.errors import InputError

COMPLETE = "complete"


def finished(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators whose status is complete; all where there is no status.

    Raises
    ------
    InputError
        Nobody has finished yet.
    """
    if "status" not in judgements:
        return pd.Series(True, index=judgements.index)
    done = judgements["status"].eq(COMPLETE)
    if not done.any():
        raise InputError("judgements", "no evaluator has finished yet", "scores need a whole one")
    return done


def unfinished_note(judgements: pd.DataFrame) -> tuple[str, ...]:
    """Say how many evaluators are left out for not having finished, if any."""
    left_out = judgements.loc[~finished(judgements), "evaluator"].nunique()
    if not left_out:
        return ()
    who = "1 evaluator has" if left_out == 1 else f"{left_out} evaluators have"
    return (f"{who} begun and not finished; their judgements are not scored.",)
