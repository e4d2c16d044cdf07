"""Ratings as they leave a study: why one is not scored."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, String

from hype.protocols.rating.trial import RatingTask
from hype.protocols.studies import RatingStudy
from hype.session.outgoing import Adding, Cells, Outgoing
from hype.store.columns import column
from hype.store.reading import RATINGS

REASONS: Final = {
    "unfinished": "the evaluator has begun and not finished",
    "declined": "the evaluator did not consent",
    "practice": "practice is never scored",
}
"""Why a rating is not scored; where several hold, the first."""
BY_STATUS: Final = {"active": "unfinished", "declined": "declined"}
ADDED: Final = (
    column(
        "excluded",
        String(32),
        "why the rating is not scored under the study's rules; empty where it is",
        blank=True,
        levels=REASONS,
    ),
)
"""The column that the study file makes."""


def why_not_scored(_engine: Engine, _study: RatingStudy, _simulated: bool) -> Adding:
    """Give what says why a rating is not scored; "" if it is."""

    def added(status: object, task: object) -> Cells:
        practice = "practice" if task == RatingTask.PRACTICE.value else ""
        return (BY_STATUS.get(str(status)) or practice,)

    return added


RATED: Final = Outgoing(
    answers=RATINGS, added=ADDED, needed=("status", "task"), adding=why_not_scored
)
"""How ratings leave a study."""
