"""Which ratings are scored, and why the others are not: one rule, for a record and for a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Engine

from hype.protocols.prompted.scoring import require_some
from hype.protocols.rating.record import RATINGS
from hype.protocols.rating.rows import ROW
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import RatingTask
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.store.columns import added_columns
from hype.tables.reasons import (
    BY_PEOPLE,
    COMPLETE,
    OF_PEOPLE,
    SCORED,
    LeftOut,
    by_rule,
    facts_in,
    left_out,
    reason_of_row,
)

if TYPE_CHECKING:
    import pandas as pd

PRACTICE: Final = RatingTask.PRACTICE.value
REASONS: Final = {
    **OF_PEOPLE,
    PRACTICE: "practice is never scored",
}
"""Why a rating is not scored; where several hold, the first."""
MEANINGS: Final = {
    **BY_PEOPLE,
    PRACTICE: "for practice",
}
"""Reasons in the order in which they are reported, and how a sentence says them."""


def why_excluded(
    *, status: str = COMPLETE, task: str = RatingTask.RATING.value, excluded: str = ""
) -> str:
    """Say why a rating is not scored; `SCORED` where it is.

    What a table says in its column ``excluded`` comes before the evaluator's status, and that
    before what the rating is for.
    """
    why = reason_of_row(status=status, excluded=excluded)
    return why or (PRACTICE if task == PRACTICE else SCORED)


def adding_reasons(_engine: Engine, _study: RatingStudy, _simulated: bool) -> Adding:
    """Give what says of each rating of a record why it is not scored."""

    def added(status: object, task: object) -> Cells:
        return (why_excluded(status=str(status), task=str(task)),)

    return added


ADDED: Final = added_columns(ROW, excluded=REASONS)
"""The column that the study file makes."""
RATED: Final = Outgoing(
    answers=RATINGS, added=ADDED, needed=("status", "task"), adding=adding_reasons
)
"""How ratings leave a study."""


def scored_ratings(ratings: pd.DataFrame) -> tuple[pd.DataFrame, tuple[LeftOut, ...]]:
    """Keep the ratings that are scored, and count the others by their reasons.

    ``ratings``: as `check_ratings` returns them. Gives the rows that neither the columns excluded
    and status nor their being practice leaves out, over the conditions, evaluators and labels they
    have; and the others. Of several reasons what the table itself says comes first, then the
    evaluator's status, then practice.

    Raises InputError: nothing is left.
    """
    facts = facts_in(ratings, "status", "task", "excluded")
    reasons = by_rule(why_excluded, facts, list(MEANINGS), ratings.index)
    exclusions = left_out(ratings, reasons, MEANINGS)
    kept = reasons.eq(SCORED).to_numpy()
    require_some(kept, "ratings", exclusions)
    return _over_their_own(ratings[kept] if exclusions else ratings), exclusions


def _over_their_own(ratings: pd.DataFrame) -> pd.DataFrame:
    """Drop the categories that no row has."""
    from hype.tables.answers import share_conditions
    from hype.tables.distinct import only_used

    rows = ratings.copy(deep=False)
    share_conditions(rows, [name for name in ("first", "second") if name in rows])
    for name in ("item", "axis", "evaluator", "prompt"):
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows
