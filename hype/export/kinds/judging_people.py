"""Who came to judge: a table beside the judgements, which also has those who made none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from hype.export.columns import never_empty
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
from hype.sessions.exported import BY_STATUS, REASONS
from hype.sessions.status import standings
from hype.study.studies import Study

LEFT: Final = {"real": "the left key answers real", "fake": "the left key answers fake"}

OF_WHO_JUDGES: Final = ("condition", "left_means")
"""What everybody has who judges images one by one."""


def evaluator_table(
    connection: Connection, study: Study, tally: Tally, simulated: bool
) -> PeopleTable:
    """Give a row for each evaluator, in the order of their arrival."""
    standing = standings(connection, study, simulated=simulated)
    qualified = {one.evaluator: one.qualified for one in standing}
    return table_of(connection, facts(qualified, tally), simulated=simulated)


def facts(qualified: dict[str, bool | None], tally: Tally) -> Iterator[Fact]:
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
        lambda who: qualified[who.evaluator],
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
    yield from scored(
        tally,
        "judgements",
        {why: REASONS[why] for why in BY_STATUS.values()},
        lambda who: BY_STATUS.get(who.status, ""),
    )


def always(fact: Fact) -> Fact:
    """Describe a column that could be empty in a record, and is not where images are judged."""
    return replace(fact, column=never_empty(fact.column))
