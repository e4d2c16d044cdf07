"""Who came to rate: a table beside the ratings, which also has those who made none."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from hype.export.kinds.base import PeopleTable
from hype.export.kinds.people_table import answered, prompted_table, scored, whole
from hype.export.pieces import Tally
from hype.protocol.rating import NOT_RELEVANT
from hype.sessions.exported_ratings import BY_STATUS, REASONS
from hype.store.answer_tables import ratings
from hype.study.studies import RatingStudy


def evaluator_table(
    connection: Connection, study: RatingStudy, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, with what they said about themselves."""
    passed = not_relevant(connection, simulated=simulated)
    did = (
        answered(tally, "ratings", "how many ratings they made, practice included"),
        whole(
            "not_relevant",
            "how many of these said that the axis is not relevant",
            lambda who: passed.get(who.id, 0),
        ),
        *scored(
            tally,
            "ratings",
            {why: REASONS[why] for why in BY_STATUS.values()},
            lambda who: BY_STATUS.get(who.status, ""),
        ),
    )
    return prompted_table(connection, study, did, simulated=simulated)


def not_relevant(connection: Connection, *, simulated: bool) -> dict[int, int]:
    """Count how often each evaluator, by number, found an axis not relevant."""
    found = ratings.c
    query = (
        select(found.evaluator_id, func.count())
        .where(found.simulated == simulated, found.answer == NOT_RELEVANT)
        .group_by(found.evaluator_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}
