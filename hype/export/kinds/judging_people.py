"""Who came to judge: a table beside the judgements, which also has those who made none."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from hype.export.columns import ExportedColumn, Kind, documented, never_empty
from hype.export.kinds.arrivals import ASSIGNED, SESSIONS, arrivals
from hype.export.kinds.base import PeopleTable
from hype.export.moments import utc
from hype.export.pieces import Tally
from hype.sessions.exported import BY_STATUS, REASONS
from hype.sessions.status import standings
from hype.store.schema import evaluators
from hype.study.studies import Study

LEFT: Final = {"real": "the left key answers real", "fake": "the left key answers fake"}

OF_WHO_JUDGES: Final = ("condition", "left_means")
"""What everybody has who judges images one by one."""

EVALUATOR_COLUMNS: Final = (
    documented("evaluator", evaluators.c.evaluator),
    documented("simulated", evaluators.c.simulated),
    never_empty(documented("condition", evaluators.c.condition)),
    documented("methods", evaluators.c.methods),
    replace(never_empty(documented("left_means", evaluators.c.left_means)), levels=LEFT),
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
    ASSIGNED,
    SESSIONS,
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


def evaluator_table(
    connection: Connection, study: Study, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, in the order of their arrival."""
    standing = {s.evaluator: s for s in standings(connection, study, simulated=simulated)}
    rows = tuple(
        (
            *(who.evaluator, who.simulated, who.condition, who.methods, who.left_means, who.status),
            *(standing[who.evaluator].qualified, bool(who.qualified_in), utc(who.assigned_unix_s)),
            *(who.sessions, tally.by_evaluator[who.evaluator], tally.scored[who.evaluator]),
            BY_STATUS.get(who.status, ""),
        )
        for who in arrivals(connection, simulated=simulated)
    )
    return PeopleTable(columns=EVALUATOR_COLUMNS, rows=rows)
