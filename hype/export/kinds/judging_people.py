"""Who came to judge: a table beside the judgements, which also has those who made none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from hype.export.columns import ExportedColumn, Kind, never_empty
from hype.export.kinds.base import PeopleTable
from hype.export.kinds.people_table import (
    CAME,
    Fact,
    answered,
    flag,
    recorded,
    scored,
    table_of,
)
from hype.export.pieces import Tally
from hype.sessions.exported import BY_STATUS, REASONS, Excluded
from hype.sessions.status import Standing, standings
from hype.study.studies import Study

LEFT: Final = {"real": "the left key answers real", "fake": "the left key answers fake"}

OF_WHO_JUDGES: Final = ("condition", "left_means")
"""What everybody has who judges images one by one."""


def evaluator_table(
    connection: Connection, study: Study, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, in the order of their arrival."""
    standing = standings(connection, study, simulated=simulated)
    by_code = {one.evaluator: one for one in standing}
    leave_out = study.settings.exclusion.leave_out
    told = facts(by_code, tally, leave_out=leave_out)
    return table_of(connection, told, simulated=simulated)


def facts(
    standing: Mapping[str, Standing], tally: Tally, *, leave_out: bool = False
) -> Iterator[Fact]:
    """Say who they are, and how much they did."""
    yield from map(recorded, ("evaluator", "simulated"))
    yield always(recorded("condition"))
    yield recorded("methods")
    left = always(recorded("left_means"))
    yield replace(left, column=replace(left.column, levels=LEFT))
    yield recorded("status")
    yield flag(
        "qualified",
        "whether they may go on to what is scored; empty before that is known",
        lambda who: standing[who.evaluator].qualified,
        gaps=True,
    )
    yield flag(
        "qualified_before",
        "whether they had qualified in an earlier study, and were not asked to again",
        lambda who: bool(who.qualified_in),
    )
    yield from CAME
    yield answered(
        tally, "judgements", "how many judgements they made, practice and qualification included"
    )
    yield Fact(
        column=ExportedColumn(
            name="broke_rules",
            meaning="what of their answers breaks the study's rules of exclusion, in words",
            kind=Kind.TEXT,
            gaps=True,
        ),
        of=lambda who: "; ".join(standing[who.evaluator].careless),
    )
    left_out = Excluded.CARELESS.value if leave_out else ""
    yield from scored(
        tally,
        "judgements",
        {why: REASONS[why] for why in (*BY_STATUS.values(), Excluded.CARELESS.value)},
        lambda who: (
            BY_STATUS.get(who.status) or (left_out if standing[who.evaluator].careless else "")
        ),
    )


def always(fact: Fact) -> Fact:
    """Describe a column that could be empty in a record, and is not where images are judged."""
    return replace(fact, column=never_empty(fact.column))
