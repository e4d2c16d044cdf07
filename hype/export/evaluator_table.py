"""Who came: a table beside the judgements, which also has those who made none."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, func, select

from hype.export.columns import ExportedColumn, Kind, documented
from hype.export.judged import Tally
from hype.export.moments import utc
from hype.sessions.exported import BY_STATUS, REASONS
from hype.sessions.status import standings
from hype.store.schema import evaluators, sessions
from hype.study.load import Study

LEFT: Final = {"real": "the left key answers real", "fake": "the left key answers fake"}

EVALUATOR_COLUMNS: Final = (
    documented("evaluator", evaluators.c.evaluator),
    documented("simulated", evaluators.c.simulated),
    documented("condition", evaluators.c.condition),
    documented("methods", evaluators.c.methods),
    replace(documented("left_means", evaluators.c.left_means), levels=LEFT),
    documented("status", evaluators.c.status),
    ExportedColumn(
        name="qualified",
        meaning="whether they may go on to what is scored; empty before that is known",
        kind=Kind.FLAG,
        gaps=True,
    ),
    ExportedColumn(
        name="qualified_before",
        meaning="whether they had qualified in an earlier study, and were not asked to again",
        kind=Kind.FLAG,
    ),
    ExportedColumn(name="assigned_utc", meaning="when they were assigned, in UTC", kind=Kind.TEXT),
    ExportedColumn(
        name="sessions", meaning="how often the program was started for them", kind=Kind.WHOLE
    ),
    ExportedColumn(
        name="judgements",
        meaning="how many judgements they made, practice and qualification included",
        kind=Kind.WHOLE,
    ),
    ExportedColumn(
        name="scored", meaning="how many of their judgements are scored", kind=Kind.WHOLE
    ),
    ExportedColumn(
        name="not_scored",
        meaning="why none of their judgements is scored; empty where there is no reason",
        kind=Kind.TEXT,
        levels={why: REASONS[why] for why in BY_STATUS.values()},
        gaps=True,
    ),
)

Row = tuple[object, ...]


def evaluator_rows(
    connection: Connection, study: Study, tally: Tally, *, simulated: bool
) -> list[Row]:
    """Give a row for each evaluator, in the order of their arrival."""
    standing = {s.evaluator: s for s in standings(connection, study, simulated=simulated)}
    query = (
        select(evaluators, func.count(sessions.c.id).label("sessions"))
        .outerjoin(sessions, sessions.c.evaluator_id == evaluators.c.id)
        .where(evaluators.c.simulated == simulated)
        .group_by(evaluators.c.id)
        .order_by(evaluators.c.id)
    )
    return [
        (
            *(who.evaluator, who.simulated, who.condition, who.methods, who.left_means, who.status),
            *(standing[who.evaluator].qualified, bool(who.qualified_in), utc(who.assigned_unix_s)),
            *(who.sessions, tally.by_evaluator[who.evaluator], tally.scored[who.evaluator]),
            BY_STATUS.get(who.status, ""),
        )
        for who in connection.execute(query)
    ]
