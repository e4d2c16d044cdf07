"""Leaving out evaluators: half a staircase has no threshold, and a careless one the wrong one."""

from __future__ import annotations

import pandas as pd

from hype.errors import InputError

COMPLETE = "complete"
CARELESS = "careless"
"""What the column ``excluded`` says of judgements that are left out for it."""


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


def are_left_out(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are not scored because their evaluator is careless.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them.
    """
    if "excluded" not in judgements:
        return pd.Series(False, index=judgements.index)
    return judgements["excluded"].eq(CARELESS)


def counted(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators who finished, and are not left out as careless.

    Raises
    ------
    InputError
        There is nobody.
    """
    kept = finished(judgements) & ~are_left_out(judgements)
    if not kept.any():
        problem = "every evaluator who finished is careless by the study's rules, and is left out"
        raise InputError("judgements", problem, "exclusion.leave_out = false scores them")
    return kept


def unfinished_note(judgements: pd.DataFrame) -> tuple[str, ...]:
    """Say how many evaluators are left out for not having finished, if any."""
    left_out = judgements.loc[~finished(judgements), "evaluator"].nunique()
    if not left_out:
        return ()
    who = "1 evaluator has" if left_out == 1 else f"{left_out} evaluators have"
    return (f"{who} begun and not finished; their judgements are not scored.",)
